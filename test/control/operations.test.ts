import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectTypeOf, it } from "vitest";
import type { ControlOperationId } from "../../src/core/client/operations.js";
import { CONTROL_OPERATIONS, type ControlTypes } from "../../src/server/control/operations.js";
import { openSandbox } from "../support/api-client.js";
import { ROOT } from "../support/built.js";

const { OPERATIONS_FILE, operationsText } = await import(join(ROOT, "scripts/operations.mjs"));

it("the client has one call per operation", () => {
  expect(readFileSync(join(ROOT, OPERATIONS_FILE), "utf8")).toBe(operationsText(CONTROL_OPERATIONS));
  expectTypeOf<keyof ControlTypes>().toEqualTypeOf<ControlOperationId>();
});

it("run(id) fills the path and sends the other fields as the body", async () => {
  const sandbox = await openSandbox();
  const scenario = { name: "late", description: "Pays late." };
  await sandbox.run("putScenario", scenario);
  expect(await sandbox.run("getScenario", { name: "late" })).toMatchObject(scenario);
});

it("run(id) encodes a path parameter", async () => {
  const sandbox = await openSandbox();
  await expect(sandbox.run("getNamespace", { name: "a/b?c" })).rejects.toThrow('no namespace "a/b?c"');
});

it("run(id) sends the other fields of a GET as its query", async () => {
  const sandbox = await openSandbox();
  await sandbox.run("createFault", { match: { operation: "createQuote" }, respond: { status: 503 } });
  const none = await sandbox.run("listFaults", { offset: 1, limit: undefined });
  expect(none).toEqual({ total: 1, items: [] });
});

it("run(id) sends `wait` as a query parameter", async () => {
  const sandbox = await openSandbox();
  const advance = sandbox.run("advanceClock", { by: "1m" });
  expect(await sandbox.run("setClock", { mode: "manual", wait: "10s" })).toMatchObject({ mode: "manual" });
  await advance;
  await expect(sandbox.run("setClock", { mode: "manual", wait: "soon" })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
    details: { wait: expect.stringContaining("must be a duration") },
  });
});

it("run(id) calls the service with the API key of test mode, at the config's path", async () => {
  const sandbox = await openSandbox({ paths: { createQuote: "/v2/quotes" } });
  const pricing = { base_currency: "KES", amount: "19.99" };
  const quote = await sandbox.run("createQuote", { pricing, payment_method: "card" });
  expect(quote).toMatchObject({ quote_id: expect.stringMatching(/^qt_/), settlement_amount: "19.99" });
  const { quote_id } = quote;
  const order = { pricing, payment_method: "card", quote_id, customer_email: "ada@shop.test" };
  const { charge_id } = await sandbox.run("createWhitelabel", order);
  expect(await sandbox.run("getPayin", { charge_id })).toMatchObject({
    charge_id,
    organization_id: "org_sandbox",
  });
  expect(await sandbox.run("listPayins", { limit: 1, status_filter: "FAILED" })).toEqual({
    total: 0,
    items: [],
  });
  await expect(sandbox.run("createQuote", { pricing })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
    details: { payment_method: "is required" },
  });
});

it("run(id) rejects with the error of the response", async () => {
  const sandbox = await openSandbox();
  await expect(sandbox.run("getFault", { fault_id: "x" })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it.each([
  ["a missing path parameter", ["deleteFault", {}], "deleteFault: fault_id must be a text that is not empty"],
  ["an empty path parameter", ["deleteFault", { fault_id: "" }], "deleteFault: fault_id must be a text"],
  ["an inherited path parameter", ["getFault", { __proto__: { fault_id: "x" } }], "fault_id must be"],
  ["an input that is no object", ["getClock", "now"], "body must be a JSON object"],
])("run(id) refuses %s", async (_name, [id, input], message) => {
  const sandbox = await openSandbox();
  await expect(sandbox.run(id as never, input as never)).rejects.toThrow(message as string);
});
