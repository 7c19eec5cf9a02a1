import type { AsOf } from "../../engine/as-of.js";
import { objectOf } from "../../namespace/answer-holds.js";
import type { PickedFault } from "../../namespace/faults.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { Namespaces } from "../../namespace/namespaces.js";
import { durationMs } from "../../schema/duration.js";
import { isRefusal } from "../../schema/errors.js";
import type { FaultRule } from "../../schema/scenario.js";
import { bearerKey } from "../authenticate.js";
import { parseBody, type RawBody } from "../body.js";
import type { Answering, Exchange, Outcome } from "../exchange.js";
import { readAsked } from "../operation.js";
import { failureReply, type Reply, type Sent, toSent } from "../reply.js";
import { type Admitted, admit, refused } from "./admit.js";
import { forcedReply, pickFault } from "./faults.js";
import { journal, journalUnderWay, type Served } from "./journal.js";
import type { Operation } from "./operation.js";
import { toleratedIn } from "./tolerated.js";

/**
 * The order of checks: route → key → rate → permission → organization → fault →
 * size and JSON → validation → work. Reads without a fault are answered without ever yielding.
 */
export function serve(namespaces: Namespaces, operation: Operation): Answering {
  const takesBody = operation.body !== undefined || operation.rawBody !== undefined;
  return (call) => {
    const admitted = admit(namespaces, operation, call);
    if ("reply" in admitted) {
      // Who is let in hangs on nothing that a turn gathers.
      const { namespace, reply, headers } = admitted;
      const arrival = (namespace ?? namespaces.default).arrival();
      journal(call, { operation: operation.id, namespace, arrival }, { reply });
      return toSent(reply, (namespace ?? namespaces).nowMs(), headers);
    }
    if (takesBody) return serveBody(operation, call, admitted);
    const { namespace } = admitted;
    const busy = operation.method === "GET" ? namespace.calm() : namespace.keeping;
    if (busy === undefined) return serveBare(operation, call, admitted);
    return busy.then(() => serveBare(operation, call, admitted));
  };
}

function serveBare(operation: Operation, call: Exchange, admitted: Admitted): Outcome | Promise<Outcome> {
  return serveAsked(operation, call, admitted, {}, null, (asOf) => work(operation, call, admitted, {}, asOf));
}

async function serveBody(operation: Operation, call: Exchange, admitted: Admitted): Promise<Outcome> {
  const raw: RawBody = await call.readBody();
  if ("torn" in raw) return hungUp(call, { ...admitted, operation: operation.id });
  const parsed = parseBody(raw, (name) => call.header(name));
  const body = isRefusal(parsed) ? {} : parsed.object;
  const { keeping } = admitted.namespace;
  if (keeping !== undefined) await keeping;
  return serveAsked(operation, call, admitted, body, "text" in raw ? raw.text : null, (asOf) =>
    isRefusal(parsed) ? refused(admitted.namespace, parsed) : work(operation, call, admitted, body, asOf),
  );
}

/** Does the work, and tells of the state as of then; of the one it has made without. */
type Answer = (asOf?: AsOf) => Reply;

/** Answers a call that is whole, unless a fault does; `text` is what was sent, `body` what could be made of it. */
function serveAsked(
  operation: Operation,
  call: Exchange,
  admitted: Admitted,
  body: Record<string, unknown>,
  text: string | null,
  answer: Answer,
): Outcome | Promise<Outcome> {
  const { namespace, headers, arrival } = admitted;
  // Gone while the body came, it has nothing left to do or to say.
  if (namespace.isClosed) return null;
  const tolerated = toleratedIn(operation, {
    url: call.url,
    body,
    idempotencyKey: call.header("idempotency-key"),
    eventNames: namespace.engine.settings.event_names,
  });
  const served = {
    operation: operation.id,
    namespace,
    arrival,
    requestBody: text,
    tolerated,
  };
  const fault = pickFault(operation, call, namespace, body);
  if (fault !== undefined) return serveFault(call, admitted, served, fault, answer);
  const { error_codes } = namespace.engine.settings;
  const undo = (error: unknown): void => journal(call, served, { reply: failureReply(error, error_codes) });
  const reply = orUndone(answer, undo);
  const send = (): Sent => {
    journal(call, served, { reply });
    return toSent(reply, namespace.nowMs(), headers);
  };
  return namespace.engine.isKept ? send() : whenKept(namespace, send, undo);
}

