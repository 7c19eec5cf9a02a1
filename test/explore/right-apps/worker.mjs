// Stores each event once in a table, and changes a row only under its lock.
import { createCharge, createQuote, findCharge, Locks, readCharge, serve, verified } from "./service.mjs";

/** Copies rows in and out, as a database does. */
class Table {
  #rows = new Map();
  #locks = new Locks();

  insert(id, row) {
    if (this.#rows.has(id)) return false;
    this.#rows.set(id, structuredClone(row));
    return true;
  }

  read(id) {
    return structuredClone(this.#rows.get(id));
  }

  ids() {
    return [...this.#rows.keys()];
  }

  /** Passes the locked row to `change` and stores the result, unless it throws. */
  update(id, change) {
    return this.#locks.run(id, async () => this.#rows.set(id, structuredClone(await change(this.read(id)))));
  }
}

const orders = new Table();
const events = new Table();
/** Payments have their own lock, so that webhooks do not wait for them. */
const payments = new Locks();

const shown = ({ status, delivered }) => ({ status, delivered });

function applied(order, { charge_id, status, status_history }) {
  if (order.delivered > 0 || status_history.length <= order.historyLength) return order;
  const delivered = status === "COMPLETED" ? 1 : 0;
  const name = delivered ? "paid" : status.toLowerCase();
  return { ...order, charge: charge_id, status: name, delivered, historyLength: status_history.length };
}

const pay = (id) => payments.run(id, () => orders.read(id).charge === undefined && payFor(id));

/** Searches for the charge of an earlier attempt before it pays. */
async function payFor(id) {
  const quote = await createQuote(orders.read(id));
  const order = orders.read(id);
  await orders.update(id, (row) => ({ ...row, since: row.since ?? quote.created_at }));
  const charge = order.since === undefined ? undefined : await findCharge(order);
  const { charge_id } = charge ?? (await createCharge(order, quote));
  await orders.update(id, (row) => ({ ...row, charge: charge_id }));
}

async function refresh(id) {
  if (orders.read(id).charge === undefined) return pay(id);
  await orders.update(id, async (order) => applied(order, await readCharge(order.charge)));
}

serve({
  "POST /orders": async ({ body }) => {
    const { id, email } = JSON.parse(body);
    const order = { id, email, status: "pending", delivered: 0, historyLength: 0 };
    if (orders.insert(id, order)) await pay(id).catch(() => {});
    return [201, shown(orders.read(id))];
  },
  "GET /orders/:id": ({ id }) => {
    const order = orders.read(id);
    return order === undefined ? [404, {}] : [200, shown(order)];
  },
  "POST /webhooks": async (request) => {
    const event = verified(request);
    if (event === undefined) return [400, {}];
    const id = event.data.metadata?.order;
    if (events.read(event.id) !== undefined || orders.read(id) === undefined) return [200, {}];
    await orders.update(id, (order) => applied(order, event.data));
    events.insert(event.id, {});
    return [200, {}];
  },
  "POST /tick": async () => {
    for (const id of orders.ids()) if (orders.read(id).delivered === 0) await refresh(id).catch(() => {});
    return [200, {}];
  },
});
