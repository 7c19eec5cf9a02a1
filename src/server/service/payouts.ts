import {
  createDestination as destinationCommand,
  createWithdrawal as withdrawalCommand,
} from "../../core/engine/commands/withdrawal-commands.js";
import { idempotentCommand } from "../../core/engine/idempotency.js";
import { findOwnRecord, listOwnRecords } from "../../core/engine/queries.js";
import type { Collections } from "../../core/engine/records.js";
import { destinationView, withdrawalView } from "../../core/engine/wire-views.js";
import { isRefusal, refuse } from "../../core/schema/refusals.js";
import {
  destinationRequestSchema,
  pageQuerySchema,
  withdrawalRequestSchema,
} from "../../core/schema/service-requests.js";
import { limitAndOffset, type PageQuery } from "../http/operation-spec.js";
import { ok, okJson, type Reply } from "../http/reply.js";
import { ASSUMED_CALL_NOTE, defineOperation, type ServiceCall } from "./operation.js";

export const createDestinationOperation = defineOperation({
  id: "createDestination",
  method: "POST",
  path: "/api/v1/payouts/destinations",
  rawBody: destinationRequestSchema,
  response: "Destination",
  docs: {
    tag: "Payouts",
    summary: "Create a payout destination",
    description: "Registers an account that withdrawals can be sent to.",
    assumed: ASSUMED_CALL_NOTE,
  },
  handle: ({ namespace, caller, body, header }) => {
    const destination = namespace.execute(destinationCommand(caller, body, header("sandbox-scenario")));
    return isRefusal(destination) ? destination : ok(destinationView(destination));
  },
});

export const listDestinations = defineOperation({
  id: "listDestinations",
  method: "GET",
  path: "/api/v1/payouts/destinations",
  query: pageQuerySchema,
  response: "DestinationList",
  docs: {
    tag: "Payouts",
    summary: "List payout destinations",
    description: "The organization's destinations in the key's mode, newest first.",
    assumed: ASSUMED_CALL_NOTE,
  },
  handle: (call) => listReply(call, "destinations", destinationView),
});

export const getDestination = defineOperation({
  id: "getDestination",
  method: "GET",
  path: "/api/v1/payouts/destinations/:destination_id",
  response: "Destination",
  docs: {
    tag: "Payouts",
    summary: "Get a payout destination",
    description: "One destination.",
    assumed: ASSUMED_CALL_NOTE,
    notFound: "destination",
  },
  handle: ({ namespace, caller, param, asOf }) => {
    const id = param("destination_id");
    const destination = findOwnRecord(namespace.engine, "destinations", caller, id, asOf);
    return destination === undefined
      ? refuse("NOT_FOUND", "Payout destination not found")
      : ok(destinationView(destination));
  },
});

export const createWithdrawalOperation = defineOperation({
  id: "createWithdrawal",
  method: "POST",
  path: "/api/v1/payouts/withdrawals",
  rawBody: withdrawalRequestSchema,
  headers: ["Idempotency-Key", "Sandbox-Scenario"],
  response: "Withdrawal",
  docs: {
    tag: "Payouts",
    summary: "Create a withdrawal",
    description:
      "Sends money from the available balance to a destination. Send an Idempotency-Key: repeated with the same " +
      "key and body, the call returns the first response and the money is sent once.",
    assumed: `${ASSUMED_CALL_NOTE} Amount and fee leave the available balance at once, and come back if the withdrawal fails or is cancelled.`,
  },
  handle: ({ namespace, caller, body, header }) => {
    const result = namespace.execute(
      idempotentCommand(
        { key: header("idempotency-key"), scope: `${caller.key}|createWithdrawal`, body },
        withdrawalCommand(caller, body, header("sandbox-scenario")),
        (withdrawal) => JSON.stringify(withdrawalView(withdrawal)),
      ),
    );
    if (isRefusal(result)) return result;
    const reply = okJson(result.json);
    return result.isReplayed ? { ...reply, headers: { "idempotent-replayed": "true" } } : reply;
  },
});

export const listWithdrawals = defineOperation({
  id: "listWithdrawals",
  method: "GET",
  path: "/api/v1/payouts/withdrawals",
  query: pageQuerySchema,
  runsDueTasks: true,
  response: "WithdrawalList",
  docs: {
    tag: "Payouts",
    summary: "List withdrawals",
    description: "The organization's withdrawals in the key's mode, newest first.",
    assumed: ASSUMED_CALL_NOTE,
  },
  handle: (call) => listReply(call, "withdrawals", withdrawalView),
});

export const getWithdrawal = defineOperation({
  id: "getWithdrawal",
  method: "GET",
  path: "/api/v1/payouts/withdrawals/:withdrawal_id",
  runsDueTasks: true,
  response: "Withdrawal",
  docs: {
    tag: "Payouts",
    summary: "Get a withdrawal",
    description: "One withdrawal. Poll it to complement webhooks.",
    assumed: ASSUMED_CALL_NOTE,
    notFound: "withdrawal",
  },
  handle: ({ namespace, caller, param, asOf }) => {
    const id = param("withdrawal_id");
    const withdrawal = findOwnRecord(namespace.engine, "withdrawals", caller, id, asOf);
    return withdrawal === undefined
      ? refuse("NOT_FOUND", "Withdrawal not found")
      : ok(withdrawalView(withdrawal));
  },
});

function listReply<Name extends "destinations" | "withdrawals">(
  { namespace, caller, query, asOf }: ServiceCall<"required", PageQuery>,
  name: Name,
  view: (record: Collections[Name]) => object,
): Reply {
  const page = listOwnRecords(namespace.engine, name, caller, limitAndOffset(query), asOf);
  return ok({ total: page.total, items: page.items.map(view) });
}
