import { type ErrorCode, type ErrorDetails, refuse } from "./schema/errors.js";
import { SandboxError } from "./schema/sandbox-error.js";
import { UserError } from "./schema/user-error.js";

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** A call of the control API: `"POST", "/_sandbox/faults", { … }`, or with the first two as one text. */
export type ControlCall =
  | [method: string, path: string, body?: unknown]
  | [methodAndPath: string, body?: object];

/** Calls of the control API. */
export class ControlClient {
  readonly #fetch: Fetch;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** The JSON of the answer; a refusal is thrown as a SandboxError. */
  async call<Answer>(...call: ControlCall): Promise<Answer> {
    const { method, path, body } = partsOf(call);
    const response = await this.#fetch(path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = jsonOf(text);
    if (response.ok && json !== undefined) return json as Answer;
    const { error } = (json ?? {}) as {
      error?: { code: ErrorCode; message: string; details?: ErrorDetails };
    };
    if (error === undefined)
      throw new Error(
        `${method} ${path} did not answer as a sandbox does: ${response.status} ${text.slice(0, 200)}`,
      );
    throw new SandboxError(refuse(error.code, error.message, error.details));
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
