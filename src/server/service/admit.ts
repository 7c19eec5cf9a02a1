import { currentOrganization } from "../../core/engine/access-changes.js";
import type { Caller } from "../../core/engine/transaction.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { namespaceInKey } from "../../core/namespace/namespace-options.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import type { ArrivalTime } from "../../core/namespace/request-journal.js";
import type { KeyFixture } from "../../core/schema/fixtures-file.js";
import { type ErrorCode, type Refusal, refuse } from "../../core/schema/refusals.js";
import { type HttpCall, parseBearerKey } from "../http/call.js";
import { errorReply, type Reply } from "../http/reply.js";
import type { Operation } from "./operation.js";

export interface AdmittedCall {
  readonly namespace: Namespace;
  readonly caller: Caller | undefined;
  readonly headers: Record<string, string> | undefined;
  /** Arrival of the request head. The journal uses this time, so that the call precedes the events it causes. */
  readonly arrival: ArrivalTime;
}

export interface RejectedCall {
  readonly namespace: Namespace | undefined;
  readonly reply: Reply;
  readonly headers?: Record<string, string> | undefined;
}

export const INVALID_KEY_REFUSAL = refuse("UNAUTHORIZED", "Invalid API key");
export const READ_ONLY_KEY_REFUSAL = refuse("FORBIDDEN", "This API key is read-only");
export const ORGANIZATION_NOT_FOUND = refuse("NOT_FOUND", "Organization not found");

/** Returns true for a key of the real service. A namespace's own live key begins with `sk_live_ns_`. */
export function isRealKey(key: string | null): boolean {
  return key !== null && /^[a-z]{2}_live_(?!ns_)[A-Za-z0-9_-]{16,}$/.test(key);
}

function invalidKeyReply(namespaces: Namespaces, namespace: Namespace, key: string | null): Reply {
  const hint = invalidKeyHint(namespaces, key);
  const headers = hint === undefined ? undefined : { "sandbox-hint": hint };
  return refusalReply(namespace, INVALID_KEY_REFUSAL, headers);
}

function invalidKeyHint(namespaces: Namespaces, key: string | null): string | undefined {
  if (isRealKey(key)) {
    namespaces.reportRealKeyOnce();
    return "This looks like a real key of live mode, which the sandbox neither takes nor keeps; use sk_live_sandbox";
  }
  const name = key === null ? undefined : namespaceInKey(key);
  if (name === undefined || namespaces.options.autoNamespaces) return undefined;
  return `Make the namespace "${name}" first, or start with --auto-namespaces`;
}

/** Runs steps 2 to 4 of `handleCall`: key, rate limit, permission and organization. They need no body. */
export function admitCall(
  namespaces: Namespaces,
  operation: Operation,
  call: HttpCall,
): AdmittedCall | RejectedCall {
  const authorization = call.header("authorization");
  const token = parseBearerKey(authorization);
  const namespaceName = call.header("sandbox-namespace");
  const namespace = namespaces.find(namespaceName, token);
  if (namespace === undefined)
    return { namespace, reply: unknownNamespaceReply(namespaces, namespaceName, token) };
  const key = token === null ? undefined : namespace.keys.find(token);
  const needsNoKey = operation.key === "none" ? key === undefined : authorization === null;
  if (operation.key !== "required" && needsNoKey)
    return { namespace, caller: undefined, headers: undefined, arrival: namespace.arrival() };

  if (key === undefined) return { namespace, reply: invalidKeyReply(namespaces, namespace, token) };

  let headers: Record<string, string> | undefined;
  if (namespace.rateLimiter !== undefined) {
    const { limited, limit, remaining, resetSeconds } = namespace.rateLimiter.hit(
      key.key,
      namespace.nowMs(),
      key.rate_limit,
    );
    headers = {
      "ratelimit-policy": `"default";q=${limit};w=60`,
      ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
    };
    if (limited) {
      const retry = { "retry-after": String(resetSeconds) };
      return {
        namespace,
        reply: refusalReply(namespace, rateLimitRefusal(limit, resetSeconds), retry),
        headers,
      };
    }
  }
  if (operation.key === "none")
    return { namespace, caller: undefined, headers, arrival: namespace.arrival() };
  if (key.permission === "read_only" && operation.method !== "GET")
    return { namespace, reply: refusalReply(namespace, READ_ONLY_KEY_REFUSAL), headers };
  const caller = callerOf(namespace, key);
  if (caller === undefined && operation.key === "required")
    return { namespace, reply: refusalReply(namespace, ORGANIZATION_NOT_FOUND), headers };
  return { namespace, caller, headers, arrival: namespace.arrival() };
}

