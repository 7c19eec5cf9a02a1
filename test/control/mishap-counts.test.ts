import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { fileWith } from "../support/scenario-run.js";

/** Counts the mishaps of two payments with the scenario. */
async function metUnder(scenario: string, answers: readonly number[] = []) {
  const sandbox = await openSandbox({ scenario: [scenario] });
  const client = Client.of(sandbox);
  const left = [...answers];
  await sandbox.onWebhook(() => new Response(null, { status: left.shift() ?? 200 }));
  const id = await client.pay().catch(() => undefined);
  await sandbox.advance("2h");
  const met = async (of: string) =>
    (await client.ask(`GET /_sandbox/coverage?of=${of}`)).json.mishaps.met as Record<string, number>;
  return { sandbox, client, id, met };
}

const rule = (webhook: object, type = "charge.completed") =>
  fileWith(JSON.stringify({ name: "one", webhooks: [{ match: { type }, ...webhook }] }));

it.each<[string, string, readonly number[], Record<string, number>]>([
  ["nothing", "default", [], {}],
  ["copies", rule({ copies: 3 }), [], { duplicate: 2 }],
  ["concurrent duplicates", rule({ copies: 2, at_once: true }), [], { duplicate: 1 }],
  ["a failing receiver", "default", [500], { retry: 1, out_of_order: 1 }],
  ["the same event an hour later", rule({ again_after: "1h" }), [], { duplicate: 1 }],
  [
    "a lost response to a webhook",
    rule({ response_lost: true }),
    [],
    { response_lost: 1, retry: 1, duplicate: 1 },
  ],
  ["a lost first attempt", rule({ fail_first: 1 }), [], { retry: 1 }],
  ["a swap", rule({ swap: true }, "charge.processing"), [], { out_of_order: 1 }],
  ["a false event", rule({ forged: true }), [], {}],
  ["a lost response to a call", "lost_response", [], { response_lost: 1 }],
  ["a late payment", "paid_late", [], { paid_late: 1 }],
])(
  "GET /_sandbox/coverage counts each mishap once it has happened: %s",
  async (_what, scenario, answers, expected) => {
    const { met } = await metUnder(scenario, answers);
    expect(await met("namespace")).toEqual(expected);
    expect(await met("server")).toEqual(expected);
  },
);

it("GET /_sandbox/coverage keeps mishap counts after a reset", async () => {
  const { sandbox, client, met } = await metUnder(rule({ copies: 2 }));
  await sandbox.reset();
  expect([await met("namespace"), await met("server")]).toEqual([{}, { duplicate: 1 }]);
  expect((await client.ask("GET /_sandbox/coverage")).json.mishaps.not_met).toEqual([
    "duplicate",
    "response_lost",
    "retry",
    "out_of_order",
    "paid_late",
  ]);
});
