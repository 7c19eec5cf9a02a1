import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { StepRole } from "../run-record.js";
import { STEADY_DURATION } from "./app-pace.js";
import type { ExpectedEnd } from "./expected-end.js";
import { type Flow, readOf } from "./flow.js";
import { savedBody } from "./looked-at.js";

export interface EndStep {
  readonly step: RawStep;
  readonly role: StepRole;
}

export function viewSteps({ observe }: Flow): RawStep[] {
  return observe.map((view) => ({ ...readOf(view), steady: view.steady ?? STEADY_DURATION }));
}

/** Makes the flow's own checks in a plain run, which save what they see. */
export function plainChecks(flow: Flow): EndStep[] {
  return checksOf(flow).map(({ step, role }, index) => {
    const save = savedBody(step, index);
    return { step: save === undefined ? step : { ...step, save }, role };
  });
}

/** @param isPlain the flow's own expectations hold, which describe an order that is paid in full and not refunded */
export function checksOf(flow: Flow, isPlain = true): EndStep[] {
  const checks = flow.checks.filter(({ oracle }) => isPlain || oracle !== "expect");
  return [
    ...checks.map(({ step, oracle }): EndStep => {
      if (typeof step.app !== "string") return { step, role: oracle };
      return { step: { ...step, steady: step.steady ?? STEADY_DURATION }, role: oracle };
    }),
    ...flow.never.map(
      ({ body, steady = STEADY_DURATION, ...view }): EndStep => ({
        step: { ...view, steady, expect: { body: { not: body } } },
        role: "never",
      }),
    ),
  ];
}

/**
 * Makes the checks without a wait, and without those that a view implies. A run that fails makes all checks again, and
 * waits there.
 */
export function briefChecks(flow: Flow, { views, isPlain = false }: ExpectedEnd): EndStep[] {
  const seen = viewSteps(flow).map((step, index) => ({ ...step, expect: views[index] }));
  return checksOf(flow, isPlain)
    .filter(({ role, step }) => role !== "expect" || !seen.some((view) => implies(view, step)))
    .map(({ role, step }) => ({ role, step: withoutWait(step) }));
}

export function withoutWait({ steady: _steady, ...step }: RawStep): RawStep {
  return step;
}

/** Returns true if both steps send the same request and the first expects all that the second expects. */
function implies(first: RawStep, second: RawStep): boolean {
  const { expect: whole, save: _save, ...request } = first;
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
