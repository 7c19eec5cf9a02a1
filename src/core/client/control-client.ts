import type { HttpResponse } from "../schema/http-response.js";
import { getOwn, isJsonObject } from "../schema/json-objects.js";
import { didYouMean } from "../schema/nearest.js";
import { OPERATION_IDS } from "../schema/operation-ids.js";
import {
  type ErrorCode,
  type ErrorDetails,
  refuse,
  refuseInvalid,
  SandboxError,
} from "../schema/refusals.js";
import { UserError } from "../schema/user-error.js";
import { CONTROL_CALLS, type ControlOperationId } from "./operations.js";

export type SandboxFetch = (path: string, init: RequestInit) => Promise<HttpResponse>;

/** Key of the in-process `SandboxFetch`, which calls the control API without Request and Response objects. */
export const IN_PROCESS_FETCH = Symbol("payments-sandbox.call");

export interface ControlClientOptions {
  readonly fetch: SandboxFetch;
  /** Default: the namespace `default`. */
  readonly namespace?: string | undefined;
  /** Required by a server that listens beyond loopback. */
  readonly controlToken?: string | undefined;
  /** Name of the runner that sends the requests. The journal attributes requests without a runner to the app. */
  readonly runner?: string | undefined;
  /** ID of the run that holds the lease of the namespace. */
  readonly run?: string | undefined;
  /** Adds the call to the message of a NOT_FOUND error. */
  readonly includesCallInNotFound?: boolean;
}

/** A call of the control API: `"POST", "/_sandbox/faults", { … }`, or method and path as one text. */
export type ControlCallArguments =
  | [method: string, path: string, body?: unknown]
  | [methodAndPath: string, body?: object];

type Fields = Readonly<Record<string, unknown>>;
export type FilledCall = Readonly<Record<"method" | "path", string>> & { readonly body: unknown };

/** An operation of the control API and its input: the fields of path, query and body together. */
export type OperationCall = {
  [Id in ControlOperationId]: [PathField<(typeof CONTROL_CALLS)[Id]>] extends [never]
    ? [id: Id, input?: object]
    : [id: Id, input: Fields & Readonly<Record<PathField<(typeof CONTROL_CALLS)[Id]>, string | number>>];
}[ControlOperationId];

/** Names of the path parameters: `charge_id` of `GET /_sandbox/charges/{charge_id}`. */
export type PathField<Call extends string> = Call extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, `?${string}`> | PathField<Rest>
  : never;

/** Error for a response that did not come from a sandbox. */
export class UnexpectedResponseError extends Error {
  constructor(
    call: string,
    readonly status: number,
    text: string,
  ) {
    super(`${call} did not respond like a sandbox: ${status} ${text.slice(0, 200)}`);
  }
}

export class ControlClient {
  readonly headers: Readonly<Record<string, string>>;
  readonly #fetch: SandboxFetch;
  readonly #namesCalls: boolean;

  constructor(options: ControlClientOptions) {
    const { namespace, controlToken, runner, run } = options;
    this.#fetch = options.fetch;
    this.#namesCalls = options.includesCallInNotFound ?? false;
    this.headers = {
      ...(runner === undefined ? {} : { "sandbox-runner": runner }),
      ...(run === undefined ? {} : { "sandbox-run": run }),
      ...(namespace === undefined ? {} : { "sandbox-namespace": namespace }),
      ...(controlToken === undefined ? {} : { "sandbox-control-token": controlToken }),
    };
  }

