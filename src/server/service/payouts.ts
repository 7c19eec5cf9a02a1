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
import { limitAndOffset, type PageQuery } from "../http/operation-row.js";
import { RawJson, viewOrRefusal } from "../http/reply.js";
import { ASSUMED_CALL_NOTE, defineOperation, type ServiceCall } from "./operation.js";

export const createDestinationOperation = defineOperation({
  id: "createDestination",
  call: "POST /api/v1/payouts/destinations",
  tag: "Payouts",
  summary: "Create a payout destination",
  description: "Registers an account that withdrawals can be sent to.",
  assumed: ASSUMED_CALL_NOTE,
  rawInput: destinationRequestSchema,
  output: "Destination",
  run: ({ namespace, caller, input, header }) => {
    const destination = namespace.execute(destinationCommand(caller, input, header("sandbox-scenario")));
    return viewOrRefusal(destination, destinationView);
  },
});

export const listDestinations = defineOperation({
  id: "listDestinations",
  call: "GET /api/v1/payouts/destinations",
  tag: "Payouts",
  summary: "List payout destinations",
  description: "The organization's destinations in the key's mode, newest first.",
  assumed: ASSUMED_CALL_NOTE,
  input: pageQuerySchema,
  output: "DestinationList",
  run: (call) => listReply(call, "destinations", destinationView),
});

export const getDestination = defineOperation({
  id: "getDestination",
  call: "GET /api/v1/payouts/destinations/{destination_id}",
  tag: "Payouts",
  summary: "Get a payout destination",
  description: "One destination.",
  assumed: ASSUMED_CALL_NOTE,
  notFound: "destination",
  output: "Destination",
  run: ({ namespace, caller, param, asOf }) => {
    const id = param("destination_id");
    const destination = findOwnRecord(namespace.engine, "destinations", caller, id, asOf);
    return destination === undefined
      ? refuse("NOT_FOUND", "Payout destination not found")
      : destinationView(destination);
  },
});

export const createWithdrawalOperation = defineOperation({
  id: "createWithdrawal",
  call: "POST /api/v1/payouts/withdrawals",
  tag: "Payouts",
  summary: "Create a withdrawal",
  description:
    "Sends money from the available balance to a destination. Send an Idempotency-Key: repeated with the same " +
    "key and body, the call returns the first response and the money is sent once.",
  assumed: `${ASSUMED_CALL_NOTE} Amount and fee leave the available balance at once, and come back if the withdrawal fails or is cancelled.`,
  headers: ["Idempotency-Key", "Sandbox-Scenario"],
  rawInput: withdrawalRequestSchema,
  output: "Withdrawal",
  run: ({ namespace, caller, input, header }) => {
    const result = namespace.execute(
      idempotentCommand(
        { key: header("idempotency-key"), scope: `${caller.key}|createWithdrawal`, body: input },
        withdrawalCommand(caller, input, header("sandbox-scenario")),
        (withdrawal) => JSON.stringify(withdrawalView(withdrawal)),
      ),
    );
    if (isRefusal(result)) return result;
    return new RawJson(result.json, result.isReplayed ? { headers: { "idempotent-replayed": "true" } } : {});
  },
});

export const listWithdrawals = defineOperation({
  id: "listWithdrawals",
  call: "GET /api/v1/payouts/withdrawals",
  tag: "Payouts",
  summary: "List withdrawals",
  description: "The organization's withdrawals in the key's mode, newest first.",
  assumed: ASSUMED_CALL_NOTE,
  input: pageQuerySchema,
  runsDueTasks: true,
  output: "WithdrawalList",
  run: (call) => listReply(call, "withdrawals", withdrawalView),
});

export const getWithdrawal = defineOperation({
  id: "getWithdrawal",
  call: "GET /api/v1/payouts/withdrawals/{withdrawal_id}",
  tag: "Payouts",
  summary: "Get a withdrawal",
  description: "One withdrawal. Poll it to complement webhooks.",
  assumed: ASSUMED_CALL_NOTE,
  notFound: "withdrawal",
  runsDueTasks: true,
  output: "Withdrawal",
  run: ({ namespace, caller, param, asOf }) => {
    const id = param("withdrawal_id");
    const withdrawal = findOwnRecord(namespace.engine, "withdrawals", caller, id, asOf);
    return withdrawal === undefined
      ? refuse("NOT_FOUND", "Withdrawal not found")
      : withdrawalView(withdrawal);
  },
});

function listReply<Name extends "destinations" | "withdrawals", View>(
  { namespace, caller, input, asOf }: ServiceCall<"required", PageQuery>,
  name: Name,
  view: (record: Collections[Name]) => View,
) {
  const page = listOwnRecords(namespace.engine, name, caller, limitAndOffset(input), asOf);
  return { total: page.total, items: page.items.map(view) };
}
