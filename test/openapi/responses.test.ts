import { expect, it } from "vitest";
import { Emitter } from "../../src/core/engine/emitter.js";
import { RequestJournal, type ServedRequest } from "../../src/core/namespace/request-journal.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { openApi } from "../support/api-client.js";
import { answerFaults, checkAnswer } from "../support/openapi-answers.js";
import { operationsOf, shippedDocument } from "../support/openapi-document.js";

const BALANCES = {
  success: true,
  account_id: "org_sandbox",
  balances: [{ currency: "USD", available_balance: "0.00", pending_balance: "0.00" }],
  total_balance_usd: "0.00",
};

/** Builds the log entry of a response. */
function served(body: unknown): ServedRequest {
  return {
    method: "GET",
    url: "http://sandbox/api/v1/accounts/balances",
    path: "/api/v1/accounts/balances",
    operation: "getBalances",
    status: 200,
    apiKey: "sk_test_sandbox",
    hasClientDisconnected: false,
    requestBody: null,
    responseBody: JSON.stringify(body),
    errorCode: null,
    idempotencyKey: null,
    scenario: null,
    fault: null,
  };
}

it("the response check accepts a documented response", () => {
  checkAnswer("getBalances", 200, BALANCES);
  checkAnswer("getBalances", 401, { error: { code: "UNAUTHORIZED", message: "Invalid API key" } });
});

it.each([
  ["a field is missing", { ...BALANCES, account_id: undefined }],
  ["an undocumented field", { ...BALANCES, extra: 1 }],
  ["a number for an amount", { ...BALANCES, total_balance_usd: 0 }],
  ["an exponent in an amount", { ...BALANCES, total_balance_usd: "1e3" }],
  ["success that is false", { ...BALANCES, success: false }],
  ["a negative balance", { ...BALANCES, balances: [{ ...BALANCES.balances[0], pending_balance: "-1.00" }] }],
])("the response check finds %s", (_what, body) => {
  expect(answerFaults("getBalances", 200, JSON.parse(JSON.stringify(body)))).not.toEqual([]);
});

it("the response check finds an undocumented status or operation", () => {
  expect(answerFaults("getBalances", 418, {})).toEqual(["the document has no answer 418 of getBalances"]);
  expect(answerFaults("getNothing", 200, {})).toEqual(["the document has no operation getNothing"]);
  expect(answerFaults("getBalances", 500, { message: "Internal error" })).not.toEqual([]);
});

it("the response check finds an invalid time", () => {
  const charge = (created_at: string) => answerFaults("getCharge", 200, { created_at });
  expect(charge("2026-01-31T09:00:00Z").join()).toContain("/created_at");
  expect(charge("2026-02-30T09:00:00.000Z").join()).toContain("/created_at");
  expect(charge("2026-01-31T09:00:00.000Z").join()).not.toContain("/created_at");
});

it("the response check reads each entry of the request log", () => {
  new RequestJournal(DEFAULT_SETTINGS.retention, new Emitter(() => {})).add(served(BALANCES), {
    atMs: 0,
    wallMs: 0,
  });
});

it.fails("fails the test with an undocumented response", () => {
  new RequestJournal(DEFAULT_SETTINGS.retention, new Emitter(() => {})).add(served({ success: true }), {
    atMs: 0,
    wallMs: 0,
  });
});

it("ignores a response that a fault forced", () => {
  const forced = { ...served({ success: true }), fault: "flaky_api" };
  new RequestJournal(DEFAULT_SETTINGS.retention, new Emitter(() => {})).add(forced, { atMs: 0, wallMs: 0 });
});

/** Returns a response's headers from the document. */
async function documented(operationId: string, status: number): Promise<string[]> {
  const document = await shippedDocument();
  const { operation } = operationsOf(document).find((one) => one.operation.operationId === operationId)!;
  const response = operation.responses[status]!;
  const { headers } = (
    "$ref" in response ? document.components.responses[response.$ref.split("/").at(-1)!]! : response
  ) as { headers: object };
  return Object.keys(headers).map((name) => name.toLowerCase());
}

const OURS = [
  "sandbox-now",
  "x-content-type-options",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "sandbox-hint",
  "idempotent-replayed",
];
const sent = (headers: Headers) => OURS.filter((name) => headers.has(name));

it("sends exactly the documented headers", async () => {
  const api = await openApi({ rateLimit: 3 });
  const open = await api.get("/api/v1/payments/supported-currencies");
  expect(sent(open.headers)).toEqual(await documented("listSupportedCurrencies", 200));
  const first = await api.get("/api/v1/organizations/me");
  expect(sent(first.headers)).toEqual(await documented("getOrganization", 200));
  const missing = await api.get("/api/v1/payments/charges/none");
  expect(missing.status).toBe(404);
  expect(sent(missing.headers)).toEqual(await documented("getCharge", 404));
  const limited = await api.get("/api/v1/organizations/me");
  expect(limited.status).toBe(429);
  expect(sent(limited.headers)).toEqual(await documented("getOrganization", 429));
  const unknown = await api.as("sk_test_unknown").get("/api/v1/organizations/me");
  expect(sent(unknown.headers)).toEqual(await documented("getOrganization", 401));
});
