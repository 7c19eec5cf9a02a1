import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";

const open = async (options = {}) => {
  const sandbox = await openSandbox(options);
  return { sandbox, client: Client.of(sandbox) };
};

it("GET /_sandbox/coverage lists what the app has used and what not", async () => {
  const { sandbox, client } = await open();
  const fresh = (await client.ask("GET /_sandbox/coverage")).json;
  expect(Object.keys(fresh)).toEqual(["operations", "statuses", "events", "error_codes", "mishaps"]);
  for (const part of Object.values(fresh)) expect(part).toMatchObject({ met: {} });
  const id = await client.pay();
  await client.pay({ email: "declined@shop.test" });
  await sandbox.advance("10s");
  await client.ask("GET /api/v1/payments/charges/ch_x");
  await client.ask(`POST /_sandbox/charges/${id}/transition`, { to: "EXPIRED" });
  const { operations, statuses, events, error_codes } = (await client.ask("GET /_sandbox/coverage")).json;
  expect(operations.met).toEqual({ createQuote: 2, createWhitelabel: 2, getCharge: 1 });
  expect(operations.not_met).toContain("getBalances");
  expect(Object.keys(statuses.met)).toEqual(expect.arrayContaining(["PENDING", "COMPLETED", "FAILED"]));
  expect(statuses.not_met).toEqual(expect.arrayContaining(["CANCELLED", "EXPIRED", "REFUNDED"]));
  expect(events.met).toMatchObject({ "charge.completed": 1, "charge.failed": 1 });
  expect(events.not_met).toContain("withdrawal.failed");
  expect(error_codes.met).toEqual({ NOT_FOUND: 1 });
  expect(error_codes.not_met).not.toContain("INVALID_TRANSITION");
});

const met = async (client: Client) =>
  (await client.ask("GET /_sandbox/coverage")).json.error_codes.met as Record<string, number>;

it("GET /_sandbox/coverage uses the default names of renamed error codes", async () => {
  const { client } = await open({
    errorCodes: { VALIDATION_ERROR: "invalid_request", NOT_FOUND: 'not "there"', INTERNAL_ERROR: "oops" },
  });
  const bad = await client.ask("POST /api/v1/payments/quotes", {});
  expect(bad.json.error.code).toBe("invalid_request");
  await client.ask("GET /api/v1/payments/charges/ch_x");
  await client.ask("GET /api/v1/nothing");
  for (const respond of [
    { status: 500 },
    { status: 400, code: "invalid_request" },
    { status: 400, code: "own" },
  ]) {
    await client.ask("POST /_sandbox/faults", { match: { operation: "getBalances" }, respond, times: 1 });
    await client.ask("GET /api/v1/accounts/balances");
  }
  expect(await met(client)).toEqual({ VALIDATION_ERROR: 2, NOT_FOUND: 2, INTERNAL_ERROR: 1 });
});

it("GET /_sandbox/coverage counts requests that the log does not store", async () => {
  const { client } = await open({ retention: { requests: 0 } });
  await client.ask("GET /api/v1/payments/charges/ch_x");
  expect(await met(client)).toEqual({ NOT_FOUND: 1 });
});