/** The caller that a key stands for; undefined for a removed or deactivated organization. */
function callerOf(namespace: Namespace, key: KeyFixture): Caller | undefined {
  const { state, catalogue } = namespace.engine;
  const organization = currentOrganization(state, catalogue, key.organization_id);
  if (organization === undefined || organization.status !== "active") return undefined;
  return { key: key.key, mode: key.key.startsWith("sk_live_") ? "live" : "test", organization };
}

export function rateLimitRefusal(limit: number, resetSeconds: number): Refusal {
  return refuse(
    "RATE_LIMIT_EXCEEDED",
    `Rate limit exceeded. Try again in ${resetSeconds} s. The sandbox allows ${limit} requests per minute and key; start it with --rate-limit off for no limit.`,
  );
}

const NAMESPACE_HINT =
  "`npx payments-sandbox namespace list` prints the namespaces; `namespace add NAME` makes one";

/** Makes the error response with a hint, unless `headers` has one, and the custom `error_codes`. */
export function refusalReply(
  namespace: Namespace,
  refusal: Refusal,
  headers?: Readonly<Record<string, string>>,
): Reply {
  const hint = hintOf(refusal);
  const all = hint === undefined ? headers : { "sandbox-hint": hint, ...headers };
  return errorReply(refusal, all, namespace.engine.settings.error_codes);
}

export function unknownNamespaceReply(
  namespaces: Namespaces,
  header: string | null,
  apiKey: string | null,
): Reply {
  return errorReply(namespaces.notFoundRefusal(header, apiKey), { "sandbox-hint": NAMESPACE_HINT });
}

/** Hints by error code. The header `Sandbox-Hint` has the hint, so that the body equals the service's. */
const HINT_BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  VALIDATION_ERROR: "Each field in error.details says what is wrong with it; /docs shows the whole request",
  INSUFFICIENT_BALANCE:
    "Complete a charge in that currency first, or begin with balances from a fixtures file",
  UNAUTHORIZED:
    "Send Authorization: Bearer KEY with a key of the sandbox, such as sk_test_sandbox; `npx payments-sandbox env` prints it",
  FORBIDDEN: "This key reads only; sk_test_sandbox may write",
  NOT_FOUND:
    "Ids belong to one organization, mode and namespace, and are gone after a reset; `npx payments-sandbox charges` lists them",
  METHOD_NOT_ALLOWED: "The header Allow has the methods of this path",
  PAYLOAD_TOO_LARGE: "Send less than 1 MiB",
  IDEMPOTENCY_KEY_REUSED:
    "Make a new Idempotency-Key for each new request; repeat one only with the same body",
  RATE_LIMIT_EXCEEDED: "Wait as long as Retry-After says, or start the sandbox with --rate-limit off",
};

/** Hints by invalid field, in order of precedence. A hint by field takes precedence over a hint by code. */
const HINT_BY_FIELD: Readonly<Record<string, string>> = {
  body: "Send one JSON object with Content-Type: application/json",
  quote_id:
    "Make a new quote and use it within 30 s of sandbox time; the clock may have been moved past its end",
  "pricing.amount": 'Send amounts as text with the currency\'s decimals, such as "500.00"',
  payment_method: "GET /api/v1/payments/payment-methods with this key lists the methods it may use",
  phone_number: "Send the number with its country code, such as +254700000001",
};

export function hintForUnknownCall(path: string, isKnownPath: boolean): string {
  if (isKnownPath) return HINT_BY_CODE.METHOD_NOT_ALLOWED!;
  if (!/\/refunds?$/.test(path)) return "/docs lists every path of the service";
  const [charge_id = "CHARGE_ID"] = /\bch_\w+/.exec(path) ?? [];
  return `The service has no call for a refund; make one with POST /_sandbox/charges/${charge_id}/refund, or npx payments-sandbox charge ${charge_id} refund`;
}

function hintOf({ code, message, details = {} }: Refusal): string | undefined {
  if (message === ORGANIZATION_NOT_FOUND.message)
    return "The key's organization is deactivated; use sk_test_sandbox";
  const field = Object.keys(HINT_BY_FIELD).find((name) => name in details);
  return field === undefined ? HINT_BY_CODE[code] : HINT_BY_FIELD[field];
}
