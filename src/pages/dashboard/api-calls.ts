import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { type Refusal, refuse } from "../../core/schema/refusals.js";
import type { Notice } from "./page-context.js";

/** A submitted form and the namespace it acts on. */
export interface FormSubmission {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  /** Arguments after the action's name in the button's value. */
  readonly args: readonly string[];
  readonly form: URLSearchParams;
  /** A trimmed form field; "" if missing. */
  readonly field: (name: string) => string;
  /** Sends a request to this server. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The notice to show and the page to redirect to, if not the current one. */
export interface ActionResult extends Notice {
  readonly to?: string;
}

export type DashboardAction = (
  press: FormSubmission,
) => ActionResult | Refusal | Promise<ActionResult | Refusal>;
export type DashboardActions = Readonly<Record<string, DashboardAction>>;

type Caller = Pick<FormSubmission, "namespace" | "fetch">;

/**
 * Calls the control API in the page's namespace, so forms get the API's validation.
 *
 * @param path below `/_sandbox`
 * @returns the response body, or the error as a refusal
 */
export async function callControlApi<Body>(
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

/** Value of the header `Sandbox-Runner` in calls of the dashboard. */
export const DASHBOARD_RUNNER = "dashboard";

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly idempotencyKey?: string | null;
  readonly scenario?: string | null;
  readonly body: string;
}

export function callService({ namespace, fetch }: Caller, call: ServiceRequest): Promise<Response> {
  const { method, path, key, idempotencyKey, scenario, body } = call;
  const headers = new Headers({ "sandbox-namespace": namespace.name, "sandbox-runner": DASHBOARD_RUNNER });
  if (key) headers.set("authorization", `Bearer ${key}`);
  if (idempotencyKey) headers.set("idempotency-key", idempotencyKey);
  if (scenario) headers.set("sandbox-scenario", scenario);
  if (body !== "") headers.set("content-type", "application/json");
  const sent = body === "" || method === "GET" ? {} : { body };
  return fetch(new Request(new URL(path, "http://sandbox"), { method, headers, ...sent }));
}
