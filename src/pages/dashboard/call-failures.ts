import type { RequestEntry } from "../../core/namespace/request-journal.js";
import { missingStatusReason, refusalText } from "../../core/reports/request-text.js";
import { faultText, replacesResponse } from "../../core/reports/rule-text.js";
import { parseJsonOrText } from "../../core/schema/json-objects.js";

/** An error response in one line, or why there is none. */
function responseErrorText({ status, hasClientDisconnected, responseBody }: RequestEntry): string {
  if (status === null) return missingStatusReason({ in_flight: false, client_gone: hasClientDisconnected });
  // The row has the status; the code would only make it longer.
  return refusalText(parseJsonOrText(responseBody ?? ""), 1).replace(/^[A-Z_]+: /, "");
}

/** A fault's part in a call; false without a fault. */
export function faultPart({ fault, faultRule }: RequestEntry): string | false {
  return fault !== null && faultRule !== undefined && faultText(fault, faultRule);
}

/** Why a call failed: the fault that made its response, or its error and a fault's part in it. */
export function callFailureText(entry: RequestEntry): string {
  const parts = [!isFaultMade(entry) && responseErrorText(entry), faultPart(entry)];
  return parts.filter(Boolean).join(" · ");
}

function isFaultMade({ faultRule }: RequestEntry): boolean {
  return faultRule !== undefined && replacesResponse(faultRule);
}
