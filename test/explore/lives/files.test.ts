// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../support/folders.js";
import { type Answer, type CallService, foundIn, openApp } from "../apps.js";

interface Order {
  readonly id: string;
  readonly email: string;
  status: string;
  charge_id?: string;
}

type Bug = "stock" | "email" | "copy";

/** A shop over HTTP whose orders are placed and paid by two presses, and take a piece of the stock. */
const shopOf =
  (bug?: Bug) =>
  (call: CallService): Answer => {
    const orders = new Map<string, Order>();
    let left = 5;
    const end = (order: Order, status: string) => {
      if (order.status === "paid" || (order.status === "failed" && status !== "paid")) return;
      if (order.status === "failed") left--;
      if (status === "failed" && bug !== "stock") left++;
      order.status = status;
    };
    return async (route, body) => {
      const [, id = "", action] = /^\w+ \/orders\/([^/]+)(\/pay)?$/.exec(route) ?? [];
      if (route === "POST /reset") left = 5;
      if (route === "GET /stock") return [200, { left }];
      if (route === "POST /orders" && !orders.has(body.order)) {
        orders.set(body.order, { id: body.order, email: body.email, status: "open" });
        left--;
      }
      const order = orders.get(id || (body?.order ?? body?.data?.metadata.order));
      if (action !== undefined) {
        if (order === undefined || order.status === "paid") return [409];
        const pay = async () => {
          const { checkout_id, charge_id } = await call("POST", "payments/checkouts", {
            pricing: { base_currency: "KES", amount: "1105.10" },
            customer_email: order.email,
            metadata: { order: order.id },
          });
          order.charge_id = charge_id;
          return checkout_id;
        };
        const known = order.charge_id && (await call("GET", `payments/charges/${order.charge_id}`));
        if (known?.status === "PENDING" || known?.status === "AWAITING_PAYMENT")
          return [200, { checkout_id: known.checkout_id }];
        return [200, { checkout_id: await pay() }];
      }
      if (route.startsWith("GET /orders/"))
        return order === undefined ? [404] : [200, { status: order.status }];
      if (body?.type === "charge.completed") {
        const { customer_email } = body.data;
        const ofCustomer = [...orders.values()].filter(({ email }) => email === customer_email);
        const isCopy = bug === "copy" && order!.status === "paid";
        const other = isCopy ? ofCustomer.find(({ status }) => status === "open") : undefined;
        end(bug === "email" ? ofCustomer[0]! : (other ?? order!), "paid");
      }
      if (order !== undefined && body?.type === "charge.refunded") order.status = "refunded";
      if (order !== undefined && /failed|cancelled|expired/.test(body?.type)) end(order, "failed");
      return [200];
    };
  };

const FLOW = `
name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
reset: [{ app: POST /reset }]
steps:
  - app: POST /orders
    body: { order: "\${order}", email: "\${email}" }
  - app: POST /orders/\${order}/pay
    save: { checkout: body.checkout_id }
  - close_page: { checkout_id: "\${checkout}", payment_method: card }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { status: paid } }
observe:
  - app: GET /orders/\${order}
  - app: GET /stock
`;

it("a life that is found is saved, and the file fails as long as the bug is there", async () => {
  const app = await openApp(shopOf("email"));
  const folder = temporaryFolder();
  const { report } = await foundIn(app, FLOW, { lives: 20, save: join(folder, "found") });
  const { file, only, oracle, message } = report.findings.find((one) => one.only !== undefined)!;
  expect(parse(readFileSync(file!, "utf8"))).toMatchObject({ only });
  const failed = await app.sandbox.runFile(file!, { app: app.app });
  expect(failed).toMatchObject({
    outcome: "failed",
    steps: [{ failure: { message: `${oracle}: ${message}` } }],
  });
  const right = await openApp(shopOf());
  expect(await right.sandbox.runFile(file!, { app: right.app })).toMatchObject({ outcome: "passed" });
});

const SHARED =
  "shared: body 2.left: changes with orders of any customer: compared with what orders in turn lead to";

it("a flow in a file has lives of two customers: a right shop is silent, and what they share is told", async () => {
  const { report } = await foundIn(await openApp(shopOf()), FLOW, { lives: 25 });
  expect(report).toMatchObject({ passed: true, findings: [], lives: { lives: 25, of: 25 } });
  expect(report.notes).toContain(SHARED);
});

it.each([
  ["stock", /^nothing is paid, but body 2\.left is 4, not 5 as before$/, 2],
  ["email", /^order \d is (not )?paid, but body\.status is "(paid|failed|open)"/, 4],
  ["copy", /^order \d is not paid, but body\.status is "paid"$/, 5],
] as const)(
  "the bug %s of a shop behind HTTP is found, and only repeats its story",
  async (bug, message, acts) => {
    const { report } = await foundIn(await openApp(shopOf(bug)), FLOW, { lives: 60 });
    const [finding] = report.findings.filter(({ only }) => only !== undefined);
    expect(finding).toMatchObject({ message: expect.stringMatching(message), seen: { runs: 2, of: 2 } });
    expect(finding!.acts).toHaveLength(acts);
    const again = await foundIn(await openApp(shopOf(bug)), FLOW, { only: finding!.only! });
    expect(again.report.findings).toEqual([finding]);
  },
);
