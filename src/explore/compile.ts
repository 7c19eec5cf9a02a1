import { isRecord } from "../files/documents.js";
import { stepKinds } from "../scenario/step-faults.js";
import type { RawStep } from "../scenario/step-places.js";
import { type Flow, type Look, type Oracle, paidPageOf, pressOf } from "./flow.js";
import type { Words } from "./kinds.js";
import { markingOf } from "./marking.js";

/** What a step of a run is there for: to carry it on, or to judge it. */
export type Role = "reset" | "drive" | "tail" | "rest" | "paid" | "observe" | "manners" | Oracle;

/** What plain runs have taught. */
export interface Lesson {
  /** A glob that is the run's customer and nobody else's; absent where nothing tells runs apart. */
  readonly whose: { readonly customer_email?: string };
  /** By what the charges of the run are found: those of its customer, where a glob can tell. */
  readonly order: Readonly<Record<string, unknown>>;
  /** How many of them were completed. */
  readonly completed: number;
  /** By what those of the flow's own order are found, and how many were; absent where the flow does not know its name. */
  readonly named?: { readonly match: Readonly<Record<string, unknown>>; readonly completed: number };
  /** What each look at the app has to see. */
  readonly observed: readonly unknown[];
}

/** A run in the words of a scenario file, and what each of its steps is there for. */
export interface Compiled {
  readonly document: Readonly<Record<string, unknown>>;
  readonly roles: readonly Role[];
}

/** What `seen` tells as well when a run is over, without asking for it. */
const TOLD_BY_SEEN: readonly Role[] = ["rest", "paid", "manners"];

/** The same run without the steps that its trace can stand for, and without looks that an earlier one stands for. */
export function briefly({ document, roles }: Compiled): Compiled {
  const all = document.steps as readonly RawStep[];
  const observed = all.filter((_, index) => roles[index] === "observe");
  const isAsked = (step: RawStep, index: number) =>
    !TOLD_BY_SEEN.includes(roles[index]!) &&
    !(roles[index] === "expect" && observed.some((one) => isToldBy(one, step)));
  const kept = all.map(isAsked);
  const steps = all.filter((_, index) => kept[index]);
  return { document: { ...document, steps }, roles: roles.filter((_, index) => kept[index]) };
}

/** Whether the one asks the same, and all that the other expects of it is expected there already. */
function isToldBy(one: RawStep, other: RawStep): boolean {
  const [{ expect: expected, ...asked }, { expect: wanted, name: _name, ...wish }] = [one, other];
  return isRecord(expected) && isRecord(wanted) && isSame(asked, wish) && isWithin(wanted, expected);
}

