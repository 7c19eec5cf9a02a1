import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { StepRole } from "../deviable.js";
import type { RunDocument } from "./run-document.js";

/** Roles of the steps that a run with `brief` detail leaves out. `hasFailureSigns` replaces the checks of the steps. */
const IMPLIED: readonly StepRole[] = ["rest", "paid", "paid_out", "manners"];

/** Leaves out the steps with `IMPLIED` roles, and each `expect` step that an `observe` step implies. */
export function omitImpliedSteps({ document, roles }: RunDocument): RunDocument {
  const all = document.steps as readonly RawStep[];
  const observed = all.filter((_, index) => roles[index] === "observe");
  const isNeeded = all.map(
    (step, index) =>
      !IMPLIED.includes(roles[index]!) &&
      !(roles[index] === "expect" && observed.some((one) => implies(one, step))),
  );
  const steps = all.filter((_, index) => isNeeded[index]);
  return { document: { ...document, steps }, roles: roles.filter((_, index) => isNeeded[index]) };
}

/** Returns true if both steps send the same request and the first expects all that the second expects. */
function implies(first: RawStep, second: RawStep): boolean {
  const { expect: whole, ...request } = first;
  const { expect: part, name: _name, ...other } = second;
  return isJsonObject(whole) && isJsonObject(part) && isSame(request, other) && isContained(part, whole);
}

function isContained(part: unknown, whole: unknown): boolean {
  if (!isJsonObject(part) || !isJsonObject(whole)) return isSame(part, whole);
  return Object.entries(part).every(([key, value]) => key in whole && isContained(value, whole[key]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
