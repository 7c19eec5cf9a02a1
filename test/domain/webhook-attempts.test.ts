import fc from "fast-check";
import { expect, it } from "vitest";
import { decideRetry } from "../../src/core/domain/webhook-attempts.js";
import { isSuccessStatus } from "../../src/core/schema/http-response.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { durationToMs } from "../../src/core/schema/time.js";

const SCHEDULE = [5_000, 300_000, 1_800_000];
const answer = (status: number | null, retryAfterMs: number | null = null) => ({ status, retryAfterMs });

it("only a 2xx response counts as delivered", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), fc.integer({ min: 1, max: 4 }), (status, attempts) => {
      const isDelivered = decideRetry(answer(status), attempts, SCHEDULE).next === "delivered";
      expect(isDelivered).toBe(status >= 200 && status <= 299);
      expect(isSuccessStatus(status)).toBe(isDelivered);
    }),
  );
  expect(isSuccessStatus(null)).toBe(false);
});

it("a 410 disables the endpoint, even after the last retry", () => {
  expect(decideRetry(answer(410), 1, SCHEDULE)).toEqual({ next: "disable" });
  expect(decideRetry(answer(410), 99, SCHEDULE)).toEqual({ next: "disable" });
});

it.each([301, 302, 307, 400, 404, 429, 500, 503, null])(
  "the next retry after %s follows the schedule",
  (status) => {
    for (const [index, afterMs] of SCHEDULE.entries())
      expect(decideRetry(answer(status), index + 1, SCHEDULE)).toEqual({ next: "retry", afterMs });
    expect(decideRetry(answer(status), SCHEDULE.length + 1, SCHEDULE)).toEqual({ next: "give_up" });
  },
);

it("delivery fails when no retries are left", () => {
  expect(decideRetry(answer(500), 1, [])).toEqual({ next: "give_up" });
});

it.each([429, 503])("a %i with a later Retry-After delays the retry", (status) => {
  expect(decideRetry(answer(status, 60_000), 1, SCHEDULE)).toEqual({ next: "retry", afterMs: 60_000 });
  expect(decideRetry(answer(status, 1_000), 1, SCHEDULE)).toEqual({ next: "retry", afterMs: 5_000 });
  expect(decideRetry(answer(status, 60_000), 4, SCHEDULE)).toEqual({ next: "give_up" });
});

it("limits Retry-After to a day, or to the longest step of the schedule", () => {
  const DAY = 86_400_000;
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 * DAY }), { minLength: 1, maxLength: 10 }),
      fc.double({ min: 0, noNaN: true }),
      (schedule, asked) => {
        const afterMs = Math.max(schedule[0]!, Math.min(asked, Math.max(DAY, ...schedule)));
        expect(decideRetry(answer(503, asked), 1, schedule)).toEqual({ next: "retry", afterMs });
      },
    ),
  );
  const forever = answer(429, Number.POSITIVE_INFINITY);
  expect(decideRetry(forever, 1, SCHEDULE)).toEqual({ next: "retry", afterMs: DAY });
});

it.each([500, 302, 404])("ignores the Retry-After of a %i", (status) => {
  expect(decideRetry(answer(status, 60_000), 1, SCHEDULE)).toEqual({ next: "retry", afterMs: 5_000 });
});

it("the default schedule is the documented one", () => {
  const contract = "5s, 5m, 30m, 2h, 5h, 10h, 14h, 20h, 24h".split(", ").map(durationToMs);
  expect(DEFAULT_SETTINGS.retry_schedule_ms).toEqual(contract);
});