/** Answers once all that has happened is kept; in the order of the calls, as far as the journal shows it. */
function whenKept(namespace: Namespace, send: () => Sent, undo: (error: unknown) => void): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    namespace.engine.whenKept((failure) => {
      if (failure === undefined) resolve(send());
      else {
        undo(failure.error);
        reject(failure.error);
      }
    });
  });
}

/**
 * Late, wrong, old or never: the answer as the fault has it. `drop: after` does the work and cuts the connection; for a
 * client that has hung up meanwhile the work is done too, as a service does it that hears of that too late.
 */
async function serveFault(
  call: Exchange,
  { namespace, headers }: Admitted,
  served: Served,
  { rule, source, giveBack }: PickedFault,
  answer: Answer,
): Promise<Outcome> {
  const { respond, delay, drop, hold, delay_answer, stale } = rule;
  const { signal } = call;
  const isSlow = [delay, hold, delay_answer].some((one) => one !== undefined) || drop === "hang";
  const entry = journalUnderWay(call, { ...served, fault: source }, { isSlow });
  // A namespace that is gone by then has nothing left to do or to say.
  if (delay !== undefined && !(await namespace.sleep(durationMs(delay)))) return null;
  const { error_codes } = namespace.engine.settings;
  const undo = (error: unknown): void => {
    giveBack();
    entry.end({ reply: failureReply(error, error_codes) });
  };
  const reply =
    respond !== undefined
      ? forcedReply(respond, error_codes)
      : drop === "before"
        ? null
        : orUndone(() => answer(stale === undefined ? undefined : asOfStale(stale, namespace.nowMs())), undo);
  const keeping = namespace.whenKept();
  if (keeping !== undefined) {
    try {
      await keeping;
    } catch (error) {
      undo(error);
      throw error;
    }
  }
  const objectId = reply === null ? undefined : objectOf(reply.json);
  if (drop !== undefined) {
    entry.end({ reply: null, objectId, clientGone: signal.aborted, isAnswerLost: reply !== null });
    if (drop === "hang") await entry.staysOpen(namespace.holds.open(signal));
    return null;
  }
  entry.made(objectId);
  const isThere = reply === null || (await namespace.holds.until(rule, reply.json, signal));
  const clientGone = signal.aborted;
  const sent = isThere && !clientGone ? reply : null;
  entry.end({ reply: sent, objectId, clientGone });
  return sent === null ? null : toSent(sent, namespace.nowMs(), headers);
}

function asOfStale(stale: NonNullable<FaultRule["stale"]>, nowMs: number): AsOf {
  return stale === "last_change" ? stale : nowMs - durationMs(stale);
}

/** What could not be done has not happened, nor has what goes with it. */
function orUndone(answer: () => Reply, undo: (error: unknown) => void): Reply {
  try {
    return answer();
  } catch (error) {
    undo(error);
    throw error;
  }
}

/** The row's own checks, then the work. */
function work(
  operation: Operation,
  call: Exchange,
  { namespace, caller }: Admitted,
  sent: Record<string, unknown>,
  asOf: AsOf | undefined,
): Reply {
  const asked = readAsked(operation, call.url, sent);
  if (isRefusal(asked)) return refused(namespace, asked);
  if (operation.reads) namespace.settle();
  const answer = operation.handle({
    namespace,
    caller,
    query: asked.query,
    body: asked.body,
    url: call.url,
    asOf,
    param: (name) => call.param(name) ?? "",
    header: (name) => call.header(name),
  });
  return isRefusal(answer) ? refused(namespace, answer) : answer;
}

/** Its sender hung up before the request was whole: nobody reads an answer. */
function hungUp(call: Exchange, served: Served): Outcome {
  journal(call, served, { reply: null, clientGone: true });
  return null;
}

/**
 * Answers a call of the service that there is not: a misspelt path or the wrong method is an app's mistake, and one
 * that its author looks for in the journal. What a browser asks for by itself is left out.
 */
export async function serveUnknown(namespaces: Namespaces, call: Exchange, reply: Reply): Promise<Outcome> {
  const authorization = call.header("authorization");
  if (!authorization && !call.path.startsWith("/api/")) return toSent(reply, namespaces.nowMs());
  const namespace = namespaces.find(call.header("sandbox-namespace"), bearerKey(authorization));
  const served = { operation: null, namespace, arrival: (namespace ?? namespaces.default).arrival() };
  const raw: RawBody = call.hasBody ? await call.readBody() : { text: "" };
  if ("torn" in raw) return hungUp(call, served);
  journal(call, { ...served, requestBody: "text" in raw && raw.text !== "" ? raw.text : null }, { reply });
  return toSent(reply, (namespace ?? namespaces).nowMs());
}
