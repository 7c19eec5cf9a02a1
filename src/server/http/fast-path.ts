import { IncomingMessage, type ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { afterPendingIo } from "../../core/time/timers.js";
import { createAbortController } from "../../core/time/wall-clock.js";
import { decodeBody, MAX_BODY_BYTES, OVERSIZED_HEADER, type RawBody } from "./body.js";
import type { CallResult, HttpCall } from "./call.js";
import type { TextResponse } from "./reply.js";
import type { RouteMatch } from "./routes.js";

/**
 * Handles ordinary calls of the service without Request and Response objects, but with the handlers and checks of
 * Hono's routes. For the reason and the measured gain, see docs/internal/decisions/006-fast-path.md.
 */
export interface FastPath {
  match(method: string, path: string): RouteMatch | undefined;
  failureResponse(error: unknown, path: string): TextResponse;
}

/** Handles a call on the fast path; returns false if the route, target, host or body needs a Request. */
export function tryFastPath(
  fastPath: FastPath,
  incoming: BufferedRequest,
  outgoing: ServerResponse,
): boolean {
  const { method = "", url = "", headers } = incoming;
  const { host = "" } = headers;
  if (!PLAIN_TARGET.test(url) || !PLAIN_HOST.test(host) || !hasPlainBody(incoming)) return false;
  const queryStart = url.indexOf("?");
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  const match = fastPath.match(method, path);
  if (match === undefined) return false;
  const send = (result: CallResult): void => {
    if (result === null) incoming.socket.destroy();
    else write(outgoing, result);
  };
  const fail = (error: unknown): void => send(fastPath.failureResponse(error, path));
  try {
    const result = match.handler(new IncomingCall(incoming, outgoing, path, match));
    if (result instanceof Promise) result.then(send).catch(fail);
    else send(result);
  } catch (error) {
    fail(error);
  }
  return true;
}

/** Matches targets that need no decoding or dot-segment removal. */
const PLAIN_TARGET = /^\/[\w/-]*(\?[\w.~=&-]*)?$/;
/** Matches hosts that a URL leaves unchanged: lower-case, without a port or with a port from 1000 to 64999. */
const PLAIN_HOST = /^[a-z0-9._-]+(:([1-5]\d{3,4}|6[0-4]\d{3}|[6-9]\d{3}))?$/;

/** Returns true if the body has a declared length within the limit. A GET must have no body, because none is read. */
function hasPlainBody({ method, headers }: BufferedRequest): boolean {
  if (headers["transfer-encoding"] !== undefined || headers[OVERSIZED_HEADER] !== undefined) return false;
  const length = headers["content-length"];
  if (method === "GET") return length === undefined || length === "0";
  return length !== undefined && Number(length) <= MAX_BODY_BYTES;
}

/** Writes a non-ASCII body as bytes: Node would apply the encoding of a text body to the latin-1 headers too. */
function write(outgoing: ServerResponse, { status, headers, body }: TextResponse): void {
  const length = Buffer.byteLength(body);
  headers["Content-Length"] = String(length);
  outgoing.writeHead(status, headers);
  if (length === body.length) outgoing.end(body, "latin1");
  else outgoing.end(Buffer.from(body));
}

class IncomingCall implements HttpCall {
  readonly hasBody = true;
  readonly #incoming: BufferedRequest;
  readonly #outgoing: ServerResponse;
  readonly #match: RouteMatch;
  #signal: AbortSignal | undefined;

  constructor(
    incoming: BufferedRequest,
    outgoing: ServerResponse,
    readonly path: string,
    match: RouteMatch,
  ) {
    this.#incoming = incoming;
    incoming.takeBody();
    this.#outgoing = outgoing;
    this.#match = match;
  }

  get method(): string {
    return this.#incoming.method!;
  }

  get url(): string {
    const { socket, headers, url } = this.#incoming;
    const scheme = (socket as Partial<TLSSocket>).encrypted === true ? "https" : "http";
    return `${scheme}://${headers.host ?? ""}${url}`;
  }

  /** Repeated headers are joined by the server's `joinDuplicateHeaders`. */
  header(name: string): string | null {
    return (this.#incoming.headers[name] as string | undefined) ?? null;
  }

  param(name: string): string | undefined {
    return this.#match.param(name);
  }

  readBody(): Promise<RawBody> {
    return this.#incoming.readTakenBody();
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const outgoing = this.#outgoing;
      const controller = createAbortController();
      const abort = (): void => {
        if (!outgoing.writableFinished) controller.abort();
      };
      if (outgoing.closed) abort();
      else outgoing.once("close", abort);
      this.#signal = controller.signal;
    }
    return this.#signal;
  }
}

const resolversOfTick: (() => void)[] = [];

function resolveBodiesOfTick(): void {
  for (const resolveBody of resolversOfTick.splice(0)) resolveBody();
}

/** A request that can read its body without Node's stream, whose buffer and events double the time of a read. */
export class BufferedRequest extends IncomingMessage {
  /** The body's chunks so far, on Deno no Buffers; undefined for a request whose body is a stream. */
  #chunks: Uint8Array[] | undefined;
  #end: "whole" | "torn" | undefined;
  #onEnd: (() => void) | undefined;

  /** Collects the body here, not in a stream. Requires that no chunk has come and that the body is within the limit. */
  takeBody(): void {
    this.#chunks = [];
    // Node drops the body of a request that nothing reads.
    this._read(0);
  }

  /**
   * Resolves with the whole body, together with the bodies that other connections have sent in this tick. Handlers that
   * run side by side find their code in the processor's caches.
   */
  readTakenBody(): Promise<RawBody> {
    return new Promise((resolve) => {
      const resolveBody = (): void => {
        if (resolversOfTick.push(() => resolve(this.#body())) === 1) afterPendingIo(resolveBodiesOfTick);
      };
      if (this.#end !== undefined) resolveBody();
      else this.#onEnd = resolveBody;
    });
  }

  #body(): RawBody {
    if (this.#end === "torn") return { torn: true };
    return decodeBody(Buffer.concat(this.#chunks ?? []));
  }

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (this.#chunks === undefined) return super.push(chunk, encoding);
    if (chunk === null) this.#finish("whole");
    else this.#chunks.push(chunk);
    return true;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.#chunks !== undefined) this.#finish("torn");
    super._destroy(error, callback);
  }

  /** Ignores calls after the first, because the connection may still close after a whole body. */
  #finish(end: "whole" | "torn"): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#onEnd?.();
  }
}
