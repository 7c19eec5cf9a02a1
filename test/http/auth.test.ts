import { expect } from "vitest";
import {
  type Answer,
  expectError,
  expectInvalid,
  KES_ORDER,
  okBody,
  openApi,
} from "../support/api-client.js";
import { it } from "../support/api-test.js";

interface Body {
  payment_methods: { id: string }[];
}
const METHODS = "/api/v1/payments/payment-methods";
const QUOTES = "/api/v1/payments/quotes";
const PAYINS = "/api/v1/payments/payins";

const WRONG = [
  "Bearer sk_test_nobody",
  "Bearer sk_live_nobody",
  "Bearer sk_test_sandbox1",
  "Bearer sk_test_",
  "Bearer SK_TEST_SANDBOX",
  "Bearer sk_test_sandbox sk_test_sandbox",
  "Bearer sk_test_sandbox, Bearer sk_test_sandbox",
  'Bearer "sk_test_sandbox"',
  "Bearer __proto__",
  "Bearer constructor",
  "Bearer",
  "Bearer ",
  "",
  "sk_test_sandbox",
  "Basic c2tfdGVzdF9zYW5kYm94Og==",
  "Token sk_test_sandbox",
  "ApiKey sk_test_sandbox",
  "Bearer:sk_test_sandbox",
  `Bearer ${"x".repeat(5000)}`,
];

function expectUnauthorized(answer: Answer<unknown>): void {
  expectError(answer, 401, "UNAUTHORIZED", []);
  expect(answer.error.message).toBe("Invalid API key");
  expect(answer.error).not.toHaveProperty("details");
}

it("a key of an unknown namespace returns a hint about creating the namespace", async () => {
  const answer = await (await openApi()).as("sk_test_ns_w1").get("/api/v1/accounts/balances");
  expectUnauthorized(answer);
  expect(answer.headers.get("sandbox-hint")).toBe(
    'Make the namespace "w1" first, or start with --auto-namespaces',
  );
});

it.for(WRONG)(
  "an invalid Authorization header returns 401 for every operation: %.50s [R20.2 R22.21 R23.12 R27.1 R27.7 R29.3]",
  async (authorization, { api }) => {
    for (const path of [METHODS, "/api/v1/payments/payins"])
      expectUnauthorized(await api.as(null).get(path, { authorization }));
  },
);

const ALL = ["bank_transfer", "mobile_money", "card", "crypto"];
it.for([
  ["sk_test_sandbox", "org_sandbox", "NG", ALL],
  ["sk_live_sandbox", "org_sandbox", "NG", ALL],
  ["sk_test_readonly", "org_sandbox", "NG", ALL],
  ["sk_test_other", "org_other", "KE", ALL],
  ["sk_test_unverified", "org_unverified", "GH", ["bank_transfer", "mobile_money"]],
] as const)(
  "the default key %s belongs to %s, %s, which has all methods if it is verified [R3.6 R3.7 R14.1 R20.3]",
  async ([key, organization_id, country, enabled_payment_methods], { api }) => {
    const organization = okBody(await api.as(key).get<Body>("/api/v1/organizations/me"));
    const verified = enabled_payment_methods === ALL;
    expect(organization).toMatchObject({ organization_id, country, verified, enabled_payment_methods });
    const { payment_methods } = okBody(await api.as(key).get<Body>(METHODS));
    expect(payment_methods.map(({ id }) => id)).toEqual(enabled_payment_methods);
  },
);

it("the default key sk_test_deactivated can list payment methods [R20.1]", async ({ api }) => {
  const { text } = await api.as(null).get(METHODS);
  const answer = await api.as("sk_test_deactivated").get(METHODS);
  expect([answer.status, answer.text]).toEqual([200, text]);
});

it("the library returns both keys of org_sandbox", async () => {
  const { sandbox } = await openApi();
  expect([sandbox.apiKey, sandbox.liveApiKey]).toEqual(["sk_test_sandbox", "sk_live_sandbox"]);
});

