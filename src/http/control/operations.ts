import type { Refusal } from "../../schema/errors.js";
import type { World, Worlds } from "../ports.js";
import type { Reply } from "../reply.js";
import { transitionCharge } from "./charges.js";
import { advanceClock, getClock, putClock } from "./clock.js";
import { resetWorld, sandboxInfo } from "./sandbox.js";

/** A call of the control API, in the namespace it means. */
export interface ControlCall {
  readonly worlds: Worlds;
  readonly world: World;
  readonly url: string;
  readonly body: Record<string, unknown>;
  param(name: string): string;
}

export interface ControlOperation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  handle(call: ControlCall): Reply | Refusal | Promise<Reply | Refusal>;
}

/** The control API (contract section 7), a row a call. */
export const CONTROL_OPERATIONS: readonly ControlOperation[] = [
  { method: "GET", path: "/_sandbox", handle: sandboxInfo },
  { method: "POST", path: "/_sandbox/reset", handle: resetWorld },
  { method: "GET", path: "/_sandbox/clock", handle: getClock },
  { method: "PUT", path: "/_sandbox/clock", handle: putClock },
  { method: "POST", path: "/_sandbox/clock/advance", handle: advanceClock },
  { method: "POST", path: "/_sandbox/charges/:charge_id/transition", handle: transitionCharge },
];
