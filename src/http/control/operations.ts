import type { Namespace } from "../../namespace/namespace.js";
import type { Namespaces } from "../../namespace/namespaces.js";
import type { Mode } from "../../schema/common.js";
import { MAX_DEPTH } from "../../schema/depth.js";
import type { Refusal } from "../../schema/errors.js";
import type { Reply } from "../reply.js";
import { advice } from "./advice.js";
import { listBalances } from "./balances.js";
import { advanceCharge, getCharge, listCharges, refundCharge, transitionCharge } from "./charges.js";
import { cancelCheckout, payCheckout } from "./checkouts.js";
import { advanceClock, getClock, putClock } from "./clock.js";
import { getEndpoint, listEndpoints, patchEndpoint, postEndpoint, removeEndpoint } from "./endpoints.js";
import { coverage } from "./insight.js";
import {
  clearRequests,
  getDelivery,
  listDeliveries,
  listEvents,
  listRequests,
  postEvent,
  redeliverDelivery,
  retryNow,
} from "./logs.js";
import { acknowledge, takeFromMailbox } from "./mailboxes.js";
import { deleteNamespace, getNamespace, listNamespaces, postNamespace, putNamespace } from "./namespaces.js";
import { getRates, putRates } from "./rates.js";
import { resetWorld, sandboxInfo } from "./sandbox.js";
import {
  activate,
  deactivate,
  deleteFault,
  deleteFaults,
  deleteScenario,
  getScenario,
  listFaults,
  listScenarios,
  postFault,
  putScenario,
  runSteps,
} from "./scenarios.js";
import {
  deleteSnapshot,
  getState,
  listSnapshots,
  postSnapshot,
  putState,
  restoreSnapshot,
} from "./snapshots.js";
import { chargeTimeline } from "./story.js";
import { waitFor } from "./wait.js";
import { transitionWithdrawal } from "./withdrawals.js";

/** A call of the control API, in the namespace it means. */
export interface ControlCall {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  readonly url: string;
  /** The mode of the key that came along, else test: the default of what makes something. */
  readonly mode: Mode;
  /** Calls of this very server. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly body: Record<string, unknown>;
  /** Aborted when the caller has gone. */
  signal(): AbortSignal;
  param(name: string): string;
}

export interface ControlOperation {
  /** What the OpenAPI document calls it. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Larger than usual for a whole state. */
  readonly maxBodyBytes?: number;
  /** More levels than usual for a state, which has bodies within it. */
  readonly maxDepth?: number;
  handle(call: ControlCall): Reply | Refusal | Promise<Reply | Refusal>;
}

