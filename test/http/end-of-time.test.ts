import fc from "fast-check";
import { expect } from "vitest";
import { iso, MAX_INSTANT_MS } from "../../src/core/schema/time.js";
import { type Api, expectInvalid, KES_ORDER, okBody, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Receiver } from "../support/receiver-server.js";

const END = "9999-12-31T23:59:59.999Z";

/** Reads everything, and sends each returned time back to the API. */
async function expectInstants(api: Api): Promise<void> {
  const control = " /state /clock /charges /events /deliveries /requests /nowhere".split(" ");
  const service = ["/payments/payins", "/accounts/balances", "/nowhere"];
  for (const path of [...control.map((end) => `/_sandbox${end}`), ...service.map((end) => `/api/v1${end}`)]) {
    const answer = await api.get(path);
    expect(answer.status, path).toBeLessThan(500);
    expect(answer.headers.get("sandbox-now")! <= END).toBe(true);
    expect(answer.text.replaceAll("\\", "").match(/"[+-]?\d{5,}-\d\d-\d\dT[^"]*"/g)).toBeNull();
  }
}

it("the clock stops at the maximum time", async () => {
  await using receiver = await Receiver.open((received) => received.answer(500));
  const api = await openApi({ startTime: "9999-12-31T23:00:00.000Z", webhooks: [receiver.url] });
  const quote = await api.quote(KES_ORDER);
  const { charge_id, expires_at } = await api.whitelabel({
    ...KES_ORDER,
    quote_id: quote.quote_id,
    expires_in_minutes: 1440,
    metadata: { sandbox_scenario: "expired" },
  });
  expect(expires_at).toBe(END);
  expect((await api.advance({ until: "idle" })).status).toBe(200);
  expect((await api.get<{ now: string }>("/_sandbox/clock")).body.now).toBe(END);
  expect((await api.charge(charge_id)).status).toBe("EXPIRED");
  const { items } = (
    await api.get<{ items: { status: string; attempts: unknown[] }[] }>("/_sandbox/deliveries")
  ).body;
  for (const delivery of items) expect([delivery.status, delivery.attempts.length]).toEqual(["failed", 10]);
  expect(items.length).toBeGreaterThan(1);
  await expectInstants(api);
});

it("a checkout or quote created at the maximum time expires at once", async ({ api }) => {
  okBody(await api.advance({ to: END }));
  const quote = await api.quote(KES_ORDER);
  expect([quote.expires_at, quote.locked_until]).toEqual([END, END]);
  expectInvalid(await api.tryWhitelabel({ ...KES_ORDER, quote_id: quote.quote_id }), "quote_id");
  const checkout = okBody(
    await api.post<{ charge_id: string; expires_at: string }>("/api/v1/payments/checkouts", {
      pricing: KES_ORDER.pricing,
    }),
  );
  expect(checkout.expires_at).toBe(END);
  expect((await api.charge(checkout.charge_id)).status).toBe("EXPIRED");
  okBody(await api.advance({ until: "idle" }));
  await expectInstants(api);
});

it.each([["Fri, 31 Dec 9999 23:59:59 GMT"], ["Sat, 13 Sep 275760 00:00:00 GMT"], ["999999999"]])(
  "a receiver's Retry-After does not reach the maximum time: %s",
  async (retryAfter) => {
    await using receiver = await Receiver.open((received) =>
      received.answer(503, { "retry-after": retryAfter }),
    );
    const api = await openApi({ webhooks: [receiver.url], retrySchedule: ["5s", "1h"] });
    await api.post("/_sandbox/events", { type: "webhook.test" });
    const report = okBody(await api.advance({ until: "idle" }));
    expect(Date.parse(report.to) - Date.parse(report.from)).toBe(2 * 24 * 60 * 60 * 1000);
    expect(receiver.received).toHaveLength(3);
  },
);

it("the dashboard's advance button shows an error at the maximum time", async ({ api }) => {
  const press = (value: string) =>
    api.send(
      "POST",
      "/_sandbox/dashboard",
      new URLSearchParams({ namespace: "default", do: `advanceClock?by=${value}` }).toString(),
      { "content-type": "application/x-www-form-urlencoded" },
    );
  const before = (await api.get<{ now: string }>("/_sandbox/clock")).body.now;
  for (const value of ["3650000d", "3000000d"]) {
    const answer = await press(value);
    expect([answer.status, answer.text.includes("ends with the year 9999")]).toEqual([409, true]);
  }
  expect((await api.get<{ now: string }>("/_sandbox/clock")).body.now).toBe(before);
  expect((await press("2900000d")).status).toBe(303);
  await expectInstants(api);
});

it("advance() of the library throws at the maximum time", async () => {
  const { sandbox } = await openApi();
  await expect(sandbox.advance("3650000d")).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
    details: { by: "goes beyond the year 9999" },
  });
});

it("no sequence of calls goes beyond the maximum time", async () => {
  const leap = fc.oneof(
    fc.record({ by: fc.constantFrom("1ms", "5s", "59m", "1h", "1d") }),
    fc.constant({ until: "next" }),
    fc.constant({ until: "idle" }),
    fc.constant({ by: "1000d" }),
    fc.constant({ to: END }),
  );
  const call = fc.record({
    scenario: fc.constantFrom("slow", "paid_late", "refunded", "webhook_chaos", "webhook_outage"),
    minutes: fc.constantFrom(1, 60, 1440),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 3 * 3_600_000 }),
      fc.array(fc.oneof(leap, call), { maxLength: 8 }),
      async (beforeMs, steps) => {
        const api = await openApi({
          startTime: iso(MAX_INSTANT_MS - beforeMs),
          webhooks: [{ mailbox: "post" }],
        });
        for (const step of steps) {
          if (!("scenario" in step)) {
            expect((await api.advance(step)).status).toBeLessThan(500);
            continue;
          }
          const quote = await api.quote(KES_ORDER);
          const answer = await api.tryWhitelabel({
            ...KES_ORDER,
            quote_id: quote.quote_id,
            expires_in_minutes: step.minutes,
            metadata: { sandbox_scenario: step.scenario },
          });
          expect(answer.status).toBeLessThan(500);
        }
        await expectInstants(api);
        await api.sandbox.close();
      },
    ),
    { numRuns: 25 },
  );
});

it("every time can be formatted", () => {
  for (const atMs of [Number.NaN, -1, -9e15, 9e15, Number.POSITIVE_INFINITY, MAX_INSTANT_MS + 1])
    expect(iso(atMs)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(iso(MAX_INSTANT_MS)).toBe(END);
});
