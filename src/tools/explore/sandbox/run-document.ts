import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { FaultRule, WebhookRule } from "../../../core/schema/scenario-rules.js";
import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { LoadedScenario } from "../../scenario/files.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { StepRole } from "../deviable.js";
import { STEADY_DURATION } from "./app-pace.js";
import { type AppWaits, withWaits } from "./app-waits.js";
import { driveSteps, tolerantStep, withPressMarks } from "./drive-steps.js";
import { chargeChecks, refusalChecks, withdrawalChecks } from "./end-checks.js";
import type { ExpectedEnd } from "./ends.js";
import { type Flow, readOf } from "./flow.js";
import { withJobs } from "./job-steps.js";
import { partialRefundSteps } from "./payment-steps.js";
import { type Placed, withRole } from "./placed-steps.js";
import { quietEnd } from "./quiet-end.js";
import { isCheck } from "./run-failure.js";
import type { Baseline, SandboxPlan } from "./sandbox-plan.js";
import { statusName, viewVariableName } from "./saved-variable.js";

/** A run as a scenario file, with the role of each step. */
export interface RunDocument {
  readonly document: Readonly<Record<string, unknown>>;
  readonly roles: readonly StepRole[];
}

/** Saves the body of a view and the status of its response. */
function savingView(index: number): object {
  return { save: { [viewVariableName(index)]: "body", [statusName(index)]: "status" } };
}

/** Builds checks that wait until the views are steady, and save them. The flow's steps save what the views name. */
export function steadyViewsDocument(flow: Flow): RunDocument {
  return assemble(flow, {}, [...withRole("drive", flow.drive), ...viewsOf(flow, savingView)]);
}

/**
 * Builds the run without deviations, which saves the app's views for the baseline.
 *
 * @param steady how long the views must not change; undefined for the duration in the flow
 */
export function plainRunDocument(flow: Flow, waits: AppWaits, steady?: string): RunDocument {
  const until = [...withRole("drive", withPressMarks(flow)), ...quietEnd(flow, waits)];
  return assemble(flow, {}, [
    ...withRole("reset", flow.reset),
    ...withWaits(until, waits),
    ...viewsOf(flow, (index) => ({
      ...savingView(index),
      ...(steady === undefined ? {} : { steady }),
    })),
    ...checksOf(flow),
  ]);
}

interface DeviatingRun extends AppWaits {
  readonly name: string;
  readonly end: ExpectedEnd;
  /** Indexes of the flow's steps that the app refused, such as a payout before a late payment. They are repeated. */
  readonly refused?: readonly number[];
}

/** Builds a run with deviations, which must end as `end` says. */
export function deviatingRunDocument(
  flow: Flow,
  plan: SandboxPlan,
  baseline: Baseline,
  { name, end, refused = [], ...waits }: DeviatingRun,
): RunDocument {
  const { refundedPart, isWrongMoney } = plan;
  const tail = quietEnd(flow, {
    deviations: plan.set.length,
    deviatingCalls: plan.faults.length,
    isPaidLate: plan.isPaidLate,
    rest: waits.rest,
    refund: refundedPart === undefined ? [] : partialRefundSteps(refundedPart, baseline.customerMatch),
  });
  const drive = driveSteps(flow, plan, baseline, waits);
  const again = refused.map((index) => tolerantStep(flow.drive[index]!, 1, waits.flowWait));
  const rules = {
    charges: plan.charges,
    webhooks: [...plan.webhooks].sort(bySkip),
    faults: [...[...plan.faults].sort(bySkip), ...plan.raceHolds],
  };
  const until = [...withRole("drive", drive), ...tail];
  const placed = [
    ...withRole("reset", flow.reset),
    ...withMovingTime(withWaits(withJobs(until, flow, plan, baseline, waits), waits), plan, baseline),
    ...(again.length === 0 ? [] : [...withRole("repeat", again), ...tail.map(asRepeated)]),
    ...withRole("paid", chargeChecks(baseline, end)),
    ...withRole("paid_out", withdrawalChecks(baseline, end)),
    ...viewsOf(flow, (index) => ({ ...savingView(index), expect: end.views[index] })),
    ...(end.unlike === undefined ? [] : [unlikeView(flow, end.unlike, isWrongMoney)]),
    ...checksOf(flow, end.isPlain === true),
    ...withRole("manners", refusalChecks(baseline, plan)),
  ];
  const times = PATIENT_STEADY_TIMES[waits.quiet === undefined ? "before" : "after"];
  const steps = plan.variant.isPatient ? placed.map((one) => asPatient(one, times)) : placed;
  return assemble(flow, rules, steps, name);
}

function asRepeated({ step }: Placed): Placed {
  return { step, role: "repeat" };
}

/** Factor by which a view must stay unchanged for longer in a patient run, if the app works before or after it responds. */
const PATIENT_STEADY_TIMES = { before: 4, after: 8 } as const;

function asPatient({ step, role }: Placed, times: number): Placed {
  if (step.steady === undefined) return { step, role };
  return { step: { ...step, steady: formatDuration(times * durationToMs(String(step.steady))) }, role };
}

