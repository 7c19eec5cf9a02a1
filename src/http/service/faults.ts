import type { PickedFault } from "../../namespace/faults.js";
import type { Namespace } from "../../namespace/namespace.js";
import { type ErrorCode, INTERNAL_ERROR, INVALID_BODY_MESSAGE } from "../../schema/errors.js";
import type { Exchange } from "../exchange.js";
import type { Reply } from "../reply.js";
import { INVALID_KEY } from "./admit.js";
import { faultSubject, isObject } from "./fault-subject.js";
import type { Operation } from "./operation.js";

/** The fault that a scenario or the control API has in store for this request, if any; counts it as met. */
export function pickFault(
  operation: Operation,
  call: Exchange,
  namespace: Namespace,
  body: Record<string, unknown>,
): PickedFault | undefined {
  const header = call.header("sandbox-scenario");
  const { metadata } = body;
  const named =
    header ??
    (isObject(metadata) && typeof metadata.sandbox_scenario === "string" ? metadata.sandbox_scenario : null);
  if (named === null && !namespace.faults.isArmed()) return undefined;
  return namespace.faults.pick(named, () =>
    faultSubject(namespace, {
      operation: operation.id,
      method: call.method,
      path: call.path,
      chargeId: call.param("charge_id"),
      body,
    }),
  );
}

/** A forced error has the service's shape; its code is the usual one of its status unless the rule has another. */
export function forcedReply(
  respond: NonNullable<PickedFault["rule"]["respond"]>,
  codes: Readonly<Record<string, string>>,
): Reply {
  const { status, message, details, headers } = respond;
  const usual = status >= 500 ? "INTERNAL_ERROR" : (CODE_OF_STATUS[status] ?? "VALIDATION_ERROR");
  const code = respond.code ?? codes[usual] ?? usual;
  const error = { code, message: message ?? FORCED_MESSAGES[usual] ?? "Error" };
  const sent: Record<string, string> = status === 429 || status === 503 ? { "retry-after": "1" } : {};
  // In small letters like our own: a header must stand in another's place however the rule writes it.
  for (const [name, value] of Object.entries(headers ?? {})) sent[name.toLowerCase()] = value;
  return {
    status,
    code: respond.code === undefined ? usual : canonical(respond.code, codes),
    json: JSON.stringify({ error: details === undefined ? error : { ...error, details } }),
    headers: sent,
  };
}

/** The code behind a name that the user has given it. */
function canonical(name: string, codes: Readonly<Record<string, string>>): string {
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
  UNAUTHORIZED: INVALID_KEY.message,
  FORBIDDEN: "No permission",
  NOT_FOUND: "Not found",
  RATE_LIMIT_EXCEEDED: "Rate limit exceeded",
  INTERNAL_ERROR: INTERNAL_ERROR.message,
};
