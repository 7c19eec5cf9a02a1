import { durationToMs, formatDuration, parseDuration } from "../../../core/schema/duration.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { FaultRule, WebhookRule } from "../../../core/schema/scenario-rules.js";
import type { QuietReport } from "../../../core/time/app-activity.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import type { StepRole } from "../deviable.js";
import { statusMeaningOf } from "../judge.js";
import { type Flow, findFirstAppWrite } from "./flow.js";
import { chargeChecks, withdrawalChecks } from "./payment-checks.js";
import { cancelStep, findPages, unpaidStep } from "./payment-steps.js";
import { refusalChecks } from "./refusal-checks.js";
import { type Baseline, JOB_DURATION, type SandboxPlan } from "./sandbox-plan.js";

/** A run as a scenario file, with the role of each step. */
export interface RunDocument {
  readonly document: Readonly<Record<string, unknown>>;
  readonly roles: readonly StepRole[];
  /** Roles of the steps within the only step, which repeats them; absent if no step does. */
  readonly repeatedRoles?: readonly StepRole[];
}

/** Sandbox time between two runs of the app's scheduled work. */
const PAUSE = "1h";
/** Sandbox time longer than all retries and repetitions of a webhook. */
const LONG = "5d";
/** Waits until a call of the app is in flight. A timeout is no failure. */
const callBegins = (maxMs: number): RawStep => ({
  request: "POST /_sandbox/wait",
  body: { for: "request", match: { in_flight: true, runner: null }, timeout: formatDuration(maxMs) },
  expect: { status: { lt: 500 } },
});
/** Maximum wall time until the scheduled work of a prompt app makes its first call. */
const WORK_BEGINS_MS = 50;
/** Wall time that a view of the app must stay unchanged before a step accepts the view. */
export const STEADY_DURATION = "250ms";

/** Variable in which a plain run saves a view of the app. */
export function viewVariableName(index: number): string {
  return `observed_${index + 1}`;
}

interface Placed {
  readonly step: RawStep;
  readonly role: StepRole;
}

/** Prefix of the variables in which a plain run saves how long the app made calls after each advance. */
const QUIET_NAME = "quiet_";

/** Makes each advance wait, after each webhook, until the app has made no calls for the duration `quiet`. */
function withQuiet(placed: readonly Placed[], quiet: string | undefined, isSaved = false): Placed[] {
  if (quiet === undefined) return [...placed];
  return placed.map(({ step, role }, index) => {
    const isPause = role === "tail" && step.advance === PAUSE;
    if (step.advance === undefined || step.quiet !== undefined || isPause) return { step, role };
    const save = isSaved && step.save === undefined ? { save: { [`${QUIET_NAME}${index}`]: "quiet" } } : {};
    return { step: { ...step, quiet, ...save }, role };
  });
}

/** Returns the saved reports of how long the app made calls after each advance. */
export function quietReports(names: readonly string[], savedValue: (name: string) => unknown): QuietReport[] {
  return names
    .filter((name) => name.startsWith(QUIET_NAME))
    .flatMap((name) => {
      const value = savedValue(name);
      return isJsonObject(value) ? [value as unknown as QuietReport] : [];
    });
}

/**
 * Builds the run without deviations, which saves the app's views for the baseline.
 *
 * @param quiet how long the app must make no calls after webhooks
 * @param steady how long the views must not change; undefined for the duration in the flow
 */
export function plainRunDocument(flow: Flow, quiet: string | undefined, steady?: string): RunDocument {
  const until = [...withRole("drive", flow.drive), ...tailOf(flow)];
  return assemble(flow, {}, [
    ...withRole("reset", flow.reset),
    ...withQuiet(until, quiet, true),
    ...viewsOf(flow, (index) => ({
      save: { [viewVariableName(index)]: "body" },
      ...(steady === undefined ? {} : { steady }),
    })),
    ...checksOf(flow),
  ]);
}

