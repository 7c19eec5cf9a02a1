// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import type { Sandbox } from "../../src/library/index.js";
import { type Event, receiver, serve } from "../doctor/receivers.js";

/** A flow of the numbered shop: the customer gets the number of the order from the shop. */
export const NUMBERED_FLOW = `name: numbered
vars: { email: "qa+\${run.id}@shop.test" }
steps:
  - app: POST /orders
    body: { email: "\${email}" }
    save: { order: body.id }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { status: paid, delivered: 1 } }
observe:
  - app: GET /orders/\${order}
tick:
  - app: POST /tick
`;

interface Row {
  /** As of `INTEGER PRIMARY KEY`. */
  readonly id: number;
  readonly email: string;
  status: string;
  amount: string | null;
  delivered: number;
  updated_at: string;
}

/**
 * Opens a shop that numbers its orders, dates each change, and looks for an earlier charge in the list of payments
 * before it creates one.
 *
 * @param deduplicates false for the fault: a repeated event delivers the order again
 */
export async function openNumberedShop(sandbox: Sandbox, { deduplicates = true } = {}) {
  const { url: base } = await sandbox.listen();
  const rows: Row[] = [];
  const charges = new Map<number, string>();
  /** Times of the orders' first quotes. */
  const quotedAt = new Map<number, string>();
  const handled = new Set<string>();
  let work: Promise<unknown> = Promise.resolve();
  /** Does one thing after the other. */
  const inTurn = <Result>(next: () => Promise<Result>): Promise<Result> => {
    const done = work.then(next);
    work = done.catch(() => {});
    return done;
  };
  const call = async (method: string, path: string, body?: object): Promise<Event> => {
    const response = await fetch(`${base}/api/v1/payments/${path}`, {
      method,
      headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const change = (row: Row, fields: Partial<Row>) =>
    Object.assign(row, fields, { updated_at: new Date().toISOString() });

  /** Finds the order's charge among those since its first quote. */
  const findCharge = async (row: Row, since: string): Promise<string | undefined> => {
    const { items } = await call("GET", "payins?limit=100");
    for (const { charge_id, created_at } of items as Event[]) {
      if (created_at < since) return undefined;
      const { metadata } = await call("GET", `charges/${charge_id}`);
      if (metadata.order === String(row.id)) return charge_id;
    }
    return undefined;
  };
  const pay = async (row: Row) => {
    const pricing = { base_currency: "KES", amount: "1105.10" };
    const asked = { pricing, payment_method: "mobile_money", customer_email: row.email };
    const { quote_id, created_at } = await call("POST", "quotes", asked);
    const since = quotedAt.get(row.id) ?? created_at;
    quotedAt.set(row.id, since);
    const details = { quote_id, phone_number: "+254700000001", metadata: { order: String(row.id) } };
    const earlier = await findCharge(row, since);
    charges.set(row.id, earlier ?? (await call("POST", "whitelabel", { ...asked, ...details })).charge_id);
  };
  const learn = async (id: string) => {
    const charge = await call("GET", `charges/${id}`);
    const row = rows.find((one) => String(one.id) === charge?.metadata.order);
    // The event overtook the response to the shop's own call: it is to come again.
    if (row !== undefined && !charges.has(row.id)) throw new Error("the order has no charge yet");
    if (row === undefined || charges.get(row.id) !== id || (row.status === "paid" && deduplicates)) return;
    if (charge.status === "COMPLETED")
      change(row, { status: "paid", amount: charge.amount, delivered: row.delivered + 1 });
    else if (/FAILED|CANCELLED|EXPIRED/.test(charge.status)) change(row, { status: "unpaid" });
  };
  const order = async (email: string): Promise<Row> => {
    const known = rows.find((one) => one.email === email && one.status !== "unpaid");
    const at = new Date().toISOString();
    const row = known ?? {
      id: rows.length + 1,
      email,
      status: "new",
      amount: null,
      delivered: 0,
      updated_at: at,
    };
    if (known === undefined) rows.push(row);
    if (!charges.has(row.id)) await pay(row).catch(() => {});
    return row;
  };
  const tick = async () => {
    for (const row of rows)
      if (row.status === "new") {
        if (!charges.has(row.id)) await pay(row);
        await learn(charges.get(row.id)!);
      }
  };
  const receive = receiver({
    handle: async ({ id, type, mode, data }) => {
      if (deduplicates && handled.has(id)) return { status: 200 };
      try {
        if (mode === "test" && /^charge\./.test(type)) await learn(data.charge_id);
      } catch {
        return { status: 500 };
      }
      handled.add(id);
      return { status: 200 };
    },
  });
  const { url } = await serve(async (incoming) => {
    const { method, path, body } = incoming;
    const json = (status: number, value: unknown) => ({ status, text: JSON.stringify(value) });
    const [, number] = /^\/orders\/(\d+)$/.exec(path) ?? [];
    if (number !== undefined) {
      const row = rows.find(({ id }) => id === Number(number));
      return row === undefined ? json(404, {}) : json(200, row);
    }
    if (path === "/webhooks") return receive(incoming);
    if (method === "POST" && path === "/orders")
      return json(201, await inTurn(() => order(JSON.parse(body.toString()).email)));
    return inTurn(tick).then(
      () => json(200, {}),
      () => json(503, {}),
    );
  });
  return { webhooks: url, app: new URL(url).origin };
}
