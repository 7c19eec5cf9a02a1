import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { NeverRule, ObserveRule as ObservedView } from "../../../core/schema/scenario-file.js";
import { parseDuration } from "../../../core/schema/time.js";
import { UserError } from "../../../core/schema/user-error.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import type { StepKind } from "../../scenario/steps/step-kinds.js";
import type { Oracle } from "../exploration.js";

export interface Flow {
  readonly file: string;
  readonly raw: Readonly<Record<string, unknown>>;
  /** Acts, in order: steps that call the app, pay or advance time; and between them the looks that an act follows. */
  readonly drive: readonly RawStep[];
  /** Index of the step at which the customer tries again; the payment that is under way before it fails. */
  readonly secondTry?: number;
  /** Looks at the end, which no act follows, each with its oracle. */
  readonly checks: readonly { readonly step: RawStep; readonly oracle: Oracle }[];
  /** Calls to the app, and commands, whose results at the end must be as in a plain run. */
  readonly observe: readonly ObservedView[];
  readonly scheduledWork: readonly RawStep[];
  readonly meanwhile: readonly RawStep[];
  readonly reset: readonly RawStep[];
  readonly never: readonly NeverRule[];
  /** Kind of deviation → field of the views → the end that the app means. */
  readonly allow: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Oracle of each kind of check; null for checks of traffic, left out because deviations change traffic. */
const CHECKS: Readonly<Record<Extract<StepKind, `expect_${string}` | "reconcile">, Oracle | null>> = {
  expect_charge: "expect",
  expect_balance: "expect",
  expect_withdrawal: "expect",
  expect_webhook: null,
  expect_delivery: null,
  expect_request: null,
  expect_sequence: null,
  reconcile: "reconcile",
};

/** @param raw a valid scenario file */
export function flowOf(file: string, raw: Readonly<Record<string, unknown>>): Flow {
  const drive: RawStep[] = [];
  const checks: Flow["checks"][number][] = [];
  const steps = ((raw.steps ?? []) as RawStep[]).filter((step) => stepKindsOf(step).length > 0);
  if (steps.some((step) => stepKindsOf(step)[0] === "manual"))
    throw new UserError(`${file}: a flow with manual steps cannot be explored`);
  const lastAct = steps.findLastIndex(isAct);
  for (const [index, step] of steps.entries()) {
    const oracle = lookOracle(step);
    if (oracle === null) continue;
    if (oracle !== undefined && index > lastAct) checks.push({ step, oracle });
    else drive.push(step);
  }
  if (!drive.some((step) => stepKindsOf(step)[0] === "app"))
    throw new UserError(`${file}: a flow to explore needs a step that calls the app`);
  return {
    file,
    raw,
    drive,
    checks,
    observe: (raw.observe ?? []) as ObservedView[],
    scheduledWork: (raw.tick ?? []) as RawStep[],
    meanwhile: (raw.meanwhile ?? []) as RawStep[],
    reset: (raw.reset ?? []) as RawStep[],
    never: (raw.never ?? []) as NeverRule[],
    allow: (raw.allow ?? {}) as Flow["allow"],
  };
}

/** The oracle of a look; null for a look at traffic; undefined for a step that does more than look. */
export function lookOracle(step: RawStep): Oracle | null | undefined {
  const [kind = ""] = stepKindsOf(step);
  if (kind in CHECKS) return CHECKS[kind as keyof typeof CHECKS];
  return step.save === undefined ? appCheck(step) : undefined;
}

/** Returns false for looks, and for reads that only save what they find. */
function isAct(step: RawStep): boolean {
  return lookOracle(step) === undefined && !isReadOfApp(step);
}

function isReadOfApp({ app, run }: RawStep): boolean {
  return run !== undefined || (typeof app === "string" && app.startsWith("GET "));
}

/** Returns the oracle of a step that reads the app and expects something of the response. */
export function appCheck(step: RawStep): Oracle | undefined {
  return isReadOfApp(step) && isJsonObject(step.expect) ? "expect" : undefined;
}

/** Sandbox milliseconds of an `advance` step; undefined for other steps and unknown durations. */
export function advanceMs({ advance }: RawStep): number | undefined {
  return typeof advance === "string" ? parseDuration(advance) : undefined;
}

export function longestAdvanceMs({ drive }: Pick<Flow, "drive">): number {
  return Math.max(0, ...drive.map((step) => advanceMs(step) ?? 0));
}

/** Returns true if every step that moves time has a known duration. Only then can a job run at a given time. */
export function hasKnownTimes({ drive, reset }: Flow): boolean {
  return [...drive, ...reset].every(
    (step) =>
      !["advance", "repeat", "parallel", "include"].includes(stepKindsOf(step)[0] ?? "") ||
      advanceMs(step) !== undefined,
  );
}

/** The call or command of a view, without the fields that only `explore` reads. */
export function readOf({ ignore: _ignore, price: _price, currency: _currency, ...read }: ObservedView) {
  return read;
}

/** Finds the customer's writes to the app. Calls that `tick` makes too are no presses of the customer. */
export function findPresses(flow: Flow): RawStep[] {
  const jobs = findJobs(flow);
  return flow.drive.filter((step) => isAppWrite(step) && !jobs.includes(step));
}

/** Finds the writes of the flow that `tick` makes too. */
export function findJobs({ drive, scheduledWork }: Flow): RawStep[] {
  const jobs = scheduledWork.map(({ app }) => app);
  return drive.filter((step) => isAppWrite(step) && jobs.includes(step.app));
}

export function isAppWrite({ app }: RawStep): boolean {
  return typeof app === "string" && !app.startsWith("GET ");
}