/** Builds a run with deviations, which must end as the plain runs did. */
export function deviatingRunDocument(
  flow: Flow,
  plan: SandboxPlan,
  learned: Baseline,
  name: string,
  quiet: string | undefined,
): RunDocument {
  const { isCancelled, set } = plan;
  const baseline = isCancelled ? unpaid(learned) : learned;
  const rules = {
    charges: plan.charges,
    webhooks: [...plan.webhooks].sort(bySkip),
    faults: [...[...plan.faults].sort(bySkip), ...plan.slowReads],
  };
  const until = [...withRole("drive", driveSteps(flow, plan)), ...tailOf(flow, set.length)];
  const placed = [
    ...withRole("reset", flow.reset),
    ...withMovingTime(withQuiet(withJobs(until, flow, plan), quiet), plan, baseline),
    ...withRole("paid", chargeChecks(baseline, plan)),
    ...withRole("paid_out", withdrawalChecks(baseline, plan)),
    ...(plan.isWrongMoney
      ? withRole("not_delivered", notDelivered(flow, baseline))
      : viewsOf(flow, (index) => ({ expect: { body: baseline.observed[index] } }))),
    ...checksOf(flow, isCancelled || plan.isWrongMoney),
    ...withRole("manners", refusalChecks(baseline, plan)),
  ];
  return assemble(flow, rules, placed, name);
}

/** Sorts rules by descending `skip`. A call that one rule matches does not count for the `skip` of later rules. */
function bySkip(one: FaultRule | WebhookRule, other: FaultRule | WebhookRule): number {
  return (other.skip ?? 0) - (one.skip ?? 0);
}

function withRole(role: StepRole, steps: readonly RawStep[]): Placed[] {
  return steps.map((step) => ({ step, role }));
}

/** Makes one step per view. Each expects that the view does not show what it shows after a paid plain run. */
function notDelivered(flow: Flow, { observed }: Baseline): RawStep[] {
  return viewsOf(flow, (index) => ({ expect: { body: { not: observed[index] } } })).map(({ step }) => step);
}

/** Makes the steps that read the app's views, and adds the fields of `fieldsOf` to each. */
function viewsOf({ observe }: Flow, fieldsOf: (index: number) => object): Placed[] {
  const steps = observe.map(({ ignore: _ignore, steady = STEADY_DURATION, ...view }, index) => ({
    ...view,
    steady,
    ...fieldsOf(index),
  }));
  return withRole("observe", steps);
}

const PRESSED = "The customer presses again before there is a response";

/** Returns the baseline of a run that leaves one charge unpaid. No view may show a status that means paid. */
function unpaid({ completedCharges, observed, ...baseline }: Baseline): Baseline {
  return {
    ...baseline,
    completedCharges: Math.max(0, completedCharges - 1),
    observed: observed.map((one) => notPaid(one) ?? PRESENT),
  };
}

