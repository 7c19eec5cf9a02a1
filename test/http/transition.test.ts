import { describe, expect } from "vitest";
import { type Api, expectError, expectInvalid, later, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";

/** Documented transitions. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  PENDING: ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
  AWAITING_PAYMENT: ["PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
  PROCESSING: ["COMPLETED", "FAILED"],
  COMPLETED: ["REFUNDED"],
  FAILED: [],
  CANCELLED: [],
  EXPIRED: ["PROCESSING", "COMPLETED"],
  REFUNDED: [],
};
const STATUSES = Object.keys(ALLOWED);
const PAIRS = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));

async function chargeIn(api: Api, status: string): Promise<string> {
  const { charge_id } = await api.pay();
  const path = status === "REFUNDED" ? ["COMPLETED", "REFUNDED"] : status === "PENDING" ? [] : [status];
  for (const to of path) expect((await api.transition(charge_id, { to })).status).toBe(200);
  return charge_id;
}

describe.each(STATUSES)("from %s", (from) => {
  it.for(PAIRS.filter((pair) => pair[0] === from && ALLOWED[from]!.includes(pair[1])))(
    "%s can become %s, and the next read returns the same [R18.2]",
    async ([_, to], { api }) => {
      const id = await chargeIn(api, from);
      const answer = await api.transition(id, { to });
      expect(answer.status).toBe(200);
      expect(answer.text).toBe((await api.get(`/api/v1/payments/charges/${id}`)).text);
      expect(answer.body.status).toBe(to);
      expect(answer.body.status_history.at(-1)).toEqual({ status: to, at: START });
    },
  );

  it.for(PAIRS.filter((pair) => pair[0] === from && !ALLOWED[from]!.includes(pair[1])))(
    "%s cannot become %s: returns 409 and changes nothing",
    async ([_, to], { api }) => {
      const id = await chargeIn(api, from);
      const before = JSON.stringify(api.sandbox.snapshot());
      expectError(await api.transition(id, { to }), 409, "INVALID_TRANSITION", ["status"]);
      expect(JSON.stringify(api.sandbox.snapshot())).toBe(before);
    },
  );
});

it("a transition records its time and reason in the history [R9.5]", async ({ api }) => {
  const { charge_id } = await api.pay();
  await api.advance({ by: "500ms" });
  const { body } = await api.transition(charge_id, { to: "FAILED", reason: "no such wallet" });
  expect(body).toMatchObject({
    status: "FAILED",
    failure_reason: "no such wallet",
    updated_at: later(0.5),
    status_history: [
      { status: "PENDING", at: START },
      { status: "FAILED", at: later(0.5), reason: "no such wallet" },
    ],
  });
});

it("a transition cancels the scenario's scheduled changes", async ({ api }) => {
  const { charge_id } = await api.pay();
  await api.advance({ by: "1s" });
  await api.transition(charge_id, { to: "PROCESSING" });
  await api.advance({ by: "1d" });
  expect((await api.charge(charge_id)).status).toBe("PROCESSING");
});

it("an open charge keeps its expiry after a transition", async ({ api }) => {
  const { charge_id } = await api.pay();
  await api.transition(charge_id, { to: "AWAITING_PAYMENT" });
  await api.advance({ by: "1d" });
  expect(await api.charge(charge_id)).toMatchObject({ status: "EXPIRED", updated_at: later(3600) });
});

it("a transition sends one event with the charge", async ({ api }) => {
  const { charge_id } = await api.pay();
  const { text } = await api.transition(charge_id, { to: "PROCESSING" });
  const events = api.sandbox.snapshot().collections.events.map(([, event]) => event);
  expect(events.map((one) => one.type)).toEqual(["charge.processing"]);
  expect(events[0]!.body).toContain(`"data":${text}}`);
});

it("a transition works in both modes and without a key", async ({ api }) => {
  for (const key of ["sk_test_sandbox", "sk_live_sandbox", "sk_test_other"]) {
    const { charge_id } = await api.as(key).pay();
    expect((await api.as(null).transition(charge_id, { to: "CANCELLED" })).status).toBe(200);
    expect((await api.as(key).charge(charge_id)).status).toBe("CANCELLED");
  }
});

it("POST transition refuses a missing body with 400 and details.to", async ({ api }) => {
  const { charge_id } = await api.pay();
  expectInvalid(await api.send("POST", `/_sandbox/charges/${charge_id}/transition`), "to");
});