/** Sorts rules by descending `skip`. A call that one rule matches does not count for the `skip` of later rules. */
function bySkip(one: FaultRule | WebhookRule, other: FaultRule | WebhookRule): number {
  return (other.skip ?? 0) - (one.skip ?? 0);
}

/** Makes the step that fails if the app shows the end as it shows another one. */
function unlikeView(
  flow: Flow,
  { sentence, view, body }: NonNullable<ExpectedEnd["unlike"]>,
  isWrongMoney: boolean,
): Placed {
  const { step } = viewsOf(flow, () => ({ name: sentence, expect: { status: { lt: 500 }, body } }))[view]!;
  return { step, role: isWrongMoney ? "not_delivered" : "unlike" };
}

/** Makes the steps that read the app's views, and adds the fields of `fieldsOf` to each. */
function viewsOf({ observe }: Flow, fieldsOf: (index: number) => object): Placed[] {
  const steps = observe.map((view, index) => ({
    ...readOf(view),
    steady: view.steady ?? STEADY_DURATION,
    ...fieldsOf(index),
  }));
  return withRole("observe", steps);
}

/** Advances time in parallel with the steps that drive the app, while the app waits for a response. */
function withMovingTime(
  placed: readonly Placed[],
  { timeAdvance }: SandboxPlan,
  { customerMatch }: Baseline,
): Placed[] {
  if (timeAdvance === undefined) return [...placed];
  const end = placed.findLastIndex(({ role }) => role === "drive") + 1;
  const { by, call } = timeAdvance;
  const begin: RawStep =
    call === undefined
      ? {
          wait_for: "charge",
          ...(customerMatch.customer_email === undefined ? {} : { match: customerMatch }),
        }
      : { wait_for: "request", match: { operation: call.operation }, count: call.earlierCount + 1 };
  const waiting = {
    name: "Time passes while the app waits",
    parallel: [placed.slice(0, end).map(({ step }) => step), [begin, { advance: by }]],
  };
  return [{ step: waiting, role: "drive" }, ...placed.slice(end)];
}

/** @param isPlain the flow's own expectations hold, which describe an order that is paid in full and not refunded */
function checksOf(flow: Flow, isPlain = true): Placed[] {
  const checks = flow.checks.filter(({ oracle }) => isPlain || oracle !== "expect");
  return [
    ...checks.map(({ step, oracle }): Placed => {
      if (typeof step.app !== "string") return { step, role: oracle };
      return { step: { ...step, steady: step.steady ?? STEADY_DURATION }, role: oracle };
    }),
    ...flow.never.map(
      ({ body, steady = STEADY_DURATION, ...view }): Placed => ({
        step: { ...view, steady, expect: { body: { not: body } } },
        role: "never",
      }),
    ),
  ];
}

/** Fields of a flow's file that only `explore` reads, and that the file of a run leaves out. */
const EXPLORE_FIELDS = ["given", "observe", "tick", "meanwhile", "never", "allow", "reset", "$schema"];
type Rules = Partial<Pick<SandboxPlan, "charges" | "webhooks" | "faults">>;

/** Puts the rules of the run before the flow's own, because the first match wins. */
function assemble({ raw }: Flow, rules: Rules, placed: readonly Placed[], name = raw.name): RunDocument {
  const fields = Object.entries(raw).filter(([key]) => !EXPLORE_FIELDS.includes(key));
  const merged = Object.entries(rules).flatMap(([kind, list]) => {
    const all = [...list, ...((raw[kind] ?? []) as object[])];
    return all.length === 0 ? [] : [[kind, all]];
  });
  const document = {
    ...Object.fromEntries(fields),
    name,
    ...Object.fromEntries(merged),
    steps: placed.map(({ step }) => step),
  };
  return { document, roles: placed.map(({ role }) => role) };
}

/** Adds roles for the steps of a top-level `include`, which the loader puts before the steps of the document. */
export function withIncludedSteps({ document, roles }: RunDocument, { steps }: LoadedScenario): StepRole[] {
  const included = steps.length - (document.steps as readonly RawStep[]).length;
  return [...Array.from({ length: included }, () => "drive" as const), ...roles];
}

/** Roles of the steps that a brief run leaves out: its records show whether they would pass. */
const IMPLIED: readonly StepRole[] = ["rest", "paid", "paid_out", "manners"];

/**
 * Leaves out the steps with `IMPLIED` roles, and each `expect` step that an `observe` step implies. Looks at the app once:
 * a run that fails makes all checks again, and waits there.
 */
export function omitImpliedSteps({ document, roles }: RunDocument): RunDocument {
  const all = document.steps as readonly RawStep[];
  const observed = all.filter((_, index) => roles[index] === "observe");
  const isNeeded = all.map(
    (step, index) =>
      !IMPLIED.includes(roles[index]!) &&
      !(roles[index] === "expect" && observed.some((one) => implies(one, step))),
  );
  const steps = all.map((step, index) => (isCheck(roles[index]) ? withoutWait(step) : step));
  const isKept = (_: unknown, index: number) => isNeeded[index];
  return { document: { ...document, steps: steps.filter(isKept) }, roles: roles.filter(isKept) };
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
