// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { repeatForCustomers } from "../../src/tools/explore/sandbox/several-customers.js";
import { exploredUntil, FLOW, openCorpus } from "./support.js";

const ORDER = { app: "POST /orders", body: { email: "qa+${run.id}@shop.test" }, save: { order: "body.id" } };
const isRepeated = (...checks: readonly object[]) =>
  repeatForCustomers({ document: { name: "a", steps: [ORDER, ...checks] }, roles: ["drive"] })
    .repeatedRoles !== undefined;

it.each<[isRepeated: boolean, check: object]>([
  [true, { expect_charge: { customer_email: "qa+${run.id}@shop.test", count: 1 } }],
  [true, { expect_charge: { metadata: { order_id: "${order}" }, count: 1 } }],
  [true, { expect_withdrawal: { reference: "${order.id}", status: "COMPLETED" } }],
  [true, { expect_delivery: { answered: "5xx", count: 0 } }],
  [true, { request: "GET /api/v1/payments/charges/${order}", expect: { body: { status: "COMPLETED" } } }],
  [true, { request: "POST /api/v1/payments/quotes", expect: { body: { status: "ACTIVE" } } }],
  [true, { reconcile: { app: "GET /orders" } }],
  [false, { reconcile: { app: "GET /orders?of=${run.id}" } }],
  [false, { expect_charge: { status: "COMPLETED", count: 1 } }],
  [false, { expect_withdrawal: { status: "COMPLETED", count: 1 } }],
  [false, { expect_balance: { currency: "KES", change: "+500.00" } }],
  [false, { request: "GET /api/v1/payouts/withdrawals", expect: { body: { total: 1 } } }],
  [false, { parallel: [[{ expect_charge: { status: "COMPLETED" } }]] }],
])("repeats a run (%s) with the check %j", (expected, check) => {
  expect(isRepeated(check)).toBe(expected);
});

it("tells customers apart by a variable that refers to another", () => {
  const vars = { email: "qa+${id}@shop.test", id: "${run.id}", currency: "KES" };
  const steps = [{ app: "POST /orders", body: { email: "${email}", currency: "${currency}" } }];
  const { document } = repeatForCustomers({ document: { name: "a", vars, steps }, roles: ["drive"] });
  const body = { email: "qa+${run.id}-${customer}@shop.test", currency: "${currency}" };
  expect(document.steps).toMatchObject([{ repeat: 5, steps: [{ app: "POST /orders", body }] }]);
});

it("saves a race that passes with the fix, also with a check of the balance", async () => {
  const flow = FLOW.replace("observe:", '  - expect_balance: { currency: KES, change: "+500.00" }\nobserve:');
  const { file, found } = await exploredUntil("races", "webhook_twice_at_once charge.completed#1", flow);
  expect(found).toContain("money: webhook_twice_at_once charge.completed#1");
  expect(parse(readFileSync(file, "utf8")).steps[0]).not.toHaveProperty("repeat");
  const right = await openCorpus("right");
  expect(await right.sandbox.run(file, { app: right.shop.url })).toMatchObject({ passed: true });
});
