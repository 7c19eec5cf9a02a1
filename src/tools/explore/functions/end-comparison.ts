import { findMismatches } from "../../../core/domain/deep-match.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { type LogRow, type RecordListName, recordIdOf } from "../../scenario/running/control-lists.js";
import { StepFailure, toDifferences } from "../../scenario/running/failure.js";
import { attemptsOf } from "../../scenario/steps/expect-records.js";
import { findExpectedRecord } from "../../scenario/steps/matching.js";
import type { RunFailure, StepRole } from "../run-record.js";
import { chargeChecks, refusalChecks, withdrawalChecks } from "../sandbox/end-checks.js";
import type { ExpectedEnd } from "../sandbox/expected-end.js";
import type { Baseline } from "../sandbox/facts.js";
import type { ObservedRows } from "../sandbox/observation.js";
import { savedVariable, statusName, viewVariableName } from "../sandbox/saved-variable.js";
import { failureOf, type RunState } from "./run-state.js";

/** The parts of a run that are compared with an end. */
export interface ComparedRun {
  readonly state: RunState;
  readonly rows: ObservedRows;
}

/** Compares the end of a run with `end`; returns the first failure. */
export async function compareEnd(
  run: ComparedRun,
  end: ExpectedEnd,
  baseline: Baseline,
  names: readonly string[],
): Promise<RunFailure | undefined> {
  const { state, rows } = run;
  const plan = state.plan!;
  const failure =
    (await recordFailure(run, "paid", chargeChecks(baseline, end))) ??
    (await recordFailure(run, "paid_out", withdrawalChecks(baseline, end))) ??
    viewFailure(state, end, names) ??
    (await recordFailure({ state, rows }, "manners", refusalChecks(baseline, plan)));
  return failure && { ...failure, reference: end.name };
}

const LISTS: Readonly<Record<string, Extract<RecordListName, keyof ObservedRows>>> = {
  expect_charge: "charges",
  expect_withdrawal: "withdrawals",
  expect_delivery: "deliveries",
};

/** Carries out the steps that count records, on the records of the run. */
async function recordFailure(
  { state, rows }: ComparedRun,
  role: StepRole,
  steps: readonly RawStep[],
): Promise<RunFailure | undefined> {
  for (const { name, ...step } of steps)
    for (const [at, expectation] of Object.entries(step)) {
      const { count, ...expected } = state.filled(expectation) as Parameters<
        typeof findExpectedRecord
      >[0]["expected"] & { readonly count: number };
      const list = LISTS[at]!;
      const all: readonly LogRow[] = list === "deliveries" ? rows[list].flatMap(attemptsOf) : rows[list];
      const idOf = (row: LogRow) => recordIdOf(list, row);
      try {
        await findExpectedRecord({ at, what: list.slice(0, -1), expected, count, rows: all, idOf });
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        const { message, difference = [] } = error.failure;
        return { ...failureOf(role, String(name), message, false), differences: difference };
      }
    }
  return undefined;
}

/** Compares the saved views with the end; returns the first that differs. */
export function viewFailure(
  { variables, plan }: RunState,
  { views, unlike }: ExpectedEnd,
  names: readonly string[],
): RunFailure | undefined {
  for (const [index, name] of names.entries()) {
    const body = savedVariable(variables, viewVariableName(index));
    const status = savedVariable(variables, statusName(index));
    const failureAt = (role: StepRole, title: string, expected: unknown): RunFailure | undefined => {
      const mismatches = findMismatches(filledView(expected, variables.runId), { status, body });
      if (mismatches.length === 0) return undefined;
      const differences = toDifferences(mismatches).map((one) => ({
        ...one,
        path: one.path.replace(/^body(?=\.|$)/, name),
      }));
      const message = `differs at ${differences.map(({ path }) => path).join(", ")}`;
      return { ...failureOf(role, title, message, false), body, differences };
    };
    const failure = failureAt("observe", `see ${name}`, views[index]);
    if (failure !== undefined) return failure;
    if (unlike?.view === index) {
      const role = plan?.isWrongMoney ? "not_delivered" : "unlike";
      const alike = failureAt(role, unlike.sentence, { status: { lt: 500 }, body: unlike.body });
      if (alike !== undefined) return alike;
    }
  }
  return undefined;
}

/** Fills in the run's id. A text of the app may look like a variable, and is escaped. */
function filledView(expected: unknown, runId: string): unknown {
  if (typeof expected === "string")
    return expected.replace(/\$\$\{|\$\{run\.id\}/g, (found) => (found === "$${" ? "${" : runId));
  if (Array.isArray(expected)) return expected.map((part) => filledView(part, runId));
  if (!isJsonObject(expected)) return expected;
  return Object.fromEntries(Object.entries(expected).map(([key, part]) => [key, filledView(part, runId)]));
}
