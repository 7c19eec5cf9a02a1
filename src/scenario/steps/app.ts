import { durationMs } from "../../schema/duration.js";
import { lazily } from "../../schema/lazily.js";
import { type Answer, ask, type NoAnswer, reasonOf } from "../running/client.js";
import type { RunContext } from "../running/context.js";
import { CannotRun, StepFailure } from "../running/failure.js";
import { checkOutcome, resultOf } from "./answers.js";
import { callSchema, callShape, savesAnswer } from "./parts.js";
import { type Content, callOf, contentOf, DEFAULT_WITHIN } from "./request.js";
import { step, stepSchema } from "./row.js";

export const app = step({
  says: "A call of the app under test (--app): METHOD /path.",
  saves: savesAnswer,
  schema: stepSchema({ app: callSchema, ...callShape }),
  run: async (step, context) => {
    const { app, expect, within = DEFAULT_WITHIN } = step;
    const withinMs = durationMs(within);
    const answer = await sentToApp(context, app, step, withinMs, expect?.dropped);
    checkOutcome(expect, answer, withinMs);
    return resultOf(answer);
  },
});

/**
 * A call of the app under test.
 *
 * @param mayBeCut that the connection is cut is an outcome like any other; else it fails the step
 */
export async function sentToApp(
  context: RunContext,
  call: string,
  content: Content,
  withinMs: number,
  mayBeCut = false,
): Promise<Answer | NoAnswer> {
  if (context.app === undefined)
    throw new CannotRun("this step calls the app under test: give its URL with --app");
  const { method, path } = callOf(call);
  const { headers, body } = contentOf(content, {});
  const url = `${context.app}${path}`;
  // Files are checked where no app is called.
  const { callApp } = await lazily(() => import("./call-app.js"));
  try {
    return await ask(context.wall, withinMs, context.client.signal, (signal) =>
      callApp(new URL(url), { method, headers, body, signal }),
    );
  } catch (error) {
    if (error instanceof StepFailure) throw error;
    if (mayBeCut && wasCut(error)) return "dropped";
    throw new StepFailure({ message: `the app gave no answer at ${url}: ${reasonOf(error)}` });
  }
}

/** Whether there was a connection to be cut: none to an app that is not there, nor for a call nobody can send. */
function wasCut(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return !/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_INVALID_.*|ERR_UNESCAPED_.*)$/.test(code);
}