  /** Sends a body as JSON; returns the response, whatever its status. */
  send(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse> {
    const isEmpty = body === undefined;
    return this.#fetch(path, {
      method,
      headers: { ...this.headers, ...headers, ...(isEmpty ? {} : { "content-type": "application/json" }) },
      ...(isEmpty ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Calls an operation, with the API key of test mode if it is one of the service alone. */
  async run<Answer>(...[id, input]: OperationCall): Promise<Answer> {
    if (id in CONTROL_CALLS) return this.read<Answer>(fillCall(id, input));
    const call = fillCall(id, input, await this.#serviceCall(id));
    const { api_key } = await this.call<{ readonly api_key: string }>("GET", "/_sandbox");
    return this.read<Answer>(call, { authorization: `Bearer ${api_key}` });
  }

  /** Method and path of an operation of the service, as this sandbox has it; undefined if there is none. */
  async #serviceCall(id: string): Promise<string | undefined> {
    type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
    const { paths } = await this.call<{ readonly paths: Paths }>("GET", "/openapi.json");
    for (const [path, rows] of Object.entries(paths))
      for (const [method, { operationId }] of Object.entries(rows))
        if (operationId === id) return `${method.toUpperCase()} ${path}`;
    return undefined;
  }

  pages<Item>(...[id, input]: OperationCall): AsyncGenerator<readonly Item[]> {
    return readPages<Item>(fillCall(id, input).path, (path) => this.call("GET", path));
  }

  /** Returns the JSON of the response; throws a SandboxError for an error response. */
  async call<Answer>(...call: ControlCallArguments): Promise<Answer> {
    return this.read<Answer>(parseCall(call));
  }

  /** Sends a call; the body of an error response becomes a SandboxError. */
  protected async read<Answer>(
    { method, path, body }: FilledCall,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const response = await this.send(method, path, body, undefined, headers);
    const text = await response.text();
    const json = parseJson(text);
    if (response.ok && json !== undefined) return json as Answer;
    const { error } = (json ?? {}) as {
      error?: { code?: ErrorCode; message?: string; details?: ErrorDetails };
    };
    if (error?.code === undefined)
      throw new UnexpectedResponseError(`${method} ${path}`, response.status, text);
    throw new SandboxError(
      refuse(error.code, error.message ?? "refused", error.details),
      this.#namesCalls && error.code === "NOT_FOUND" ? `${method} ${path}` : undefined,
    );
  }
}

/** Divides the input of an operation among path, query and body. Throws a UserError for a missing path parameter. */
export function fillCall(
  id: ControlOperationId,
  input: object = {},
  call = getOwn<string>(CONTROL_CALLS, id),
): FilledCall {
  if (call === undefined) throw new UserError(`run: ${unknownOperationText(String(id))}`);
  if (!isJsonObject(input)) throw new SandboxError(refuseInvalid({ body: "must be a JSON object" }));
  const [method, template] = call.split(" ") as [string, string];
  const fields = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const query = new URLSearchParams();
  const path = template.replace(/\{(\??)(\w+)\}/g, (_all, mark: string, name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    if (mark !== "") {
      if (value !== undefined) query.set(name, String(value));
      return "";
    }
    if (typeof value !== "number" && (typeof value !== "string" || value === ""))
      throw new UserError(`${id}: ${name} must be a text that is not empty`);
    return encodeURIComponent(value);
  });
  const hasBody = method !== "GET" && method !== "DELETE";
  if (!hasBody) for (const [name, value] of fields) query.set(name, String(value));
  const search = query.toString();
  return {
    method,
    path: search === "" ? path : `${path}?${search}`,
    body: hasBody && fields.size > 0 ? Object.fromEntries(fields) : undefined,
  };
}

function unknownOperationText(id: string): string {
  const known = [...Object.keys(CONTROL_CALLS), ...OPERATION_IDS];
  const hint = didYouMean(id, known, "; a scenario file runs with runFile(path)");
  return `there is no operation ${id}${hint}`;
}

/** Maximum page length of the control API. */
const PAGE_LENGTH = 100;

export async function* readPages<Item>(
  path: string,
  read: (path: string) => Promise<unknown>,
  length = PAGE_LENGTH,
): AsyncGenerator<readonly Item[]> {
  for (let offset = 0; ; ) {
    const { items, next } = (await read(
      `${path}${path.includes("?") ? "&" : "?"}limit=${length}&offset=${offset}`,
    )) as { items: Item[]; next?: number };
    yield items;
    if (next === undefined && items.length < length) return;
    offset = next ?? offset + length;
  }
}

function parseCall(call: ControlCallArguments): FilledCall {
  const [first, second, third] = call as unknown[];
  const isOneText = typeof first === "string" && first.includes(" ");
  const [method, path, body] = isOneText ? [...first.split(/ +/, 2), second] : [first, second, third];
  if (typeof method === "string" && /^[a-z]+$/i.test(method) && String(path).startsWith("/"))
    return { method: method.toUpperCase(), path: String(path), body };
  throw new UserError(
    `control: needs a method and a path, as in control("GET", "/_sandbox/clock"), not ${JSON.stringify(first)}`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface SandboxAccess {
  readonly url: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** Environment variables that `exec`, `env` and `setupSandbox` set for an app. */
export function appEnvironment({ url, apiKey, webhookSecret }: SandboxAccess) {
  return {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    PAYMENTS_SANDBOX_URL: url,
  };
}
