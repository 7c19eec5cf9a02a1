import type { LoadedStep } from "../loaded-steps.js";
import type { Variables } from "../scope.js";
import type { StepReport } from "./run-report.js";
import { type Execution, fillVariables, notRunReport, runSteps } from "./run-steps.js";

/** One of several concurrent runs. */
export interface Lane {
  readonly steps: readonly LoadedStep[];
  readonly scope: Variables;
  readonly execution: Execution;
}

/**
 * Runs step lists of equal length in lockstep: no run begins a step before all have finished the previous one. A step
 * with the same content in all runs is executed once if it is an `advance`, because the runs share one clock, or if
 * `canShare` allows it.
 *
 * @param canShare called with the index of a step, from 0
 */
export async function runInLockstep(
  lanes: readonly Lane[],
  canShare: (index: number) => boolean,
): Promise<StepReport[][]> {
  const reports: StepReport[][] = lanes.map(() => []);
  const length = Math.max(...lanes.map(({ steps }) => steps.length));
  for (let index = 0; index < length; index++) {
    const isOpen = (position: number): boolean =>
      reports[position]!.every(({ outcome }) => outcome === "passed");
    const open = lanes.filter((_, position) => isOpen(position));
    const carryOut = async ({ steps, scope, execution }: Lane): Promise<StepReport> => {
      const [report] = await runSteps(steps.slice(index, index + 1), scope, execution);
      return { ...report!, number: index + 1 };
    };
    const [first] = open;
    const isShared = open.length > 1 && isSame(open, index, canShare(index));
    const shared = isShared ? await carryOut(first!) : undefined;
    const stepReports = await Promise.all(
      lanes.map(async (lane, position) => {
        if (!isOpen(position)) return notRunReport(lane.steps[index]!, index + 1, lane.execution.file);
        return shared ?? carryOut(lane);
      }),
    );
    for (const [position, report] of stepReports.entries()) reports[position]!.push(report);
  }
  return reports;
}

/** Returns true if all runs have the same step and can share it. */
function isSame(lanes: readonly Lane[], index: number, canShare: boolean): boolean {
  const steps = lanes.map(({ steps }) => steps[index]!);
  if (!canShare && steps.some(({ kind }) => kind !== "advance")) return false;
  const [first, ...others] = lanes.map(({ scope }, position) =>
    JSON.stringify(fillVariables(steps[position]!, scope)),
  );
  return others.every((text) => text === first);
}
