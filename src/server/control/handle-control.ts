import type { Context } from "hono";
import type * as z from "zod/mini";
import { type Route, type Vocabulary, vocabularyOf, withRoutes } from "../../core/domain/name-check.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { clockWaitQuerySchema, noParametersSchema } from "../../core/schema/control-requests.js";
import { type HttpResponse, isSuccessStatus } from "../../core/schema/http-response.js";
import { issueDetails, safeParse } from "../../core/schema/issues.js";
import {
  INVALID_QUERY_MESSAGE,
  isRefusal,
  type Refusal,
  refuse,
  refuseInvalid,
} from "../../core/schema/refusals.js";
import { durationToMs } from "../../core/schema/time.js";
import { createAbortController, joinPieces } from "../../core/time/wall-clock.js";
import { CROSS_ORIGIN_MESSAGE, isCrossOrigin } from "../http/access.js";
import {
  bodyTooLargeRefusal,
  incompleteBodyRefusal,
  MAX_BODY_BYTES,
  parseJsonObject,
  type RawBody,
  readBody,
} from "../http/body.js";
import { parseBearerKey } from "../http/call.js";
import { type Fields, readInput, readQuery, takesQuery } from "../http/operation-row.js";
import {
  errorReply,
  failureReply,
  type Reply,
  replyHeaders,
  replyOf,
  throughDoor,
  toResponse,
} from "../http/reply.js";
import { unknownNamespaceReply } from "../service/admit.js";
import {
  type ControlCall,
  type ControlOperation,
  PAGE_RUNNERS,
  refuseUnknownNames,
} from "./control-operation.js";

/** The parts of the server that control operations use: in-process calls, and the routes of the service. */
export interface ServerHandle {
  readonly fetch: ControlCall["fetch"];
  readonly routes: readonly Route[];
}

interface ControlRequest extends Pick<ControlCall, "url" | "signal" | "param"> {
  header(name: string): string | null;
  /** Reads the body; `{}` if absent. */
  body(publicUrl: string | undefined): Fields | Refusal | Promise<Fields | Refusal>;
}

interface TimedReply {
  readonly reply: Reply;
  readonly nowMs: number;
}

/** Handles a control call: finds the namespace, reads the body, runs the operation, waits until changes are stored. */
async function replyTo(
  namespaces: Namespaces,
  operation: ControlOperation,
  { fetch, routes }: ServerHandle,
  { url, signal, param, header, body: bodyOf }: ControlRequest,
): Promise<TimedReply> {
  const name = header("sandbox-namespace");
  const key = parseBearerKey(header("authorization"));
  const namespace = namespaces.find(name, key)!;
  // Another process may run the default namespace. Calls of /_sandbox/namespaces need no local namespace.
  const isOfServer = namespaces.ownership !== undefined && operation.path.startsWith("/_sandbox/namespaces");
  if (namespace === undefined && !isOfServer)
    return { reply: unknownNamespaceReply(namespaces, name, key), nowMs: namespaces.nowMs() };
  const execute = async (): Promise<Reply | Refusal> => {
    const body = operation.method === "GET" ? {} : await bodyOf(namespaces.options.base.publicUrl);
    if (isRefusal(body)) return body;
    const vocabulary = vocabularyIn(namespace, routes);
    const read = paramError(operation, param) ?? readControlInput(operation, url, body, vocabulary);
    if (isRefusal(read)) return read;
    if (read.wait !== undefined) await namespace.clock.whenIdle(durationToMs(read.wait));
    const late = namespace?.catchUp();
    if (late !== undefined) await late;
    if (operation.runsDueTasks) namespace.runDueTasks();
    const result = operation.run({
      namespaces,
      namespace,
      url,
      input: read.input,
      mode: key?.startsWith("sk_live_") ? "live" : "test",
      actor: PAGE_RUNNERS.find((runner) => runner === header("sandbox-runner")) ?? "control",
      run: header("sandbox-run"),
      fetch,
      access: {
        "sandbox-control-token": header("sandbox-control-token") ?? "",
        cookie: header("cookie") ?? "",
      },
      vocabulary,
      signal,
      param,
    });
    return result instanceof Promise ? result.then(replyOf) : replyOf(result);
  };
  const result = await execute();
  return throughDoor(namespace, () => ({
    reply: isRefusal(result) ? errorReply(result) : result,
    nowMs: (namespace ?? namespaces).nowMs(),
  }));
}

function paramError({ params = {} }: ControlOperation, param: ControlCall["param"]): Refusal | undefined {
  for (const [name, schema] of Object.entries<z.ZodMiniType<string>>(params)) {
    const checked = safeParse(schema, param(name));
    if (!checked.ok) return refuseInvalid({ [name]: issueDetails(checked.issues).body! });
  }
  return undefined;
}

