// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import type { ObservedCall } from "../../src/tools/explore/deviable.js";
import { flowOf } from "../../src/tools/explore/sandbox/flow.js";
import { customerEmail, isolationReason } from "../../src/tools/explore/sandbox/sandbox-deviable.js";

const ORDER = { app: "POST /orders", body: { email: "qa+${run.id}@shop.test" } };
const baseline = {
  whose: { customer_email: "qa\\*${run.id}@shop.test" },
  order: {},
  completed: 1,
  observed: [],
};
const why = (more: object, calls: readonly object[] = [], whose: object = baseline.whose) =>
  isolationReason(
    flowOf("a.yaml", { name: "a", steps: [ORDER, { advance: "10s" }], ...more }),
    { ...baseline, whose },
    { calls: calls as ObservedCall[], deliveries: [], charges: [], withdrawals: [] },
  );

it("has runs side by side where their customers cannot meet", () => {
  expect(why({ tick: [{ app: "POST /tick" }] }, [{ isOwn: true }, { isByFlow: true }])).toBeUndefined();
  expect(customerEmail(baseline, "7")).toBe("qa*7@shop.test");
});

it.each([
  [{ reset: [{ app: "POST /reset" }] }, [], baseline.whose, /^`reset` sets the app back/],
  [{ webhooks: [{ copies: 2 }] }, [], baseline.whose, /^the flow has rules of its own$/],
  [{}, [], {}, /^no customer_email has \$\{run.id\}/],
  [{ steps: [ORDER, { reset: true }] }, [], baseline.whose, /^a step that is a reset concerns all/],
  [
    { steps: [ORDER, { parallel: [[{ advance: "1s" }], [ORDER]] }] },
    [],
    baseline.whose,
    /^a step that is a parallel/,
  ],
  [{ tick: [{ reconcile: { app: "GET /orders" } }] }, [], baseline.whose, /^a step that is a reconcile/],
  [{}, [{ operation: "listPayins" }], baseline.whose, /^the app calls listPayins, which shows it all/],
])("has them one after the other where they could: %j %j", (more, calls, whose, message) => {
  expect(why(more, calls, whose)).toMatch(message);
});
