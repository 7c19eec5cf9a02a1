import {
  ControlClient,
  type ControlClientOptions,
  fillCall,
  type OperationCall,
  readPages,
} from "../../../core/client/control-client.js";
import { errorText } from "../../../core/schema/error-text.js";
import { type HttpResponse, isSuccessStatus } from "../../../core/schema/http-response.js";
import { parseJsonOrText } from "../../../core/schema/json-objects.js";
import { createAbortController, systemWallClock } from "../../../core/time/wall-clock.js";
import { CannotRunError, StepFailure } from "./failure.js";

export interface CallResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or else the text. */
  readonly body: unknown;
}

/** Why a call has no response: the connection was cut, or the timeout expired. */
export type NoResponseReason = "dropped" | "timeout";

const CONTROL_TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 20 * 1024 * 1024;

export class Client {
  readonly #options: ControlClientOptions;
  #control: ControlClient;
  #inFlight = createAbortController();

  constructor(options: ControlClientOptions) {
    this.#options = options;
    this.#control = new ControlClient(options);
  }

  useNamespace(namespace: string): void {
    this.#control = new ControlClient({ ...this.#options, namespace });
  }

  get signal(): AbortSignal {
    return this.#inFlight.signal;
  }

  /** Aborts the calls in flight; later calls are not affected. */
  abort(): void {
    this.#inFlight.abort();
    this.#inFlight = createAbortController();
  }

  /** Calls an operation of the control API and returns any response. Throws if the sandbox cannot be reached. */
  control(...[id, input]: OperationCall): Promise<CallResponse> {
    return this.#send(fillCall(id, input));
  }

  /** Waits for a condition of the sandbox. The timeout is that of the call. */
  wait(condition: object, timeoutMs = CONTROL_TIMEOUT_MS): Promise<CallResponse> {
    return this.#send(fillCall("waitFor", condition), timeoutMs);
  }

  async #send(
    { method, path, body }: ReturnType<typeof fillCall>,
    timeoutMs = CONTROL_TIMEOUT_MS,
  ): Promise<CallResponse> {
    try {
      const answer = await callWithTimeout(timeoutMs, this.signal, (signal) =>
        this.#control.send(method, path, body, signal),
      );
      if (answer === "timeout") throw new Error(timeoutMessage(timeoutMs));
      return answer;
    } catch (error) {
      throw new CannotRunError(`the sandbox cannot be reached: ${networkErrorReason(error)}`);
    }
  }

  /** Calls an operation of the control API; an error response fails the step. */
  async callOrFail(...call: OperationCall): Promise<unknown> {
    return bodyOrFail(await this.control(...call));
  }

  pages<Row>([id, input]: OperationCall, length?: number): AsyncGenerator<readonly Row[]> {
    const call = fillCall(id, input);
    return readPages<Row>(call.path, async (path) => bodyOrFail(await this.#send({ ...call, path })), length);
  }

  /** Calls the control API to undo a change; 404 counts as success. */
  async undo(...call: OperationCall): Promise<void> {
    const { status } = await this.control(...call);
    if (status >= 300 && status !== 404) throw new Error(`the sandbox returned ${status}`);
  }

  async service(
    method: string,
    path: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly body: string | undefined },
    timeoutMs: number,
  ): Promise<CallResponse | NoResponseReason> {
    const call = {
      method,
      headers: { ...this.#control.headers, ...init.headers },
      ...(init.body === undefined ? {} : { body: init.body }),
    };
    checkSendable(path, call);
    try {
      return await callWithTimeout(timeoutMs, this.signal, (signal) =>
        this.#options.fetch(path, { ...call, redirect: "manual", signal }),
      );
    } catch (error) {
      if (error instanceof StepFailure) throw error;
      // Throws if the sandbox is gone; otherwise a fault cut the connection.
      await this.control("getClock");
      return "dropped";
    }
  }
}

export function errorOf({ body }: CallResponse): {
  readonly code?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, string>>;
} {
  const error: unknown = (body as { readonly error?: unknown } | null)?.error;
  return typeof error === "object" && error !== null ? error : {};
}

export function errorTextOf(answer: CallResponse): string {
  return errorOf(answer).message ?? `status ${answer.status}`;
}

function bodyOrFail(answer: CallResponse): unknown {
  if (isSuccessStatus(answer.status)) return answer.body;
  throw new StepFailure({ message: `the sandbox refused: ${errorTextOf(answer)}`, got: answer.body });
}

/** Throws for an invalid request, which would otherwise look like a cut connection. */
function checkSendable(path: string, call: RequestInit): void {
  try {
    new Request(new URL(path, "http://localhost"), call);
  } catch (error) {
    throw new StepFailure({ message: `the call cannot be sent: ${networkErrorReason(error)}` });
  }
}

export function timeoutMessage(timeoutMs: number): string {
  return `no answer within ${timeoutMs / 1000} s`;
}

/** Sends a request and reads the response. The wall-time timeout or `cancel` ends the call. */
export async function callWithTimeout(
  timeoutMs: number,
  cancel: AbortSignal,
  send: (signal: AbortSignal) => Promise<HttpResponse>,
): Promise<CallResponse | "timeout"> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  cancel.addEventListener("abort", stop);
  let cancelTimeout = (): void => {};
  const timeout = new Promise<"timeout">((resolve) => {
    cancelTimeout = systemWallClock.after(timeoutMs, () => {
      resolve("timeout");
      stop();
    });
  });
  try {
    return await Promise.race([send(abort.signal).then(readAnswer), timeout]);
  } finally {
    cancelTimeout();
    cancel.removeEventListener("abort", stop);
  }
}

async function readAnswer(response: HttpResponse): Promise<CallResponse> {
  const length = Number(response.headers.get("content-length") ?? 0);
  if (length > MAX_RESPONSE_BYTES) {
    await response.body?.cancel();
    throw new StepFailure({ message: `the response is too large to check: ${length} bytes` });
  }
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text === "" ? null : parseJsonOrText(text),
  };
}

export function networkErrorReason(error: unknown): string {
  // `fetch` wraps the network error in `cause`; `http` throws it directly.
  const networkError = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code } = (networkError ?? {}) as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" ? "nothing listens there" : errorText(networkError);
}
