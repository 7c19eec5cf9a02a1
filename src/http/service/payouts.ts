import { createDestination as destinationCommand } from "../../engine/commands/destinations.js";
import { createWithdrawal as withdrawalCommand } from "../../engine/commands/withdrawals.js";
import { idempotently } from "../../engine/idempotency.js";
import { findOwned, listOwned } from "../../engine/queries.js";
import { destinationView, withdrawalView } from "../../engine/views.js";
import { isRefusal, refuse } from "../../schema/errors.js";
import { destinationRequestSchema, pageQuerySchema, withdrawalRequestSchema } from "../../schema/requests.js";
import { pageOf } from "../query.js";
import { ok, okJson } from "../reply.js";
import { operation } from "./operation.js";

export const createDestination = operation(
  {
    id: "createDestination",
    method: "POST",
    path: "/api/v1/payouts/destinations",
    rawBody: destinationRequestSchema,
  },
  ({ namespace, caller, body }) => {
    const destination = namespace.execute(destinationCommand(caller, body));
    return isRefusal(destination) ? destination : ok(destinationView(destination));
  },
);

export const listDestinations = operation(
  {
    id: "listDestinations",
    method: "GET",
    path: "/api/v1/payouts/destinations",
    query: pageQuerySchema,
  },
  ({ namespace, caller, query }) => {
    const { limit, offset } = pageOf(query);
    const { total, items } = listOwned(namespace.engine.state, "destinations", caller, limit, offset);
    return ok({ total, items: items.map(destinationView) });
  },
);

export const getDestination = operation(
  { id: "getDestination", method: "GET", path: "/api/v1/payouts/destinations/:destination_id" },
  ({ namespace, caller, param }) => {
    const destination = findOwned(namespace.engine.state, "destinations", caller, param("destination_id"));
    return destination === undefined
      ? refuse("NOT_FOUND", "Payout destination not found")
      : ok(destinationView(destination));
  },
);

/** Safe to send again with the same Idempotency-Key: the money goes once. */
export const createWithdrawal = operation(
  {
    id: "createWithdrawal",
    method: "POST",
    path: "/api/v1/payouts/withdrawals",
    rawBody: withdrawalRequestSchema,
  },
  ({ namespace, caller, body, header }) => {
    const answer = namespace.execute(
      idempotently(
        { key: header("idempotency-key"), scope: `${caller.key}|createWithdrawal`, body },
        withdrawalCommand(caller, body, header("sandbox-scenario")),
        (withdrawal) => JSON.stringify(withdrawalView(withdrawal)),
      ),
    );
    if (isRefusal(answer)) return answer;
    const reply = okJson(answer.json);
    return answer.replayed ? { ...reply, headers: { "idempotent-replayed": "true" } } : reply;
  },
);

export const listWithdrawals = operation(
  {
    id: "listWithdrawals",
    method: "GET",
    path: "/api/v1/payouts/withdrawals",
    query: pageQuerySchema,
    reads: true,
  },
  ({ namespace, caller, query }) => {
    const { limit, offset } = pageOf(query);
    const { total, items } = listOwned(namespace.engine.state, "withdrawals", caller, limit, offset);
    return ok({ total, items: items.map(withdrawalView) });
  },
);

export const getWithdrawal = operation(
  { id: "getWithdrawal", method: "GET", path: "/api/v1/payouts/withdrawals/:withdrawal_id", reads: true },
  ({ namespace, caller, param }) => {
    const withdrawal = findOwned(namespace.engine.state, "withdrawals", caller, param("withdrawal_id"));
    return withdrawal === undefined
      ? refuse("NOT_FOUND", "Withdrawal not found")
      : ok(withdrawalView(withdrawal));
  },
);
