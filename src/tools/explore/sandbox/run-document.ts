import { durationToMs, formatDuration, parseDuration } from "../../../core/schema/duration.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { FaultRule, WebhookRule } from "../../../core/schema/scenario-rules.js";
import type { QuietReport } from "../../../core/time/app-activity.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { PAY_DEFAULTS } from "../../scenario/steps/pay.js";
import type { StepRole } from "../deviable.js";
import { statusMeaningOf } from "../judge.js";
import { type Flow, findFirstAppWrite, findHostedPaymentStep } from "./flow.js";
import { chargeChecks, withdrawalChecks } from "./payment-checks.js";
import { type Baseline, type SandboxPlan, WEBHOOK_DELAY_BEFORE_JOB } from "./sandbox-plan.js";

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
/** Waits for a call of the scheduled work, so that the webhook arrives during the call. A timeout is no failure. */
const workBegins = (pace: number): RawStep => ({
  request: "POST /_sandbox/wait",
  body: { for: "request", match: { in_flight: true, runner: null }, timeout: formatDuration(50 * pace) },
  expect: { status: { lt: 500 } },
});
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
    ...withRole("manners", plan.excusesErrors ? [] : [NO_5XX]),
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
const NO_5XX: RawStep = {
  name: "No signed event got an error of the app's own",
  expect_delivery: { answered: "5xx", count: 0 },
};

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

function cancelStep({ name, pay_twice, close_page }: RawStep): RawStep {
  const { until: _until, ...chosen } = (pay_twice ?? close_page) as Record<string, unknown>;
  return { ...(name === undefined ? {} : { name }), cancel_then_pay: chosen };
}

/** The customer chooses a payment method and leaves; the charge expires before it is paid. */
function unpaidStep({ name, pay_twice, close_page }: RawStep): RawStep {
  const chosen = (pay_twice ?? close_page) as object;
  return {
    ...(name === undefined ? {} : { name }),
    close_page: { payment_method: PAY_DEFAULTS.method, ...chosen, until: "AWAITING_PAYMENT" },
  };
}

/** Adapts the flow's steps to deviations. A step that calls the app repeats a failed call. */
function driveSteps(flow: Flow, plan: SandboxPlan): RawStep[] {
  const { presses, set, jobs } = plan;
  const press = findFirstAppWrite(flow);
  const page = findHostedPaymentStep(flow);
  return flow.drive.flatMap((step): RawStep[] => {
    if (step === page) {
      const isBusy = jobs.some(({ sinceMs }) => sinceMs === undefined);
      return [
        ...(isBusy ? jobSteps(flow, set.length) : []),
        plan.isCancelled ? cancelStep(step) : plan.isPaidLate ? unpaidStep(step) : step,
      ];
    }
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
  const startMs = flow.reset.reduce((sum, step) => sum + (advanceMs(step) ?? 0), 0);
  const timed = plan.jobs.flatMap((job) =>
    job.sinceMs === undefined ? [] : [{ ...job, atMs: job.sinceMs - startMs }],
  );
  // Inserts the latest first, because an insertion shifts all later moments.
  return timed
    .sort((one, other) => other.atMs - one.atMs)
    .reduce((all: readonly Placed[], { atMs, concurrentWebhook }) => {
      const ticks = jobSteps(flow, plan.set.length);
      const work: RawStep[] =
        concurrentWebhook === undefined
          ? ticks
          : [
              {
                name: AT_ONCE_NAME,
                parallel: [ticks, [workBegins(plan.pace), { advance: WEBHOOK_DELAY_BEFORE_JOB }]],
              },
            ];
      return inserted(
        all,
        atMs,
        work,
        concurrentWebhook === undefined ? 0 : durationToMs(WEBHOOK_DELAY_BEFORE_JOB),
      );
    }, placed) as Placed[];
}

const AT_ONCE_NAME = "The scheduled work runs as the webhook arrives";

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
