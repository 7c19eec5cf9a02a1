import type { AttemptResult } from "../engine/commands/delivery-commands.js";
import { errorText } from "../schema/error-text.js";
import { IN_PROCESS_SCHEME } from "../schema/receiver-url.js";
import { type Deadline, onDeadline, type WallClock } from "../time/wall-clock.js";
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

/** Response of an in-process receiver: a Response, a status, or nothing for 204. */
// biome-ignore lint/suspicious/noConfusingVoidType: void is what a function that answers nothing returns
export type WebhookAnswer = Response | number | undefined | null | void;

/** A receiver in this process. If it throws, the response is 500. */
export type WebhookHandler = (request: Request) => WebhookAnswer | Promise<WebhookAnswer>;

export interface InProcessReceiver {
  readonly handler: WebhookHandler;
  readonly url: string;
}

export function isInProcessUrl(url: string): boolean {
  return url.startsWith(IN_PROCESS_SCHEME);
}

export class InProcessReceivers extends Map<string, InProcessReceiver> {
  #count = 0;

  add(receiver: InProcessReceiver): string {
    const address = `${IN_PROCESS_SCHEME}//handler-${++this.#count}`;
    this.set(address, receiver);
    return address;
  }
}

/** Returns a handler's response; 500 if it throws. */
export async function callHandler(handler: WebhookHandler, request: Request): Promise<Response> {
  try {
    const response = handlerResponse(await handler(request));
    // A Response of another library, such as @hono/node-server's in place of the global one, may not check its status.
    const { status } = response;
    if (!(Number.isInteger(status) && status >= 200 && status <= 599))
      throw new RangeError(`status ${status} is not a whole number from 200 to 599`);
    return response;
  } catch (error) {
    return handlerErrorResponse(error);
  }
}

function handlerErrorResponse(error: unknown): Response {
  const { name, message } = (error ?? {}) as Partial<Error>;
  const text = message ? `${name ?? "Error"}: ${message}` : errorText(error);
  return new Response(`the webhook handler threw ${text}`, { status: 500 });
}

function handlerResponse(answer: WebhookAnswer): Response {
  if (answer === undefined || answer === null) return new Response(null, { status: 204 });
  if (typeof answer === "number") return new Response(null, { status: answer });
  if (isResponse(answer)) return answer;
  throw new TypeError(`instead of answering a Response, a status or nothing: ${typeof answer}`);
}

/** Does not use instanceof, because test runners and polyfills have their own Response. */
function isResponse(value: unknown): value is Response {
  const { status, text, headers } = value as Partial<Response>;
  return typeof status === "number" && typeof text === "function" && typeof headers?.get === "function";
}

/** Calls an in-process receiver when all members of its barrier, if any, have arrived. Never rejects. */
export async function deliverInProcess(
  receiver: InProcessReceiver | undefined,
  signed: SignedRequest,
  wall: WallClock,
  patience: Deadline,
  barrier?: BarrierMember,
): Promise<AttemptResult> {
  await barrier?.arrive();
  return buildAttemptResult(signed, await callReceiver(receiver, signed, wall, patience), wall);
}

async function callReceiver(
  receiver: InProcessReceiver | undefined,
  { sentAt, headers, body }: SignedRequest,
  wall: WallClock,
  patience: Deadline,
): Promise<SendResult> {
  if (patience.signal.aborted) return CANCELLED_RESULT;
  if (receiver === undefined) return failedResult("the function has been unregistered");
  const bytes = Buffer.from(body);
  const request = new Request(receiver.url, {
    method: "POST",
    headers: { ...headers, "content-length": String(bytes.length) },
    body: bytes,
  });
  return new Promise((resolve) => {
    // Only this timer keeps the process running while the handler works.
    const cancelTimer = onDeadline(wall, patience, (reason) =>
      resolve(reason === "late" ? timedOutResult(patience.timeoutMs) : CANCELLED_RESULT),
    );
    const read = (response: Response) => readAnswer(response, Date.parse(sentAt));
    void callHandler(receiver.handler, request)
      .then(read)
      .catch((error) => read(handlerErrorResponse(error)))
      .then((answer) => {
        cancelTimer();
        resolve(answer);
      });
  });
}

/** Rejects if a Response of another library does not keep to the interface. */
async function readAnswer(response: Response, sentAtMs: number): Promise<SendResult> {
  return {
    status: response.status,
    response_body: await readBody(response),
    error: null,
    retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), sentAtMs),
  };
}

/** Returns the beginning of the body; null if the body breaks off or was read before. */
async function readBody(response: Response): Promise<string | null> {
  if (response.bodyUsed) return null;
  try {
    return Buffer.from(await response.text())
      .subarray(0, MAX_LOGGED_BODY_BYTES)
      .toString("utf8");
  } catch {
    return null;
  }
}

/** The handler of a failed assertion responds 500 as for any error; the test's next wait rethrows it. */
export class AssertionCollector {
  #errors: unknown[] = [];

  wrap(handler: WebhookHandler): WebhookHandler {
    return async (request) => {
      try {
        return await handler(request);
      } catch (error) {
        if (!isAssertion(error)) throw error;
        this.#errors.push(error);
        return handlerErrorResponse(error);
      }
    };
  }

  /** Throws the first collected assertion and drops the rest, which may follow from it. */
  rethrow(): void {
    const first = this.first;
    this.#errors = [];
    if (first !== undefined) throw first;
  }

  /** First assertion error collected since the last `rethrow`. */
  get first(): unknown {
    return this.#errors[0];
  }
}

/** Recognizes assertion errors of node:assert, Chai (Vitest) and Jest. */
export function isAssertion(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, code, matcherResult } = error as Record<string, unknown>;
  return code === "ERR_ASSERTION" || matcherResult !== undefined || /^Assertion(Error|$)/.test(String(name));
}
