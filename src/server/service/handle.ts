// The emulated service: one `Operation` per call, handled in ten steps. http/app.ts calls `handleCall` for Requests and
// fast-path calls; an `HttpCall` goes in, a `CallResult` comes out. Only commands change state; pages are served
// elsewhere.
import { readRequestedScenario } from "../../core/engine/scenario-lookup.js";
import type { AsOf } from "../../core/engine/stale-reads.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { isRefusal, refuseInvalid } from "../../core/schema/refusals.js";
import { type ParsedBody, parseBody, type RawBody } from "../http/body.js";
import { type CallResult, type HttpCall, parseBearerKey } from "../http/call.js";
import { bodySchema, readInput } from "../http/operation-row.js";
import { failureReply, type Reply, replyOf, serializeReply, throughDoor } from "../http/reply.js";
import { type AdmittedCall, admitCall, refusalReply } from "./admit.js";
import { answerWithFault, pickFault } from "./answer-with-fault.js";
import { describeIgnoredParts, journalCall, type ReceivedCall, wiredReply } from "./journal-entries.js";
import type { Operation } from "./operation.js";

/** Runs steps 2 to 10 of a call. Step 1, routing, was done by fast-path.ts for ordinary calls, by Hono for others. */
export function handleCall(
  namespaces: Namespaces,
  operation: Operation,
  call: HttpCall,
): CallResult | Promise<CallResult> {
  // 2 Key, 3 rate, 4 permission and organization.
  const admitted = admitCall(namespaces, operation, call);
  if ("reply" in admitted) {
    const { namespace, reply, headers } = admitted;
    const arrival = namespace?.arrival() ?? { atMs: 0, wallMs: 0 };
    return exit(call, { operation: operation.id, namespace, arrival }, reply, namespaces, headers);
  }
  return operation.method === "GET"
    ? respondInTime(operation, call, admitted, NO_BODY)
    : receiveBody(operation, call, admitted);
}

/** Reads the body, then responds. `respond` checks the size and the JSON of the body. */
async function receiveBody(
  operation: Operation,
  call: HttpCall,
  admitted: AdmittedCall,
): Promise<CallResult> {
  let raw: RawBody = NO_BODY;
  if (bodySchema(operation) !== undefined) {
    raw = await call.readBody();
    if ("torn" in raw) return journalDisconnected(call, { ...admitted, operation: operation.id });
  }
  return respondInTime(operation, call, admitted, raw);
}

const NO_BODY = { text: "" };
const NOTHING_PARSED: ParsedBody = { object: {} };
const NO_FAULTS = { faults: {} };

/** Responds once all that is due has run. */
function respondInTime(
  operation: Operation,
  call: HttpCall,
  admitted: AdmittedCall,
  raw: RawBody,
): CallResult | Promise<CallResult> {
  const late = admitted.namespace.catchUp();
  if (late === undefined) return respond(operation, call, admitted, raw);
  return late.then(() => respond(operation, call, admitted, raw));
}

function respond(
  operation: Operation,
  call: HttpCall,
  admitted: AdmittedCall,
  raw: RawBody,
): CallResult | Promise<CallResult> {
  const { namespace, caller, headers, arrival } = admitted;
  // The namespace was closed while the body arrived.
  if (namespace.isClosed) return null;
  const parsed = raw === NO_BODY ? NOTHING_PARSED : parseBody(raw, (name) => call.header(name));
  const body = isRefusal(parsed) ? {} : parsed.object;
  const { error_codes, event_names } = namespace.engine.settings;
  // 5 Fault: picked here, applied below (`answerWithFault`); it replaces or wraps steps 6 to 10.
  const fault = pickFault(operation, call, namespace, body);
  const served: ReceivedCall = {
    operation: operation.id,
    namespace,
    arrival,
    requestBody: raw !== NO_BODY && "text" in raw ? raw.text : null,
    ignored: describeIgnoredParts(operation, call, body, event_names),
  };
  const execute = (asOf?: AsOf): Reply => {
    // 6 Size and JSON.
    if (isRefusal(parsed)) return refusalReply(namespace, parsed);
    // 7 Validation.
    const read = readInput(operation, call.url, body);
    // With `rawInput`, the operation reports an unknown scenario together with the body's faults.
    const { faults } =
      operation.rawInput === undefined
        ? readRequestedScenario(namespace.engine.state, call.header("sandbox-scenario"), null)
        : NO_FAULTS;
    if (isRefusal(read)) return refusalReply(namespace, { ...read, details: { ...read.details, ...faults } });
    if ("sandbox_scenario" in faults) return refusalReply(namespace, refuseInvalid(faults));
    // 8 Execution.
    if (operation.runsDueTasks) namespace.runDueTasks();
    const result = operation.run({
      namespace,
      caller,
      input: read.input,
      url: call.url,
      asOf,
      param: (name) => call.param(name) ?? "",
      header: (name) => call.header(name),
    });
    const reply = replyOf(result);
    return isRefusal(reply) ? refusalReply(namespace, reply) : reply;
  };
  if (fault !== undefined) return answerWithFault(call, admitted, served, fault, execute);
  const fail = (error: unknown): void =>
    journalCall(call, served, { reply: failureReply(error, error_codes) });
  let reply: Reply;
  try {
    reply = execute();
  } catch (error) {
    fail(error);
    throw error;
  }
  // 9 Request journal, 10 reply.
  const sent = throughDoor(namespace, () => exit(call, served, reply, namespace, headers));
  if (!(sent instanceof Promise)) return sent;
  return sent.catch((error) => {
    fail(error);
    throw error;
  });
}

/** Journals and serializes a reply: the exit of all that the service answers. */
function exit(
  call: HttpCall,
  served: ReceivedCall,
  made: Reply,
  clock: { nowMs(): number },
  headers?: Record<string, string>,
): CallResult {
  const reply = wiredReply(served, made);
  journalCall(call, served, { reply });
  return serializeReply(reply, (served.namespace ?? clock).nowMs(), headers);
}

function journalDisconnected(call: HttpCall, served: ReceivedCall): CallResult {
  journalCall(call, served, { reply: null, hasClientDisconnected: true });
  return null;
}

/**
 * Answers a call to an unknown path or with a wrong method, and journals the call as a mistake of the app. A call
 * without a key to a path outside /api/ is not journaled, because browsers make such calls by themselves.
 */
export async function handleUnknownCall(
  namespaces: Namespaces,
  call: HttpCall,
  reply: Reply,
): Promise<CallResult> {
  const authorization = call.header("authorization");
  if (!authorization && !call.path.startsWith("/api/")) return serializeReply(reply, namespaces.nowMs());
  const namespace = namespaces.find(call.header("sandbox-namespace"), parseBearerKey(authorization));
  const served = { operation: null, namespace, arrival: namespace?.arrival() ?? { atMs: 0, wallMs: 0 } };
  const raw: RawBody = call.hasBody ? await call.readBody() : NO_BODY;
  if ("torn" in raw) return journalDisconnected(call, served);
  const requestBody = "text" in raw && raw.text !== "" ? raw.text : null;
  return exit(call, { ...served, requestBody }, reply, namespaces);
}
