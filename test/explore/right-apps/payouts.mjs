// Pays out to sellers, and credits them once when a withdrawal fails.
import { createDestination, Locks, readWithdrawal, serve, verified, withdraw } from "./service.mjs";

const payouts = new Map();
const locks = new Locks();

const shown = ({ balance, status }) => ({ balance, status });

async function send(payout) {
  payout.destination ??= (await createDestination(payout)).destination_id;
  const body = {
    destination_id: payout.destination,
    amount: "4000.00",
    currency: "KES",
    metadata: { payout: payout.id },
  };
  payout.withdrawal = (await withdraw(`payout-${payout.id}`, body)).withdrawal_id;
}

function learn(payout, { status }) {
  if (payout.status !== "pending") return;
  if (status === "COMPLETED") payout.status = "paid";
  if (status !== "FAILED") return;
  payout.status = "failed";
  payout.balance += 4000;
}

async function advance(payout) {
  if (payout.withdrawal === undefined) await send(payout);
  learn(payout, await readWithdrawal(payout.withdrawal));
}

serve({
  "POST /payouts": async ({ body }) => {
    const { id, ...account } = JSON.parse(body);
    if (!payouts.has(id)) payouts.set(id, { id, ...account, balance: 6000, status: "pending" });
    const payout = payouts.get(id);
    await locks.run(id, () => payout.withdrawal === undefined && send(payout)).catch(() => {});
    return [202, shown(payout)];
  },
  "GET /payouts/:id": ({ id }) => (payouts.has(id) ? [200, shown(payouts.get(id))] : [404, {}]),
  "POST /webhooks": async (request) => {
    const event = verified(request);
    if (event === undefined) return [400, {}];
    const payout = payouts.get(event.data.metadata?.payout);
    if (payout !== undefined) await locks.run(payout.id, () => learn(payout, event.data));
    return [200, {}];
  },
  "POST /tick": async () => {
    for (const payout of payouts.values())
      if (payout.status === "pending") await locks.run(payout.id, () => advance(payout)).catch(() => {});
    return [200, {}];
  },
});
