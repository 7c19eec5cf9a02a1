import type { Context } from "hono";
import type { Subject } from "../../domain/scenario.js";
import type { Caller } from "../../engine/caller.js";
import { chargeSubject } from "../../engine/commands/charges.js";
import type { PickedFault } from "../../namespace/faults.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { Namespaces } from "../../namespace/namespaces.js";
import { durationMs } from "../../schema/duration.js";
import { type ErrorCode, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { bearerKey, callerOf } from "../authenticate.js";
import { parseBody, type RawBody, readBody } from "../body.js";
import { droppedResponse } from "../dropped.js";
import type { Call, Operation } from "../operations.js";
import { isEmbedded } from "../origin.js";
import { errorReply, type Reply, toResponse } from "../reply.js";

/** What is known of a call once the checks before the fault are through. */
interface Admitted {
  readonly namespace: Namespace;
  readonly caller: Caller | undefined;
  readonly headers: Record<string, string> | undefined;
  /** When the call came: what it leads to is later, however long its body takes to read. */
  readonly arrivedMs: number;
}

/** A check before that has answered the call. */
interface Rejected {
  readonly namespace: Namespace | undefined;
  readonly reply: Reply;
  readonly headers?: Record<string, string> | undefined;
}

/**
 * The order of checks is the contract's (section 2): route → key → rate → permission → organization → fault →
 * size and JSON → validation → work. Reads without a fault are answered without ever yielding.
 */
export function serve(
  namespaces: Namespaces,
  operation: Operation,
): (c: Context) => Response | Promise<Response> {
  const takesBody = operation.method !== "GET" && operation.method !== "DELETE" && operation.body !== "none";
  return (c) => {
    const admitted = admit(namespaces, operation, c);
    if ("reply" in admitted) {
      const { namespace, reply, headers } = admitted;
      journal(c, operation.id, namespace, reply, null, null, (namespace ?? namespaces).nowMs());
      return toResponse(reply, (namespace ?? namespaces).nowMs(), headers);
    }
    const { namespace, headers, arrivedMs } = admitted;
    if (takesBody) return serveBody(operation, c, admitted);
    const fault = pickFault(operation, c, namespace, {});
    if (fault !== undefined)
      return serveFault(c, operation, admitted, fault, null, () => work(operation, c, admitted, {}));
    const reply = work(operation, c, admitted, {});
    journal(c, operation.id, namespace, reply, null, null, arrivedMs);
    return toResponse(reply, namespace.nowMs(), headers);
  };
}

async function serveBody(operation: Operation, c: Context, admitted: Admitted): Promise<Response> {
  const { namespace, headers, arrivedMs } = admitted;
  const raw: RawBody = await readBody(c.req.raw);
  if ("torn" in raw) {
    journal(c, operation.id, namespace, null, null, null, arrivedMs, true);
    return droppedResponse();
  }
  const text = "text" in raw ? raw.text : null;
  const parsed = parseBody(raw, c.req.raw.headers.get("content-type"));
  const answer = (): Reply =>
    isRefusal(parsed) ? refused(namespace, parsed) : work(operation, c, admitted, parsed.object);
  const fault = pickFault(operation, c, namespace, isRefusal(parsed) ? {} : parsed.object);
  if (fault !== undefined) return serveFault(c, operation, admitted, fault, text, answer);
  const reply = answer();
  journal(c, operation.id, namespace, reply, text, null, arrivedMs);
  return toResponse(reply, namespace.nowMs(), headers);
}

/** The fault that a scenario or the control API has in store for this request, if any; counts it as met. */
function pickFault(
  operation: Operation,
  c: Context,
  namespace: Namespace,
  body: Record<string, unknown>,
): PickedFault | undefined {
  const header = c.req.raw.headers.get("sandbox-scenario");
  const { metadata } = body;
  const named =
    header ??
    (isObject(metadata) && typeof metadata.sandbox_scenario === "string" ? metadata.sandbox_scenario : null);
  if (named === null && !namespace.faults.isArmed()) return undefined;
  return namespace.faults.pick(named, () => faultSubject(operation, c, namespace, body));
}

/** What fault rules are held against: the request, and the charge it is about. */
function faultSubject(
  operation: Operation,
  c: Context,
  namespace: Namespace,
  body: Record<string, unknown>,
): Subject {
  const chargeId = c.req.param("charge_id");
  const charge = chargeId === undefined ? undefined : namespace.engine.state.get("charges", chargeId);
  const ofCharge = charge === undefined ? undefined : chargeSubject(charge);
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(body)) if (typeof value === "string") fields[name] = value;
  const { pricing, metadata } = body;
  if (isObject(pricing)) {
    if (typeof pricing.base_currency === "string") fields.base_currency = pricing.base_currency;
    if (typeof pricing.amount === "string") fields.base_amount = pricing.amount;
  }
  const texts = Object.entries(isObject(metadata) ? metadata : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return {
    metadata: { ...ofCharge?.metadata, ...Object.fromEntries(texts) },
    fields: {
      ...ofCharge?.fields,
      ...fields,
      operation: operation.id,
      method: c.req.method,
      path: c.req.path,
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Late, wrong or never: the answer as the fault has it. `drop: after` does the work and cuts the connection; for a
 * client that has hung up meanwhile the work is done too, as a service does it that hears of that too late.
 */
async function serveFault(
  c: Context,
  operation: Operation,
  { namespace, headers, arrivedMs }: Admitted,
  fault: PickedFault,
  text: string | null,
  answer: () => Reply,
): Promise<Response> {
  const { respond, delay, drop } = fault.rule;
  // A namespace that is gone by then has nothing left to do or to say.
  if (delay !== undefined && !(await namespace.sleep(durationMs(delay)))) return droppedResponse();
  const { error_codes } = namespace.engine.settings;
  const reply =
    respond !== undefined ? forcedReply(respond, error_codes) : drop === "before" ? null : answer();
  const clientGone = delay !== undefined && c.req.raw.signal.aborted;
  const sent = drop === undefined && !clientGone ? reply : null;
  journal(c, operation.id, namespace, sent, text, fault.source, arrivedMs, clientGone);
  return sent === null ? droppedResponse() : toResponse(sent, namespace.nowMs(), headers);
}

/** A forced error has the service's shape; its code is the usual one of its status unless the rule has another. */
function forcedReply(
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
  VALIDATION_ERROR: "Invalid request parameters",
  UNAUTHORIZED: "Invalid API key",
  FORBIDDEN: "No permission",
  NOT_FOUND: "Not found",
  RATE_LIMIT_EXCEEDED: "Rate limit exceeded",
  INTERNAL_ERROR: "Internal error",
};

/**
 * Answers a call of the service that there is not: a misspelt path or the wrong method is an app's mistake, and one
 * that its author looks for in the journal. What a browser asks for by itself is left out.
 */
export async function serveUnknown(namespaces: Namespaces, c: Context, reply: Reply): Promise<Response> {
  const { headers } = c.req.raw;
  const authorization = headers.get("authorization");
  if (!authorization && !c.req.path.startsWith("/api/")) return toResponse(reply, namespaces.nowMs());
  const namespace = namespaces.find(headers.get("sandbox-namespace"), bearerKey(authorization));
  const arrivedMs = (namespace ?? namespaces).nowMs();
  const raw: RawBody = c.req.raw.body === null ? { text: "" } : await readBody(c.req.raw);
  if ("torn" in raw) {
    journal(c, null, namespace, null, null, null, arrivedMs, true);
    return droppedResponse();
  }
  journal(c, null, namespace, reply, "text" in raw && raw.text !== "" ? raw.text : null, null, arrivedMs);
  return toResponse(reply, (namespace ?? namespaces).nowMs());
}

/** So much of an address is kept; the longest a person would read. */
const KEPT_PATH_LENGTH = 2_048;
const KEPT_URL_LENGTH = 2 * KEPT_PATH_LENGTH;

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/**
 * Writes down what the app sent and got; a null reply is one that was never sent. What a page of another site sends
 * without a key is nobody's app: it is left out, for it would push out what is.
 */
export function journal(
  c: Context,
  operation: string | null,
  namespace: Namespace | undefined,
  reply: Reply | null,
  requestBody: string | null,
  fault: string | null,
  arrivedMs: number,
  clientGone = false,
): void {
  if (namespace === undefined) return;
  const { headers } = c.req.raw;
  const authorization = headers.get("authorization");
  if (!authorization && isEmbedded(c.req.raw)) return;
  const entry = {
    method: c.req.method,
    url: cut(c.req.url, KEPT_URL_LENGTH),
    path: cut(c.req.path, KEPT_PATH_LENGTH),
    operation,
    status: reply?.status ?? null,
    clientGone,
    apiKey: bearerKey(authorization),
    requestBody,
    responseBody: reply?.json ?? null,
    errorCode: reply?.code ?? null,
    idempotencyKey: headers.get("idempotency-key"),
    runner: headers.get("sandbox-runner"),
    scenario: headers.get("sandbox-scenario"),
    fault,
  };
  namespace.journal.add(entry, arrivedMs);
}

function admit(namespaces: Namespaces, operation: Operation, c: Context): Admitted | Rejected {
  const requestHeaders = c.req.raw.headers;
  const authorization = requestHeaders.get("authorization");
  const token = bearerKey(authorization);
  const namespace = namespaces.find(requestHeaders.get("sandbox-namespace"), token);
  if (namespace === undefined)
    return { namespace, reply: noNamespace(namespaces, requestHeaders.get("sandbox-namespace"), token) };
  if (operation.key === "none" || (operation.key === "optional" && authorization === null))
    return { namespace, caller: undefined, headers: undefined, arrivedMs: namespace.nowMs() };

  const key = token === null ? undefined : namespace.findKey(token);
  if (key === undefined)
    return { namespace, reply: refused(namespace, refuse("UNAUTHORIZED", "Invalid API key")) };

  let headers: Record<string, string> | undefined;
  if (namespace.rates !== undefined) {
    const { limited, limit, remaining, resetSeconds } = namespace.rates.hit(key.key, namespace.nowMs());
    headers = {
      "ratelimit-policy": `"default";q=${limit};w=60`,
      ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
    };
    if (limited)
      return {
        namespace,
        reply: refused(namespace, overLimit(limit, resetSeconds), { "retry-after": String(resetSeconds) }),
        headers,
      };
  }
  if (key.permission === "read_only" && operation.method !== "GET")
    return {
      namespace,
      reply: refused(namespace, refuse("FORBIDDEN", "This API key may only read")),
      headers,
    };
  const caller = callerOf(namespace, key);
  if (caller === undefined)
    return { namespace, reply: refused(namespace, refuse("NOT_FOUND", "Organization not found")), headers };
  return { namespace, caller, headers, arrivedMs: namespace.nowMs() };
}

/** Says whose limit it is: whoever works by hand did not ask for one. */
function overLimit(limit: number, resetSeconds: number): Refusal {
  return refuse(
    "RATE_LIMIT_EXCEEDED",
    `Rate limit exceeded. Try again in ${resetSeconds} s. The sandbox takes ${limit} requests a minute and key; start it with --rate-limit off to have no limit.`,
  );
}

function work(
  operation: Operation,
  c: Context,
  { namespace, caller }: Admitted,
  body: Record<string, unknown>,
): Reply {
  const call: Call = {
    namespace,
    caller,
    body,
    url: c.req.url,
    param: (name) => c.req.param(name) ?? "",
    header: (name) => c.req.raw.headers.get(name),
  };
  // The table's row says whether a key is required; admit() has seen to it that there is one.
  const answer = (operation.handle as (call: Call) => Reply | ReturnType<typeof refuse>)(call);
  return isRefusal(answer) ? refused(namespace, answer) : answer;
}

/** A refusal in the service's error shape, with the codes the user may have given other names. */
function refused(namespace: Namespace, refusal: Refusal, headers?: Readonly<Record<string, string>>): Reply {
  return errorReply(refusal, headers, namespace.engine.settings.error_codes);
}

export function noNamespace(namespaces: Namespaces, header: string | null, apiKey: string | null): Reply {
  return errorReply(namespaces.whyNone(header, apiKey));
}
