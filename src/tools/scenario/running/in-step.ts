import type { Variables } from "../scope.js";
import type { LoadedStep } from "../step-places.js";
import { type Carrying, carryOutAll, filledIn, notRun } from "./carry-out.js";
import type { StepReport } from "./report.js";

/** One of several runs that are carried out side by side. */
export interface Lane {
  readonly steps: readonly LoadedStep[];
  readonly scope: Variables;
  readonly carrying: Carrying;
}

/**
 * Carries out lists of steps side by side, which are equally long: each begins a step when all have ended the one before.
 * Time is there once for all: an advance is carried out once, and so is another step that concerns all alike.
 *
 * @param concernsAll whether the step at that index, from 0, may be the same for all; it is where it says the same
 */
export async function carryOutInStep(
  lanes: readonly Lane[],
  concernsAll: (index: number) => boolean,
): Promise<StepReport[][]> {
  const reports: StepReport[][] = lanes.map(() => []);
  const length = Math.max(...lanes.map(({ steps }) => steps.length));
  for (let index = 0; index < length; index++) {
    const isOpen = (at: number): boolean => reports[at]!.every(({ outcome }) => outcome === "passed");
    const open = lanes.filter((_, at) => isOpen(at));
    const carryOut = async ({ steps, scope, carrying }: Lane): Promise<StepReport> => {
      const [report] = await carryOutAll(steps.slice(index, index + 1), scope, carrying);
      return { ...report!, number: index + 1 };
    };
    const [first] = open;
    const isOne = open.length > 1 && isSame(open, index, concernsAll(index));
    const shared = isOne ? await carryOut(first!) : undefined;
    const ended = await Promise.all(
      lanes.map(async (lane, at) => {
        if (!isOpen(at)) return notRun(lane.steps[index]!, index + 1, lane.carrying.file);
        return shared ?? carryOut(lane);
      }),
    );
    for (const [at, report] of ended.entries()) reports[at]!.push(report);
  }
  return reports;
}

/** Whether it is one step for all of them. */
function isSame(lanes: readonly Lane[], index: number, mayBe: boolean): boolean {
  const steps = lanes.map(({ steps }) => steps[index]!);
  if (!mayBe && steps.some(({ kind }) => kind !== "advance")) return false;
  const [first, ...others] = lanes.map(({ scope }, at) => JSON.stringify(filledIn(steps[at]!, scope)));
  return others.every((one) => one === first);
}
