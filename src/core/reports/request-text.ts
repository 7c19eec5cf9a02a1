// Words for the app's calls. Reads records of the control API.
import { summarizeBody } from "./body-summary.js";

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
export function refusalText(body: unknown, detailsMax = Number.POSITIVE_INFINITY): string {
  const { error } = Object(body) as { error?: { code?: string; details?: Readonly<Record<string, string>> } };
  const details = Object.entries(error?.details ?? {}).map(([field, fault]) => `${field} ${fault}`);
  const more = details.length > detailsMax ? ` and ${details.length - detailsMax} more` : "";
  if (details.length > 0) return `${error?.code}: ${details.slice(0, detailsMax).join("; ")}${more}`;
  return summarizeBody(typeof body === "string" ? body : JSON.stringify(body ?? ""));
}

/** Returns the reason why a journaled request has no status. */
export function missingStatusReason({ in_flight, client_gone }: Readonly<Record<string, unknown>>): string {
  return in_flight ? "in flight" : client_gone ? "client gone" : "connection cut";
}
