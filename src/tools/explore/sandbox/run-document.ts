import { isRecord } from "../../../core/files/documents.js";
import type { ChargeRule, FaultRule, WebhookRule } from "../../../core/schema/scenario-rules.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKinds } from "../../scenario/step-faults.js";
import type { CallChange, CallPlace, Role, RunPlan, WebhookChange, WebhookPlace } from "../deviable.js";
import { markingOf } from "../judge.js";
import { wholeSeconds } from "../kinds.js";
import type { Schedule } from "../schedule.js";
import { type Flow, paidPageOf, pressOf } from "./flow.js";

/** The end that every run must come to, as two plain runs showed it. */
export interface Baseline {
  /** Glob of the run's customer; absent where runs share a customer. */
  readonly whose: { readonly customer_email?: string };
  /** Matcher of the run's charges: by customer, where a glob exists. */
  readonly order: Readonly<Record<string, unknown>>;
  /** Number of these charges that were completed. */
  readonly completed: number;
  /** Matcher of the charges of the flow's own order; absent where the flow does not know its name. */
  readonly named?: { readonly match: Readonly<Record<string, unknown>>; readonly completed: number };
  /** Expected body of each observed view. */
  readonly observed: readonly unknown[];
}

/** A run as a scenario file, with the role of each step. */
export interface RunDocument {
  readonly document: Readonly<Record<string, unknown>>;
  readonly roles: readonly Role[];
}

/** Collects the deviations of one run as rules and changes of a scenario file. */
export class SandboxPlan implements RunPlan {
  readonly schedule: Schedule;
  readonly charges: ChargeRule[] = [];
  readonly webhooks: WebhookRule[] = [];
  readonly faults: FaultRule[] = [];
  presses = 1;
  isCancelled = false;
  /** Duration by which time moves while the flow waits. */
  moves: string | undefined;
  readonly #whose: Baseline["whose"];

  constructor(schedule: Schedule, whose: Baseline["whose"]) {
    this.schedule = schedule;
    this.#whose = whose;
  }

