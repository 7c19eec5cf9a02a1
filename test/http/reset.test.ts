import { expect } from "vitest";
import { type Api, expectError, expectInvalid, KES_ORDER, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const RESET = "/_sandbox/reset";

/** Makes all calls of an app and returns the responses. */
async function run(api: Api): Promise<string[]> {
  const texts: string[] = [];
  const note = async (answer: Promise<{ status: number; headers: Headers; text: string }>) => {
    const { status, headers, text } = await answer;
    texts.push(`${status} ${headers.get("sandbox-now")} ${headers.get("ratelimit")} ${text}`);
    return text;
  };
  const other = api.as("sk_test_other");
  for (const caller of [api, api.as(api.sandbox.liveApiKey), other]) {
    await note(caller.get("/api/v1/accounts/balances"));
    const quote = JSON.parse(await note(caller.tryQuote(KES_ORDER))) as { quote_id: string };
    await note(
      caller.tryQuote({
        ...KES_ORDER,
        pricing: { base_currency: "BTC", amount: "1" },
        payment_method: "crypto",
      }),
    );
    const body = { ...KES_ORDER, quote_id: quote.quote_id };
    const paid = JSON.parse(await note(caller.tryWhitelabel(body))) as { charge_id: string };
    await note(caller.tryWhitelabel({ ...body, phone_number: "no" }));
    await note(caller.tryWhitelabel({ ...body, metadata: { sandbox_scenario: "declined" } }));
    await note(caller.advance({ by: "2s" }));
    await note(caller.get(`/api/v1/payments/charges/${paid.charge_id}`));
    await note(caller.advance({ until: "idle" }));
    await note(caller.tryPayins());
    await note(caller.get("/api/v1/accounts/balances"));
    await note(caller.transition(paid.charge_id, { to: "REFUNDED", reason: "asked" }));
    await note(caller.get("/api/v1/accounts/balances"));
  }
  // The event log depends on the state.
  const { events } = api.sandbox.snapshot().collections;
  texts.push(...events.map(([, event]) => event.body));
  return texts;
}

const ids = (texts: readonly string[]) =>
  new Set(texts.join("\n").match(/\b(qt|co|ch|evt)_[0-9a-z]+|PSB[0-9A-Z]+/g));

it("a reset removes all earlier data", async ({ api }) => {
  const quote = await api.quote(KES_ORDER);
  const { charge_id } = await api.pay();
  await api.advance({ by: "1h" });
  await api.put("/_sandbox/rates", { KES: "1" });
  const answer = await api.post<{ counts: Record<string, number> }>(RESET, {});
  expect(answer.status).toBe(200);
  expectError(await api.get(`/api/v1/payments/charges/${charge_id}`), 404, "NOT_FOUND");
  expect(await api.payins()).toEqual({ total: 0, items: [] });
  expect((await api.balances()).balances.map((one) => `${one.currency} ${one.available_balance}`)).toEqual([
    "USD 0.00",
    "NGN 0.00",
  ]);
  expectInvalid(await api.tryWhitelabel({ ...KES_ORDER, quote_id: quote.quote_id }), "quote_id");
  expect((await api.quote({ ...KES_ORDER, to_currency: "UGX" })).exchange_rate).toBe("28.2945736434");
  const { counts } = (await api.get<{ counts: Record<string, number> }>("/_sandbox")).body;
  expect(counts).toMatchObject({ charges: 0, events: 0, deliveries: 0, tasks: 0 });
});

it("a reset sets a manual clock to its start time", async ({ api }) => {
  await api.advance({ by: "30d" });
  const answer = await api.post(RESET, {});
  expect(answer.headers.get("sandbox-now")).toBe(START);
  expect((await api.tryPayins()).headers.get("sandbox-now")).toBe(START);
});

it("a reset restores the clock's original mode", async ({ api }) => {
  await api.put("/_sandbox/clock", { mode: "60x" });
  await api.post(RESET, {});
  expect((await api.get("/_sandbox/clock")).body).toMatchObject({ mode: "manual", now: START });
});

it("a reset sets a running clock to wall time", async () => {
  const api = await openApi({ clock: "real" });
  await api.advance({ by: "30d" });
  const before = Date.now();
  const now = Date.parse((await api.post(RESET, {})).headers.get("sandbox-now") ?? "");
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

it("a reset cancels scheduled tasks", async ({ api }) => {
  await api.pay();
  await api.post(RESET, {});
  expect((await api.advance({ by: "1d" })).body.fired_total).toBe(0);
  expect(api.sandbox.snapshot().collections.events).toEqual([]);
});

it("the default keys are valid after a reset", async ({ api }) => {
  await api.post(RESET, {});
  for (const key of [
    "sk_test_sandbox",
    "sk_live_sandbox",
    "sk_test_readonly",
    "sk_test_other",
    "sk_test_unverified",
  ])
    expect((await api.as(key).tryPayins()).status).toBe(200);
  expect((await api.as("sk_test_nobody").tryPayins()).status).toBe(401);
});

it("a reset keeps or recreates the webhooks of the start", async () => {
  const api = await openApi({ webhooks: ["http://localhost:9/hooks"] });
  const endpoints = () =>
    api.sandbox.snapshot().collections.endpoints.map(([, one]) => [one.url, one.secret]);
  const before = endpoints();
  await api.post(RESET, {});
  expect(endpoints()).toEqual(before);
  await api.post(RESET, { keep: [] });
  expect(endpoints()).toEqual(before);
});

it("ids never repeat by default", async ({ api }) => {
  const runs: ReadonlySet<string>[] = [];
  for (let round = 0; round < 4; round++) {
    runs.push(ids(await run(api)));
    await api.post(RESET, {});
  }
  expect(runs[0]!.size).toBeGreaterThan(20);
  expect(new Set(runs.flatMap((one) => [...one])).size).toBe(runs.reduce((sum, one) => sum + one.size, 0));
});

it('a reset with ids: "repeat" makes ids repeat', async () => {
  const api = await openApi({ rateLimit: 1000 });
  const first = await run(api);
  for (let round = 0; round < 2; round++) {
    expect((await api.post(RESET, { ids: "repeat" })).status).toBe(200);
    expect(await run(api)).toEqual(first);
  }
});

it("ids are new again after a plain reset", async ({ api }) => {
  const seen = ids(await run(api));
  await api.post(RESET, {});
  for (const id of ids(await run(api))) seen.add(id);
  await api.post(RESET, { ids: "repeat" });
  await run(api);
  await api.post(RESET, {});
  for (const id of ids(await run(api))) expect(seen).not.toContain(id);
});

it("the same seed and calls return the same bytes", async () => {
  const first = await run(await openApi({ seed: "one" }));
  expect(await run(await openApi({ seed: "one" }))).toEqual(first);
  const other = ids(await run(await openApi({ seed: "two" })));
  for (const id of ids(first)) expect(other).not.toContain(id);
});

it("the body of POST reset is optional", async ({ api }) => {
  await api.pay();
  expect((await api.send("POST", RESET)).status).toBe(200);
  expect((await api.payins()).total).toBe(0);
});
