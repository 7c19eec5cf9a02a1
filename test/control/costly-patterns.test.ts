import { setImmediate } from "node:timers";
import { expect } from "vitest";
import { findExpectedRecord } from "../../src/tools/scenario/steps/matching.js";
import { type Answer, type Api, expectInvalid, KES_ORDER } from "../support/api-client.js";
import { it } from "../support/api-test.js";

/** 99 steps, each of which is under way at every character. */
const COSTLY = "[\\s\\S]{96}\\d$";
const LONG = "x".repeat(9_900);
const CHARGES = 200;

/** Returns the longest time between two turns of the event loop, as a part of the time that the work takes. */
async function longestHold<Result>(work: () => Promise<Result>): Promise<[part: number, result: Result]> {
  const beginMs = performance.now();
  let turnMs = beginMs;
  let longestMs = 0;
  let hasEnded = false;
  const turn = () => {
    longestMs = Math.max(longestMs, performance.now() - turnMs);
    turnMs = performance.now();
    if (!hasEnded) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work();
  turn();
  hasEnded = true;
  return [longestMs / (performance.now() - beginMs), result];
}

async function payWithLongMetadata(api: Api, charges = CHARGES): Promise<void> {
  for (let n = 0; n < charges; n++)
    await api.post("/api/v1/payments/checkouts", { pricing: KES_ORDER.pricing, metadata: { k: LONG } });
}

const wait = (api: Api, match: object, timeout = "1ms"): Promise<Answer<unknown>> =>
  api.post("/_sandbox/wait", { for: "charge", match, timeout });

it("POST /wait with a costly pattern over 200 charges of 10 kB lets other calls run between", async ({
  api,
}) => {
  await payWithLongMetadata(api);
  const [part, { status }] = await longestHold(() => wait(api, { metadata: { k: { matches: COSTLY } } }));
  expect(status).toBe(408);
  // The match and the search for near misses hold it for a half each, if they never yield.
  expect(part).toBeLessThan(0.25);
});

it("an expectation with a costly pattern over 200 records lets other work run between", async () => {
  const rows = Array.from({ length: CHARGES }, (_, id) => ({ id, metadata: { k: `${LONG}${id % 10}` } }));
  const expected = { metadata: { k: { matches: COSTLY } } };
  const search = { at: "expect_charge", what: "charge", expected, count: CHARGES, rows, idOf: () => "row" };
  const [part, found] = await longestHold(() => findExpectedRecord(search));
  expect(found).toBe(rows[0]);
  expect(part).toBeLessThan(0.25);
});

it("an advance with a costly rule lets other calls run between its tasks", async ({ api }) => {
  await payWithLongMetadata(api, 60);
  const match = { metadata: { k: { matches: "[\\s\\S]{90}\\d$" } } };
  await api.post("/_sandbox/webhook-endpoints", { mailbox: "m", events: ["*"] });
  await api.send("PUT", "/_sandbox/scenarios/mine", JSON.stringify({ webhooks: [{ match, drop: true }] }), {
    "content-type": "application/json",
  });
  await api.post("/_sandbox/scenarios/mine/activate", {});
  const [part] = await longestHold(() => api.advance({ by: "2h" }));
  expect(part).toBeLessThan(0.25);
  expect((await api.get("/_sandbox/events")).body).toMatchObject({ total: 60 });
});

it("POST /wait says why a text is too long for a large pattern", async ({ api }) => {
  await api.post("/api/v1/payments/checkouts", { pricing: KES_ORDER.pricing, metadata: { k: LONG } });
  const { status, text } = await wait(api, { metadata: { k: { matches: "x{400}\\d" } } });
  expect(status).toBe(408);
  expect(text).toContain("matches with a pattern of 402 steps is for texts of at most 2487 characters");
});

const TOO_LARGE_FOR_RULE = "is too large: with its repetitions written out, it has more than 97 steps";
const match = { metadata: { k: { matches: "x{100}" } } };
it.for([
  ["PUT /_sandbox/scenarios/mine", "charges.0.match", { charges: [{ match, timeline: [] }] }],
  ["PUT /_sandbox/scenarios/mine", "webhooks.0.match", { webhooks: [{ match, drop: true }] }],
  ["POST /_sandbox/faults", "match", { match, respond: { status: 500 } }],
] as const)(
  "%s refuses a pattern at %s that long metadata would make costly",
  async ([call, at, body], { api }) => {
    const [method, path] = call.split(" ") as [string, string];
    const answer = await api.send(method, path, JSON.stringify(body), { "content-type": "application/json" });
    expectInvalid(answer as Answer<unknown>, `${at}.metadata.k.matches`);
    expect(answer.text).toContain(TOO_LARGE_FOR_RULE);
  },
);

it("refuses many patterns that are small one by one", async ({ api }) => {
  const keys = Array.from({ length: 11 }, (_, n) => [`k${n}`, { matches: "x{90}" }]);
  const refused = await wait(api, { metadata: Object.fromEntries(keys) });
  expectInvalid(refused, "match");
  expect(refused.text).toContain("its patterns are too large together: 1001 steps, more than 500");
  const charges = keys.map(([key, value]) => ({
    match: { metadata: { [key as string]: value } },
    timeline: [],
  }));
  const scenario = await api.send("PUT", "/_sandbox/scenarios/mine", JSON.stringify({ charges }), {
    "content-type": "application/json",
  });
  expectInvalid(scenario as Answer<unknown>, "charges");
});
