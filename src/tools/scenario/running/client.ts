import { ControlClient, type ControlOptions, type SandboxFetch } from "../../../control-client.js";
import { jsonOrText } from "../../../core/schema/depth.js";
import { aborter } from "../../../core/time/patience.js";
import type { Wall } from "../../../core/time/wall.js";
import { CannotRun, StepFailure } from "./failure.js";

/** An answer as steps look at it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON where it is, else the text. */
  readonly body: unknown;
}

/** What came in the place of an answer: the connection was cut, or the caller's patience ended. */
export type NoAnswer = "dropped" | "timeout";

/** What `ask` needs of a Response. */
export interface Answered extends Pick<Response, "status"> {
  readonly headers: Iterable<[name: string, value: string]> & {
    get(name: string): string | null | undefined;
  };
  readonly body: { cancel(): Promise<void> } | null;
  text(): Promise<string>;
}

const CONTROL_TIMEOUT_MS = 60_000;
const BIGGEST_ANSWER = 20 * 1024 * 1024;

/** Speaks HTTP with one sandbox, in one namespace, for one run. */
export class Client {
  readonly #options: ControlOptions;
  #control: ControlClient;
  readonly #fetch: SandboxFetch;
  readonly #wall: Wall;
  #inFlight = aborter();

  constructor(options: ControlOptions, wall: Wall) {
    this.#options = options;
    this.#control = new ControlClient(options);
    this.#fetch = options.fetch;
    this.#wall = wall;
  }

  /** From now on in another namespace. */
  enter(namespace: string): void {
    this.#control = new ControlClient({ ...this.#options, namespace });
  }

  /** Breaks off when the run is interrupted: for whatever else a step has in flight. */
  get signal(): AbortSignal {
    return this.#inFlight.signal;
  }

  /** Nobody waits any more for what is in flight; what is sent from now on is not touched. */
  abandon(): void {
    this.#inFlight.abort();
    this.#inFlight = aborter();
  }

  /** A call of the control API whatever it answers; throws only when the sandbox cannot be reached. */
  async control(
    method: string,
    path: string,
    body?: unknown,
    timeoutMs = CONTROL_TIMEOUT_MS,
  ): Promise<Answer> {
    try {
      const answer = await ask(this.#wall, timeoutMs, this.signal, (signal) =>
        this.#control.send(method, `/_sandbox${path}`, body, signal),
      );
      if (answer === "timeout") throw new Error(noAnswerWithin(timeoutMs));
      return answer;
    } catch (error) {
      throw new CannotRun(`the sandbox cannot be reached: ${reasonOf(error)}`);
    }
  }

  /** A call of the control API that has to succeed; what it refuses fails the step. */
  async must(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.control(method, path, body);
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    const { error } = answer.body as { error?: { code?: string; message?: string; details?: unknown } };
    throw new StepFailure({
      message: `the sandbox refused: ${error?.message ?? `status ${answer.status}`}`,
      got: answer.body,
    });
  }

  /** Takes something back; that it is gone already is as good. */
  async undo(method: string, path: string, body?: unknown): Promise<void> {
    const { status } = await this.control(method, path, body);
    if (status >= 300 && status !== 404) throw new Error(`the sandbox returned ${status}`);
  }

  /** A call of the emulated service, as an app would make it. */
  async service(
    method: string,
    path: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly body: string | undefined },
    timeoutMs: number,
  ): Promise<Answer | NoAnswer> {
    const call = {
      method,
      headers: { ...this.#control.headers, ...init.headers },
      ...(init.body === undefined ? {} : { body: init.body }),
    };
    checkSendable(path, call);
    try {
      return await ask(this.#wall, timeoutMs, this.signal, (signal) =>
        this.#fetch(path, { ...call, redirect: "manual", signal }),
      );
    } catch (error) {
      if (error instanceof StepFailure) throw error;
      // A fault may have cut the connection; a sandbox that is gone would not answer this either.
      await this.control("GET", "/clock");
      return "dropped";
    }
  }
}

/** Refuses what nobody can send, lest it be taken for a connection that was cut. */
function checkSendable(path: string, call: RequestInit): void {
  try {
    new Request(new URL(path, "http://localhost"), call);
  } catch (error) {
    throw new StepFailure({ message: `the call cannot be sent: ${reasonOf(error)}` });
  }
}

export function noAnswerWithin(timeoutMs: number): string {
  return `no answer within ${timeoutMs / 1000} s`;
}

/** Sends, and reads the answer; gives up after so much wall time, or when it is told to. */
export async function ask(
  wall: Wall,
  timeoutMs: number,
  giveUp: AbortSignal,
  send: (signal: AbortSignal) => Promise<Answered>,
): Promise<Answer | "timeout"> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  giveUp.addEventListener("abort", stop);
  let callOff = (): void => {};
  const late = new Promise<"timeout">((resolve) => {
    callOff = wall.after(timeoutMs, () => {
      resolve("timeout");
      stop();
    });
  });
  try {
    return await Promise.race([send(abort.signal).then(readAnswer), late]);
  } finally {
    callOff();
    giveUp.removeEventListener("abort", stop);
  }
}

async function readAnswer(response: Answered): Promise<Answer> {
  const length = Number(response.headers.get("content-length") ?? 0);
  if (length > BIGGEST_ANSWER) {
    await response.body?.cancel();
    throw new StepFailure({ message: `the response is too large to check: ${length} bytes` });
  }
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text === "" ? null : jsonOrText(text),
  };
}

/** In words, why a request got no answer. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // What went wrong on the network is the cause of what `fetch` throws, and is what `http` throws itself.
  const failed = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException;
  if (failed.code === "ECONNREFUSED") return "nothing listens there";
  return failed.message || failed.code || error.message;
}