function notPaid(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => notPaid(part) ?? PRESENT);
  if (!isJsonObject(value)) return statusMeaningOf(value) === "paid" ? { not: value } : undefined;
  const fields = Object.entries(value).flatMap(([key, part]) => {
    const expected = notPaid(part);
    return expected === undefined ? [] : [[key, expected]];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

const PRESENT = { exists: true };

/** Adapts the flow's steps to deviations. A step that calls the app repeats a failed call. */
function driveSteps(flow: Flow, plan: SandboxPlan): RawStep[] {
  const { presses, set, jobs } = plan;
  const press = findFirstAppWrite(flow);
  const pages = findPages(flow);
  return flow.drive.flatMap((step): RawStep[] => {
    const page = pages.indexOf(step);
    if (page !== -1) {
      const isBusy = jobs.some((job) => "page" in job && job.page === page);
      const changed = page === plan.cancelledPage ? cancelStep(step) : step;
      return [...(isBusy ? jobSteps(flow, set.length) : []), plan.isPaidLate ? unpaidStep(changed) : changed];
    }
    if (plan.isPaidLate && step.pay !== undefined) return [unpaidStep(step)];
    const tolerant = tolerantStep(step, set.length + 1);
    if (tolerant === undefined) return [];
    if (step !== press || presses === 1) return [tolerant];
    const { save: _save, ...repeated } = tolerant;
    const others = Array.from({ length: presses - 1 }, () => [repeated]);
    return [{ name: PRESSED, parallel: [[tolerant], ...others] }];
  });
}

/** Advances time in parallel with the steps that drive the app, while the app waits for a response. */
function withMovingTime(
  placed: readonly Placed[],
  { timeAdvance }: SandboxPlan,
  { customerMatch }: Baseline,
): Placed[] {
  if (timeAdvance === undefined) return [...placed];
  const stepsOf = (role: StepRole) => placed.filter((one) => one.role === role).map(({ step }) => step);
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
    parallel: [stepsOf("drive"), [begin, { advance: by }]],
  };
  return [{ step: waiting, role: "drive" }, ...placed.filter(({ role }) => role !== "drive")];
}

/** Steps of the app's scheduled work, repeated after an error as a scheduler would. */
function jobSteps({ scheduledWork }: Flow, deviations: number): RawStep[] {
  return scheduledWork.map((step) =>
    typeof step.app === "string" && deviations > 0 ? { ...step, tries: deviations + 1 } : step,
  );
}

/** Sandbox milliseconds of an `advance` step; undefined for other steps and unknown durations. */
function advanceMs({ advance }: RawStep): number | undefined {
  return typeof advance === "string" ? parseDuration(advance) : undefined;
}

/** Returns true if every step that moves time has a known duration. Only then can a job run at a given time. */
export function hasKnownTimes({ drive, reset }: Flow): boolean {
  return [...drive, ...reset].every(
    (step) =>
      !["advance", "repeat", "parallel", "include"].includes(stepKindsOf(step)[0] ?? "") ||
      advanceMs(step) !== undefined,
  );
}

/** Inserts the app's scheduled work at the moments that the plan asks for. */
function withJobs(placed: readonly Placed[], flow: Flow, plan: SandboxPlan): Placed[] {
  const { unpaidSinceMs } = plan;
  const ticks = jobSteps(flow, plan.set.length);
  const timed = plan.jobs.flatMap((job) => {
    if ("page" in job) return [];
    const { sinceMs, concurrent } = job;
    if (concurrent === undefined) return [{ sinceMs, work: ticks, workMs: 0 }];
    const meanwhile = [callBegins(WORK_BEGINS_MS * plan.pace), { advance: JOB_DURATION }];
    const work = [{ name: AT_ONCE_NAME, parallel: [ticks, meanwhile] }];
    // A webhook is delayed by the same time; another change happens when it is due, so the work begins before it.
    const beginMs = concurrent.webhook === undefined ? sinceMs - 1 : sinceMs;
    return [{ sinceMs: beginMs, work, workMs: durationToMs(JOB_DURATION) }];
  });
  if (unpaidSinceMs !== undefined && hasKnownTimes(flow))
    timed.push({ sinceMs: unpaidSinceMs, work: [...ticks, ...looks(flow)], workMs: 0 });
  const startMs = flow.reset.reduce((sum, step) => sum + (advanceMs(step) ?? 0), 0);
  // Inserts the latest first, because an insertion shifts all later moments.
  return timed
    .sort((one, other) => other.sinceMs - one.sinceMs)
    .reduce(
      (all: Placed[], { sinceMs, work, workMs }) => inserted(all, sinceMs - startMs, work, workMs),
      [...placed],
    );
}

/** Steps that look at the app without judging it: some apps ask the service when they are looked at. */
function looks({ observe, scheduledWork }: Flow): RawStep[] {
  // Without scheduled work in the flow, the app may ask the service from time to time by itself.
  const pausesMs = [STEADY_DURATION, ...observe.map(({ steady = STEADY_DURATION }) => steady)].map(
    durationToMs,
  );
  const byItself = scheduledWork.length === 0 ? [callBegins(Math.max(...pausesMs))] : [];
  const views = observe.map(({ ignore: _ignore, steady: _steady, ...view }) => ({
    ...view,
    expect: { status: { gte: 100 } },
  }));
  return [...byItself, ...views];
}

const AT_ONCE_NAME = "The scheduled work runs as the payment changes";

/** Inserts `steps` at `atMs`, in the middle of an advance. The steps themselves advance time by `lessMs`. */
function inserted(
  placed: readonly Placed[],
  atMs: number,
  steps: readonly RawStep[],
  lessMs: number,
): Placed[] {
  let nowMs = 0;
  for (const [index, { step, role }] of placed.entries()) {
    const byMs = advanceMs(step);
    if (byMs === undefined) continue;
    if (nowMs + byMs < atMs) {
      nowMs += byMs;
      continue;
    }
    const [beforeMs, afterMs] = [atMs - nowMs, nowMs + byMs - atMs - lessMs];
    const parts = [
      ...(beforeMs > 0 ? [{ ...step, advance: formatDuration(beforeMs) }] : []),
      ...steps,
      ...(afterMs > 0 ? [{ advance: formatDuration(afterMs) }] : []),
    ];
    return [...placed.slice(0, index), ...withRole(role, parts), ...placed.slice(index + 1)];
  }
  return [...placed];
}

function tolerantStep(step: RawStep, tries: number): RawStep | undefined {
  const [kind] = stepKindsOf(step);
  if (kind === "app") {
    const { expect, ...call } = step;
    const expectsFailure = isJsonObject(expect) && ("dropped" in expect || "timeout" in expect);
    return expectsFailure
      ? step
      : { ...call, tries, expect: { status: { lt: 500 }, ...savedFields(step.save) } };
  }
  if (kind !== "wait_for") return step;
  // Later steps need the saved record, whatever its status.
  if (step.save === undefined) return step.wait_for === "idle" ? step : undefined;
  const { status: _status, ...match } = (step.match ?? {}) as Record<string, unknown>;
  return { ...step, match };
}

/** Returns the expectation that the response body has every field that `save` reads. */
function savedFields(save: unknown): { readonly body?: unknown } {
  const bodies = Object.values(isJsonObject(save) ? save : {}).flatMap((path) =>
    typeof path === "string" && /^body(\.[A-Za-z_]\w*)+$/.test(path) ? [path.split(".").slice(1)] : [],
  );
  if (bodies.length === 0) return {};
  return { body: Object.fromEntries(bodies.map(([field]) => [field, PRESENT])) };
}

/** Makes the steps that follow the flow: time for all retries, and at least two runs of the scheduled work. */
function tailOf(flow: Flow, deviations = 0): Placed[] {
  const work = jobSteps(flow, deviations);
  // Each deviation may disturb one run of the scheduled work; the last run must be undisturbed.
  const times = Array.from({ length: Math.max(2, deviations + 1) });
  const ticks = times.flatMap((): RawStep[] => [...work, { advance: PAUSE }]);
  const start = { name: "Everything works again, and time passes", advance: LONG };
  const steps: RawStep[] = [start, ...(flow.scheduledWork.length === 0 ? [] : ticks), { wait_for: "idle" }];
  return steps.map((step) => ({ step, role: "wait_for" in step ? "rest" : "tail" }));
}

function checksOf(flow: Flow, isCancelled = false): Placed[] {
  // The flow's `expect` describes an order that is paid in full; a cancelled or wrongly paid order fails it.
  const checks = flow.checks.filter(({ oracle }) => !isCancelled || oracle !== "expect");
  return [
    ...checks.map(({ step, oracle }): Placed => {
      const isCallToApp = typeof step.app === "string" && step.steady === undefined;
      return { step: isCallToApp ? { ...step, steady: STEADY_DURATION } : step, role: oracle };
    }),
    ...flow.never.map(
      ({ body, steady = STEADY_DURATION, ...view }): Placed => ({
        step: { ...view, steady, expect: { body: { not: body } } },
        role: "expect",
      }),
    ),
  ];
}

/** Fields of a flow's file that only `explore` reads, and that the file of a run leaves out. */
const EXPLORE_FIELDS = ["given", "observe", "tick", "never", "reset", "$schema"];
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
