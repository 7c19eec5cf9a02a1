import type { Holdings } from "../../domain/ledger.js";
import { fundBalance } from "../../engine/commands/accounts.js";
import { fundRequestSchema } from "../../schema/engine-requests.js";
import { pageQuerySchema } from "../../schema/requests.js";
import { controlOperation, listed, shown } from "./operation.js";

export const BALANCES = [
  controlOperation(
    {
      id: "listBalances",
      method: "GET",
      path: "/_sandbox/balances",
      query: pageQuerySchema,
      reads: true,
      answer: "ControlBalanceList",
      says: {
        summary: "List balances",
        about: "All accounts. Unlike the service's own call, this opens none.",
      },
    },
    ({ namespace, query }) => {
      const newestFirst = [...namespace.engine.state.tables.holdings.values()].sort((a, b) => b.seq - a.seq);
      return listed(newestFirst, query, balanceView);
    },
  ),
  controlOperation(
    {
      id: "fundBalance",
      method: "POST",
      path: "/_sandbox/balances",
      body: fundRequestSchema,
      answer: "ControlBalance",
      says: {
        summary: "Fund a balance",
        about: "Adds available funds at once, to be paid out or refunded. No event is sent.",
        example: { currency: "GHS", amount: "50.00" },
      },
    },
    ({ namespace, body, mode }) => shown(namespace.execute(fundBalance({ mode, ...body })), balanceView),
  ),
];

function balanceView({ organization_id, mode, currency, balances }: Holdings) {
  return {
    organization_id,
    mode,
    currency,
    available_balance: balances.available,
    pending_balance: balances.pending,
  };
}
