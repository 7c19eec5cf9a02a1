import { expect } from "vitest";
import {
  type Answer,
  type Api,
  expectInvalid,
  later,
  okBody,
  openApi,
  START,
} from "../support/api-client.js";
import { it } from "../support/api-test.js";

const CLOCK = "/_sandbox/clock";

interface Clock {
  mode: string;
  speed: number;
  now: string;
}

async function clockOf(api: Api): Promise<Clock> {
  return okBody(await api.get<Clock>(CLOCK));
}

/** Checks for a 400 that changes nothing. */
async function expectNoMove(api: Api, call: () => Promise<Answer<unknown>>): Promise<Answer<unknown>> {
  const before = JSON.stringify(api.sandbox.snapshot());
  const answer = await call();
  expect(answer.status, answer.text).toBe(400);
  expect(answer.error.code).toBe("VALIDATION_ERROR");
  expect((await clockOf(api)).now).toBe(START);
  expect(JSON.stringify(api.sandbox.snapshot())).toBe(before);
  return answer;
}

it("a manual clock returns the same time in every response", async ({ api }) => {
  const nows = new Set<string | null>();
  for (let call = 0; call < 50; call++) nows.add((await api.tryPayins()).headers.get("sandbox-now"));
  expect([...nows]).toEqual([START]);
  expect(await clockOf(api)).toMatchObject({ mode: "manual", now: START });
});

it("a manual clock runs tasks that are due now", async () => {
  const api = await openApi({ scenario: "instant" });
  const { charge_id } = await api.pay();
  expect((await api.charge(charge_id)).status).toBe("COMPLETED");
  expect((await clockOf(api)).now).toBe(START);
});

it("a manual clock runs no task before its time", async ({ api }) => {
  const { charge_id } = await api.pay();
  for (let call = 0; call < 20; call++) expect((await api.charge(charge_id)).status).toBe("PENDING");
});

