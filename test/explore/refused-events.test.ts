import { expect, it } from "vitest";
import { pause } from "../../src/core/time/timers.js";
import {
  type Answer,
  type CallService,
  foundIn,
  type Json,
  openApp,
  pageFlow,
  pageShop,
  shopOf,
} from "./apps.js";
import { FLOW } from "./support.js";

const PAID = `
  - close_page: { checkout_id: "\${checkout}", payment_method: card }`;

/** Wraps a shop; `refusal` may replace its response to a webhook. */
const refusing =
  (shop: (call: CallService) => Answer, refusal: (type: string) => Awaited<ReturnType<Answer>> | undefined) =>
  (call: CallService): Answer => {
    const answer = shop(call);
    return async (route, body) =>
      (route === "POST /webhooks" ? refusal(body.type) : undefined) ?? answer(route, body);
  };

const rightPage = pageShop((status) => status !== "paid");

it.concurrent("an app that refuses each event of a type is reported once", async () => {
  const app = await openApp(refusing(rightPage, (type) => (type === "charge.cancelled" ? [400] : undefined)));
  const { report } = await foundIn(app, pageFlow(PAID));
  const message = "the app refuses a signed event: charge.cancelled with 400";
  expect(report.findings).toMatchObject([
    { oracle: "manners", message, deviations: [{ kind: "cancelled_then_paid", at: "page#1" }] },
  ]);
});

it.concurrent("an event that the app refuses is one finding, and the search continues", async () => {
  const app = await openApp(refusing(shopOf(), (type) => (type === "charge.processing" ? [404] : undefined)));
  const { report } = await foundIn(app, FLOW);
  const message = "with nothing going wrong: the app refuses a signed event: charge.processing with 404";
  expect(report.findings).toMatchObject([{ oracle: "manners", message, deviations: [] }]);
  expect(report).toMatchObject({ passed: false, complete_depth: 1 });
});

/** A correct shop that responds with `later` while it is busy. */
const busyShop =
  (later: Awaited<ReturnType<Answer>>, keyOf: (body: Json) => string = ({ id }) => id, processingMs = 0) =>
  (call: CallService): Answer => {
    const answer = shopOf()(call);
    const locked = new Set<string>();
    return async (route, body) => {
      if (route !== "POST /webhooks") return answer(route, body);
      const key = keyOf(body);
      if (locked.has(key)) return later;
      locked.add(key);
      const work = async () => {
        await call("GET", `payments/charges/${body.data.charge_id}`);
        if (processingMs > 0) await pause(processingMs);
        return answer(route, body);
      };
      return work().finally(() => locked.delete(key));
    };
  };

type Refusal = readonly [name: string, later: Awaited<ReturnType<Answer>>];
const RETRY_AFTER: Refusal = ["503 with Retry-After", [503, {}, { "retry-after": "1" }]];

it.concurrent.each<Refusal>([["409", [409]], RETRY_AFTER])(
  "accepts an app that returns %s for a copy of an event",
  async (_, later) => {
    expect((await foundIn(await openApp(busyShop(later)), FLOW)).found).toEqual([]);
  },
);

it.concurrent.each<Refusal>([
  ["503 without Retry-After", [503]],
  ["400", [400]],
])("reports an app that returns %s for a copy of an event", async (_, later) => {
  const only = "webhook_twice_at_once at charge.completed#1";
  const { found } = await foundIn(await openApp(busyShop(later)), FLOW, { only });
  expect(found).toEqual(["manners: webhook_twice_at_once charge.completed#1"]);
});

/** The first event is ten minutes late and arrives with the last one. */
const SLOW = FLOW.replace("advance: 10s", "advance: 15m").replace(
  "steps:",
  `charges:
  - timeline: [{ after: 1s, to: AWAITING_PAYMENT }, { after: 5m, to: PROCESSING }, { after: 5m, to: COMPLETED }]
steps:`,
);

it.concurrent.each<[...Refusal, found: string[]]>([
  [...RETRY_AFTER, []],
  ["400", [400], ["manners: webhook_late charge.awaiting_payment#1"]],
])("accepts or reports an app that returns %s during another event", async (_, later, found) => {
  // Events of one instant arrive within this time: sandbox and app share a thread.
  const app = await openApp(busyShop(later, ({ data }) => data.charge_id, 100));
  expect((await foundIn(app, SLOW, { only: "webhook_late at charge.awaiting_payment#1" })).found).toEqual(
    found,
  );
});
