import { type OutgoingHttpHeaders, ServerResponse, STATUS_CODES } from "node:http";
import { INTERNAL_ERROR } from "../schema/errors.js";
import type { Incoming } from "./incoming.js";
import { errorReply } from "./reply.js";

/** An answer that needs nothing but a socket to go out by. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function statusOfParserError(code: string | undefined): number {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return 431;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    default:
      return 400;
  }
}

/** The bytes of an answer after which the connection is closed. */
export function onTheWire({ status, headers, body }: PlainAnswer): string {
  const all = { ...headers, connection: "close", "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/** When even the answer that something has failed cannot be made. */
const LAST_RESORT: PlainAnswer = {
  status: 500,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: errorReply(INTERNAL_ERROR).json,
};

export function failureOf(onFailure: (error: unknown) => PlainAnswer, error: unknown): PlainAnswer {
  try {
    return onFailure(error);
  } catch {
    return LAST_RESORT;
  }
}

/** Responses that say that something has failed where what they were to say cannot be sent, a header's value most likely. */
export function responses(onFailure: (error: unknown) => PlainAnswer): typeof ServerResponse<Incoming> {
  return class extends ServerResponse<Incoming> {
    #instead: string | undefined;

    override writeHead(status: number, ...rest: unknown[]): this {
      try {
        return super.writeHead(status, ...(rest as [OutgoingHttpHeaders?]));
      } catch (error) {
        if (this.headersSent) throw error;
        const { status: failed, headers, body } = failureOf(onFailure, error);
        this.#instead = body;
        return super.writeHead(failed, { ...headers, "content-length": Buffer.byteLength(body) });
      }
    }

    override write(...args: unknown[]): boolean {
      return this.#instead !== undefined || super.write(...(args as [unknown]));
    }

    override end(...args: unknown[]): this {
      return this.#instead === undefined ? super.end(...(args as [unknown])) : super.end(this.#instead);
    }
  };
}
