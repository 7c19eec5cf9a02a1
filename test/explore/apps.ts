// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { ExploreFlowOptions, Sandbox } from "../../src/library/index.js";
import { openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";

/** A parsed JSON body. */
// biome-ignore lint/suspicious/noExplicitAny: the apps read what they need
export type Json = any;

/** Calls the service as an app does; rejects with the status of an error. */
export type CallService = (method: string, path: string, body?: object, key?: string) => Promise<Json>;
/** Handles a call, such as `POST /orders`. */
export type Answer = (
  call: string,
  body: Json,
  headers?: IncomingHttpHeaders,
) => Promise<readonly [status: number, body?: unknown, headers?: Record<string, string>]>;

/** Opens a sandbox, and an app that uses it. */
export async function openApp(
  appOf: (call: CallService) => Answer,
  /** Path of the app's receiver; null if it receives no webhooks. */
  webhooks: string | null = "/webhooks",
) {
  // App and sandbox share a thread: a pause of it must not look like an app that does not respond.
  const sandbox = await openSandbox({ webhookTimeout: "10m" });
  const { url: base } = await sandbox.listen();
  const answer = appOf(async (method, path, body, key) => {
    const response = await fetch(`${base}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  });
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const [status, body = {}, headers = {}] = await answer(
      `${request.method} ${request.url}`,
      text && JSON.parse(text),
      request.headers,
    ).catch((error: Error) => [503, { error: error.message }] as const);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  });
  const app = `http://127.0.0.1:${await listening(server)}`;
  if (webhooks !== null)
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}${webhooks}` });
  return { sandbox, app };
}

interface OpenedApp {
  readonly sandbox: Sandbox;
  readonly app: string;
}

export type FoundOptions = Partial<ExploreFlowOptions>;

/** Explores the app and returns its report and findings. */
export async function foundIn({ sandbox, app }: OpenedApp, flow: string, options: FoundOptions = {}) {
  const report = await sandbox.explore(fileWith(flow), { app, throws: false, ...options });
  const found = report.findings.map(
    ({ oracle, deviations }) => `${oracle}: ${deviations.map(({ kind, at }) => `${kind} ${at}`).join(" + ")}`,
  );
  return { report, found };
}

export interface Order {
  readonly id: string;
  readonly email: string;
  status: string;
  delivered: number;
  charge_id?: string;
}

/** A minimal shop that pays an order at once or in its job. */
export const shopOf =
  (isPaidBy: (charge: Json) => boolean = () => true) =>
  (call: CallService): Answer => {
    const orders = new Map<string, Order>();
    const pay = async (order: Order) => {
      const asked = {
        pricing: { base_currency: "KES", amount: "500.00" },
        payment_method: "mobile_money",
        customer_email: order.email,
      };
      const { quote_id } = await call("POST", "payments/quotes", asked);
      const more = { quote_id, phone_number: "+254700000001", metadata: { order_id: order.id } };
      order.charge_id = (await call("POST", "payments/whitelabel", { ...asked, ...more })).charge_id;
    };
    const learn = (charge: Json) => {
      const order = orders.get(charge.metadata.order_id);
      if (order === undefined || order.status === "paid") return;
      order.charge_id = charge.charge_id;
      if (charge.status === "COMPLETED" && isPaidBy(charge))
        Object.assign(order, { status: "paid", delivered: 1 });
      else if (/FAILED|CANCELLED|EXPIRED/.test(charge.status)) order.status = charge.status.toLowerCase();
    };
    return async (route, body) => {
      const [, id = ""] = /^GET \/orders\/(.*)$/.exec(route) ?? [];
      if (id !== "") return [200, orders.get(id)];
      if (route === "POST /orders") {
        const known = orders.get(body.order);
        const order = known ?? { id: body.order, email: body.email, status: "pending", delivered: 0 };
        orders.set(order.id, order);
        if (known === undefined) await pay(order).catch(() => {});
        return [201, order];
      }
      if (route === "POST /webhooks") learn(body.data);
      else if (route === "POST /tick")
        for (const order of orders.values())
          if (order.status === "pending") {
            if (order.charge_id === undefined) await pay(order);
            learn(await call("GET", `payments/charges/${order.charge_id}`));
          }
      return [route.startsWith("POST /wrong") ? 404 : 200];
    };
  };

/** A flow for `pageShop`; `pay` has the customer's steps. */
export const pageFlow = (pay: string) => `
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

/** A shop that uses the hosted page and reads the charges of open orders. */
export const pageShop =
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
