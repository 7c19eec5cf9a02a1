import { durationMs } from "../../schema/duration.js";
import { lazily } from "../../schema/lazily.js";
import { type Answer, ask, reasonOf } from "../running/client.js";
import { CannotRun, StepFailure } from "../running/failure.js";
import { checkAnswer } from "./answers.js";
import { callSchema, callShape } from "./parts.js";
import { callOf, contentOf, DEFAULT_WITHIN } from "./request.js";
import { step, stepSchema } from "./row.js";

export const app = step({
  says: "A call of the app under test (--app): METHOD /path.",
  schema: stepSchema({ app: callSchema, ...callShape }),
  run: async (step, context) => {
    if (context.app === undefined)
      throw new CannotRun("this step calls the app under test: give its URL with --app");
    const { method, path } = callOf(step.app);
    const { headers, body } = contentOf(step, {});
    const url = `${context.app}${path}`;
    // Files are checked where no app is called.
    const { callApp } = await lazily(() => import("./call-app.js"));
    let answer: Answer | undefined;
    try {
      answer = await ask(
        context.wall,
        durationMs(step.within ?? DEFAULT_WITHIN),
        context.client.signal,
        (signal) => callApp(new URL(url), { method, headers, body, signal }),
      );
    } catch (error) {
      if (error instanceof StepFailure) throw error;
      if (step.expect?.dropped) return { dropped: true };
      throw new StepFailure({ message: `the app gave no answer at ${url}: ${reasonOf(error)}` });
    }
    checkAnswer(step.expect, answer);
    return answer;
  },
});
