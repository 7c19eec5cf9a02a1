import { describe, expect } from "vitest";
import { type Api, expectError, okBody } from "../support/api-client.js";
import { it } from "../support/api-test.js";

/** Every call with a body, with its required fields and one unknown field. */
const CALLS: [line: string, body: Record<string, unknown>][] = [
  ["POST /_sandbox/namespaces", { name: "ann" }],
  ["PUT /_sandbox/namespaces/ann", {}],
  ["POST /_sandbox/reset", {}],
  ["POST /_sandbox/snapshots", { name: "a" }],
  ["PUT /_sandbox/clock", { mode: "real" }],
  ["POST /_sandbox/clock/advance", { by: "1s" }],
  ["POST /_sandbox/charges/CHARGE/transition", { to: "FAILED" }],
  ["POST /_sandbox/charges/CHARGE/refund", {}],
  ["POST /_sandbox/charges/CHARGE/advance", { until: "COMPLETED" }],
  ["POST /_sandbox/withdrawals/wd_x/transition", { to: "FAILED" }],
  ["POST /_sandbox/wait", { for: "idle" }],
  ["PUT /_sandbox/scenarios/mine", {}],
  ["POST /_sandbox/faults", { drop: "before" }],
  ["POST /_sandbox/events", { type: "webhook.test" }],
  ["POST /_sandbox/deliveries/dl_x/redeliver", {}],
  ["POST /_sandbox/mailboxes/box/take", {}],
  ["POST /_sandbox/mailboxes/box/dl_x/ack", { status: 200 }],
  ["POST /_sandbox/webhook-endpoints", { url: "http://localhost:9" }],
  ["PATCH /_sandbox/webhook-endpoints/wh_x", {}],
  ["PUT /_sandbox/rates", { NGN: "1600" }],
];

async function send(api: Api, line: string, chargeId: string, body: string) {
  const [method, path] = line.split(" ");
  return api.send(method!, path!.replace("CHARGE", chargeId), body, { "content-type": "application/json" });
}

/** The whole state but for when the clock was last looked at. */
async function state(api: Api): Promise<unknown> {
  const { collections, counters } = okBody(
    await api.get<{ collections: object; counters: object }>("/_sandbox/state"),
  );
  return { ...collections, clock: undefined, counters };
}

describe("a control body", () => {
  it.for(CALLS)(
    "with an unknown field is refused by %s, which names it and changes nothing",
    async ([line, body], { api }) => {
      const { charge_id } = await api.pay();
      const before = await state(api);
      const answer = await send(api, line, charge_id, JSON.stringify({ ...body, tpyo: "1600x" }));
      expectError(answer, 400, "VALIDATION_ERROR");
      expect(JSON.stringify(answer.details)).toContain("tpyo");
      expect(await state(api)).toEqual(before);
    },
  );

  it.for(["{", "[]", "null", '"text"', "7"])(
    "that is %s is refused in the service's shape",
    async (text, { api }) => {
      for (const [line] of CALLS) {
        const answer = await send(api, line, "ch_x", text);
        expectError(answer, 400, "VALIDATION_ERROR", ["body"]);
      }
    },
  );

  it("shaped like an error of the service is refused for its unknown fields", async ({ api }) => {
    const forged = { refused: true, code: "X", message: "m", status: 299 };
    for (const [line] of CALLS)
      expectError(await send(api, line, "ch_x", JSON.stringify(forged)), 400, "VALIDATION_ERROR");
  });

  it("larger than 1 MiB is 413", async ({ api }) => {
    const text = JSON.stringify({ type: "webhook.test", data: { text: "x".repeat(1024 * 1024) } });
    expectError(await send(api, "POST /_sandbox/events", "", text), 413, "PAYLOAD_TOO_LARGE");
  });
});
