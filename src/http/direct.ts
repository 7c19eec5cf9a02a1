import type { ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { aborter } from "../time/patience.js";
import { MAX_BODY_BYTES, type RawBody } from "./body.js";
import type { Answering, Exchange, Outcome } from "./exchange.js";
import type { Incoming } from "./incoming.js";
import type { Sent } from "./reply.js";

/** A call of the service that a method and a path mean. */
export interface Meant {
  readonly answering: Answering;
  param(name: string): string | undefined;
}

/** What is needed to answer the service's calls without a Request and a Response. */
export interface DirectWay {
  meant(method: string, path: string): Meant | undefined;
  failed(error: unknown, path: string): Sent;
}

/**
 * Answers a call of the service as it comes from Node, without a Request and a Response between. False for what needs
 * them: other routes, and an address, a host or a body about which there is something to be found out first.
 */
export function answerDirectly(way: DirectWay, incoming: Incoming, outgoing: ServerResponse): boolean {
  const { method = "", url = "", headers } = incoming;
  const { host = "" } = headers;
  if (!PLAIN_TARGET.test(url) || !isPlainHost(host) || !hasPlainBody(incoming)) return false;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const meant = way.meant(method, path);
  if (meant === undefined) return false;
  const send = (outcome: Outcome): void => {
    if (outcome === null) incoming.socket.destroy();
    else write(outgoing, outcome);
  };
  const fail = (error: unknown): void => send(way.failed(error, path));
  const call = new DirectExchange(incoming, outgoing, path, meant);
  try {
    const outcome = meant.answering(call);
    if (outcome instanceof Promise) outcome.then(send).catch(fail);
    else send(outcome);
  } catch (error) {
    fail(error);
  }
  return true;
}

/** What no URL is made of but as it stands: nothing to decode, and no dots. */
const PLAIN_TARGET = /^\/[\w/-]*(\?[\w.~=&-]*)?$/;
/** A port that is no scheme's own. */
const PLAIN_HOST = /^[a-z0-9._-]+(:([1-5]\d{3,4}|6[0-4]\d{3}|[6-9]\d{3}))?$/;

/** The last that was plain: an app calls by the same name each time. */
let plainHost: string | undefined;

function isPlainHost(host: string): boolean {
  if (host === plainHost) return true;
  if (!PLAIN_HOST.test(host)) return false;
  plainHost = host;
  return true;
}

/** Where a call went, as text. */
interface Address {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly target: string;
  readonly url: string;
  readonly path: string;
}

/** The last: who makes many orders calls the same address each time, and the journal keeps it with each of them. */
let lastAddress: Address | undefined;

function addressOf({ socket, headers, url: target = "" }: Incoming, path: string): Address {
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? "https" : "http";
  const { host = "" } = headers;
  const last = lastAddress;
  if (last?.target === target && last.host === host && last.scheme === scheme) return last;
  return (lastAddress = { scheme, host, target, url: `${scheme}://${host}${target}`, path });
}

/** Tests whether the body has a declared length within the limit. Nothing reads the body of a GET, so it must have none. */
function hasPlainBody({ method, headers }: Incoming): boolean {
  if (headers["transfer-encoding"] !== undefined) return false;
  const length = headers["content-length"];
  if (method === "GET") return length === undefined || length === "0";
  return length !== undefined && Number(length) <= MAX_BODY_BYTES;
}

/** Node writes the headers in the encoding of a body that is text, and headers are latin-1. */
function write(outgoing: ServerResponse, { status, headers, body }: Sent): void {
  const length = Buffer.byteLength(body);
  headers["Content-Length"] = String(length);
  outgoing.writeHead(status, headers);
  if (length === body.length) outgoing.end(body, "latin1");
  else outgoing.end(Buffer.from(body));
}

/** By the door of Node's port. */
class DirectExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly hasBody = true;
  readonly #incoming: Incoming;
  readonly #outgoing: ServerResponse;
  readonly #meant: Meant;
  #signal: AbortSignal | undefined;

  constructor(incoming: Incoming, outgoing: ServerResponse, path: string, meant: Meant) {
    const address = addressOf(incoming, path);
    this.method = incoming.method!;
    this.url = address.url;
    this.path = address.path;
    this.#incoming = incoming;
    incoming.takeBody();
    this.#outgoing = outgoing;
    this.#meant = meant;
  }

  /** What comes twice stands in one: `joinDuplicateHeaders` of the server. */
  header(name: string): string | null {
    return (this.#incoming.headers[name] as string | undefined) ?? null;
  }

  param(name: string): string | undefined {
    return this.#meant.param(name);
  }

  readBody(): Promise<RawBody> {
    return this.#incoming.takenBody();
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const outgoing = this.#outgoing;
      const controller = aborter();
      const leave = (): void => {
        if (!outgoing.writableFinished) controller.abort();
      };
      if (outgoing.closed) leave();
      else outgoing.once("close", leave);
      this.#signal = controller.signal;
    }
    return this.#signal;
  }
}
