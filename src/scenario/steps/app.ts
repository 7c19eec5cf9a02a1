import { durationMs } from "../../schema/duration.js";
import { lazily } from "../../schema/lazily.js";
import { type Answer, ask, type NoAnswer, reasonOf } from "../running/client.js";
import { CannotRun, StepFailure } from "../running/failure.js";
import { checkOutcome, resultOf } from "./answers.js";
import { callSchema, callShape, savesAnswer } from "./parts.js";
import { callOf, contentOf, DEFAULT_WITHIN } from "./request.js";
import { step, stepSchema } from "./row.js";

export const app = step({
  says: "A call of the app under test (--app): METHOD /path.",
  saves: savesAnswer,
  schema: stepSchema({ app: callSchema, ...callShape }),
  run: async (step, context) => {
    if (context.app === undefined)
      throw new CannotRun("this step calls the app under test: give its URL with --app");
    const { method, path } = callOf(step.app);
    const { headers, body } = contentOf(step, {});
    const url = `${context.app}${path}`;
    // Files are checked where no app is called.
    const { callApp } = await lazily(() => import("./call-app.js"));
    const withinMs = durationMs(step.within ?? DEFAULT_WITHIN);
    let answer: Answer | NoAnswer;
    try {
      answer = await ask(context.wall, withinMs, context.client.signal, (signal) =>
        callApp(new URL(url), { method, headers, body, signal }),
      );
    } catch (error) {
      if (error instanceof StepFailure) throw error;
      if (!step.expect?.dropped)
        throw new StepFailure({ message: `the app gave no answer at ${url}: ${reasonOf(error)}` });
      answer = "dropped";
    }
    checkOutcome(step.expect, answer, withinMs);
    return resultOf(answer);
  },
});