  deviateCall({ operation, before, isOwn }: CallPlace, change: CallChange): void {
    const match = { operation, ...(isOwn ? this.#whose : {}) };
    this.faults.push({ match, ...change, skip: before, times: 1, per: "request" });
  }

  deviateWebhook({ type, before, attempt }: WebhookPlace, change: WebhookChange): void {
    const match = { type, ...this.#whose };
    const position = attempt === undefined ? {} : { attempt };
    this.webhooks.push({
      match,
      ...position,
      ...change,
      ...(before === 0 ? {} : { skip: before }),
      times: 1,
    });
  }

  press(times: number): void {
    this.presses = times;
  }

  payLate(): void {
    this.charges.push({
      match: this.#whose,
      timeline: [
        { after: "1s", to: "AWAITING_PAYMENT" },
        { after_expiry: "10m", to: "COMPLETED" },
      ],
    });
  }

  cancelThenPay(): void {
    this.isCancelled = true;
  }

  moveTime(ms: number): void {
    this.moves = wholeSeconds(ms);
  }

  /** The deviations let the app see errors, so it may respond with errors itself. */
  get excusesErrors(): boolean {
    return this.faults.length > 0 || this.webhooks.some(({ lose_answer }) => lose_answer === true);
  }
}

/** Roles of steps whose result the observation of the run implies. */
const IMPLIED: readonly Role[] = ["rest", "paid", "manners"];

/** Leaves out the steps that the observation implies, and checks that an earlier one implies. */
export function briefDocument({ document, roles }: RunDocument): RunDocument {
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

/** Both steps send the same request, and the first expects everything that the second does. */
function implies(first: RawStep, second: RawStep): boolean {
  const { expect: whole, ...request } = first;
  const { expect: part, name: _name, ...other } = second;
  return isRecord(whole) && isRecord(part) && isSame(request, other) && isContained(part, whole);
}

function isContained(part: unknown, whole: unknown): boolean {
  if (!isRecord(part) || !isRecord(whole)) return isSame(part, whole);
  return Object.entries(part).every(([key, value]) => key in whole && isContained(value, whole[key]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Longer than all retries and repetitions of a webhook. */
const LONG = "5d";
/** Time for which the app's responses must not change. */
const STEADY = "250ms";

/** Variable in which a plain run saves a view of the app. */
export function observedName(index: number): string {
  return `observed_${index + 1}`;
}

interface Placed {
  readonly step: RawStep;
  readonly role: Role;
}

/** Builds the run without deviations, which saves the app's views for the baseline. */
export function plainDocument(flow: Flow): RunDocument {
  return assemble(flow, {}, [
    ...withRole("reset", flow.reset),
    ...withRole("drive", flow.drive),
    ...tailOf(flow),
    ...viewsOf(flow, (index) => ({ save: { [observedName(index)]: "body" } })),
    ...checksOf(flow),
  ]);
}

/** Builds a run with deviations, which must end as the plain runs did. */
export function deviatingDocument(
  flow: Flow,
  plan: SandboxPlan,
  learned: Baseline,
  name: string,
): RunDocument {
  const { isCancelled, schedule } = plan;
  const baseline = isCancelled ? unpaid(learned) : learned;
  const rules = {
    charges: plan.charges,
    webhooks: [...plan.webhooks].sort(bySkip),
    faults: [...plan.faults].sort(bySkip),
  };
  const placed = [
    ...withRole("reset", flow.reset),
    ...withRole("drive", driveSteps(flow, plan, baseline)),
    ...tailOf(flow, schedule.length),
    ...withRole("paid", paymentChecks(baseline, plan)),
    ...viewsOf(flow, (index) => ({ expect: { body: baseline.observed[index] } })),
    ...checksOf(flow, isCancelled),
    ...withRole("manners", plan.excusesErrors ? [] : [NO_5XX]),
  ];
  return assemble(flow, rules, placed, name);
}

/** Descending: a rule with `skip` counts only what no rule before it matches. */
function bySkip(one: FaultRule | WebhookRule, other: FaultRule | WebhookRule): number {
  return (other.skip ?? 0) - (one.skip ?? 0);
}

function withRole(role: Role, steps: readonly RawStep[]): Placed[] {
  return steps.map((step) => ({ step, role }));
}

/** Reads of the app's views, completed by `fieldsOf`. */
function viewsOf({ observe }: Flow, fieldsOf: (index: number) => object): Placed[] {
  const steps = observe.map(({ ignore: _ignore, steady = STEADY, ...view }, index) => ({
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

/** A customer who presses twice may place two orders: each is paid at most once, and at least one is paid. */
function paymentChecks({ order, completed, named }: Baseline, { presses }: SandboxPlan): RawStep[] {
  const paid = { ...order, status: "COMPLETED" };
  if (named === undefined || presses === 1)
    return [{ name: "Paid as often as ordered", expect_charge: { ...paid, count: completed } }];
  const once = { ...named.match, status: "COMPLETED", count: { lte: named.completed } };
  return [
    { name: "Paid no more often than ordered", expect_charge: once },
    { name: "Paid as often as ordered", expect_charge: { ...paid, count: { gte: completed } } },
  ];
}

/** One order stays unpaid; the app's view of it may be anything but paid. */
function unpaid({ completed, observed, ...baseline }: Baseline): Baseline {
  return {
    ...baseline,
    completed: Math.max(0, completed - 1),
    observed: observed.map((one) => notPaid(one) ?? PRESENT),
  };
}

function notPaid(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => notPaid(part) ?? PRESENT);
  if (!isRecord(value)) return markingOf(value) === "paid" ? { not: value } : undefined;
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

/** The flow's steps, made tolerant: the customer retries without a response or on an error, and responses are not checked. */
function driveSteps(flow: Flow, plan: SandboxPlan, { whose }: Baseline): RawStep[] {
  const { presses, moves, schedule } = plan;
  const press = pressOf(flow);
  const page = plan.isCancelled ? paidPageOf(flow) : undefined;
  const steps = flow.drive.flatMap((step): RawStep[] => {
    if (step === page) return [cancelStep(step)];
    const tolerant = tolerantStep(step, schedule.length + 1);
    if (tolerant === undefined) return [];
    if (step !== press || presses === 1) return [tolerant];
    const { save: _save, ...repeated } = tolerant;
    const others = Array.from({ length: presses - 1 }, () => [repeated]);
    return [{ name: PRESSED, parallel: [[tolerant], ...others] }];
  });
  if (moves === undefined) return steps;
  const meanwhile = [
    { wait_for: "charge", ...(whose.customer_email === undefined ? {} : { match: whose }) },
    { advance: moves },
  ];
  return [{ name: "Time passes while the app waits", parallel: [steps, meanwhile] }];
}

function tolerantStep(step: RawStep, tries: number): RawStep | undefined {
  const [kind] = stepKinds(step);
  if (kind === "app") {
    const { expect, ...call } = step;
    const expectsFailure =
      typeof expect === "object" && expect !== null && ("dropped" in expect || "timeout" in expect);
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

/** Expects the fields that the step saves, because later steps need them. */
function savedFields(save: unknown): { readonly body?: unknown } {
  const bodies = Object.values(isRecord(save) ? save : {}).flatMap((path) =>
    typeof path === "string" && /^body(\.[A-Za-z_]\w*)+$/.test(path) ? [path.split(".").slice(1)] : [],
  );
  if (bodies.length === 0) return {};
  return { body: Object.fromEntries(bodies.map(([field]) => [field, PRESENT])) };
}

/** Steps without deviations after the flow: all retries end, and the app's own jobs run at least twice. */
function tailOf(flow: Flow, deviations = 1): Placed[] {
  // Each deviation may hit one run of the jobs; the last run must be undisturbed.
  const times = Array.from({ length: Math.max(2, deviations + 1) });
  const ticks = times.flatMap((): RawStep[] => [...flow.ticks, { advance: "1h" }]);
  const start = { name: "Everything works again, and time passes", advance: LONG };
  const steps: RawStep[] = [start, ...(flow.ticks.length === 0 ? [] : ticks), { wait_for: "idle" }];
  return steps.map((step) => ({ step, role: "wait_for" in step ? "rest" : "tail" }));
}

function checksOf(flow: Flow, isCancelled = false): Placed[] {
  // Expectations of a paid order do not hold once it is cancelled.
  const checks = flow.checks.filter(({ oracle }) => !isCancelled || oracle !== "expect");
  return [
    ...checks.map(({ step, oracle }): Placed => {
      const isCallToApp = typeof step.app === "string" && step.steady === undefined;
      return { step: isCallToApp ? { ...step, steady: STEADY } : step, role: oracle };
    }),
    ...flow.never.map(
      ({ body, steady = STEADY, ...view }): Placed => ({
        step: { ...view, steady, expect: { body: { not: body } } },
        role: "expect",
      }),
    ),
  ];
}

/** Fields of a flow that a run does not have. */
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
