// Refunds customers by withdrawals with idempotency keys.
import { createDestination, Locks, readWithdrawal, serve, verified, withdraw } from "./service.mjs";

const refunds = new Map();
/** Responses by the client's key. */
const answers = new Map();
const locks = new Locks();

const shown = ({ status, refunded }) => ({ status, refunded });

async function refund(one) {
  one.destination ??= (await createDestination(one)).destination_id;
  const body = { destination_id: one.destination, amount: one.amount, currency: "KES", reference: one.id };
  const withdrawal = await withdraw(`refund-${one.id}`, { ...body, metadata: { refund: one.id } });
  one.withdrawal = withdrawal.withdrawal_id;
  one.status = "sent";
}

async function settle(one) {
  if (one.status === "new") await refund(one);
  book(one, await readWithdrawal(one.withdrawal));
}

function book(one, { status }) {
  if (one.status === "done" || one.status === "failed") return;
  if (status === "COMPLETED") Object.assign(one, { status: "done", refunded: one.refunded + 1 });
  if (status === "FAILED") one.status = "failed";
}

serve({
  "POST /refunds": ({ body, headers }) => {
    const { id, ...details } = JSON.parse(body);
    const key = headers["idempotency-key"] ?? id;
    return locks.run(id, async () => {
      if (!answers.has(key)) {
        const one = { id, ...details, status: "new", refunded: 0 };
        refunds.set(id, one);
        answers.set(key, one);
        await refund(one).catch(() => {});
      }
      return [202, shown(answers.get(key))];
    });
  },
  "GET /refunds/:id": ({ id }) => (refunds.has(id) ? [200, shown(refunds.get(id))] : [404, {}]),
  "POST /webhooks": async (request) => {
    const event = verified(request);
    if (event === undefined) return [400, {}];
    const one = refunds.get(event.data.metadata?.refund);
    if (one !== undefined) await locks.run(one.id, () => book(one, event.data));
    return [200, {}];
  },
  "POST /tick": async () => {
    for (const one of refunds.values())
      if (one.status === "new" || one.status === "sent")
        await locks.run(one.id, () => settle(one)).catch(() => {});
    return [200, {}];
  },
});
