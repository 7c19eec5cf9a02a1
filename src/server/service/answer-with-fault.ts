import type { MatchSubject } from "../../core/domain/rule-matching.js";
import { chargeSubject } from "../../core/engine/match-fields.js";
import { requestedScenarioNames } from "../../core/engine/scenario-lookup.js";
import type { AsOf } from "../../core/engine/stale-reads.js";
import type { MatchedFault } from "../../core/namespace/fault-injector.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { readObjectId } from "../../core/namespace/response-holds.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { type ErrorCode, INTERNAL_ERROR, INVALID_BODY_MESSAGE } from "../../core/schema/refusals.js";
import type { FaultRule } from "../../core/schema/scenario-rules.js";
import { durationToMs } from "../../core/schema/time.js";
import type { CallResult, HttpCall } from "../http/call.js";
import { failureReply, type Reply, serializeReply, throughDoor } from "../http/reply.js";
import { type AdmittedCall, INVALID_KEY_REFUSAL } from "./admit.js";
import { journalInFlightCall, type ReceivedCall, wiredReply } from "./journal-entries.js";
import type { Operation } from "./operation.js";

/** Picks the fault that a scenario or the control API has set for this call, and counts it. */
export function pickFault(
  operation: Operation,
  call: HttpCall,
  namespace: Namespace,
  body: Record<string, unknown>,
): MatchedFault | undefined {
  const requested = requestedScenarioNames(call.header("sandbox-scenario"), body.metadata);
  return namespace.faults.pick(requested, () => faultSubject(operation, call, namespace, body));
}

function faultSubject(
  operation: Operation,
  call: HttpCall,
  namespace: Namespace,
  body: Record<string, unknown>,
): MatchSubject {
  const chargeId = call.param("charge_id");
  const charge = chargeId === undefined ? undefined : namespace.engine.state.get("charges", chargeId);
  const ofCharge = charge === undefined ? undefined : chargeSubject(charge);
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(body)) if (typeof value === "string") fields[name] = value;
  const { pricing, metadata } = body;
  if (isJsonObject(pricing)) {
    if (typeof pricing.base_currency === "string") fields.base_currency = pricing.base_currency;
    if (typeof pricing.amount === "string") fields.base_amount = pricing.amount;
  }
  const texts = Object.entries(isJsonObject(metadata) ? metadata : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const { method, path } = call;
  return {
    metadata: { ...ofCharge?.metadata, ...Object.fromEntries(texts) },
    fields: { ...ofCharge?.fields, ...fields, operation: operation.id, method, path },
  };
}

/**
 * Answers a call as its fault says: late, with an error, from an earlier state or not at all. With `drop: after`, the
 * call is executed first. A client that disconnects during a delay does not stop the call, as in a real service.
 */
export async function answerWithFault(
  call: HttpCall,
  { namespace, headers }: AdmittedCall,
  served: ReceivedCall,
  fault: MatchedFault,
  execute: (asOf?: AsOf) => Reply,
): Promise<CallResult> {
  const { rule, source, undo: giveBack } = fault;
  const { respond, delay, drop, hold, delay_answer, stale } = rule;
  const { signal } = call;
  const isSlow = [delay, hold, delay_answer].some((duration) => duration !== undefined) || drop === "hang";
  const entry = journalInFlightCall(call, { ...served, fault }, isSlow);
  // `sleep` returns false if the namespace was closed.
  if (delay !== undefined && !(await namespace.sleep(durationToMs(delay)))) return null;
  const { error_codes } = namespace.engine.settings;
  let reply: Reply | null;
  try {
    if (respond !== undefined) reply = forcedReply(respond, source, error_codes);
    else if (drop === "before") reply = null;
    else reply = execute(stale === undefined ? undefined : asOfStale(stale, namespace.nowMs()));
    await throughDoor(namespace, () => {});
  } catch (error) {
    // The call changed nothing, so the fault is not counted.
    giveBack();
    entry.end({ reply: failureReply(error, error_codes) });
    throw error;
  }
  const objectId = reply === null ? undefined : readObjectId(reply.json);
  if (drop !== undefined) {
    entry.end({
      reply: null,
      objectId,
      hasClientDisconnected: signal.aborted,
      isResponseLost: reply !== null,
    });
    if (drop === "hang") await entry.keepOpen(namespace.holds.holdUntilLimit(signal));
    return null;
  }
  entry.setObject(objectId);
  const isOpen = reply === null || (await namespace.holds.holdForRule(fault, reply.json, signal));
  const clientGone = signal.aborted;
  const sentReply = isOpen && !clientGone && reply !== null ? wiredReply(served, reply) : null;
  entry.end({ reply: sentReply, objectId, hasClientDisconnected: clientGone });
  return sentReply === null ? null : serializeReply(sentReply, namespace.nowMs(), headers);
}

function asOfStale(stale: NonNullable<FaultRule["stale"]>, nowMs: number): AsOf {
  return stale === "last_change" ? stale : nowMs - durationToMs(stale);
}

/** An error in the service's shape. The code is `respond.code`, or else the default code of the status. */
function forcedReply(
  respond: NonNullable<MatchedFault["rule"]["respond"]>,
  source: string,
  codes: Readonly<Record<string, string>>,
): Reply {
  const { status, message, details, headers } = respond;
  const defaultCode = status >= 500 ? "INTERNAL_ERROR" : (CODE_OF_STATUS[status] ?? "VALIDATION_ERROR");
  const code = respond.code ?? codes[defaultCode] ?? defaultCode;
  const error = { code, message: message ?? FORCED_MESSAGES[defaultCode] ?? "Error" };
  const allHeaders: Record<string, string> = status === 429 || status === 503 ? { "retry-after": "1" } : {};
  if (status < 500) allHeaders["sandbox-hint"] = `A fault made this response: ${source}`;
  // Lower case, so that the rule's `Retry-After` replaces the default.
  for (const [name, value] of Object.entries(headers ?? {})) allHeaders[name.toLowerCase()] = value;
  return {
    status,
    code: respond.code === undefined ? defaultCode : originalCode(respond.code, codes),
    json: JSON.stringify({ error: details === undefined ? error : { ...error, details } }),
    headers: allHeaders,
  };
}

/** Original code of an error that the setting `error_codes` has renamed. */
function originalCode(name: string, codes: Readonly<Record<string, string>>): string {
  return Object.keys(codes).find((code) => codes[code] === name) ?? name;
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  413: "PAYLOAD_TOO_LARGE",
  429: "RATE_LIMIT_EXCEEDED",
};
const FORCED_MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  VALIDATION_ERROR: INVALID_BODY_MESSAGE,
  UNAUTHORIZED: INVALID_KEY_REFUSAL.message,
  FORBIDDEN: "No permission",
  NOT_FOUND: "Not found",
  RATE_LIMIT_EXCEEDED: "Rate limit exceeded",
  INTERNAL_ERROR: INTERNAL_ERROR.message,
};
