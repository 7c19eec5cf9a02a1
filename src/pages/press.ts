import type { OperationCall } from "../core/client/control-client.js";
import type { Fields, OperationName } from "./dashboard/operation-actions.js";

/** Actions that are more than one operation of the control API, or none. */
export type OwnAction =
  | "advanceTo"
  | "reset"
  | "retryAll"
  | "resend"
  | "replay"
  | "send"
  | "make"
  | "movePayout"
  | "payAmount"
  | "again";

/** An action with the fields that the form does not have. */
export type Press =
  | Extract<OperationCall, readonly [OperationName, ...unknown[]]>
  | readonly [action: OwnAction, fields?: Fields];

/** Value of a button: `transitionCharge?charge_id=ch_1&to=FAILED`. */
export function pressText([action, fields = {}]: Press): string {
  const query = new URLSearchParams(fields as Record<string, string>).toString();
  return query === "" ? action : `${action}?${query}`;
}
