import {
  ERROR_STATUS,
  INTERNAL_ERROR,
  isRefusal,
  LimitReachedError,
  type Refusal,
  SandboxError,
  StorageUnavailableError,
} from "../../core/schema/refusals.js";
import { iso } from "../../core/schema/time.js";

/** Status, JSON text and headers of a response, without the common headers. */
export interface Reply {
  readonly status: number;
  readonly json: string;
  /** Replaces `json` for texts longer than a string can be. */
  readonly pieces?: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The error code before it is renamed by `error_codes`. */
  readonly code?: string;
  readonly objectId?: string;
}

export function ok(value: unknown): Reply {
  return { status: 200, json: JSON.stringify(value) };
}

/** Serialized or streamed JSON, which an operation returns instead of a value. */
export class RawJson {
  readonly json: string | AsyncIterable<string>;
  readonly more: Pick<Reply, "headers" | "objectId">;

  constructor(json: string | AsyncIterable<string>, more: Pick<Reply, "headers" | "objectId"> = {}) {
    this.json = json;
    this.more = more;
  }
}

/** The reply to a call that was executed. Each piece of a stream is made when the client is ready to read more. */
export function replyOf(result: object): Reply | Refusal {
  if (!(result instanceof RawJson)) return isRefusal(result) ? result : ok(result);
  const { json, more } = result;
  return typeof json === "string"
    ? { status: 200, json, ...more }
    : { status: 200, json: "", pieces: json, ...more };
}

export function viewOrRefusal<Result, View>(
  result: Result | Refusal,
  view: (result: Result) => View,
): View | Refusal {
  return isRefusal(result) ? result : view(result);
}

/** The error shape of the service (specification: Errors). */
export function errorReply(
  refusal: Refusal,
  headers?: Readonly<Record<string, string>>,
  codes: Readonly<Record<string, string>> = {},
): Reply {
  const { message, details } = refusal;
  const code = codes[refusal.code] ?? refusal.code;
  return {
    status: refusal.status ?? ERROR_STATUS[refusal.code],
    code: refusal.code,
    json: JSON.stringify({ error: details === undefined ? { code, message } : { code, message, details } }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** The reply to a call that could not be executed or stored, or to a page whose operation was refused. */
export function failureReply(error: unknown, codes: Readonly<Record<string, string>>): Reply {
  if (error instanceof LimitReachedError || error instanceof SandboxError)
    return errorReply(error.refusal, undefined, codes);
  return error instanceof StorageUnavailableError
    ? errorReply(error.refusal, { "retry-after": "1" }, codes)
    : errorReply(INTERNAL_ERROR, undefined, codes);
}

const JSON_TYPE = "application/json; charset=utf-8";

/** The last time in a header, because many replies share a millisecond. */
let last = { ms: 0, text: iso(0) };

export function replyHeaders(nowMs: number): Record<string, string> {
  if (nowMs !== last.ms) last = { ms: nowMs, text: iso(nowMs) };
  return { "content-type": JSON_TYPE, "x-content-type-options": "nosniff", "sandbox-now": last.text };
}

export interface TextResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export function serializeReply(
  reply: Reply,
  nowMs: number,
  extra?: Readonly<Record<string, string>>,
): TextResponse {
  return { status: reply.status, headers: headersOf(reply, nowMs, extra), body: reply.json };
}

/** Passes headers as a plain object, which node-server writes without copying. */
export function toFetchResponse({ status, headers, body }: TextResponse): Response {
  return new Response(body, { status, headers });
}

export function toResponse(reply: Reply, nowMs: number): Response {
  if (reply.pieces === undefined) return toFetchResponse(serializeReply(reply, nowMs));
  const headers = headersOf(reply, nowMs);
  return new Response(streamOf(reply.pieces), { status: reply.status, headers });
}

function headersOf(
  reply: Reply,
  nowMs: number,
  extra?: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers = replyHeaders(nowMs);
  if (extra !== undefined) Object.assign(headers, extra);
  if (reply.headers !== undefined) Object.assign(headers, reply.headers);
  return headers;
}

function streamOf(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

interface Gated {
  passGate(): Promise<void> | undefined;
}

/**
 * The one door of replies: calls `make` once the changes so far are safe, at once or later in the order of the calls.
 *
 * @throws what the store has failed with
 */
export function throughDoor<Result>(
  gated: Gated | undefined,
  make: () => Result,
): Result | Promise<Awaited<Result>> {
  const passing = gated?.passGate();
  return passing === undefined ? make() : (passing.then(make) as Promise<Awaited<Result>>);
}
