import { type ErrorCode, type ErrorDetails, refuse } from "./core/schema/errors.js";
import { SandboxError } from "./core/schema/sandbox-error.js";
import { UserError } from "./core/schema/user-error.js";

/** How requests reach a sandbox: in this process, or over the network. */
export type SandboxFetch = (path: string, init: RequestInit) => Promise<SandboxAnswer>;

/** Where a sandbox of this process has its own: of the control API it makes no request or response. */
export const CALL = Symbol("payments-sandbox.call");

/** What is read of a response. */
export type SandboxAnswer = Pick<Response, "ok" | "status" | "headers" | "body" | "text">;

/** Which sandbox a client speaks to, and as whom. */
export interface ControlOptions {
  readonly fetch: SandboxFetch;
  /** Default: the namespace `default`. */
  readonly namespace?: string | undefined;
  /** What the control API asks for beyond loopback. */
  readonly controlToken?: string | undefined;
  /** Marks what the run of a scenario sends itself, so that it is not counted as the app's. */
  readonly runner?: string | undefined;
  /** The run whose lease is meant. */
  readonly run?: string | undefined;
  /** The error for something that is not there names the call, for who reads no more than its message. */
  readonly namesCalls?: boolean;
}

/** A call of the control API: `"POST", "/_sandbox/faults", { … }`, or with the first two as one text. */
export type ControlCall =
  | [method: string, path: string, body?: unknown]
  | [methodAndPath: string, body?: object];

/** Thrown for an answer that no sandbox gives. */
export class ForeignAnswer extends Error {
  constructor(
    call: string,
    readonly status: number,
    text: string,
  ) {
    super(`${call} did not respond like a sandbox: ${status} ${text.slice(0, 200)}`);
  }
}

/** The control API of one sandbox, in one namespace. */
export class ControlClient {
  /** What every request of this client carries. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #fetch: SandboxFetch;
  readonly #namesCalls: boolean;

  constructor({ fetch, namespace, controlToken, runner, run, namesCalls = false }: ControlOptions) {
    this.#fetch = fetch;
    this.#namesCalls = namesCalls;
    this.headers = {
      ...(runner === undefined ? {} : { "sandbox-runner": runner }),
      ...(run === undefined ? {} : { "sandbox-run": run }),
      ...(namespace === undefined ? {} : { "sandbox-namespace": namespace }),
      ...(controlToken === undefined ? {} : { "sandbox-control-token": controlToken }),
    };
  }

  /** Sends a body as JSON; whatever is answered is the caller's to read. */
  send(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SandboxAnswer> {
    const isEmpty = body === undefined;
    return this.#fetch(path, {
      method,
      headers: { ...this.headers, ...headers, ...(isEmpty ? {} : { "content-type": "application/json" }) },
      ...(isEmpty ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** The JSON of the answer; a refusal is thrown as a SandboxError. */
  async call<Answer>(...call: ControlCall): Promise<Answer> {
    const { method, path, body } = partsOf(call);
    const response = await this.send(method, path, body);
    const text = await response.text();
    const json = jsonOf(text);
    if (response.ok && json !== undefined) return json as Answer;
    const { error } = (json ?? {}) as {
      error?: { code?: ErrorCode; message?: string; details?: ErrorDetails };
    };
    if (error?.code === undefined) throw new ForeignAnswer(`${method} ${path}`, response.status, text);
    throw new SandboxError(
      refuse(error.code, error.message ?? "refused", error.details),
      this.#namesCalls && error.code === "NOT_FOUND" ? `${method} ${path}` : undefined,
    );
  }
}

/** A list's page can be so long. */
const PAGE = 100;

/** A list page by page, as long as the caller wants more. */
export async function* pagesOf<Item>(
  path: string,
  read: (path: string) => Promise<unknown>,
  page = PAGE,
): AsyncGenerator<readonly Item[]> {
  for (let offset = 0; ; offset += page) {
    const { items } = (await read(
      `${path}${path.includes("?") ? "&" : "?"}limit=${page}&offset=${offset}`,
    )) as { items: Item[] };
    yield items;
    if (items.length < page) return;
  }
}

function partsOf(call: ControlCall): { method: string; path: string; body: unknown } {
  const [first, second, third] = call as unknown[];
  const isOneText = typeof first === "string" && first.includes(" ");
  const [method, path, body] = isOneText ? [...first.split(/ +/, 2), second] : [first, second, third];
  if (typeof method === "string" && /^[a-z]+$/i.test(method) && String(path).startsWith("/"))
    return { method: method.toUpperCase(), path: String(path), body };
  throw new UserError(
    `control: needs a method and a path, as in control("GET", "/_sandbox/clock"), not ${JSON.stringify(first)}`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
