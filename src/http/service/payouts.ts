import type { Caller } from "../../engine/caller.js";
import { createDestination as destinationCommand } from "../../engine/commands/destinations.js";
import { createWithdrawal as withdrawalCommand } from "../../engine/commands/withdrawals.js";
import { idempotently } from "../../engine/idempotency.js";
import { findOwned, listOwned } from "../../engine/queries.js";
import { destinationView, withdrawalView } from "../../engine/views.js";
import { isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import type { Call } from "../operations.js";
import { readPage } from "../query.js";
import { ok, type Reply } from "../reply.js";

export function createDestination({ namespace, caller, body }: Call<Caller>): Reply | Refusal {
  const destination = namespace.execute(destinationCommand(caller, body));
  return isRefusal(destination) ? destination : ok(destinationView(destination));
}

export function listDestinations({ namespace, caller, url }: Call<Caller>): Reply | Refusal {
  const page = readPage(url);
  if (isRefusal(page)) return page;
  const { total, items } = listOwned(namespace.engine.state, "destinations", caller, page.limit, page.offset);
  return ok({ total, items: items.map(destinationView) });
}

export function getDestination({ namespace, caller, param }: Call<Caller>): Reply | Refusal {
  const destination = findOwned(namespace.engine.state, "destinations", caller, param("destination_id"));
  return destination === undefined
    ? refuse("NOT_FOUND", "Payout destination not found")
    : ok(destinationView(destination));
}

/** Safe to send again with the same Idempotency-Key: the money goes once. */
export function createWithdrawal({ namespace, caller, body, header }: Call<Caller>): Reply | Refusal {
  const answer = namespace.execute(
    idempotently(
      { key: header("idempotency-key"), scope: `${caller.key}|createWithdrawal`, body },
      withdrawalCommand(caller, body, header("sandbox-scenario")),
      (withdrawal) => JSON.stringify(withdrawalView(withdrawal)),
    ),
  );
  if (isRefusal(answer)) return answer;
  return {
    status: 200,
    json: answer.json,
    ...(answer.replayed ? { headers: { "idempotent-replayed": "true" } } : {}),
  };
}

export function listWithdrawals({ namespace, caller, url }: Call<Caller>): Reply | Refusal {
  const page = readPage(url);
  if (isRefusal(page)) return page;
  namespace.settle();
  const { total, items } = listOwned(namespace.engine.state, "withdrawals", caller, page.limit, page.offset);
  return ok({ total, items: items.map(withdrawalView) });
}

export function getWithdrawal({ namespace, caller, param }: Call<Caller>): Reply | Refusal {
  namespace.settle();
  const withdrawal = findOwned(namespace.engine.state, "withdrawals", caller, param("withdrawal_id"));
  return withdrawal === undefined
    ? refuse("NOT_FOUND", "Withdrawal not found")
    : ok(withdrawalView(withdrawal));
}
