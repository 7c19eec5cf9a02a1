import type * as http from "node:http";
import type { LookupFunction, Socket } from "node:net";
import type { AttemptResult } from "../engine/commands/delivery-commands.js";
import { errorText } from "../schema/error-text.js";
import type { WallClock } from "../time/wall-clock.js";
import type { BarrierMember } from "./barriers.js";
import {
  buildAttemptResult,
  CANCELLED_RESULT,
  failedResult,
  MAX_LOGGED_BODY_BYTES,
  parseRetryAfter,
  type SendResult,
  type SignedRequest,
  timedOutResult,
} from "./outcomes.js";
import { ConnectionPool, createRequester, type Requester } from "./outgoing-http.js";

interface ReceiverClientOptions {
  /** Wall time for a response. */
  readonly timeoutMs: number;
  readonly wall: WallClock;
  /** Name resolver; default: the machine's. */
  readonly resolve?: LookupFunction;
}

/** Posts to receivers over HTTP(S) without following redirects. */
export class ReceiverClient {
  readonly #options: ReceiverClientOptions;
  readonly #connections = new ConnectionPool();

  constructor(options: ReceiverClientOptions) {
    this.#options = options;
  }

  /** Never rejects: failures are part of the outcome. The request waits until `barrier` opens. */
  async post(
    address: string,
    signed: SignedRequest,
    signal: AbortSignal,
    barrier?: BarrierMember,
  ): Promise<AttemptResult> {
    const { resolve } = this.#options;
    const request = signal.aborted
      ? undefined
      : await createRequester(new URL(address), this.#connections, resolve);
    // A request that was cancelled while it waited, or while TLS was loading, is not sent.
    const answer =
      request === undefined || signal.aborted
        ? CANCELLED_RESULT
        : await this.#exchange(request, signed, signal, barrier);
    barrier?.leave();
    return buildAttemptResult(signed, answer, this.#options.wall);
  }

  #exchange(
    startRequest: Requester,
    { sentAt, headers, body }: SignedRequest,
    signal: AbortSignal,
    barrier: BarrierMember | undefined,
  ): Promise<SendResult> {
    const { wall, timeoutMs } = this.#options;
    return new Promise((resolve) => {
      let current: http.ClientRequest | undefined;
      let cancelTimeout: (() => void) | undefined;
      let isDone = false;
      const finish = (answer: SendResult): void => {
        if (isDone) return;
        isDone = true;
        cancelTimeout?.();
        signal.removeEventListener("abort", abort);
        resolve(answer);
      };
      const stop = (answer: SendResult): void => {
        finish(answer);
        current?.destroy();
      };
      const abort = (): void => stop(CANCELLED_RESULT);
      signal.addEventListener("abort", abort);

      const sendRequest = (connection: Pick<http.RequestOptions, "agent">): void => {
        const request = startRequest({
          method: "POST",
          headers: { ...headers, "content-length": Buffer.byteLength(body) },
          ...connection,
        });
        current = request;
        let usedSocket: UsedSocket | undefined;
        let isAnswered = false;
        // The timeout starts when the request has a connection: the wait for a connection is not the receiver's delay.
        request.once("socket", (socket) => {
          if (isDone) return;
          usedSocket = { socket, readBefore: socket.bytesRead };
          cancelTimeout ??= wall.after(timeoutMs, () => stop(timedOutResult(timeoutMs)));
          if (barrier === undefined) return;
          const send = () => void barrier.arrive().then(() => request.end(body));
          if (socket.connecting) socket.once("encrypted" in socket ? "secureConnect" : "connect", send);
          else send();
        });
        request.on("error", (error: NodeJS.ErrnoException) => {
          // After a response, the error is of the bytes that follow it.
          if (isDone || isAnswered) return;
          if (request.reusedSocket && usedSocket !== undefined && isCutBeforeAnswer(error, usedSocket))
            sendRequest({ agent: false });
          else finish({ ...failedResult(errorText(error)), isUnreachable: isRefused(error) });
        });
        request.on("response", (response) => {
          isAnswered = true;
          readAnswer(response, Date.parse(sentAt), finish);
        });
        if (barrier === undefined) request.end(body);
      };
      sendRequest({});
    });
  }

  close(): void {
    this.#connections.close();
  }
}

/** Reports the response even if the body breaks off, because the status is known by then. */
function readAnswer(
  response: http.IncomingMessage,
  sentAtMs: number,
  onAnswer: (answer: SendResult) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const end = (): void =>
    onAnswer({
      status: response.statusCode ?? null,
      response_body: Buffer.concat(chunks).toString("utf8"),
      error: null,
      retryAfterMs: parseRetryAfter(response.headers["retry-after"], sentAtMs),
    });
  response.on("data", (chunk: Buffer) => {
    if (length >= MAX_LOGGED_BODY_BYTES) return;
    chunks.push(chunk.subarray(0, MAX_LOGGED_BODY_BYTES - length));
    length += chunk.length;
  });
  for (const event of ["end", "close", "error"]) response.on(event, end);
}

interface UsedSocket {
  readonly socket: Socket;
  readonly readBefore: number;
}

/**
 * Returns true if a reused connection was cut before any response byte: the receiver probably closed an idle
 * connection. Under TLS, byte counts are unknown, so every cut connection is taken as cut before the response.
 */
function isCutBeforeAnswer(error: NodeJS.ErrnoException, { socket, readBefore }: UsedSocket): boolean {
  if (error.code !== "ECONNRESET" && error.code !== "EPIPE") return false;
  return "encrypted" in socket || socket.bytesRead === readBefore;
}

const UNREACHABLE_CODES = new Set(["ECONNREFUSED", "EADDRNOTAVAIL", "ENETUNREACH", "EAFNOSUPPORT"]);

/** Returns true if no address of the name can be reached and at least one refuses the connection. */
function isRefused(error: NodeJS.ErrnoException): boolean {
  const errors = (error as { errors?: unknown }).errors;
  if (!Array.isArray(errors)) return error.code === "ECONNREFUSED";
  const codes = errors.map((cause) => String((cause as NodeJS.ErrnoException).code));
  return codes.includes("ECONNREFUSED") && codes.every((code) => UNREACHABLE_CODES.has(code));
}
