import type { RawStep } from "../../scenario/loaded-steps.js";
import type { Baseline, SandboxPlan } from "./sandbox-plan.js";

/** Statuses that ask the sender to send an event again later; 503 with Retry-After only. */
const LATER = [409, 425, 429, 503];

/** Makes steps that fail if the app refused a signed event of a type that it accepts in a plain run. */
export function refusalChecks({ refusedTypes }: Baseline, plan: SandboxPlan): RawStep[] {
  if (plan.excusesErrors) return [];
  const type = refusedTypes.length === 0 ? {} : { type: { not: { in: refusedTypes } } };
  const none = (refused: object): RawStep => ({
    name: "The app refused no signed event",
    expect_delivery: { ...type, ...refused, count: 0 },
  });
  if (!plan.racesWebhook) return [none({ answered: { gte: 300 } })];
  // While a copy of the event or the scheduled work is in progress, "again later" is right, if the event is accepted.
  return [
    none({ answered: { gte: 300, not: { in: LATER } } }),
    none({ answered: 503, retry_after_ms: { exists: false } }),
    none({ answered: { in: LATER }, status: "failed" }),
  ];
}
