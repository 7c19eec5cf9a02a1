import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { NeverRule, ObserveRule as ObservedView } from "../../../core/schema/scenario-file.js";
import { UserError } from "../../../core/schema/user-error.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import type { StepKind } from "../../scenario/steps/step-kinds.js";
import type { Oracle } from "../exploration.js";

/** A scenario file, split into steps that act and steps that check the end. */
export interface Flow {
  readonly file: string;
  readonly raw: Readonly<Record<string, unknown>>;
  /** Steps that act, in order: they call the app, pay or advance time. */
  readonly drive: readonly RawStep[];
  /** Steps that check the end, each with its oracle. */
  readonly checks: readonly { readonly step: RawStep; readonly oracle: Oracle }[];
  /** Calls to the app, and commands, whose results at the end must be as in a plain run. */
  readonly observe: readonly ObservedView[];
  readonly scheduledWork: readonly RawStep[];
  /** Steps that reset the app before each run. */
  readonly reset: readonly RawStep[];
  readonly never: readonly NeverRule[];
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
  for (const step of (raw.steps ?? []) as RawStep[]) {
    const [kind] = stepKindsOf(step);
    if (kind === undefined) continue;
    if (kind === "manual") throw new UserError(`${file}: a flow with manual steps cannot be explored`);
    const oracle = kind in CHECKS ? CHECKS[kind as keyof typeof CHECKS] : appCheck(step);
    if (oracle === null) continue;
    if (oracle !== undefined && step.save === undefined) checks.push({ step, oracle });
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
    reset: (raw.reset ?? []) as RawStep[],
    never: (raw.never ?? []) as NeverRule[],
  };
}

/** Returns the oracle of a step that reads the app and expects something of the response. */
export function appCheck({ app, run, expect }: RawStep): Oracle | undefined {
  const reads = run !== undefined || (typeof app === "string" && app.startsWith("GET "));
  return reads && isJsonObject(expect) ? "expect" : undefined;
}

/** The call or command of a view, without the fields that only `explore` reads. */
export function readOf({ ignore: _ignore, price: _price, currency: _currency, ...read }: ObservedView) {
  return read;
}

/** Finds the customer's writes to the app. Calls that `tick` makes too are no presses of the customer. */
export function findPresses({ drive, scheduledWork }: Flow): RawStep[] {
  const jobs = scheduledWork.map(({ app }) => app);
  return drive.filter((step) => isAppWrite(step) && !jobs.includes(step.app));
}

export function isAppWrite({ app }: RawStep): boolean {
  return typeof app === "string" && !app.startsWith("GET ");
}