it("a manual clock starts at wall time by default", async () => {
  const before = Date.now();
  const api = await openApi({ startTime: undefined });
  const now = Date.parse((await clockOf(api)).now);
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

it.for([
  ["1ms", 0.001],
  ["500ms", 0.5],
  ["30s", 30],
  ["10m", 600],
  ["2h", 7200],
  ["1d", 86_400],
  ["1h30m", 5400],
  ["1d2h3m4s5ms", 93_784.005],
] as const)("POST clock/advance by %s moves the time by that duration", async ([by, seconds], { api }) => {
  const answer = await api.advance({ by });
  const nothing = { fired: [], fired_total: 0, counts: {}, first: [], failures: [] };
  expect(okBody(answer)).toEqual({ from: START, to: later(seconds), ...nothing });
  expect(answer.headers.get("sandbox-now")).toBe(later(seconds));
  expect((await clockOf(api)).now).toBe(later(seconds));
});

it("POST clock/advance by 0s does not move the time", async ({ api }) => {
  expect(okBody(await api.advance({ by: "0s" }))).toMatchObject({ from: START, to: START });
});

it.for([
  ["2026-02-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"],
  ["2026-01-31T12:30:00+03:00", "2026-01-31T09:30:00.000Z"],
  ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
  [START, START],
] as const)("POST clock/advance to %s moves the time to that instant", async ([to, now], { api }) => {
  expect(okBody(await api.advance({ to }))).toMatchObject({ from: START, to: now });
  expect((await clockOf(api)).now).toBe(now);
});

it("POST clock/advance until next runs the first scheduled task", async ({ api }) => {
  const { charge_id } = await api.pay();
  const { body } = await api.advance({ until: "next" });
  expect(body).toMatchObject({ from: START, to: later(1), fired_total: 1 });
  expect(body.fired).toEqual([{ at: later(1), task: expect.any(String), ref: charge_id }]);
  expect((await api.charge(charge_id)).status).toBe("AWAITING_PAYMENT");
  expect((await api.advance({ until: "next" })).body.to).toBe(later(3));
});

it("POST clock/advance until idle runs all scheduled tasks", async ({ api }) => {
  const { charge_id } = await api.pay();
  const { body } = await api.advance({ until: "idle" });
  expect(body).toMatchObject({ from: START, to: later(5) });
  expect((await api.charge(charge_id)).status).toBe("COMPLETED");
  expect((await api.advance({ until: "idle" })).body).toMatchObject({ to: later(5), fired_total: 0 });
});

it("POST clock/advance until next or idle does nothing without scheduled tasks", async ({ api }) => {
  for (const until of ["next", "idle"])
    expect(okBody(await api.advance({ until }))).toEqual({
      from: START,
      to: START,
      fired: [],
      fired_total: 0,
      ...{ counts: {}, first: [], failures: [] },
    });
});

it("POST clock/advance lists the changes in order with their times", async ({ api }) => {
  const { charge_id } = await api.pay();
  const { body } = await api.advance({ by: "4s" });
  expect(body.to).toBe(later(4));
  expect(body.fired.map((one) => [one.at, one.ref])).toEqual([
    [later(1), charge_id],
    [later(3), charge_id],
  ]);
  expect(body.fired_total).toBe(2);
  const { status, updated_at } = await api.charge(charge_id);
  expect([status, updated_at]).toEqual(["PROCESSING", later(3)]);
});

it.for(["2026-01-31T08:59:59.999Z", "1999-01-01T00:00:00Z"])(
  "POST clock/advance to the past returns 400 and does not move the time: %s",
  async (to, { api }) => {
    expectInvalid(await expectNoMove(api, () => api.advance({ to })), "to");
  },
);

it.for([
  {},
  { by: "1s", to: "2026-02-01T00:00:00Z" },
  { by: "1s", until: "idle" },
  { to: "2026-02-01T00:00:00Z", until: "next" },
  { by: "1s", to: "2026-02-01T00:00:00Z", until: "next" },
  { seconds: 5 },
])("POST clock/advance requires exactly one of by, to and until: %j", async (body, { api }) => {
  await expectNoMove(api, () => api.advance(body));
});

it("POST clock/advance does not move past the year 9999", async ({ api }) => {
  await api.advance({ to: "9999-12-31T23:59:59.999Z" });
  const answer = await api.advance({ by: "1ms" });
  expectInvalid(answer, "by");
  expect((await clockOf(api)).now).toBe("9999-12-31T23:59:59.999Z");
});

const put = (api: Api, body: unknown) => api.put<Clock>(CLOCK, body);

it("PUT clock changes the mode and responds like GET", async ({ api }) => {
  for (const [mode, speed] of [
    ["real", 1],
    ["60x", 60],
    ["0.5x", 0.5],
    ["manual", 1],
  ] as const) {
    const clock = okBody(await put(api, { mode }));
    expect(clock).toMatchObject({ mode, speed });
    expect(await clockOf(api)).toMatchObject({ mode, speed });
  }
});

it.for([
  [{ mode: "manual", speed: 5 }, false],
  [{ mode: "60x", speed: 30 }, false],
  [{ mode: "manual", speed: 1 }, true],
  [{ mode: "60x", speed: 60 }, true],
  [{ mode: "real", speed: 5 }, true],
] as const)(
  "PUT clock accepts a speed with a mode only when they agree: %j",
  async ([body, isTaken], { api }) => {
    const answer = await put(api, body);
    if (isTaken) okBody(answer);
    else {
      expectInvalid(answer, "speed");
      expect((await clockOf(api)).mode).toBe("manual");
    }
  },
);

it("PUT clock starts a clock at the given speed", async ({ api }) => {
  expect(okBody(await put(api, { speed: 3600 }))).toMatchObject({ speed: 3600 });
  const from = Date.parse((await clockOf(api)).now);
  const wall = Date.now();
  let now = from;
  while (now < from + 3_600_000) now = Date.parse((await clockOf(api)).now);
  // This hour takes one second at 3600 times the speed.
  expect(Date.now() - wall).toBeLessThan(60_000);
});

it("setting the clock to manual stops it", async () => {
  const api = await openApi({ clock: "1000x" });
  const { now } = okBody(await put(api, { mode: "manual" }));
  expect(Date.parse(now)).toBeGreaterThanOrEqual(Date.parse(START));
  for (let call = 0; call < 20; call++) expect((await clockOf(api)).now).toBe(now);
});

it("PUT clock with a later time runs the tasks due until then", async ({ api }) => {
  const { charge_id } = await api.pay();
  expect(okBody(await put(api, { now: later(10) }))).toMatchObject({ mode: "manual", now: later(10) });
  const { status, updated_at } = await api.charge(charge_id);
  expect([status, updated_at]).toEqual(["COMPLETED", later(5)]);
});

it("PUT clock with the current time changes nothing", async ({ api }) => {
  expect(okBody(await put(api, { now: START }))).toMatchObject({ now: START });
});

it("PUT clock accepts mode and time together", async ({ api }) => {
  const clock = okBody(await put(api, { mode: "real", now: later(60) }));
  expect(clock.mode).toBe("real");
  expect(Date.parse(clock.now)).toBeGreaterThanOrEqual(Date.parse(later(60)));
});

it("PUT clock returns 400 for an empty body", async ({ api }) => {
  await expectNoMove(api, () => put(api, {}));
});

it("a running clock never goes back", async () => {
  const api = await openApi({ clock: "1000x" });
  let last = Date.parse(START);
  for (let call = 0; call < 50; call++) {
    const answer = await api.tryQuote({
      pricing: { base_currency: "KES", amount: "1" },
      payment_method: "card",
    });
    const made = Date.parse(answer.body.created_at);
    expect(made).toBeGreaterThanOrEqual(last);
    expect(Date.parse(answer.headers.get("sandbox-now") ?? "")).toBeGreaterThanOrEqual(made);
    last = made;
  }
});

it.each(["real", "60x", "1000000x"] as const)(
  "a running clock at %s jumps by exactly the given duration",
  async (clock) => {
    const api = await openApi({ clock });
    for (let leap = 0; leap < 30; leap++) {
      const { from, to } = okBody(await api.advance({ by: "1s" }));
      expect(Date.parse(to) - Date.parse(from)).toBe(1000);
    }
    const { from, to } = await api.sandbox.advance("1s");
    expect(Date.parse(to) - Date.parse(from)).toBe(1000);
  },
);
