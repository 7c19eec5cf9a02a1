// Words for the app's calls. Reads records of the control API.
import type { FaultRule } from "../schema/scenario-rules.js";
import { summarizeBody } from "./body-summary.js";
import { faultText, replacesResponse } from "./rule-text.js";

type JsonRecord = Readonly<Record<string, unknown>>;

/** Why a call was refused or has no response; undefined for one that succeeded or is in flight. */
export function requestTrouble(request: JsonRecord, detailsMax?: number): string | undefined {
  const { status, in_flight, fault, response_body } = request;
  if (in_flight === true || (typeof status === "number" && status < 400)) return undefined;
  const by = fault === null ? [] : [`fault of ${fault}`];
  return [
    ...by,
    status === null ? missingStatusReason(request) : refusalText(response_body, detailsMax),
  ].join(" · ");
}

/** The error of a refused call in one line, with at most `detailsMax` of its details. */
function refusalText(body: unknown, detailsMax = Number.POSITIVE_INFINITY): string {
  const { error } = Object(body) as { error?: { code?: string; details?: Readonly<Record<string, string>> } };
  const details = Object.entries(error?.details ?? {}).map(([field, fault]) => `${field} ${fault}`);
  const more = details.length > detailsMax ? ` and ${details.length - detailsMax} more` : "";
  if (details.length > 0) return `${error?.code}: ${details.slice(0, detailsMax).join("; ")}${more}`;
  return summarizeBody(typeof body === "string" ? body : JSON.stringify(body ?? ""));
}

export function missingStatusReason({ in_flight, client_gone }: Readonly<Record<string, unknown>>): string {
  return in_flight ? "in flight" : client_gone ? "client gone" : "connection cut";
}

/** Why a request was refused or has no response, or what a fault did to it; null without either. */
export function requestReason(
  { status, in_flight, client_gone, fault, response_body }: RequestFacts,
  rule: FaultRule | undefined,
): string | null {
  const byFault = fault !== null && rule !== undefined && faultText(fault, rule);
  const isMadeByFault = rule !== undefined && replacesResponse(rule);
  const isRefused = !in_flight && !isMadeByFault && (status ?? 500) >= 400;
  const error =
    isRefused &&
    (status === null
      ? missingStatusReason({ in_flight, client_gone })
      : // The status stands beside it.
        refusalText(response_body, 1).replace(/^[A-Z_]+: /, ""));
  return [error, byFault].filter(Boolean).join(" · ") || null;
}

interface RequestFacts {
  readonly status: number | null;
  readonly in_flight: boolean;
  readonly client_gone: boolean;
  readonly fault: string | null;
  readonly response_body: unknown;
}
