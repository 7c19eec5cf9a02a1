import { RULE_KINDS } from "../domain/scenario.js";
import { stepKinds } from "../scenario/step-faults.js";
import type { RawStep } from "../scenario/step-places.js";
import type { StepKind } from "../scenario/steps/kinds.js";
import type { Lesson } from "./compile.js";
import type { Flow } from "./flow.js";
import type { Seen } from "./seen.js";

/** Steps that concern the run's own customer, and time, which all runs that are side by side have in common. */
const SIDE_BY_SIDE: readonly StepKind[] = ["app", "request", "advance", "expect_charge", "wait_for"];

/** Why runs of a flow are carried out one after the other; undefined where they can be side by side. */
export function whyAlone(flow: Flow, lesson: Lesson, plain: Seen): string | undefined {
  const { raw, drive, ticks, looks } = flow;
  if (flow.reset.length > 0) return "`reset` sets the app back before each";
  if (RULE_KINDS.some((kind) => raw[kind] !== undefined)) return "the flow has rules of its own";
  if (lesson.whose.customer_email === undefined) return `no customer_email has \${run.id} in it`;
  const common = [...drive, ...ticks, ...looks.map(({ step }) => step)].find(concernsOthers);
  if (common !== undefined) return `a step that is a ${stepKinds(common)[0]} concerns all customers`;
  const call = plain.calls.find(({ isFlows, isOwn }) => !isFlows && !isOwn);
  return call && `the app calls ${call.operation}, which shows it all customers`;
}

function concernsOthers(step: RawStep): boolean {
  const [kind] = stepKinds(step);
  if (kind === "wait_for") return step.wait_for === "request" || step.wait_for === "delivery";
  return kind === undefined || !SIDE_BY_SIDE.includes(kind);
}

/** The customer of a run. */
export function customerOf({ whose }: Lesson, runId: string): string | undefined {
  return whose.customer_email?.replaceAll(`\${run.id}`, runId).replaceAll("\\*", "*");
}
