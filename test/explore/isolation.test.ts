// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import type { ObservedCall } from "../../src/tools/explore/deviable.js";
import { isolationReason } from "../../src/tools/explore/sandbox/baseline.js";
import { flowOf } from "../../src/tools/explore/sandbox/flow.js";
import { customerEmail } from "../../src/tools/explore/sandbox/money.js";

const ORDER = { app: "POST /orders", body: { email: "qa+${run.id}@shop.test" } };
const baseline = {
  customerMatch: { customer_email: "qa\\*${run.id}@shop.test" },
  chargeMatch: {},
  plain: { completedCharges: 1, bodies: [] },
  payableMs: 0,
  free: [],
  refusedTypes: [],
  readMatch: {},
  pressMatches: [],
};
const why = (more: object, calls: readonly object[] = [], whose: object = baseline.customerMatch) =>
  isolationReason(
    flowOf("a.yaml", { name: "a", steps: [ORDER, { advance: "10s" }], ...more }),
    { ...baseline, customerMatch: whose },
    { startMs: 0, calls: calls as ObservedCall[], deliveries: [], charges: [], withdrawals: [] },
  );

it("runs are parallel when their customers are separate", () => {
  expect(why({ tick: [{ app: "POST /tick" }] }, [{ isOwn: true }, { isByFlow: true }])).toBeUndefined();
  expect(customerEmail(baseline, "7")).toBe("qa*7@shop.test");
});

it.each<[more: object, message: RegExp, calls?: readonly object[], whose?: object]>([
  [{ reset: [{ app: "POST /reset" }] }, /^`reset` sets the app back/],
  [{ webhooks: [{ copies: 2 }] }, /^the flow has rules of its own$/],
  [{}, /^no customer_email has \$\{run.id\}/, [], {}],
  [{ steps: [ORDER, { reset: true }] }, /^a step that is a reset concerns all/],
  [{ steps: [ORDER, { parallel: [[{ advance: "1s" }], [ORDER]] }] }, /^a step that is a parallel/],
  [{ tick: [{ reconcile: { app: "GET /orders" } }] }, /^a step that is a reconcile/],
  [{}, /^the app calls listPayins, which shows it all/, [{ operation: "listPayins" }]],
])("runs are sequential when they could share a customer: %j, %s", (more, message, calls, whose) => {
  expect(why(more, calls, whose)).toMatch(message);
});
