// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { customerOf, whyAlone } from "../../src/explore/alone.js";
import { flowOf } from "../../src/explore/flow.js";
import type { SeenCall } from "../../src/explore/seen.js";

const ORDER = { app: "POST /orders", body: { email: "qa+${run.id}@shop.test" } };
const lesson = {
  whose: { customer_email: "qa\\*${run.id}@shop.test" },
  order: {},
  completed: 1,
  observed: [],
};
const why = (more: object, calls: readonly object[] = [], whose: object = lesson.whose) =>
  whyAlone(
    flowOf("a.yaml", { name: "a", steps: [ORDER, { advance: "10s" }], ...more }),
    { ...lesson, whose },
    { calls: calls as SeenCall[], deliveries: [], charges: [] },
  );

it("has runs side by side where their customers cannot meet", () => {
  expect(why({ tick: [{ app: "POST /tick" }] }, [{ isOwn: true }, { isFlows: true }])).toBeUndefined();
  expect(customerOf(lesson, "7")).toBe("qa*7@shop.test");
});

it.each([
  [{ reset: [{ app: "POST /reset" }] }, [], lesson.whose, /^`reset` sets the app back/],
  [{ webhooks: [{ copies: 2 }] }, [], lesson.whose, /^the flow has rules of its own$/],
  [{}, [], {}, /^no customer_email has \$\{run.id\}/],
  [{ steps: [ORDER, { reset: true }] }, [], lesson.whose, /^a step that is a reset concerns all/],
  [
    { steps: [ORDER, { parallel: [[{ advance: "1s" }], [ORDER]] }] },
    [],
    lesson.whose,
    /^a step that is a parallel/,
  ],
  [{ tick: [{ reconcile: { app: "GET /orders" } }] }, [], lesson.whose, /^a step that is a reconcile/],
  [{}, [{ operation: "listPayins" }], lesson.whose, /^the app calls listPayins, which shows it all/],
])("has them one after the other where they could: %j %j", (more, calls, whose, message) => {
  expect(why(more, calls, whose)).toMatch(message);
});
