import fc from "fast-check";
import { expect, it } from "vitest";
import { RateLimiter } from "../../src/core/namespace/rate-limiter.js";

function limiterOf(limit: number, isRunning = false) {
  const time = { sandboxMs: 1_000_000, wallMs: 5_000_000, isTimeRunning: isRunning };
  const rates = new RateLimiter(limit, time, { nowMs: () => time.wallMs });
  return { time, hit: () => rates.hit("sk_test_sandbox", time.sandboxMs) };
}

it("serves a client that waits Retry-After seconds", () => {
  const { time, hit } = limiterOf(1);
  hit();
  expect(hit()).toMatchObject({ limited: true, resetSeconds: 60 });
  time.wallMs += 59_999;
  expect(hit()).toMatchObject({ limited: true, resetSeconds: 60 });
  time.wallMs += 1;
  expect(hit()).toMatchObject({ limited: false, remaining: 0, resetSeconds: 60 });
  expect(hit().limited).toBe(true);
});

it("serves a client again after the shortest Retry-After", () => {
  const { time, hit } = limiterOf(1);
  hit();
  hit();
  time.sandboxMs += 50_000;
  expect(hit()).toMatchObject({ limited: true, resetSeconds: 10 });
  time.wallMs += 10_000;
  expect(hit().limited).toBe(false);
});

it("wall time does not affect a key that was not refused", () => {
  const { time, hit } = limiterOf(2);
  hit();
  time.wallMs += 3_600_000;
  expect(hit()).toMatchObject({ limited: false, remaining: 0 });
});

it("only sandbox time counts on a running clock", () => {
  const { time, hit } = limiterOf(1, true);
  hit();
  expect(hit().limited).toBe(true);
  time.wallMs += 3_600_000;
  expect(hit().limited).toBe(true);
  time.isTimeRunning = false;
  expect(hit().limited).toBe(false);
});

it("never exceeds the limit in a window", () => {
  const actions = fc.array(
    fc.oneof(
      fc.constant({ by: "call" } as const),
      fc.record({ by: fc.constantFrom("sandbox", "wall"), ms: fc.integer({ min: 1, max: 90_000 }) }),
      fc.constant({ by: "heed" } as const),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), actions, (limit, all) => {
      const { time, hit } = limiterOf(limit);
      let admitted = 0;
      let passedMs = 0;
      for (const action of all) {
        if (action.by === "sandbox") time.sandboxMs += action.ms;
        else if (action.by === "wall") time.wallMs += action.ms;
        if (action.by === "sandbox" || action.by === "wall") {
          passedMs += action.ms;
          continue;
        }
        const verdict = hit();
        if (!verdict.limited) admitted++;
        else if (action.by === "heed") {
          time.wallMs += verdict.resetSeconds * 1000;
          passedMs += verdict.resetSeconds * 1000;
          expect(hit().limited).toBe(false);
          admitted++;
        }
      }
      expect(admitted).toBeLessThanOrEqual(limit * (Math.floor(passedMs / 1_000) + 1));
    }),
  );
});
