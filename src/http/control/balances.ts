import { pageQuerySchema } from "../../schema/requests.js";
import { controlOperation, listed } from "./operation.js";

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
        about: "Every account there is; unlike the service's read this opens none.",
      },
    },
    ({ namespace, query }) => {
      const newestFirst = [...namespace.engine.state.tables.holdings.values()].sort((a, b) => b.seq - a.seq);
      return listed(newestFirst, query, ({ organization_id, mode, currency, balances }) => ({
        organization_id,
        mode,
        currency,
        available_balance: balances.available,
        pending_balance: balances.pending,
      }));
    },
  ),
];
