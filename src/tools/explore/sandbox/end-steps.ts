import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { RunPlan } from "../run-plan.js";
import type { StepRole } from "../run-record.js";
import { STEADY_DURATION } from "./app-pace.js";
import { chargeChecks, refusalChecks, withdrawalChecks } from "./end-checks.js";
import type { ExpectedEnd } from "./expected-end.js";
import type { Baseline } from "./facts.js";
import type { Flow } from "./flow.js";
import { readOf } from "./flow.js";
import { savedBody } from "./looked-at.js";
import { statusName, viewVariableName } from "./saved-variable.js";

/** A step that looks at the end of a run, with its purpose. */
export interface EndStep {
  readonly step: RawStep;
  readonly role: StepRole;
}

/**
 * Steps that save what the app shows at the end of a plain run, and check what the flow expects.
 *
 * @param steady how long the views must not change; undefined for the duration in the flow
 */
export function plainEndSteps(flow: Flow, steady?: string): EndStep[] {
  const more = steady === undefined ? {} : { steady };
  const checks = checksOf(flow).map(({ step, role }, index) => {
    const save = savedBody(step, index);
    return { step: save === undefined ? step : { ...step, save }, role };
  });
  return [...viewSteps(flow).map((one) => ({ ...one, step: { ...one.step, ...more } })), ...checks];
}

/** Steps that save the app's views once they are steady. */
export function viewSteps(flow: Flow): EndStep[] {
  return viewsOf(flow, savingView);
}

/** Steps that compare the end of a run with deviations with `end`. */
export function endSteps(flow: Flow, plan: RunPlan, baseline: Baseline, end: ExpectedEnd): EndStep[] {
  return [
    ...withRole("paid", chargeChecks(baseline, end)),
    ...withRole("paid_out", withdrawalChecks(baseline, end)),
    ...viewsOf(flow, (index) => ({ ...savingView(index), expect: end.views[index] })),
    ...(end.unlike === undefined ? [] : [unlikeView(flow, end.unlike, plan.isWrongMoney)]),
    ...checksOf(flow, end.isPlain === true),
    ...withRole("manners", refusalChecks(baseline, plan)),
  ];
}

function withRole(role: StepRole, steps: readonly RawStep[]): EndStep[] {
  return steps.map((step) => ({ step, role }));
}

/** Saves the body of a view and the status of its response. */
function savingView(index: number): object {
  return { save: { [viewVariableName(index)]: "body", [statusName(index)]: "status" } };
}

/** Makes the step that fails if the app shows the end as it shows another one. */
function unlikeView(
  flow: Flow,
  { sentence, view, body }: NonNullable<ExpectedEnd["unlike"]>,
  isWrongMoney: boolean,
): EndStep {
  const { step } = viewsOf(flow, () => ({ name: sentence, expect: { status: { lt: 500 }, body } }))[view]!;
  return { step, role: isWrongMoney ? "not_delivered" : "unlike" };
}

/** Makes the steps that read the app's views, and adds the fields of `fieldsOf` to each. */
function viewsOf({ observe }: Flow, fieldsOf: (index: number) => object): EndStep[] {
  const steps = observe.map((view, index) => ({
    ...readOf(view),
    steady: view.steady ?? STEADY_DURATION,
    ...fieldsOf(index),
  }));
  return withRole("observe", steps);
}

/** @param isPlain the flow's own expectations hold, which describe an order that is paid in full and not refunded */
function checksOf(flow: Flow, isPlain = true): EndStep[] {
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

/** Roles of the steps that a brief run leaves out: its records show whether they would pass. */
const IMPLIED: readonly StepRole[] = ["paid", "paid_out", "manners"];

/**
 * Leaves out the steps with `IMPLIED` roles, and each `expect` step that an `observe` step implies. Looks at the app once:
 * a run that fails makes all checks again, and waits there.
 */
export function briefly(steps: readonly EndStep[]): EndStep[] {
  const observed = steps.filter(({ role }) => role === "observe");
  const isNeeded = ({ step, role }: EndStep) =>
    !IMPLIED.includes(role) && !(role === "expect" && observed.some((one) => implies(one.step, step)));
  return steps.filter(isNeeded).map(({ step, role }) => ({ step: withoutWait(step), role }));
}

function withoutWait({ steady: _steady, ...step }: RawStep): RawStep {
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
