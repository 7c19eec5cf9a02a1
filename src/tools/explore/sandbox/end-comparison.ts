import { findMismatches } from "../../../core/domain/deep-match.js";
import { type LogRow, recordIdOf } from "../../scenario/running/control-lists.js";
import { StepFailure, toDifferences } from "../../scenario/running/failure.js";
import { attemptsOf } from "../../scenario/steps/expect-records.js";
import { findExpectedRecord } from "../../scenario/steps/matching.js";
import type { RunPlan } from "../run-plan.js";
import { failed, type RunFailure, type StepRole, type Trace } from "../run-record.js";
import type { ExpectedEnd } from "./expected-end.js";
import type { Baseline, LoadedRun } from "./facts.js";
import type { FlowVariant } from "./flow-variant.js";
import { sumsOf } from "./money.js";
import type { ObservedRows } from "./observation.js";
import { filledValue, savedVariable, statusName, viewVariableName } from "./saved-variable.js";

export interface CheckedRun extends LoadedRun {
  readonly trace: Trace;
  readonly rows: ObservedRows;
  /** How failures name each view, and its body. */
  readonly viewNames: readonly { readonly title: string; readonly body: string }[];
}

/** The facts by which a run of a variant is judged. */
function variedBaseline(baseline: Baseline, variant: FlowVariant | undefined): Baseline {
  return { ...baseline, chargeMatch: { ...baseline.chargeMatch, ...variant?.chargeMatch } };
}

/**
 * Compares the end of a run with `end`; returns the first failure.
 *
 * @param checks makes the flow's own checks
 */
export async function compareEnd(
  run: CheckedRun,
  plan: RunPlan,
  end: ExpectedEnd,
  baseline: Baseline,
  checks: () => Promise<RunFailure | undefined>,
): Promise<RunFailure | undefined> {
  const varied = variedBaseline(baseline, plan.flowVariant);
  const { paid, paidOut } = sumsOf(run, varied);
  const counts = [
    ...chargeCounts(varied, end, paid === end.sums?.paid),
    ...withdrawalCounts(varied, end, paidOut === end.sums?.paidOut),
  ];
  const failure =
    (await recordFailure(run, counts)) ??
    viewFailure(run, plan, end) ??
    (await checks()) ??
    (await recordFailure(run, refusalCounts(varied, plan)));
  return failure && { ...failure, reference: end.name };
}

interface RecordCount {
  readonly role: StepRole;
  readonly title: string;
  readonly list: "charges" | "withdrawals" | "deliveries";
  readonly expected: Readonly<Record<string, unknown>>;
  readonly count: Parameters<typeof findExpectedRecord>[0]["count"];
}

async function recordFailure(
  { rows, loaded }: CheckedRun,
  counts: readonly RecordCount[],
): Promise<RunFailure | undefined> {
  for (const { role, title, list, expected, count } of counts) {
    const all: readonly LogRow[] = list === "deliveries" ? rows[list].flatMap(attemptsOf) : rows[list];
    const described = filledValue(expected, loaded) as typeof expected;
    const search = { at: "count", what: list === "deliveries" ? "delivery" : list.slice(0, -1), rows: all };
    try {
      const idOf = (row: LogRow) => recordIdOf(list, row);
      await findExpectedRecord({ ...search, expected: described, count, idOf });
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      const { message, difference = [] } = error.failure;
      return failed(role, title, message, { differences: difference });
    }
  }
  return undefined;
}

/**
 * Counts paid charges. Two presses may place two orders, each paid at most as in a plain run.
 *
 * @param isSameSum the charges have the expected total
 */
