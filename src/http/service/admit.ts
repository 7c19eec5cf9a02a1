import type { Caller } from "../../engine/caller.js";
import { nameInKey } from "../../namespace/identity.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { Namespaces } from "../../namespace/namespaces.js";
import type { Arrival } from "../../namespace/served-request.js";
import { type Refusal, refuse } from "../../schema/errors.js";
import { bearerKey, callerOf } from "../authenticate.js";
import type { Exchange } from "../exchange.js";
import { errorReply, type Reply } from "../reply.js";
import { hintOf, looksReal, NO_ORGANIZATION, REAL_KEY } from "./hints.js";
import type { Operation } from "./operation.js";

/** What is known of a call once the checks before the fault are through. */
export interface Admitted {
  readonly namespace: Namespace;
  readonly caller: Caller | undefined;
  readonly headers: Record<string, string> | undefined;
  /** When the call came: what it leads to is later, however long its body takes to read. */
  readonly arrival: Arrival;
}

/** A check that has answered the call. */
export interface Rejected {
  readonly namespace: Namespace | undefined;
  readonly reply: Reply;
  readonly headers?: Record<string, string> | undefined;
}

export const INVALID_KEY = refuse("UNAUTHORIZED", "Invalid API key");
export const READ_ONLY_KEY = refuse("FORBIDDEN", "This API key is read-only");

/** A key that names a namespace would be right once there is one. */
function invalidKey(namespaces: Namespaces, key: string | null): Refusal {
  if (looksReal(key)) {
    namespaces.noticeRealKey();
    return REAL_KEY;
  }
  const name = key === null ? undefined : nameInKey(key);
  if (name === undefined || namespaces.areMadeByKey) return INVALID_KEY;
  const { code, message } = INVALID_KEY;
  return refuse(code, `${message}: make the namespace "${name}" first, or start with --auto-namespaces`);
}

/** The checks of a call that need nothing but its head: namespace → key → rate → permission → organization. */
export function admit(namespaces: Namespaces, operation: Operation, call: Exchange): Admitted | Rejected {
  const authorization = call.header("authorization");
  const token = bearerKey(authorization);
  const named = call.header("sandbox-namespace");
  const namespace = namespaces.find(named, token);
  if (namespace === undefined) return { namespace, reply: noNamespace(namespaces, named, token) };
  const key = token === null ? undefined : namespace.keys.find(token);
  const needsNoKey = operation.key === "none" ? key === undefined : authorization === null;
  if (operation.key !== "required" && needsNoKey)
    return { namespace, caller: undefined, headers: undefined, arrival: namespace.arrival() };

  if (key === undefined) return { namespace, reply: refused(namespace, invalidKey(namespaces, token)) };

  let headers: Record<string, string> | undefined;
  if (namespace.rates !== undefined) {
    const { limited, limit, remaining, resetSeconds } = namespace.rates.hit(
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
      return { namespace, reply: refused(namespace, overLimit(limit, resetSeconds), retry), headers };
    }
  }
  if (operation.key === "none")
    return { namespace, caller: undefined, headers, arrival: namespace.arrival() };
  if (key.permission === "read_only" && operation.method !== "GET")
    return { namespace, reply: refused(namespace, READ_ONLY_KEY), headers };
  const caller = callerOf(namespace, key);
  if (caller === undefined) return { namespace, reply: refused(namespace, NO_ORGANIZATION), headers };
  return { namespace, caller, headers, arrival: namespace.arrival() };
}

/** Says whose limit it is: whoever works by hand did not ask for one. */
export function overLimit(limit: number, resetSeconds: number): Refusal {
  return refuse(
    "RATE_LIMIT_EXCEEDED",
    `Rate limit exceeded. Try again in ${resetSeconds} s. The sandbox allows ${limit} requests per minute and key; start it with --rate-limit off for no limit.`,
  );
}

const NAMESPACE_HINT =
  "`payments-sandbox namespace list` prints the namespaces; `namespace add NAME` makes one";

/** A refusal in the service's error shape, with the codes the user may have given other names. */
export function refused(
  namespace: Namespace,
  refusal: Refusal,
  headers?: Readonly<Record<string, string>>,
): Reply {
  const hint = hintOf(refusal);
  const all = hint === undefined ? headers : { ...headers, "sandbox-hint": hint };
  return errorReply(refusal, all, namespace.engine.settings.error_codes);
}

export function noNamespace(namespaces: Namespaces, header: string | null, apiKey: string | null): Reply {
  return errorReply(namespaces.whyNone(header, apiKey), { "sandbox-hint": NAMESPACE_HINT });
}
