import { durationMs } from "../../schema/duration.js";
import type { Answer, NoAnswer } from "../running/client.js";
import type { RunContext } from "../running/context.js";
import { checkOutcome, resultOf } from "./answers.js";
import { callSchema, callShape, savesAnswer } from "./parts.js";
import { step, stepSchema } from "./row.js";

export const DEFAULT_WITHIN = "30s";
export const DEFAULT_WITHIN_MS = durationMs(DEFAULT_WITHIN);

export const request = step({
  says: "A call of the sandbox, with the namespace's key: METHOD /path.",
  saves: savesAnswer,
  schema: stepSchema({ request: callSchema, ...callShape }),
  run: async (step, context) => {
    const { method, path } = callOf(step.request);
    const withinMs = durationMs(step.within ?? DEFAULT_WITHIN);
    const answer = await sent(context, method, path, step, withinMs);
    checkOutcome(step.expect, answer, withinMs);
    return resultOf(answer);
  },
});

/** A call of the sandbox with the key of test mode. */
export function sent(
  { client, keys }: RunContext,
  method: string,
  path: string,
  content: Content,
  withinMs: number,
): Promise<Answer | NoAnswer> {
  const usual = { authorization: `Bearer ${keys.test}` };
  return client.service(method, path, contentOf(content, usual), withinMs);
}

/** What a call brings along. */
export interface Content {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
}

/** `POST /orders` in its parts. */
export function callOf(text: string): { method: string; path: string } {
  const space = text.indexOf(" ");
  return { method: text.slice(0, space), path: text.slice(space + 1) };
}

/** Headers and body of a call; a body that is no string goes as JSON. */
export function contentOf(
  step: Content,
  usual: Readonly<Record<string, string>>,
): { headers: Record<string, string>; body: string | undefined } {
  const body =
    step.body === undefined
      ? undefined
      : typeof step.body === "string"
        ? step.body
        : JSON.stringify(step.body);
  const headers: Record<string, string> = { ...usual };
  if (body !== undefined) headers["content-type"] = "application/json";
  for (const [name, value] of Object.entries(step.headers ?? {}))
    if (value === null) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  return { headers, body };
}