const TOO_LARGE = `{"pad":"${"x".repeat(1024 * 1024)}"}`;

const READER = "sk_test_deadreader";
const KEYS = [{ key: READER, organization_id: "org_deactivated", permission: "read_only" }] as const;

/** Calls with two errors, and the error of the check that comes first. */
const ORDER: readonly [
  first: string,
  second: string,
  key: string,
  line: string,
  body: unknown,
  status: number,
  code: string,
][] = [
  ["path", "key", "sk_test_nobody", "POST /api/v1/payments/nothing", {}, 404, "NOT_FOUND"],
  ["method", "key", "sk_test_nobody", `DELETE ${QUOTES}`, undefined, 405, "METHOD_NOT_ALLOWED"],
  ["permission", "organization", READER, `POST ${QUOTES}`, KES_ORDER, 403, "FORBIDDEN"],
  ["permission", "size", "sk_test_readonly", `POST ${QUOTES}`, TOO_LARGE, 403, "FORBIDDEN"],
  ["permission", "JSON", "sk_test_readonly", `POST ${QUOTES}`, "{broken", 403, "FORBIDDEN"],
  ["organization", "size", "sk_test_deactivated", `POST ${QUOTES}`, TOO_LARGE, 404, "NOT_FOUND"],
  ["organization", "JSON", "sk_test_deactivated", `POST ${QUOTES}`, "{broken", 404, "NOT_FOUND"],
  ["organization", "fields", "sk_test_deactivated", `POST ${QUOTES}`, "{}", 404, "NOT_FOUND"],
  ["organization", "query", "sk_test_deactivated", `GET ${PAYINS}?limit=0`, undefined, 404, "NOT_FOUND"],
  ["size", "JSON", "sk_test_sandbox", `POST ${QUOTES}`, `{broken${TOO_LARGE}`, 413, "PAYLOAD_TOO_LARGE"],
];

it.each(ORDER)("checks the %s before the %s: %s %s", async (_, _second, key, line, body, status, code) => {
  const api = (await openApi({ fixtures: { keys: KEYS } })).as(key);
  expectError(await api.ask(line, body), status, code, []);
});

it("checks the size before the content type: 413", async ({ api }) => {
  expectError(await api.tryQuote(TOO_LARGE, { "content-type": "text/plain" }), 413, "PAYLOAD_TOO_LARGE", []);
});

it.each([
  ["path", "sk_test_sandbox", "GET /api/v1/nothing", 404, "NOT_FOUND"],
  ["key", "sk_test_nobody", `GET ${PAYINS}`, 401, "UNAUTHORIZED"],
] as const)("checks the %s before the rate limit", async (_, key, line, status, code) => {
  const api = await openApi({ rateLimit: 1 });
  for (let call = 0; call < 3; call++) expectError(await api.as(key).ask(line), status, code, []);
  expect((await api.tryPayins()).status).toBe(200);
  expectError(await api.as(key).ask(line), status, code, []);
});

it.each([
  ["permission", "sk_test_readonly", `POST ${QUOTES}`, 403, "FORBIDDEN"],
  ["organization", "sk_test_deactivated", `GET ${PAYINS}`, 404, "NOT_FOUND"],
] as const)("checks the rate limit before the %s", async (_, key, line, status, code) => {
  const api = (await openApi({ rateLimit: 1 })).as(key);
  expectError(await api.ask(line, line.startsWith("POST") ? KES_ORDER : undefined), status, code);
  expectError(await api.ask(line), 429, "RATE_LIMIT_EXCEEDED", []);
});

it("checks JSON and content type before fields: only details.body", async ({ api }) => {
  expectInvalid(await api.tryQuote({ payment_method: 5 }, { "content-type": "text/plain" }), "body");
  expectInvalid(await api.tryQuote('{"payment_method":5,}'), "body");
  expectInvalid(await api.tryQuote([{ payment_method: 5 }]), "body");
});
