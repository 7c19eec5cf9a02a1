import type { Context } from "hono";
import { type RawBody, readBody } from "./body.js";
import { droppedResponse } from "./dropped.js";
import { responseOf, type Sent } from "./reply.js";

/** A call of the service as it came, by whichever door: a port of Node's, or a Request. */
export interface Exchange {
  readonly method: string;
  /** Whole, with scheme and host. */
  readonly url: string;
  readonly path: string;
  /** Aborted when whoever called has hung up. */
  readonly signal: AbortSignal;
  readonly hasBody: boolean;
  /** Null where it was not sent; what was sent more than once stands in one. */
  header(name: string): string | null;
  /** Of the path. */
  param(name: string): string | undefined;
  readBody(): Promise<RawBody>;
}

/** What goes back; null is nothing at all: the connection is cut. */
export type Outcome = Sent | null;

/** Answers a call of the service. */
export type Answering = (call: Exchange) => Outcome | Promise<Outcome>;

/** By the door of Requests. */
class RequestExchange implements Exchange {
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

/** Answers a call that came as a Request. */
export function answerRequest(answering: Answering, c: Context): Response | Promise<Response> {
  const outcome = answering(new RequestExchange(c));
  return outcome instanceof Promise ? outcome.then(asResponse) : asResponse(outcome);
}

function asResponse(outcome: Outcome): Response {
  return outcome === null ? droppedResponse() : responseOf(outcome);
}
