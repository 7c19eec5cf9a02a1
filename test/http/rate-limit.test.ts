import { expect } from "vitest";
import { type Answer, expectError, KES_ORDER, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";

function rate(answer: Answer<unknown>): string | null {
  return answer.headers.get("ratelimit");
}

it("the rate limit allows 100 requests per key, as every response states [R29.6 R30.1]", async () => {
  const api = await openApi({ rateLimit: 100 });
  for (let left = 99; left >= 0; left--) {
    const answer = await api.tryPayins();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("ratelimit-policy")).toBe('"default";q=100;w=60');
    expect(rate(answer)).toBe(`"default";r=${left};t=60`);
    expect(answer.headers.get("retry-after")).toBeNull();
  }
  const over = await api.tryPayins();
  expectError(over, 429, "RATE_LIMIT_EXCEEDED", []);
  expect(over.headers.get("ratelimit-policy")).toBe('"default";q=100;w=60');
  expect(rate(over)).toBe('"default";r=0;t=60');
  expect(over.headers.get("retry-after")).toBe("60");
});

it("the rate limit window starts with the first request and ends after 60 s", async () => {
  const api = await openApi({ rateLimit: 2 });
  await api.advance({ by: "45s" });
  await api.tryPayins();
  await api.advance({ by: "59s" });
  expect(rate(await api.tryPayins())).toBe('"default";r=0;t=1');
  await api.advance({ by: "999ms" });
  const over = await api.tryPayins();
  expect([over.status, over.headers.get("retry-after")]).toEqual([429, "1"]);
  await api.advance({ by: "1ms" });
  expect(rate(await api.tryPayins())).toBe('"default";r=1;t=60');
});

it("late requests of one window do not count in the next", async () => {
  const api = await openApi({ rateLimit: 2 });
  await api.tryPayins();
  await api.advance({ by: "59s" });
  await api.tryPayins();
  await api.advance({ by: "1s" });
  expect([await api.tryPayins(), await api.tryPayins()].map((one) => one.status)).toEqual([200, 200]);
  expect((await api.tryPayins()).status).toBe(429);
});

it("the next window starts with the next request", async () => {
  const api = await openApi({ rateLimit: 1 });
  await api.tryPayins();
  await api.advance({ by: "90s" });
  expect(rate(await api.tryPayins())).toBe('"default";r=0;t=60');
  await api.advance({ by: "59s" });
  expect((await api.tryPayins()).status).toBe(429);
});

it("rounds the remaining seconds of the window up", async () => {
  const api = await openApi({ rateLimit: 5 });
  await api.tryPayins();
  await api.advance({ by: "500ms" });
  expect(rate(await api.tryPayins())).toBe('"default";r=3;t=60');
  await api.advance({ by: "500ms" });
  expect(rate(await api.tryPayins())).toBe('"default";r=2;t=59');
});

it("each key has its own rate limit, even in one organization [R30.1]", async () => {
  const api = await openApi({ rateLimit: 1 });
  await api.tryPayins();
  expect((await api.tryPayins()).status).toBe(429);
  for (const key of ["sk_live_sandbox", "sk_test_readonly", "sk_test_other"])
    expect((await api.as(key).tryPayins()).status).toBe(200);
});

it("refused requests count against the rate limit", async () => {
  const api = await openApi({ rateLimit: 4 });
  const answers = [
    await api.tryQuote({}),
    await api.tryQuote("{broken"),
    await api.tryPayins("?limit=0"),
    await api.get("/api/v1/payments/charges/ch_1"),
  ];
  expect(answers.map((one) => [one.status, rate(one)])).toEqual([
    [400, '"default";r=3;t=60'],
    [400, '"default";r=2;t=60'],
    [400, '"default";r=1;t=60'],
    [404, '"default";r=0;t=60'],
  ]);
  expect((await api.tryPayins()).status).toBe(429);
});

it("all operations with a key count together [R30.2]", async () => {
  const api = await openApi({ rateLimit: 6 });
  await api.pay();
  await api.balances();
  await api.get("/api/v1/organizations/me");
  await api.get("/api/v1/payments/payment-methods");
  expect(rate(await api.tryPayins())).toBe('"default";r=0;t=60');
});

