// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { failed, runSteps } from "../support/scenario-run.js";

const PAID = `
  - pay: { amount: "500.00", as: c1, until: PENDING }
  - advance: 10s`;

/** Pays a charge, then runs the steps and returns the one that failed. */
async function runWithReceiver(steps: string, rules = "", status = 200) {
  const sandbox = await openSandbox();
  sandbox.onWebhook(() => status);
  return failed(await runSteps(`${PAID}\n${steps}`, { sandbox, rules }));
}

it.each([
  "[charge.processing, charge.completed]",
  "[charge.awaiting_payment, charge.processing, charge.completed]",
  '["charge.proc*", "charge.comp*"]',
  '{ charge_id: "${c1}", types: [charge.awaiting_payment, charge.completed] }',
])("`expect_sequence` compares the deliveries to a receiver with %s", async (sequence) => {
  expect(await runWithReceiver(`  - expect_sequence: ${sequence}`)).toBeUndefined();
});

it("`expect_sequence` fails for a different order, a duplicate and a missing event", async () => {
  const step = "  - expect_sequence: [charge.processing, charge.completed]";
  for (const [rules, came] of [
    [
      "webhooks: [{ match: { type: charge.processing }, swap: true }]",
      "charge.completed, charge.processing arrived",
    ],
    [
      "webhooks: [{ match: { type: charge.completed }, copies: 2 }]",
      "charge.processing, charge.completed, charge.completed arrived",
    ],
    ["webhooks: [{ match: { type: charge.processing }, drop: true }]", "charge.completed arrived"],
  ] as const)
    expect((await runWithReceiver(step, rules))?.failure).toMatchObject({
      message: expect.stringMatching(
        new RegExp(`^ch_\\w+ at \\S+: ${came}, not charge.processing, charge.completed$`),
      ),
      line: expect.any(Number),
    });
  expect((await runWithReceiver(step, "", 500))?.failure?.message).toContain("none of these arrived");
});
