import { expect } from "vitest";
import { it } from "../support/api-test.js";

const many = <Value>(count: number, of: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => of(index));
const fields = (count: number, of: (index: number) => unknown) =>
  Object.fromEntries(many(count, (index) => [`f${index}`, of(index)]));

const timeline = [{ after: "1s", to: "FAILED" }];
const url = "http://localhost:1/hooks";
const order = { pricing: { base_currency: "NGN", amount: "19.99" }, payment_method: "bank_transfer" };

/** Bodies with this many values. */
const BODIES: [call: string, body: (count: number) => object][] = [
  ["POST /api/v1/webhooks", (count) => ({ url, events: many(count, (index) => `charge.c${index}`) })],
  ["POST /api/v1/payments/quotes", (count) => ({ ...order, ...fields(count, () => 1) })],
  ["POST /_sandbox/webhook-endpoints", (count) => ({ url, events: many(count, (index) => `c${index}`) })],
  ["POST /_sandbox/wait", (count) => ({ for: "charge", match: fields(count, () => 1) })],
  ["POST /_sandbox/reset", (count) => ({ keep: many(count, (index) => `k${index}`) })],
  ["POST /_sandbox/reset", (count) => fields(count, () => 1)],
  ["PUT /_sandbox/scenarios/mine", (count) => ({ vars: fields(count, () => "x"), charges: [{ timeline }] })],
  ["PUT /_sandbox/scenarios/mine", (count) => ({ charges: many(count, () => ({ x: 1 })) })],
  ["POST /_sandbox/faults", (count) => ({ match: { operation: many(count, (index) => `o${index}`) } })],
];

it.for(BODIES)("refuses a body with too many values: %s", async ([call, body], { client }) => {
  const { status, json } = await client.ask(call, body(30_000));
  expect([status, json.error.details]).toEqual([400, { body: "has more than 20,000 values" }]);
});

it.for(BODIES.slice(2, -2))("reports at most 100 errors of a body: %s", async ([call, body], { client }) => {
  const { status, json } = await client.ask(call, body(9_000));
  if (status === 200) return;
  expect(status).toBe(400);
  expect(Object.keys(json.error.details).length).toBeLessThanOrEqual(100);
});

it("accepts a body up to the limit", async ({ client }) => {
  const data = fields(19_990, () => "x");
  expect((await client.ask("POST /_sandbox/events", { type: "webhook.test", data })).status).toBe(200);
});

it("an imported state has no limit", async ({ client }) => {
  const rows = many(8_000, (index) => ({ order_id: `o${index}`, status: "paid", amount: "19.99" }));
  const { json } = await client.ask("POST /_sandbox/reconcile", { rows });
  expect(json.error?.details?.body).toBeUndefined();
});

it("refuses a scenario with circular variables", async ({ client }) => {
  const vars = fields(9_000, (index) => `\${f${index + 1}}`);
  const { status, json } = await client.ask("PUT /_sandbox/scenarios/mine", {
    vars,
    charges: [{ timeline }],
  });
  expect(status).toBe(400);
  expect(JSON.stringify(json.error.details)).toContain("is reached by more than 500 variables in a row");
});