it("a request over the limit returns the time to wait", async () => {
  const api = await openApi({ rateLimit: 1 });
  await api.tryPayins();
  await api.advance({ by: "20s" });
  const { error } = JSON.parse((await api.tryPayins()).text) as { error: { message: string } };
  expect(error.message).toMatch(/^Rate limit exceeded\. Try again in 40 s\. .*--rate-limit off/);
});

it("a request over the limit changes nothing", async () => {
  const api = await openApi({ rateLimit: 1 });
  await api.tryPayins();
  const before = JSON.stringify(api.sandbox.snapshot());
  expectError(await api.tryQuote(KES_ORDER), 429, "RATE_LIMIT_EXCEEDED");
  expect(JSON.stringify(api.sandbox.snapshot())).toBe(before);
});

it("calls without a key do not count against the rate limit", async () => {
  const api = await openApi({ rateLimit: 1 });
  for (let call = 0; call < 3; call++)
    for (const path of ["payment-methods", "supported-currencies"]) {
      const answer = await api.as(null).get(`/api/v1/payments/${path}`);
      expect([answer.status, rate(answer), answer.headers.get("ratelimit-policy")]).toEqual([
        200,
        null,
        null,
      ]);
    }
  expect(rate(await api.tryPayins())).toBe('"default";r=0;t=60');
});

it("GET supported-currencies counts against the rate limit only with a key", async () => {
  const api = await openApi({ rateLimit: 2 });
  const currencies = "/api/v1/payments/supported-currencies";
  const first = await api.get(currencies);
  expect([first.status, rate(first)]).toEqual([200, '"default";r=1;t=60']);
  expect([(await api.get(currencies)).status, (await api.get(currencies)).status]).toEqual([200, 429]);
  expect((await api.as("sk_test_nobody").get(currencies)).status).toBe(200);
  expect((await api.as("sk_test_deactivated").get(currencies)).status).toBe(200);
});

it("calls with an unknown key do not count against the rate limit", async () => {
  const api = await openApi({ rateLimit: 1 });
  for (let call = 0; call < 3; call++) {
    const answer = await api.as("sk_test_nobody").tryPayins();
    expect([answer.status, rate(answer)]).toEqual([401, null]);
  }
});

it("the control API and /health do not count against the rate limit", async () => {
  const api = await openApi({ rateLimit: 1 });
  await api.tryPayins();
  for (const path of ["/_sandbox", "/_sandbox/clock", "/health"])
    expect((await api.get(path)).status).toBe(200);
  expect((await api.advance({ by: "1s" })).status).toBe(200);
});

it("a reset starts a new window for every key", async () => {
  const api = await openApi({ rateLimit: 1 });
  await api.tryPayins();
  expect((await api.post("/_sandbox/reset", {})).status).toBe(200);
  expect((await api.tryPayins()).status).toBe(200);
});

it("a key can have its own limit", async () => {
  const keys = [{ key: "sk_test_fast", organization_id: "org_sandbox", permission: "full", rate_limit: 3 }];
  const api = await openApi({ rateLimit: 1, fixtures: { keys } });
  const fast = api.as("sk_test_fast");
  const first = await fast.tryPayins();
  expect([rate(first), first.headers.get("ratelimit-policy")]).toEqual([
    '"default";r=2;t=60',
    '"default";q=3;w=60',
  ]);
  await fast.tryPayins();
  await fast.tryPayins();
  expect((await fast.tryPayins()).text).toContain("allows 3 requests per minute");
  await api.tryPayins();
  expect((await api.tryPayins()).status).toBe(429);
});

it("a key keeps its own limit when its permission changes", async () => {
  const keys = [{ key: "sk_test_fast", organization_id: "org_sandbox", permission: "full", rate_limit: 3 }];
  const api = await openApi({ rateLimit: 1, fixtures: { keys } });
  await api.send("PATCH", "/_sandbox/keys/sk_test_fast", JSON.stringify({ permission: "read_only" }));
  expect((await api.as("sk_test_fast").tryPayins()).headers.get("ratelimit-policy")).toBe(
    '"default";q=3;w=60',
  );
});
