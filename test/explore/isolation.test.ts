// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import type { ObservedCall } from "../../src/tools/explore/run-record.js";
import { isolationReason } from "../../src/tools/explore/sandbox/baseline.js";
import { flowOf } from "../../src/tools/explore/sandbox/flow.js";
import { customerEmail } from "../../src/tools/explore/sandbox/money.js";
import { type Answer, type CallService, foundIn, openApp } from "./apps.js";

const ORDER = { app: "POST /orders", body: { email: "qa+${run.id}@shop.test" } };
const baseline = {
  customerMatch: { customer_email: "qa\\*${run.id}@shop.test" },
  chargeMatch: {},
  plain: { completedCharges: 1, bodies: [], statuses: [], isPaid: [], sums: { paid: "", paidOut: "" } },
  payableMs: 0,
  free: [],
  refusedTypes: [],
  readMatch: {},
  pressMatches: [],
  pages: [],
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

/** Each run of its job charges every customer once more. */
const subscriptions = (call: CallService): Answer => {
  const customers = new Map<string, number>();
  const charge = async (email: string) => {
    const asked = {
      pricing: { base_currency: "KES", amount: "19.99" },
      payment_method: "mobile_money",
      customer_email: email,
    };
    const { quote_id } = await call("POST", "payments/quotes", asked);
    const more = { quote_id, phone_number: "+254700000001", metadata: { email } };
    await call("POST", "payments/whitelabel", { ...asked, ...more });
  };
  return async (route, body) => {
    const shown = customers.get(decodeURIComponent(route.split("/").at(-1)!));
    if (route.startsWith("GET ")) return [200, { charges: shown }];
    if (route === "POST /subscriptions") {
      customers.set(body.email, 0);
      await charge(body.email);
    } else if (route === "POST /tick") for (const email of customers.keys()) await charge(email);
    else if (body.data.status === "COMPLETED") {
      const { email } = body.data.metadata;
      customers.set(email, customers.get(email)! + 1);
    }
    return [200];
  };
};

it("the report advises a reset if a job charges the customers of earlier runs", async () => {
  const flow = `name: subscription
vars: { email: "qa+\${run.id}@shop.test" }
steps:
  - { app: POST /subscriptions, body: { email: "\${email}" } }
  - advance: 10s
observe:
  - app: GET /subscriptions/\${email}
tick:
  - app: POST /tick
`;
  const only = "webhook_late at charge.completed#1";
  const { report, found } = await foundIn(await openApp(subscriptions), flow, { only });
  expect({ found, notes: report.notes }).toEqual({
    found: [],
    notes: [
      "the app creates charges for the customers of earlier runs, so each run takes longer: add `reset`",
    ],
  });
});