function isWithin(wanted: unknown, expected: unknown): boolean {
  if (!isRecord(wanted) || !isRecord(expected)) return isSame(wanted, expected);
  return Object.entries(wanted).every(([key, part]) => key in expected && isWithin(part, expected[key]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Longer than the retries of a webhook, and than whatever comes once more. */
const LONG = "5d";
/** So long the app's answers have to stay as they are. */
const STEADY = "250ms";

/** Where a look at the app is kept by a run that learns. */
export function observedName(index: number): string {
  return `observed_${index + 1}`;
}

interface Placed {
  readonly step: RawStep;
  readonly role: Role;
}

/** The flow with nothing going wrong: its own steps, and what the app says in the end is kept. */
export function compiledPlain(flow: Flow): Compiled {
  const drive = [...resetting(flow), ...flow.drive.map((step): Placed => ({ step, role: "drive" }))];
  const observe = flow.observe.map(
    ({ ignore: _ignore, steady = STEADY, ...look }, index): Placed => ({
      step: { ...look, steady, save: { [observedName(index)]: "body" } },
      role: "observe",
    }),
  );
  return assembled(flow, {}, [...drive, ...tailOf(flow), ...observe, ...looksOf(flow)]);
}

/** The flow with that going otherwise, and what has to be all the same. */
export function compiled(flow: Flow, words: readonly Words[], learnt: Lesson, name: string): Compiled {
  const isCancelled = words.some((one) => one.isCancelled);
  const lesson = isCancelled ? unpaid(learnt) : learnt;
  const rules = {
    name,
    charges: words.flatMap((one) => one.charges ?? []),
    webhooks: words.flatMap((one) => one.webhooks ?? []).sort(furthestFirst),
    faults: words.flatMap((one) => one.faults ?? []).sort(furthestFirst),
  };
  const judged: Placed[] = [
    ...paidAs(lesson, words).map((step): Placed => ({ step, role: "paid" })),
    ...flow.observe.map(
      ({ ignore: _ignore, steady = STEADY, ...look }, index): Placed => ({
        step: { ...look, steady, expect: { body: lesson.observed[index] } },
        role: "observe",
      }),
    ),
    ...looksOf(flow, isCancelled ? ({ oracle }) => oracle !== "expect" : undefined),
    ...(words.some(isOfTheApi) ? [] : [{ step: NO_5XX, role: "manners" as const }]),
  ];
  return assembled(flow, rules, [
    ...resetting(flow),
    ...driven(flow, words, lesson),
    ...tailOf(flow, words.length),
    ...judged,
  ]);
}

/** A rule that lets some pass counts those that no rule before it takes. */
function furthestFirst(
  one: { readonly skip?: number | undefined },
  other: { readonly skip?: number | undefined },
): number {
  return (other.skip ?? 0) - (one.skip ?? 0);
}

const PRESSED = "The customer presses again before there is a response";
const NO_5XX: RawStep = {
  name: "No signed event got an error of the app's own",
  expect_delivery: { answered: "5xx", count: 0 },
};

function resetting({ reset }: Flow): Placed[] {
  return reset.map((step) => ({ step, role: "reset" }));
}

/** Who presses twice may have ordered twice: then each order is paid at most once, and one of them is. */
function paidAs({ order, completed, named }: Lesson, words: readonly Words[]): RawStep[] {
  const paid = { ...order, status: "COMPLETED" };
  if (named === undefined || !words.some(({ presses }) => presses !== undefined))
    return [{ name: "Paid as often as ordered", expect_charge: { ...paid, count: completed } }];
  const once = { ...named.match, status: "COMPLETED", count: { lte: named.completed } };
  return [
    { name: "Paid no more often than ordered", expect_charge: once },
    { name: "Paid as often as ordered", expect_charge: { ...paid, count: { gte: completed } } },
  ];
}

function isOfTheApi({ faults, webhooks }: Words): boolean {
  return faults !== undefined || webhooks?.lose_answer === true;
}

/** The app is not paid for one of them, and may say anything of it but that it is. */
function unpaid({ completed, observed, ...lesson }: Lesson): Lesson {
  return {
    ...lesson,
    completed: Math.max(0, completed - 1),
    observed: observed.map((one) => butNotPaid(one) ?? SOMETHING),
  };
}

function butNotPaid(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => butNotPaid(part) ?? SOMETHING);
  if (!isRecord(value)) return markingOf(value) === "paid" ? { not: value } : undefined;
  const fields = Object.entries(value).flatMap(([key, part]) => {
    const said = butNotPaid(part);
    return said === undefined ? [] : [[key, said]];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

const SOMETHING = { exists: true };

function cancelling({ name, pay_twice, close_page }: RawStep): RawStep {
  const { until: _until, ...chosen } = (pay_twice ?? close_page) as Record<string, unknown>;
  return { ...(name === undefined ? {} : { name }), cancel_then_pay: chosen };
}

/** A customer who gets no answer, or an error, tries again; what the app says meanwhile is not judged. */
function driven(flow: Flow, words: readonly Words[], lesson: Lesson): Placed[] {
  const press = pressOf(flow);
  const tries = words.length + 1;
  const page = words.some(({ isCancelled }) => isCancelled) ? paidPageOf(flow) : undefined;
  const steps = flow.drive.flatMap((step): RawStep[] => {
    if (step === page) return [cancelling(step)];
    const patient = patiently(step, tries);
    if (patient === undefined) return [];
    const presses = Math.max(1, ...words.map((one) => one.presses ?? 1));
    if (step !== press || presses === 1) return [patient];
    const { save: _save, ...again } = patient;
    const others = Array.from({ length: presses - 1 }, () => [again]);
    return [{ name: PRESSED, parallel: [[patient], ...others] }];
  });
  const holding = words.find(({ meanwhile }) => meanwhile !== undefined);
  if (holding === undefined) return steps.map((step) => ({ step, role: "drive" }));
  const meanwhile = [
    { wait_for: "charge", ...(lesson.whose.customer_email === undefined ? {} : { match: lesson.whose }) },
    { advance: holding.meanwhile },
  ];
  const both = { name: "Time passes while the app waits", parallel: [steps, meanwhile] };
  return [{ step: both, role: "drive" }];
}

function patiently(step: RawStep, tries: number): RawStep | undefined {
  const [kind] = stepKinds(step);
  if (kind === "app") {
    const { expect, ...call } = step;
    const isOdd =
      typeof expect === "object" && expect !== null && ("dropped" in expect || "timeout" in expect);
    return isOdd ? step : { ...call, tries, expect: { status: { lt: 500 }, ...needed(step.save) } };
  }
  if (kind !== "wait_for") return step;
  // How far it has come by then may be otherwise; that it is there is what is needed of it.
  if (step.save === undefined) return step.wait_for === "idle" ? step : undefined;
  const { status: _status, ...match } = (step.match ?? {}) as Record<string, unknown>;
  return { ...step, match };
}

/** Without what is saved of an answer the customer gets no further, and tries again. */
function needed(save: unknown): { readonly body?: unknown } {
  const bodies = Object.values(isRecord(save) ? save : {}).flatMap((path) =>
    typeof path === "string" && /^body(\.[A-Za-z_]\w*)+$/.test(path) ? [path.split(".").slice(1)] : [],
  );
  if (bodies.length === 0) return {};
  return { body: Object.fromEntries(bodies.map(([field]) => [field, SOMETHING])) };
}

/** Nothing goes wrong any more: retries come to their end, and the app's own work is set off twice, or more. */
function tailOf(flow: Flow, deviations = 1): Placed[] {
  // What goes wrong may meet the app's own work too: the last of it is met by nothing.
  const times = Array.from({ length: Math.max(2, deviations + 1) });
  const ticks = times.flatMap((): RawStep[] => [...flow.ticks, { advance: "1h" }]);
  const steps: RawStep[] = [
    { name: "Everything works again, and time passes", advance: LONG },
    ...(flow.ticks.length === 0 ? [] : ticks),
    { wait_for: "idle" },
  ];
  return steps.map((step) => ({ step, role: "wait_for" in step ? "rest" : "tail" }));
}

function looksOf(flow: Flow, isMeant: (look: Look) => boolean = () => true): Placed[] {
  return [
    ...flow.looks.filter(isMeant).map(({ step, oracle }): Placed => {
      const isOfApp = typeof step.app === "string" && step.steady === undefined;
      return { step: isOfApp ? { ...step, steady: STEADY } : step, role: oracle };
    }),
    ...flow.never.map(
      ({ body, steady = STEADY, ...look }): Placed => ({
        step: { ...look, steady, expect: { body: { not: body } } },
        role: "expect",
      }),
    ),
  ];
}

type Rules = Partial<Record<"charges" | "webhooks" | "faults", readonly object[]>> & {
  readonly name?: string;
};

/** The flow's own rules come after those of the run: the first that matches is taken. */
function assembled({ raw }: Flow, { name, ...rules }: Rules, placed: readonly Placed[]): Compiled {
  const {
    given: _given,
    observe: _observe,
    tick: _tick,
    never: _never,
    reset: _reset,
    $schema: _schema,
    ...own
  } = raw;
  const mixed = Object.entries(rules).flatMap(([kind, list]) => {
    const all = [...list, ...((raw[kind] ?? []) as object[])];
    return all.length === 0 ? [] : [[kind, all]];
  });
  const document = {
    ...own,
    ...(name === undefined ? {} : { name }),
    ...Object.fromEntries(mixed),
    steps: placed.map(({ step }) => step),
  };
  return { document, roles: placed.map(({ role }) => role) };
}
