// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { type Answer, type CallService, foundIn, type Order, openApp } from "./apps.js";

/** A customer who pays on the service's page, by a call of the page's `pay`. */
const CALL = `
  - request: POST /_sandbox/checkouts/\${checkout}/pay
    body: { payment_method: card }
    save: { charge: body.charge_id }
  - advance: 30s`;
const CLOSE_PAGE = `
  - close_page: { checkout_id: "\${checkout}", payment_method: card }`;

const flowOf = (pay: string) => `
name: page
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { order: "\${order}", email: "\${email}" }
    save: { checkout: body.checkout_id }${pay}
  - app: POST /tick
  - app: GET /orders/\${order}
    expect: { body: { status: paid, delivered: 1 } }
observe:
  - { app: "GET /orders/\${order}", ignore: [checkout_id, charge_id] }
tick:
  - app: POST /tick
`;

interface PageOrder extends Order {
  checkout_id?: string;
  /** The call in progress that makes the checkout or reads the charge. */
  busy?: Promise<void> | undefined;
}

/** A shop that receives no webhooks: its job asks for the charge of each order whose status `isOpen`. */
const pollingShop =
  (isOpen: (status: string) => boolean) =>
  (call: CallService): Answer => {
    const orders = new Map<string, PageOrder>();
    const pricing = { base_currency: "KES", amount: "1105.10" };
    const work = async (order: PageOrder) => {
      if (order.charge_id === undefined) {
        const { checkout_id, charge_id } = await call("POST", "payments/checkouts", {
          pricing,
          customer_email: order.email,
          metadata: { order: order.id },
        });
        Object.assign(order, { checkout_id, charge_id });
        return;
      }
      const { status } = await call("GET", `payments/charges/${order.charge_id}`);
      if (status === "COMPLETED") Object.assign(order, { status: "paid", delivered: order.delivered + 1 });
      else if (/^(FAILED|CANCELLED|EXPIRED)$/.test(status)) order.status = status.toLowerCase();
    };
    const workAlone = (order: PageOrder) =>
      (order.busy ??= work(order).finally(() => (order.busy = undefined)));
    return async (route, body) => {
      const [, id = ""] = /^GET \/orders\/(.*)$/.exec(route) ?? [];
      const { busy: _busy, ...shown } = orders.get(id) ?? {};
      if (id !== "") return [200, shown];
      if (route === "POST /orders") {
        const order: PageOrder = orders.get(body.order) ?? {
          id: body.order,
          email: body.email,
          status: "pending",
          delivered: 0,
        };
        orders.set(order.id, order);
        if (order.charge_id === undefined) await workAlone(order);
        return [201, { checkout_id: order.checkout_id }];
      }
      for (const order of orders.values()) if (isOpen(order.status)) await workAlone(order).catch(() => {});
      return [200];
    };
  };

it.each([
  ["a call of the page's pay", CALL],
  ["close_page", CLOSE_PAGE],
])("of a shop that only polls and is paid by %s, the places are those of its charges", async (_, pay) => {
  const flow = flowOf(pay);
  const forgetful = await openApp(
    pollingShop((status) => status === "pending"),
    null,
  );
  const { found, report } = await foundIn(forgetful, flow, { failOn: ["underpaid"] });
  expect(found).toEqual(expect.arrayContaining(["money: paid_late charge#1", "money: underpaid charge#1"]));
  const kinds = new Set(report.singles.map(({ kind }) => kind));
  for (const kind of ["paid_late", "cancelled_then_paid", "job_meanwhile", "job_at_once"])
    expect(kinds).toContain(kind);

  const right = await openApp(
    pollingShop((status) => status !== "paid"),
    null,
  );
  const { report: silent } = await foundIn(right, flow, { depth: 2 });
  expect(silent).toMatchObject({ findings: [], notes: [], complete_depth: 2 });
});
