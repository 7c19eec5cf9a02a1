import { expect } from "vitest";
import { KES_ORDER, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const STRAY_KEY = "headers.idempotency-key: not heeded by this call; sent again, it is done again";
const PATHS = { quote: "POST /api/v1/payments/quotes", hook: "POST /api/v1/webhooks" };
const HOOK = "https://shop.test/hooks";

const tolerated = async (api: { get: (path: string) => Promise<{ json: unknown }> }) =>
  ((await api.get("/_sandbox/requests?limit=1")).json as { items: { tolerated: string[] }[] }).items[0]!
    .tolerated;
const { pricing, payment_method } = KES_ORDER;
const quote = { pricing, payment_method };

it.for([
  ["a field", { ...quote, to_curency: "KES" }, "body.to_curency", "; did you mean to_currency?"],
  ["a field without a similar name", { ...quote, colour: 1 }, "body.colour", ""],
  [
    "a nested field",
    { ...quote, pricing: { ...pricing, local_price: {} } },
    "body.pricing.local_price",
    "; did you mean local_pricing?",
  ],
  ["a name of Object.prototype", { ...quote, constructor: 1 }, "body.constructor", ""],
] as const)(
  "the note on ignored fields gives the path of a field: %s",
  async ([_name, body, place, meant], { api }) => {
    const answer = await api.ask(PATHS.quote, body);
    expect(answer.status).toBe(200);
    expect(await tolerated(api)).toEqual([`${place}: not a field of this call${meant}`]);
  },
);

it("the note on ignored fields does not change the response", async () => {
  const answers = await Promise.all(
    [{}, { custmer_name: "Ada", meta_data: {} }].map(async (more) => {
      const api = await openApi({ seed: "same" });
      const body = await api.checkoutBody();
      return api.tryWhitelabel({ ...body, ...more }, { "idempotency-key": "k" });
    }),
  );
  expect(answers[1]!.text).toBe(answers[0]!.text);
});

it("the note on ignored fields names an unknown query parameter once", async ({ api }) => {
  await api.get("/api/v1/payments/payins?status=FAILED&status=PENDING&limit=5");
  expect(await tolerated(api)).toEqual([
    "query.status: not a parameter of this call; did you mean status_filter?",
  ]);
  await api.get("/api/v1/payments/payins?status_filte=FAILED");
  expect(await tolerated(api)).toEqual([
    "query.status_filte: not a parameter of this call; did you mean status_filter?",
  ]);
});

it("the note on ignored fields names an unused Idempotency-Key", async ({ api }) => {
  const key = { "idempotency-key": "k-1" };
  await api.tryWhitelabel(await api.checkoutBody(), key);
  expect(await tolerated(api)).toEqual([STRAY_KEY]);
  await api.post("/api/v1/payouts/withdrawals", {}, key);
  expect(await tolerated(api)).toEqual([]);
  await api.get("/api/v1/accounts/balances", key);
  expect(await tolerated(api)).toEqual([]);
});

it("the note on ignored fields names unknown event types", async () => {
  const api = await openApi({ eventNames: { "charge.completed": "payment.succeeded" } });
  const events = ["charge.complete", "payment.*", "charge.*", "payment.succeded"];
  expect((await api.ask(PATHS.hook, { url: HOOK, events })).json.events).toEqual(events);
  expect(await tolerated(api)).toEqual([
    "body.events.0: charge.complete is an unknown event type; did you mean charge.completed?",
    "body.events.3: payment.succeded is an unknown event type; did you mean payment.succeeded?",
  ]);
});

it("there is no note on ignored fields when a call has none", async ({ api }) => {
  await api.pay({ metadata: { anything: "goes" } });
  expect(await tolerated(api)).toEqual([]);
  await api.ask(PATHS.quote, "{");
  expect(await tolerated(api)).toEqual([]);
});

it("a long note on ignored fields is truncated", async ({ api }) => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}${"x".repeat(5_000)}`, 1]));
  await api.ask(PATHS.quote, { ...quote, ...many });
  const notes = await tolerated(api);
  expect(notes).toHaveLength(10);
  for (const note of notes) expect(note.length).toBeLessThan(120);
});

it("the dashboard shows the note on ignored fields", async ({ api }) => {
  await api.ask(PATHS.quote, { ...quote, "<b>": 1 });
  const { text } = await api.get<unknown>("/_sandbox/dashboard");
  expect(text).toContain("ignored: body.&lt;b&gt;: not a field of this call");
});
