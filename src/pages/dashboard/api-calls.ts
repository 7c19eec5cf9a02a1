import { fillCall, type OperationCall } from "../../core/client/control-client.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { type Refusal, refuse } from "../../core/schema/refusals.js";
import { UserError } from "../../core/schema/user-error.js";
import { DASHBOARD_RUNNER } from "../../server/control/control-operation.js";
import type { Fields } from "./operation-actions.js";
import type { Notice } from "./page-context.js";

/** A submitted form and the namespace it acts on. */
export interface FormSubmission {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  /** Trimmed fields of the form and of the pressed button. */
  readonly fields: Fields;
  readonly form: URLSearchParams;
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

type Caller = Pick<FormSubmission, "namespace" | "fetch">;

/** Calls an operation of the control API in the page's namespace, so forms get the API's validation. */
export async function runOperation<Result extends object>(
  { namespace, fetch }: Caller,
  ...[id, input]: OperationCall
): Promise<Result | Refusal> {
  let call: ReturnType<typeof fillCall>;
  try {
    call = fillCall(id, input);
  } catch (error) {
    if (error instanceof UserError) return refuse("VALIDATION_ERROR", error.message);
    throw error;
  }
  const { method, path, body } = call;
  const headers = {
    "content-type": "application/json",
    "sandbox-namespace": namespace.name,
    "sandbox-runner": DASHBOARD_RUNNER,
  };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(new Request(`http://sandbox${path}`, { method, headers, ...sent }));
  const result = (await response.json()) as Result & { error?: Omit<Refusal, "status"> };
  if (result.error === undefined) return result;
  const { code, message, details } = result.error;
  return refuse(code, message, details, response.status);
}

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly idempotencyKey?: string | null | undefined;
  readonly scenario?: string | null | undefined;
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
