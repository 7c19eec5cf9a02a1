import type { Mode } from "../../schema/common.js";
import type { Refusal } from "../../schema/errors.js";
import type { World, Worlds } from "../ports.js";
import type { Reply } from "../reply.js";
import { listBalances } from "./balances.js";
import { advanceCharge, getCharge, listCharges, refundCharge, transitionCharge } from "./charges.js";
import { cancelCheckout, payCheckout } from "./checkouts.js";
import { advanceClock, getClock, putClock } from "./clock.js";
import { getEndpoint, listEndpoints, patchEndpoint, postEndpoint, removeEndpoint } from "./endpoints.js";
import { advice, coverage } from "./insight.js";
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
  readonly worlds: Worlds;
  readonly world: World;
  readonly url: string;
  /** The mode of the key that came along, else test: the default of what makes something. */
  readonly mode: Mode;
  /** Calls of this very server. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly body: Record<string, unknown>;
  param(name: string): string;
}

export interface ControlOperation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Larger than usual for a whole state. */
  readonly maxBodyBytes?: number;
  handle(call: ControlCall): Reply | Refusal | Promise<Reply | Refusal>;
}

/** The control API (contract section 7), a row a call. */
export const CONTROL_OPERATIONS: readonly ControlOperation[] = [
  { method: "GET", path: "/_sandbox", handle: sandboxInfo },
  { method: "GET", path: "/_sandbox/namespaces", handle: listNamespaces },
  { method: "POST", path: "/_sandbox/namespaces", handle: postNamespace },
  { method: "GET", path: "/_sandbox/namespaces/:name", handle: getNamespace },
  { method: "PUT", path: "/_sandbox/namespaces/:name", handle: putNamespace },
  { method: "DELETE", path: "/_sandbox/namespaces/:name", handle: deleteNamespace },
  { method: "GET", path: "/_sandbox/state", handle: getState },
  { method: "PUT", path: "/_sandbox/state", handle: putState, maxBodyBytes: 512 * 1024 * 1024 },
  { method: "GET", path: "/_sandbox/snapshots", handle: listSnapshots },
  { method: "POST", path: "/_sandbox/snapshots", handle: postSnapshot },
  { method: "POST", path: "/_sandbox/snapshots/:name/restore", handle: restoreSnapshot },
  { method: "DELETE", path: "/_sandbox/snapshots/:name", handle: deleteSnapshot },
  { method: "POST", path: "/_sandbox/reset", handle: resetWorld },
  { method: "GET", path: "/_sandbox/clock", handle: getClock },
  { method: "PUT", path: "/_sandbox/clock", handle: putClock },
  { method: "POST", path: "/_sandbox/clock/advance", handle: advanceClock },
  { method: "GET", path: "/_sandbox/charges", handle: listCharges },
  { method: "GET", path: "/_sandbox/charges/:charge_id", handle: getCharge },
  { method: "POST", path: "/_sandbox/charges/:charge_id/transition", handle: transitionCharge },
  { method: "POST", path: "/_sandbox/charges/:charge_id/refund", handle: refundCharge },
  { method: "POST", path: "/_sandbox/charges/:charge_id/advance", handle: advanceCharge },
  { method: "GET", path: "/_sandbox/charges/:charge_id/timeline", handle: chargeTimeline },
  { method: "GET", path: "/_sandbox/coverage", handle: coverage },
  { method: "GET", path: "/_sandbox/advice", handle: advice },
  { method: "POST", path: "/_sandbox/withdrawals/:withdrawal_id/transition", handle: transitionWithdrawal },
  { method: "POST", path: "/_sandbox/checkouts/:checkout_id/pay", handle: payCheckout },
  { method: "POST", path: "/_sandbox/checkouts/:checkout_id/cancel", handle: cancelCheckout },
  { method: "GET", path: "/_sandbox/balances", handle: listBalances },
  { method: "POST", path: "/_sandbox/wait", handle: waitFor },
  { method: "GET", path: "/_sandbox/scenarios", handle: listScenarios },
  { method: "GET", path: "/_sandbox/scenarios/:name", handle: getScenario },
  { method: "PUT", path: "/_sandbox/scenarios/:name", handle: putScenario },
  { method: "DELETE", path: "/_sandbox/scenarios/:name", handle: deleteScenario },
  { method: "POST", path: "/_sandbox/scenarios/:name/activate", handle: activate },
  { method: "POST", path: "/_sandbox/scenarios/:name/deactivate", handle: deactivate },
  { method: "POST", path: "/_sandbox/scenarios/:name/run", handle: runSteps },
  { method: "GET", path: "/_sandbox/faults", handle: listFaults },
  { method: "POST", path: "/_sandbox/faults", handle: postFault },
  { method: "DELETE", path: "/_sandbox/faults", handle: deleteFaults },
  { method: "DELETE", path: "/_sandbox/faults/:fault_id", handle: deleteFault },
  { method: "GET", path: "/_sandbox/requests", handle: listRequests },
  { method: "DELETE", path: "/_sandbox/requests", handle: clearRequests },
  { method: "GET", path: "/_sandbox/events", handle: listEvents },
  { method: "POST", path: "/_sandbox/events", handle: postEvent },
  { method: "GET", path: "/_sandbox/deliveries", handle: listDeliveries },
  { method: "GET", path: "/_sandbox/deliveries/:delivery_id", handle: getDelivery },
  { method: "POST", path: "/_sandbox/deliveries/:delivery_id/redeliver", handle: redeliverDelivery },
  { method: "POST", path: "/_sandbox/deliveries/:delivery_id/retry", handle: retryNow },
  { method: "POST", path: "/_sandbox/mailboxes/:name/take", handle: takeFromMailbox },
  { method: "POST", path: "/_sandbox/mailboxes/:name/:delivery_id/ack", handle: acknowledge },
  { method: "GET", path: "/_sandbox/webhook-endpoints", handle: listEndpoints },
  { method: "POST", path: "/_sandbox/webhook-endpoints", handle: postEndpoint },
  { method: "GET", path: "/_sandbox/webhook-endpoints/:webhook_id", handle: getEndpoint },
  { method: "PATCH", path: "/_sandbox/webhook-endpoints/:webhook_id", handle: patchEndpoint },
  { method: "DELETE", path: "/_sandbox/webhook-endpoints/:webhook_id", handle: removeEndpoint },
  { method: "GET", path: "/_sandbox/rates", handle: getRates },
  { method: "PUT", path: "/_sandbox/rates", handle: putRates },
];