/** The control API (contract section 7), a row a call. */
export const CONTROL_OPERATIONS: readonly ControlOperation[] = [
  { id: "getSandbox", method: "GET", path: "/_sandbox", handle: sandboxInfo },
  { id: "listNamespaces", method: "GET", path: "/_sandbox/namespaces", handle: listNamespaces },
  { id: "createNamespace", method: "POST", path: "/_sandbox/namespaces", handle: postNamespace },
  { id: "getNamespace", method: "GET", path: "/_sandbox/namespaces/:name", handle: getNamespace },
  { id: "putNamespace", method: "PUT", path: "/_sandbox/namespaces/:name", handle: putNamespace },
  { id: "deleteNamespace", method: "DELETE", path: "/_sandbox/namespaces/:name", handle: deleteNamespace },
  { id: "getState", method: "GET", path: "/_sandbox/state", handle: getState },
  {
    id: "putState",
    method: "PUT",
    path: "/_sandbox/state",
    handle: putState,
    // No string of Node's is longer.
    maxBodyBytes: 511 * 1024 * 1024,
    maxDepth: MAX_DEPTH + 20,
  },
  { id: "listSnapshots", method: "GET", path: "/_sandbox/snapshots", handle: listSnapshots },
  { id: "createSnapshot", method: "POST", path: "/_sandbox/snapshots", handle: postSnapshot },
  {
    id: "restoreSnapshot",
    method: "POST",
    path: "/_sandbox/snapshots/:name/restore",
    handle: restoreSnapshot,
  },
  { id: "deleteSnapshot", method: "DELETE", path: "/_sandbox/snapshots/:name", handle: deleteSnapshot },
  { id: "resetSandbox", method: "POST", path: "/_sandbox/reset", handle: resetWorld },
  { id: "getClock", method: "GET", path: "/_sandbox/clock", handle: getClock },
  { id: "setClock", method: "PUT", path: "/_sandbox/clock", handle: putClock },
  { id: "advanceClock", method: "POST", path: "/_sandbox/clock/advance", handle: advanceClock },
  { id: "listCharges", method: "GET", path: "/_sandbox/charges", handle: listCharges },
  { id: "getCharge", method: "GET", path: "/_sandbox/charges/:charge_id", handle: getCharge },
  {
    id: "transitionCharge",
    method: "POST",
    path: "/_sandbox/charges/:charge_id/transition",
    handle: transitionCharge,
  },
  { id: "refundCharge", method: "POST", path: "/_sandbox/charges/:charge_id/refund", handle: refundCharge },
  {
    id: "advanceCharge",
    method: "POST",
    path: "/_sandbox/charges/:charge_id/advance",
    handle: advanceCharge,
  },
  {
    id: "getChargeTimeline",
    method: "GET",
    path: "/_sandbox/charges/:charge_id/timeline",
    handle: chargeTimeline,
  },
  { id: "getCoverage", method: "GET", path: "/_sandbox/coverage", handle: coverage },
  { id: "getAdvice", method: "GET", path: "/_sandbox/advice", handle: advice },
  {
    id: "transitionWithdrawal",
    method: "POST",
    path: "/_sandbox/withdrawals/:withdrawal_id/transition",
    handle: transitionWithdrawal,
  },
  { id: "payCheckout", method: "POST", path: "/_sandbox/checkouts/:checkout_id/pay", handle: payCheckout },
  {
    id: "cancelCheckout",
    method: "POST",
    path: "/_sandbox/checkouts/:checkout_id/cancel",
    handle: cancelCheckout,
  },
  { id: "listBalances", method: "GET", path: "/_sandbox/balances", handle: listBalances },
  { id: "waitFor", method: "POST", path: "/_sandbox/wait", handle: waitFor },
  { id: "listScenarios", method: "GET", path: "/_sandbox/scenarios", handle: listScenarios },
  { id: "getScenario", method: "GET", path: "/_sandbox/scenarios/:name", handle: getScenario },
  { id: "putScenario", method: "PUT", path: "/_sandbox/scenarios/:name", handle: putScenario },
  { id: "deleteScenario", method: "DELETE", path: "/_sandbox/scenarios/:name", handle: deleteScenario },
  { id: "activateScenario", method: "POST", path: "/_sandbox/scenarios/:name/activate", handle: activate },
  {
    id: "deactivateScenario",
    method: "POST",
    path: "/_sandbox/scenarios/:name/deactivate",
    handle: deactivate,
  },
  { id: "runScenario", method: "POST", path: "/_sandbox/scenarios/:name/run", handle: runSteps },
  { id: "listFaults", method: "GET", path: "/_sandbox/faults", handle: listFaults },
  { id: "createFault", method: "POST", path: "/_sandbox/faults", handle: postFault },
  { id: "deleteFaults", method: "DELETE", path: "/_sandbox/faults", handle: deleteFaults },
  { id: "deleteFault", method: "DELETE", path: "/_sandbox/faults/:fault_id", handle: deleteFault },
  { id: "listRequests", method: "GET", path: "/_sandbox/requests", handle: listRequests },
  { id: "clearRequests", method: "DELETE", path: "/_sandbox/requests", handle: clearRequests },
  { id: "listEvents", method: "GET", path: "/_sandbox/events", handle: listEvents },
  { id: "createEvent", method: "POST", path: "/_sandbox/events", handle: postEvent },
  { id: "listDeliveries", method: "GET", path: "/_sandbox/deliveries", handle: listDeliveries },
  { id: "getDelivery", method: "GET", path: "/_sandbox/deliveries/:delivery_id", handle: getDelivery },
  {
    id: "redeliver",
    method: "POST",
    path: "/_sandbox/deliveries/:delivery_id/redeliver",
    handle: redeliverDelivery,
  },
  { id: "retryDelivery", method: "POST", path: "/_sandbox/deliveries/:delivery_id/retry", handle: retryNow },
  { id: "takeFromMailbox", method: "POST", path: "/_sandbox/mailboxes/:name/take", handle: takeFromMailbox },
  {
    id: "acknowledgeDelivery",
    method: "POST",
    path: "/_sandbox/mailboxes/:name/:delivery_id/ack",
    handle: acknowledge,
  },
  { id: "listWebhookEndpoints", method: "GET", path: "/_sandbox/webhook-endpoints", handle: listEndpoints },
  { id: "createWebhookEndpoint", method: "POST", path: "/_sandbox/webhook-endpoints", handle: postEndpoint },
  {
    id: "getWebhookEndpoint",
    method: "GET",
    path: "/_sandbox/webhook-endpoints/:webhook_id",
    handle: getEndpoint,
  },
  {
    id: "updateWebhookEndpoint",
    method: "PATCH",
    path: "/_sandbox/webhook-endpoints/:webhook_id",
    handle: patchEndpoint,
  },
  {
    id: "deleteWebhookEndpoint",
    method: "DELETE",
    path: "/_sandbox/webhook-endpoints/:webhook_id",
    handle: removeEndpoint,
  },
  { id: "getRates", method: "GET", path: "/_sandbox/rates", handle: getRates },
  { id: "setRates", method: "PUT", path: "/_sandbox/rates", handle: putRates },
];
