import { RULE_KINDS } from "../../../core/domain/rule-matching.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { STEPS } from "../../scenario/steps/step-kinds.js";
import type { ObservedRun } from "../deviable.js";
import type { Flow } from "./flow.js";
import type { Baseline } from "./sandbox-plan.js";

/** Explains why runs of a flow cannot be concurrent; undefined if they can. */
export function isolationReason(
  flow: Flow,
  { customerMatch }: Baseline,
  plain: ObservedRun,
): string | undefined {
  const { raw, drive, scheduledWork, checks } = flow;
  if (flow.reset.length > 0) return "`reset` sets the app back before each";
  if (RULE_KINDS.some((kind) => raw[kind] !== undefined)) return "the flow has rules of its own";
  if (customerMatch.customer_email === undefined) return `no customer_email has \${run.id} in it`;
  const shared = [...drive, ...scheduledWork, ...checks.map(({ step }) => step)].find(concernsOthers);
  if (shared !== undefined) return `a step that is a ${stepKindsOf(shared)[0]} concerns all customers`;
  if (plain.withdrawals.length > 0) return "the app makes withdrawals, which name no customer";
  const call = plain.calls.find(({ isByFlow, isOwn }) => !isByFlow && !isOwn);
  return call && `the app calls ${call.operation}, which shows it all customers`;
}

function concernsOthers(step: RawStep): boolean {
  const [kind] = stepKindsOf(step);
  if (kind === "wait_for") return step.wait_for === "request" || step.wait_for === "delivery";
  return kind === undefined || !STEPS[kind].traits.includes("own_customer");
}

export function customerEmail({ customerMatch }: Baseline, runId: string): string | undefined {
  return customerMatch.customer_email?.replaceAll(`\${run.id}`, runId).replaceAll("\\*", "*");
}
