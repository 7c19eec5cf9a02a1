import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { type Refusal, refuse } from "../../core/schema/errors.js";
import type { Notice } from "./scene.js";

/** A button that was pressed. */
export interface Press {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  /** What follows the action's name in the button's value. */
  readonly words: readonly string[];
  readonly form: URLSearchParams;
  /** A field of the form, trimmed; empty where there is none. */
  readonly field: (name: string) => string;
  /** Calls this server. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** What an action did, and the page to show if it is another one. */
export interface Outcome extends Notice {
  readonly to?: string;
}

export type Action = (press: Press) => Outcome | Refusal | Promise<Outcome | Refusal>;
export type Actions = Readonly<Record<string, Action>>;

type Caller = Pick<Press, "namespace" | "fetch">;

/**
 * Calls the control API in the page's namespace, so that a form has the checks of the call.
 *
 * @param path below `/_sandbox`
 */
export async function callControl<Body>(
  { namespace, fetch }: Caller,
  method: string,
  path: string,
  body?: object,
): Promise<Body | Refusal> {
  const request = new Request(`http://sandbox/_sandbox${path}`, {
    method,
    headers: { "content-type": "application/json", "sandbox-namespace": namespace.name },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await fetch(request);
  const result = (await response.json()) as Body & { error?: Omit<Refusal, "status"> };
  if (result.error === undefined) return result;
  const { code, message, details } = result.error;
  return refuse(code, message, details, response.status);
}

/** The runner that calls of the pages name. */
export const RUNNER = "dashboard";

export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly idempotencyKey?: string | null;
  readonly scenario?: string | null;
  readonly body: string;
}

/** Calls the service as an app does. */
export function callService({ namespace, fetch }: Caller, call: ServiceCall): Promise<Response> {
  const { method, path, key, idempotencyKey, scenario, body } = call;
  const headers = new Headers({ "sandbox-namespace": namespace.name, "sandbox-runner": RUNNER });
  if (key) headers.set("authorization", `Bearer ${key}`);
  if (idempotencyKey) headers.set("idempotency-key", idempotencyKey);
  if (scenario) headers.set("sandbox-scenario", scenario);
  if (body !== "") headers.set("content-type", "application/json");
  const sent = body === "" || method === "GET" ? {} : { body };
  return fetch(new Request(new URL(path, "http://sandbox"), { method, headers, ...sent }));
}
