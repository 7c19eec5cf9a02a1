import * as z from "zod/mini";
import type { Route } from "../../../core/domain/name-check.js";
import { globMatchesRoute } from "../../../core/domain/path-patterns.js";
import { responseSchemaOf } from "../../../core/schema/responses/by-operation.js";
import { callSchema } from "../../../core/schema/scenario-file.js";
import { durationToMs } from "../../../core/schema/time.js";
import type { CallResponse, NoResponseReason } from "../running/client.js";
import type { RunContext } from "../running/context.js";
import { callResult, checkCallResult } from "./check-response.js";
import { callStepFields, defineStep, resultSchema, stepSchema } from "./step-definition.js";

export const DEFAULT_CALL_TIMEOUT = "30s";
export const DEFAULT_CALL_TIMEOUT_MS = durationToMs(DEFAULT_CALL_TIMEOUT);

export const request = defineStep(["checks", "ignores_start", "own_customer"], {
  description:
    "A call of the sandbox, with the namespace's test key: METHOD /path; `/_sandbox/…` is the control API. A header of null is left out.",
  result: (step, routes = []) => resultSchema(bodyOf(step, routes)),
  expectationField: "expect",
  schema: stepSchema({ request: callSchema, ...callStepFields }),
  run: async (step, context) => {
    const { method, path } = splitCall(step.request);
    const withinMs = durationToMs(step.within ?? DEFAULT_CALL_TIMEOUT);
    const answer = await callService(context, method, path, step, withinMs);
    checkCallResult(step.expect, answer, withinMs);
    return callResult(answer);
  },
});

export type ServiceAccess = Pick<RunContext, "client" | "keys">;

export function callService(
  { client, keys }: ServiceAccess,
  method: string,
  path: string,
  content: CallContent,
  withinMs: number,
): Promise<CallResponse | NoResponseReason> {
  const defaults = { authorization: `Bearer ${keys.test}` };
  return client.service(method, path, encodeContent(content, defaults), withinMs);
}

export interface CallContent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
}

function bodyOf({ request, expect }: Readonly<Record<string, unknown>>, routes: readonly Route[]) {
  if (typeof request !== "string") return z.unknown();
  const { method, path } = parseRoute(request);
  const matching = routes.filter((route) => route.method === method && globMatchesRoute(path, route.path));
  if (matching.length === 0) return z.unknown();
  return responseSchemaOf(
    matching.map(({ id }) => id),
    outcomeIn(expect),
  );
}

/** The outcome that a step expects of its call; default: success. */
function outcomeIn(expect: unknown): "worked" | "failed" | undefined {
  const { status = "2xx", error } = (expect ?? {}) as Readonly<Record<string, unknown>>;
  if (error !== undefined || /^[45]/.test(String(status))) return "failed";
  return /^2/.test(String(status)) ? "worked" : undefined;
}

/** Splits a call for comparison with routes: the path of `GET /orders/${id}?page=2` becomes `/orders/*`. */
export function parseRoute(call: string): { method: string; path: string } {
  const { method, path } = splitCall(call);
  return { method, path: path.replace(/\$\{[^{}]*\}/g, "*").split("?", 1)[0]! };
}

export function splitCall(text: string): { method: string; path: string } {
  const space = text.indexOf(" ");
  return { method: text.slice(0, space), path: text.slice(space + 1) };
}

/** Headers and body of a call; a body other than a string is sent as JSON. */
export function encodeContent(
  step: CallContent,
  defaults: Readonly<Record<string, string>>,
): { headers: Record<string, string>; body: string | undefined } {
  const body =
    step.body === undefined
      ? undefined
      : typeof step.body === "string"
        ? step.body
        : JSON.stringify(step.body);
  const headers: Record<string, string> = { ...defaults };
  if (body !== undefined) headers["content-type"] = "application/json";
  for (const [name, value] of Object.entries(step.headers ?? {}))
    if (value === null) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  return { headers, body };
}
