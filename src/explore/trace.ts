import type { StepReport } from "../scenario/running/report.js";
import { leaves } from "../scenario/running/report.js";
import type { RunOutcome } from "../scenario/running/session.js";
import type { Seen, SeenCall } from "./seen.js";

/** The step that did not pass, whatever it stands in. */
export function failedStep({ steps }: RunOutcome): StepReport | undefined {
  return leaves(steps).find(({ step }) => hasFailed(step))?.step;
}

export function hasFailed({ outcome }: StepReport): boolean {
  return outcome === "failed" || outcome === "error";
}

/**
 * What the app did and said in a run, without the ids of this run: its calls and what they came to, its answers to each
 * event, what became of the charges, and where the end differs. In what way a call was refused, and that an answer to an
 * event was lost, is none of the app's doing.
 */
export function behaviourOf({ calls, deliveries, charges }: Seen, report: RunOutcome): string {
  const answers = new Map<string, string>();
  for (const { type, attempts } of deliveries)
    for (const { status, isLost } of attempts)
      if (!isLost && !answers.get(type)?.endsWith(` ${status}`))
        answers.set(type, `${answers.get(type) ?? type} ${status}`);
  const failure = failedStep(report);
  return [
    ...calls.filter(({ isFlows }) => !isFlows).map(called),
    ...[...answers.values()].sort(),
    ...charges.map(({ status }) => status).sort(),
    ...(failure === undefined
      ? []
      : [failure.title, ...(failure.failure?.difference ?? []).map(({ path, got }) => `${path} ${got}`)]),
  ].join("\n");
}

function called({ operation, status, isMarred }: SeenCall): string {
  const isRefused = isMarred && (status === null || status >= 400);
  return `${operation} ${isRefused ? "refused" : status}`;
}
