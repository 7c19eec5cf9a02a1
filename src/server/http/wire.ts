import { type OutgoingHttpHeaders, ServerResponse, STATUS_CODES } from "node:http";
import { INTERNAL_ERROR, type Refusal, refuse } from "../../core/schema/errors.js";
import type { Incoming } from "./fast-path.js";
import { errorReply, replyHeaders } from "./reply.js";

/** A response for a bare socket. */
export interface PlainResponse {
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

/** A response whose connection is closed after it, as text. */
export function toWireText({ status, headers, body }: PlainResponse): string {
  const all = { ...headers, connection: "close", "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/** The response when `onFailure` itself fails. */
const FALLBACK: PlainResponse = {
  status: 500,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: errorReply(INTERNAL_ERROR).json,
};

export function safeFailure(onFailure: (error: unknown) => PlainResponse, error: unknown): PlainResponse {
  try {
    return onFailure(error);
  } catch {
    return FALLBACK;
  }
}

/** A ServerResponse that answers 500 when it cannot be sent as it is, for example with an invalid header value. */
export function serverResponseClass(
  onFailure: (error: unknown) => PlainResponse,
): typeof ServerResponse<Incoming> {
  return class extends ServerResponse<Incoming> {
    #instead: string | undefined;

    override writeHead(status: number, ...rest: unknown[]): this {
      try {
        return super.writeHead(status, ...(rest as [OutgoingHttpHeaders?]));
      } catch (error) {
        if (this.headersSent) throw error;
        const { status: failed, headers, body } = safeFailure(onFailure, error);
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

interface RefusalOptions {
  nowMs(): number;
  /** Error code → the user's own name for it. */
  readonly errorCodes?: Readonly<Record<string, string>> | undefined;
  readonly onError: (error: unknown) => void;
}

/** Responses to requests that do not reach the app, in the service's error shape. */
export function earlyReplies({ nowMs, errorCodes, onError }: RefusalOptions) {
  const answer = (refusal: Refusal) => {
    const { status, json } = errorReply(refusal, undefined, errorCodes);
    return { status, headers: replyHeaders(nowMs()), body: json };
  };
  return {
    onUnreadable: (status: number) => answer(malformedRequest(status)),
    onPlainHttp: () =>
      answer(refuse("VALIDATION_ERROR", "This port speaks HTTPS: use https:// in place of http://")),
    onFailure: (error: unknown) => {
      onError(error);
      return answer(INTERNAL_ERROR);
    },
  };
}

function malformedRequest(status: number): Refusal {
  switch (status) {
    case 408:
      return refuse("VALIDATION_ERROR", "The request took too long to arrive", undefined, status);
    case 417:
      return refuse("VALIDATION_ERROR", "The only expectation supported is 100-continue", undefined, status);
    case 505:
      return refuse("VALIDATION_ERROR", "The HTTP version must be 1.0 or 1.1", undefined, status);
    case 413:
      return refuse("PAYLOAD_TOO_LARGE", "The request's chunks are too large for its body");
    case 431:
      return refuse("PAYLOAD_TOO_LARGE", "The request's headers are too large", undefined, status);
    default:
      return refuse("VALIDATION_ERROR", "The request is malformed");
  }
}
