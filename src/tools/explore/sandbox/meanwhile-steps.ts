import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import type { Deviable } from "../deviable.js";
import type { RunPlan } from "../run-plan.js";
import type { Baseline } from "./facts.js";
import { type Flow, findPresses, lookOracle } from "./flow.js";
import { findPages } from "./payment-steps.js";

/** Variable with the status of the app's response to a step of others. */
export const MEANWHILE_STATUS = "meanwhile_status";

/** Names the steps of others, and the acts of the flow after which a payment is under way. */
export function meanwhileOf(flow: Flow, { pressMatches }: Baseline): Deviable["customer"]["meanwhile"] {
  const { drive, meanwhile } = flow;
  const begin = drive.indexOf(findPresses(flow)[pressMatches.findIndex((one) => one !== undefined)]!);
  const pages = findPages(flow);
  const isPaid = (step: RawStep) =>
    step.advance !== undefined || step.pay !== undefined || pages.includes(step);
  const acts = drive.flatMap((step, index) => {
    const isUnderWay = begin !== -1 && index >= begin && drive.slice(index + 1).some(isPaid);
    return isUnderWay && lookOracle(step) === undefined ? [{ index, name: labelOf(step) }] : [];
  });
  return { steps: meanwhile.map(labelOf), acts };
}

function labelOf(step: RawStep): string {
  return typeof step.app === "string" ? step.app : String(stepKindsOf(step)[0]);
}

/** The step of others that the plan puts after an act of the flow, or at the end of the flow. */
export function meanwhileSteps({ meanwhile }: Flow, { others, set }: RunPlan, after?: number): RawStep[] {
  const step = others?.after === after ? meanwhile[others?.step ?? -1] : undefined;
  if (step === undefined) return [];
  if (step.app === undefined) return [step];
  const { expect: _expect, save, ...call } = step;
  const saved = { ...(save as object), [MEANWHILE_STATUS]: "status" };
  return [{ ...call, tries: set.length + 1, expect: { status: { lt: 500 } }, save: saved }];
}
