import { setImmediate } from "node:timers";
import { expect } from "vitest";
import { registerEndpoint } from "../../src/core/engine/commands/endpoint-commands.js";
import { setScenarioActive } from "../../src/core/engine/commands/scenario-commands.js";
import { emitEvent } from "../../src/core/engine/event-emission.js";
import { findExpectedRecord } from "../../src/tools/scenario/steps/matching.js";
import { type Answer, type Api, expectInvalid, KES_ORDER } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { newEngine, START_MS } from "../support/engine.js";

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
  expectInvalid(await putScenario(api, "mine", { charges }), "charges");
});

/** 91 steps. */
const rule = (key: string) => ({ match: { metadata: { [key]: { matches: "x{90}" } } }, drop: true });
const putScenario = (api: Api, name: string, body: object) =>
  api.send("PUT", `/_sandbox/scenarios/${name}`, JSON.stringify(body), {
    "content-type": "application/json",
  }) as Promise<Answer<unknown>>;
const activate = (api: Api, name: string) => api.post(`/_sandbox/scenarios/${name}/activate`, {});

it("refuses a scenario whose kinds of rules have many patterns together", async ({ api }) => {
  const webhooks = ["a", "b", "c"].map(rule);
  const faults = ["d", "e", "f"].map((key) => ({ match: rule(key).match, respond: { status: 503 } }));
  const refused = await putScenario(api, "mine", { webhooks, faults });
  expectInvalid(refused, "body");
  expect(refused.text).toContain("its patterns are too large together: 546 steps, more than 500");
});

it("refuses to activate a scenario or add a fault when all patterns that apply are many", async ({ api }) => {
  for (const name of ["one", "two", "three"])
    await putScenario(api, name, { webhooks: ["a", "b"].map((key) => rule(`${name}-${key}`)) });
  expect((await activate(api, "one")).status).toBe(200);
  expect((await activate(api, "two")).status).toBe(200);
  const third = await activate(api, "three");
  expectInvalid(third, "body");
  const message = "the patterns of all active scenarios and faults are too large together: 546 steps";
  expect(third.text).toContain(message);
  const fault = (key: string) =>
    api.post("/_sandbox/faults", { match: rule(key).match, respond: { status: 503 } });
  expect((await fault("first")).status).toBe(200);
  expect((await fault("second")).text).toContain(message);
  await api.post("/_sandbox/scenarios/two/deactivate", {});
  expect((await activate(api, "three")).status).toBe(200);
});

it("refuses a large pattern that looks like a variable", async ({ api }) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a class of two characters
  const pattern = "[${]x{500}";
  expectInvalid(await wait(api, { metadata: { k: { matches: pattern } } }), "match.metadata.k.matches");
  const match = { metadata: { k: { matches: pattern } } };
  expectInvalid(
    await putScenario(api, "mine", { webhooks: [{ match, drop: true }] }),
    "webhooks.0.match.metadata.k.matches",
  );
});

it("an event is matched against a pattern once for all endpoints and attempts", () => {
  let tests = 0;
  const counted = {
    get matches() {
      tests++;
      return "y";
    },
  };
  const webhooks = Array.from({ length: 4 }, (_, index) => ({
    match: { metadata: { k: counted } },
    attempt: index + 2,
    delay: "1s",
  }));
  const engine = newEngine({ scenarios: [{ name: "costly", webhooks }] });
  engine.execute((tx) => {
    for (let n = 0; n < 5; n++)
      registerEndpoint({ url: `http://shop.test/${n}`, mode: "test", organizationId: null, events: ["*"] })(
        tx,
      );
  }, START_MS);
  engine.execute(setScenarioActive("costly", true), START_MS);
  tests = 0;
  engine.execute(
    (tx) =>
      void emitEvent(tx, {
        type: "charge.completed",
        owner: { mode: "test", organization_id: null, scenario_asked: null },
        objectId: null,
        data: "{}",
        subject: () => ({ fields: {}, metadata: { k: LONG } }),
      }),
    START_MS,
  );
  expect(engine.state.tables.deliveries.size).toBe(5);
  expect(tests).toBe(1);
});