/** Validates query and body. Refuses unknown names, such as a misspelled event type, which would match nothing. */
function readControlInput(
  operation: ControlOperation,
  url: string,
  body: Fields,
  vocabulary: Vocabulary,
): { readonly input: unknown; readonly wait?: string | undefined } | Refusal {
  const { input, queryPrefix, canWaitForClock } = operation;
  if (takesQuery(operation)) {
    const isUnknown = (name: string) => queryPrefix === undefined || !name.startsWith(queryPrefix);
    const read = readInput({ ...operation, input: input ?? noParametersSchema }, url, body, isUnknown);
    if (isRefusal(read)) return read;
    return refuseUnknownNames(input, read.input, { vocabulary }, INVALID_QUERY_MESSAGE) ?? read;
  }
  const querySchema = canWaitForClock ? clockWaitQuerySchema : noParametersSchema;
  const query = readQuery<{ wait?: string | undefined }>(querySchema, url, () => true);
  if (isRefusal(query)) return query;
  const read = readInput(operation, url, body);
  if (isRefusal(read)) return read;
  return refuseUnknownNames(input, read.input, { vocabulary }) ?? { ...read, ...query.input };
}

export function createControlHandler(
  namespaces: Namespaces,
  operation: ControlOperation,
  server: ServerHandle,
): (c: Context) => Promise<Response> {
  return async (c) => {
    const { raw } = c.req;
    const { reply, nowMs } = await replyTo(namespaces, operation, server, {
      url: c.req.url,
      header: (name) => raw.headers.get(name),
      signal: () => raw.signal,
      param: (parameter) => c.req.param(parameter) ?? "",
      body: (publicUrl) =>
        isCrossOrigin(raw, publicUrl)
          ? refuse("FORBIDDEN", CROSS_ORIGIN_MESSAGE)
          : readObject(raw, operation),
    });
    return toResponse(reply, nowMs);
  };
}

async function readObject(
  request: Request,
  { maxBodyBytes: maxBytes = MAX_BODY_BYTES, maxDepth }: ControlOperation,
): Promise<Fields | Refusal> {
  const raw: RawBody = await readBody(request, maxBytes);
  if ("tooLarge" in raw) return bodyTooLargeRefusal(maxBytes);
  if ("torn" in raw) return incompleteBodyRefusal();
  if (raw.text.trim() === "") return {};
  // A call that takes a larger body takes a state or books, whose records have no limit.
  const maxValues = maxBytes > MAX_BODY_BYTES ? Number.POSITIVE_INFINITY : undefined;
  const parsed = parseJsonObject(raw, maxDepth, maxValues);
  return isRefusal(parsed) ? parsed : parsed.object;
}

/** Calls the control API; returns undefined if the path is unknown. */
export type InProcessControl = (path: string, init: RequestInit) => Promise<HttpResponse> | undefined;

const NEVER = createAbortController().signal;

/** Serves calls from this process, with the same checks but without Request and Response objects. */
export function createInProcessControl(
  namespaces: Namespaces,
  operations: readonly ControlOperation[],
  server: ServerHandle,
  onError: (error: unknown) => void,
): InProcessControl {
  const routes = operations.map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`),
  }));
  return (path, { method = "GET", headers, body, signal }) => {
    if (typeof body !== "string" && body !== undefined) return undefined;
    const [bare] = path.split("?");
    const route = routes.find(({ operation, pattern }) => operation.method === method && pattern.test(bare!));
    if (route === undefined) return undefined;
    const { operation, pattern } = route;
    const { groups = {} } = pattern.exec(bare!)!;
    const requestHeaders = new Headers(headers);
    return replyTo(namespaces, operation, server, {
      url: `http://localhost${path}`,
      header: (name) => requestHeaders.get(name),
      signal: () => signal ?? NEVER,
      param: (name) => decodeURIComponent(groups[name] ?? ""),
      body: () => (body === undefined ? {} : JSON.parse(body)),
    })
      .catch((error): TimedReply => {
        onError(error);
        return { reply: failureReply(error, {}), nowMs: namespaces.nowMs() };
      })
      .then(inProcessResponse);
  };
}

function inProcessResponse({ reply: { status, json, pieces, headers }, nowMs }: TimedReply): HttpResponse {
  return {
    status,
    ok: isSuccessStatus(status),
    headers: new Headers({ ...replyHeaders(nowMs), ...headers }),
    body: null,
    text: async () => (pieces === undefined ? json : joinPieces(pieces)),
  };
}

/** Vocabulary of a namespace, including the event types that were triggered with `force`. */
function vocabularyIn(namespace: Namespace, routes: readonly Route[]): Vocabulary {
  return withRoutes((kind) => {
    const { catalogue, settings, state } = namespace.engine;
    const names = vocabularyOf({ fixtures: catalogue.fixtures, eventNames: settings.event_names, routes })(
      kind,
    );
    if (names === undefined || (kind !== "event type" && kind !== "event name")) return names;
    return [...names, ...state.eventTypes().filter((type) => !names.includes(type))];
  }, routes);
}
