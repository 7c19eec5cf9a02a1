import { type OutgoingHttpHeaders, ServerResponse, STATUS_CODES } from "node:http";
import { type ErrorCode, INTERNAL_ERROR, type Refusal, refuse } from "../../core/schema/refusals.js";
import type { BufferedRequest } from "./fast-path.js";
import { errorReply, serializeReply, type TextResponse } from "./reply.js";

const STATUS_OF_PARSER_ERROR: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export function statusOfParserError(code = ""): number {
  return STATUS_OF_PARSER_ERROR[code] ?? 400;
}

/** Writes a response as HTTP/1.1 text with `Connection: close`, for a bare socket. */
export function toWireText({ status, headers, body }: TextResponse): string {
  const all = { ...headers, connection: "close", "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/** Sent if `onFailure` itself throws. */
const FALLBACK: TextResponse = {
  status: 500,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: errorReply(INTERNAL_ERROR).json,
};

export function failureResponseOrFallback(
  onFailure: (error: unknown) => TextResponse,
  error: unknown,
): TextResponse {
  try {
    return onFailure(error);
  } catch {
    return FALLBACK;
  }
}

/** A ServerResponse that sends 500 if its headers are invalid. */
export function serverResponseClass(
  onFailure: (error: unknown) => TextResponse,
): typeof ServerResponse<BufferedRequest> {
  return class extends ServerResponse<BufferedRequest> {
    #replacement: string | undefined;

    override writeHead(status: number, ...rest: unknown[]): this {
      try {
        return super.writeHead(status, ...(rest as [OutgoingHttpHeaders?]));
      } catch (error) {
        if (this.headersSent) throw error;
        const { status: failureStatus, headers, body } = failureResponseOrFallback(onFailure, error);
        this.#replacement = body;
        return super.writeHead(failureStatus, { ...headers, "content-length": Buffer.byteLength(body) });
      }
    }

    override write(...args: unknown[]): boolean {
      return this.#replacement !== undefined || super.write(...(args as [unknown]));
    }

    override end(...args: unknown[]): this {
      return this.#replacement === undefined
        ? super.end(...(args as [unknown]))
        : super.end(this.#replacement);
    }
  };
}

/** Makes the responses to requests that the routes cannot answer, in the service's error shape. */
export function createErrorResponders(
  nowMs: () => number,
  onError: (error: unknown) => void,
  errorCodes: Readonly<Record<string, string>> | undefined,
) {
  const respond = (refusal: Refusal) => serializeReply(errorReply(refusal, undefined, errorCodes), nowMs());
  return {
    onUnreadable: (status: number) => respond(malformedRequest(status)),
    onPlainHttp: () =>
      respond(refuse("VALIDATION_ERROR", "This port speaks HTTPS: use https:// in place of http://")),
    onFailure: (error: unknown) => {
      onError(error);
      return respond(INTERNAL_ERROR);
    },
  };
}

const MALFORMED: Readonly<Record<number, readonly [ErrorCode, message: string]>> = {
  408: ["VALIDATION_ERROR", "The request took too long to arrive"],
  413: ["PAYLOAD_TOO_LARGE", "The request's chunks are too large for its body"],
  417: ["VALIDATION_ERROR", "The only expectation supported is 100-continue"],
  431: ["PAYLOAD_TOO_LARGE", "The request's headers are too large"],
  505: ["VALIDATION_ERROR", "The HTTP version must be 1.0 or 1.1"],
};

function malformedRequest(status: number): Refusal {
  const [code, message] = MALFORMED[status] ?? ["VALIDATION_ERROR", "The request is malformed"];
  return refuse(code, message, undefined, status);
}