function chargeCounts(
  { chargeMatch, orderCharges, plain }: Baseline,
  { completedCharges, isByOrder }: ExpectedEnd,
  isSameSum: boolean,
): RecordCount[] {
  const paid = { role: "paid", list: "charges", title: "Paid as often as ordered" } as const;
  const expected = { ...chargeMatch, status: "COMPLETED" };
  const all = (count: RecordCount["count"]) => (isSameSum ? [] : [{ ...paid, expected, count }]);
  if (orderCharges === undefined || !isByOrder) return all(completedCharges);
  const { match, completed } = orderCharges;
  const once = { ...match, status: "COMPLETED" };
  return [
    { ...paid, title: "Paid no more often than ordered", expected: once, count: { lte: completed } },
    ...all({ gte: plain.completedCharges }),
  ];
}

/** Counts completed withdrawals. One order is paid out at most as often as in a plain run. */
function withdrawalCounts(
  { orderWithdrawals }: Baseline,
  { completedWithdrawals, isByOrder }: ExpectedEnd,
  isSameSum: boolean,
): RecordCount[] {
  if (completedWithdrawals === undefined) return [];
  const paidOut = { role: "paid_out", list: "withdrawals", title: "Paid out as often as asked" } as const;
  const expected = { status: "COMPLETED" };
  const isExact = isByOrder && typeof completedWithdrawals === "number";
  const count = isExact ? { gte: completedWithdrawals } : completedWithdrawals;
  const all = isSameSum ? [] : [{ ...paidOut, expected, count }];
  if (!isByOrder || orderWithdrawals === undefined) return all;
  const { completed, match } = orderWithdrawals;
  const once = { ...match, ...expected };
  return [
    { ...paidOut, title: "Paid out no more often than asked", expected: once, count: { lte: completed } },
    ...all,
  ];
}

/** Statuses that ask the sender to send an event again later; 503 with Retry-After only. */
const LATER = [409, 425, 429, 503];

/** Counts the app's refusals of signed events of types that it accepts in a plain run. */
function refusalCounts({ refusedTypes }: Baseline, plan: RunPlan): RecordCount[] {
  if (plan.excusesErrors) return [];
  const type = refusedTypes.length === 0 ? {} : { type: { not: { in: refusedTypes } } };
  // While the app works on the same charge, "again later" is right, if the event is accepted then.
  const refusals = [
    { answered: { gte: 300, not: { in: LATER } } },
    { answered: 503, retry_after_ms: { exists: false } },
    { answered: { in: LATER }, status: "failed" },
  ];
  return refusals.map((refused) => ({
    role: "manners",
    title: "The app refused no signed event",
    list: "deliveries",
    expected: { ...type, ...refused },
    count: 0,
  }));
}

const OK = { status: "2xx" };

export function viewFailure(
  { loaded, viewNames }: Pick<CheckedRun, "loaded" | "viewNames">,
  { isWrongMoney }: RunPlan,
  { views, unlike, listed = (body) => body }: ExpectedEnd,
): RunFailure | undefined {
  for (const [index, { title, body: name }] of viewNames.entries()) {
    const body = listed(savedVariable(loaded, viewVariableName(index)), index, loaded.runId);
    const status = savedVariable(loaded, statusName(index));
    const failureAt = (role: StepRole, of: string, expected: object): RunFailure | undefined => {
      const mismatches = findMismatches(filledValue(expected, loaded), { status, body });
      if (mismatches.length === 0) return undefined;
      const differences = toDifferences(mismatches).map((one) => ({
        ...one,
        path: one.path.replace(/^body(?=\.|$)/, () => name),
      }));
      const message =
        expected === OK
          ? `status ${status}, not ${OK.status}`
          : `differs at ${differences.map(({ path }) => path).join(", ")}`;
      return failed(role, of, message, { differences, body });
    };
    // Without an expected status, every status below 400 is right, and another response has no view to compare.
    const isRight = "status" in views[index]! || Number(status) < 400;
    const failure = failureAt("observe", title, isRight ? views[index]! : OK);
    if (failure !== undefined) return failure;
    if (unlike?.view !== index) continue;
    const expected = { status: { lt: 500 }, body: unlike.body };
    const alike = failureAt(isWrongMoney ? "not_delivered" : "unlike", unlike.sentence, expected);
    if (alike !== undefined) return alike;
  }
  return undefined;
}
