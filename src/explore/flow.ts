import { isRecord } from "../files/documents.js";
import { stepKinds } from "../scenario/step-faults.js";
import type { RawStep } from "../scenario/step-places.js";
import type { StepKind } from "../scenario/steps/kinds.js";
import type { Never, Observed } from "../schema/scenario-file.js";
import { UserError } from "../schema/user-error.js";

/** What is found by, in the order of contract section 11. */
export type Oracle = "money" | "convergence" | "liveness" | "manners" | "expect" | "reconcile";

/** A step that looks at how it ended. */
export interface Look {
  readonly step: RawStep;
  readonly oracle: Oracle;
}

/** A scenario file as it is explored: what carries the customer through, and what is looked at in the end. */
export interface Flow {
  readonly file: string;
  readonly raw: Readonly<Record<string, unknown>>;
  /** Steps that do something, in order. */
  readonly drive: readonly RawStep[];
  readonly looks: readonly Look[];
  readonly observe: readonly Observed[];
  readonly ticks: readonly RawStep[];
  /** What sets the app back before each run. */
  readonly reset: readonly RawStep[];
  readonly never: readonly Never[];
}

/** Steps that look at what is, whenever it has come to be so. */
const LOOKS: Partial<Record<StepKind, Oracle>> = {
  expect_charge: "expect",
  expect_balance: "expect",
  reconcile: "reconcile",
};
/** Steps that look at what went over the wire: what goes wrong there is what a deviation is. */
const OF_THE_WIRE: readonly StepKind[] = [
  "expect_webhook",
  "expect_delivery",
  "expect_request",
  "expect_sequence",
];

/** The file has been checked. */
export function flowOf(file: string, raw: Readonly<Record<string, unknown>>): Flow {
  const drive: RawStep[] = [];
  const looks: Look[] = [];
  for (const step of (raw.steps ?? []) as RawStep[]) {
    const [kind] = stepKinds(step);
    if (kind === undefined) continue;
    if (kind === "manual") throw new UserError(`${file}: a flow with manual steps cannot be explored`);
    const oracle = step.save === undefined ? (LOOKS[kind] ?? lookAtApp(step)) : undefined;
    if (oracle !== undefined) looks.push({ step, oracle });
    else if (!OF_THE_WIRE.includes(kind)) drive.push(step);
  }
  if (!drive.some((step) => stepKinds(step)[0] === "app"))
    throw new UserError(`${file}: a flow to explore needs a step that calls the app`);
  return {
    file,
    raw,
    drive,
    looks,
    observe: (raw.observe ?? []) as Observed[],
    ticks: (raw.tick ?? []) as RawStep[],
    reset: (raw.reset ?? []) as RawStep[],
    never: (raw.never ?? []) as Never[],
  };
}

/** A read of the app with an expectation looks at how it ended. */
function lookAtApp({ app, expect }: RawStep): Oracle | undefined {
  return typeof app === "string" && app.startsWith("GET ") && isRecord(expect) ? "expect" : undefined;
}

/** The step that pays a hosted checkout, where nothing after it needs to know what came of it. */
export function paidPageOf({ drive }: Flow): RawStep | undefined {
  return drive.find(({ pay_twice, close_page, save }) => {
    const isPaid = isRecord(pay_twice) || (isRecord(close_page) && close_page.payment_method !== undefined);
    return isPaid && save === undefined;
  });
}

/** The call of the app that the customer sets all off with. */
export function pressOf({ drive }: Flow): RawStep | undefined {
  return drive.find(({ app }) => typeof app === "string" && !app.startsWith("GET "));
}
