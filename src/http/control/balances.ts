import { isRefusal, type Refusal } from "../../schema/errors.js";
import { readControlPage } from "../query.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

/** Every account there is, of all organizations and both modes, newest first. Unlike the service's read, this opens none. */
export function listBalances({ namespace, url }: ControlCall): Reply | Refusal {
  const page = readControlPage(url);
  if (isRefusal(page)) return page;
  namespace.settle();
  const all = [...namespace.engine.state.tables.holdings.values()].sort((a, b) => b.seq - a.seq);
  return ok({
    total: all.length,
    items: all
      .slice(page.offset, page.offset + page.limit)
      .map(({ organization_id, mode, currency, balances }) => ({
        organization_id,
        mode,
        currency,
        available_balance: balances.available,
        pending_balance: balances.pending,
      })),
  });
}
