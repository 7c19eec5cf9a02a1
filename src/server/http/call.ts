import type { Context } from "hono";
import { type RawBody, readBody } from "./body.js";
import { type TextResponse, toFetchResponse } from "./reply.js";

/** A call of the service, from the fast path or from a Request. */
export interface HttpCall {
  readonly method: string;
  /** With scheme and host. */
  readonly url: string;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly hasBody: boolean;
  /** Null for an absent header; repeated headers are joined. */
  header(name: string): string | null;
  param(name: string): string | undefined;
  readBody(): Promise<RawBody>;
}

/** Null cuts the connection without a response. */
export type CallResult = TextResponse | null;

export type CallHandler = (call: HttpCall) => CallResult | Promise<CallResult>;

export function handleRequest(handler: CallHandler, c: Context): Response | Promise<Response> {
  const result = handler(new RequestCall(c));
  return result instanceof Promise ? result.then(toResponse) : toResponse(result);
}

class RequestCall implements HttpCall {
  readonly #c: Context;

  constructor(c: Context) {
    this.#c = c;
  }

  get method(): string {
    return this.#c.req.method;
  }

  get url(): string {
    return this.#c.req.url;
  }

  get path(): string {
    return this.#c.req.path;
  }

  get signal(): AbortSignal {
    return this.#c.req.raw.signal;
  }

  get hasBody(): boolean {
    return this.#c.req.raw.body !== null;
  }

  header(name: string): string | null {
    return this.#c.req.raw.headers.get(name);
  }

  param(name: string): string | undefined {
    return this.#c.req.param(name);
  }

  readBody(): Promise<RawBody> {
    return readBody(this.#c.req.raw);
  }
}

/** Responses that stand for a cut connection. Instead of sending the response, the listener destroys the socket. */
const droppedResponses = new WeakSet<Response>();

export function isDropped(response: Response): boolean {
  return droppedResponses.has(response);
}

function toResponse(result: CallResult): Response {
  return result === null ? droppedResponse() : toFetchResponse(result);
}

export function droppedResponse(): Response {
  const response = new Response(null, { status: 500 });
  droppedResponses.add(response);
  return response;
}

/** The key of `Authorization: Bearer KEY`; null for an absent header or another scheme. */
export function parseBearerKey(header: string | null | undefined): string | null {
  if (header === null || header === undefined) return null;
  return /^Bearer +([^\s]+) *$/i.exec(header)?.[1] ?? null;
}
