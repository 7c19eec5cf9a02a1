import { SandboxError } from "../sandbox.js";
import { type ErrorCode, type ErrorDetails, refuse } from "../schema/errors.js";

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** Calls of the control API. */
export class Control {
  readonly #fetch: Fetch;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** `POST /_sandbox/faults` and the like; the JSON of the answer, a refusal as a SandboxError. */
  async call<Answer>(call: string, body?: unknown): Promise<Answer> {
    const [method = "", path = ""] = call.split(" ");
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
      throw new Error(`${call} did not answer as a sandbox does: ${response.status} ${text.slice(0, 200)}`);
    throw new SandboxError(refuse(error.code, error.message, error.details));
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
