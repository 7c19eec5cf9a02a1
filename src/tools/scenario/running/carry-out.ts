import { unansweredText } from "../../../core/client/story-text.js";
import { yieldIfBusy } from "../../../core/time/wall.js";
import { type StepPlace, titleOf } from "../place.js";
import { Locals, type Variables } from "../scope.js";
import { filledStepFaults } from "../step-faults.js";
import { fillStep, type LoadedStep, type RawStep } from "../step-places.js";
import { STEPS } from "../steps/kinds.js";
import type { ContainerRow, StepRow, Turn } from "../steps/row.js";
import { valueAt } from "../variables.js";
import type { RunContext } from "./context.js";
import { CannotRun, type Failure, StepFailure } from "./failure.js";
import { listSince, newest, type Row } from "./lists.js";
import type { StepReport } from "./report.js";

/** What all steps of a run are carried out with. */
export interface Carrying {
  readonly context: RunContext;
  readonly signal: AbortSignal | undefined;
  /** The file that is run. */
  readonly file: string;
  /** How many more may be carried out, those within steps too. */
  readonly budget: { left: number };
}

/** What is told while a list is carried out. */
interface Listener {
  readonly begin?: (title: string, number: number) => void;
  readonly end?: (report: StepReport) => void;
}

/** A run with more has lost its way. */
export const MOST_CARRIED_OUT = 100_000;

/** One step after the other until one does not pass; a report of each, those that were not run included. */
export async function carryOutAll(
  steps: readonly LoadedStep[],
  scope: Variables,
  carrying: Carrying,
  { begin = () => {}, end = () => {} }: Listener = {},
): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  for (const step of steps) {
    const number = reports.length + 1;
    const isOver = reports.some(({ outcome }) => outcome !== "passed");
    if (!isOver) begin(titleOf(step.kind, step.raw), number);
    const report = isOver
      ? notRun(step, number, carrying.file)
      : await carryOut(step, number, scope, carrying, (title) => begin(title, number));
    reports.push(report);
    end(report);
  }
  return reports;
}

/** Those of which none was carried out. */
export function notRun(step: LoadedStep, number: number, runFile: string): StepReport {
  const { kind, raw, place } = step;
  return {
    number,
    title: titleOf(kind, raw),
    kind,
    ...standing(place, runFile),
    outcome: "not_run",
    duration_ms: 0,
  };
}

function standing({ file, line }: StepPlace, runFile: string): Pick<StepReport, "line" | "file"> {
  return file === runFile ? { line } : { file, line };
}

async function carryOut(
  step: LoadedStep,
  number: number,
  scope: Variables,
  carrying: Carrying,
  tell: (title: string) => void,
): Promise<StepReport> {
  await yieldIfBusy();
  const { kind, raw, place } = step;
  const { wall } = carrying.context;
  const startedMs = wall.nowMs();
  let since: string | undefined;
  let title = titleOf(kind, raw);
  const report = (outcome: StepReport["outcome"], more: Partial<StepReport> = {}): StepReport => ({
    number,
    title,
    kind,
    ...standing(place, carrying.file),
    outcome,
    duration_ms: wall.nowMs() - startedMs,
    ...more,
  });
  try {
    if (carrying.signal?.aborted) throw new CannotRun("interrupted");
    if (carrying.budget.left-- <= 0)
      throw new StepFailure({ message: `a run carries out ${MOST_CARRIED_OUT} steps at most` });
    const filled = filledIn(step, scope);
    title = titleOf(kind, filled);
    const row = STEPS[kind] as ContainerRow | StepRow;
    if ("turns" in row) {
      const steps = await carryOutTurns(step, row, row.turns(filled), scope, carrying, (part) =>
        tell(`${title}: ${part}`),
      );
      const within = steps.length === 0 ? {} : { steps };
      const bad = steps.find(({ failure }) => failure !== undefined);
      if (bad?.failure === undefined) return report("passed", within);
      const message = bad.part === undefined ? bad.failure.message : `${bad.part}: ${bad.failure.message}`;
      return report(bad.outcome, { ...within, failure: { message } });
    }
    since = await beginning(kind, carrying.context);
    const result = await untilAborted(carrying.signal, row.run(filled, { ...carrying.context, place }));
    const named = row.named?.(filled, result);
    if (named !== undefined) scope.save(...named);
    keep(filled.save as Record<string, string> | undefined, result, scope);
    return report("passed");
  } catch (caught) {
    if (!(caught instanceof StepFailure))
      return report("error", {
        failure: { message: caught instanceof Error ? caught.message : String(caught) },
      });
    // Why it failed is known without it.
    const made_by = await madeBy(kind, since, carrying.context).catch(() => []);
    return report("failed", {
      failure: { ...placed(caught, step), ...(made_by.length === 0 ? {} : { made_by }) },
    });
  }
}

/** With the line of the first field that is not as expected, or of the one that says what was. */
function placed({ failure, at }: StepFailure, { place }: LoadedStep): Failure {
  const [first] = failure.difference ?? [];
  if (at === undefined) return failure;
  return { ...failure, line: place.lineOf(first === undefined ? at : `${at}.${first.path}`) };
}

/** Steps in which nothing is to be filled in, as they are carried out: one that runs a thousand times is checked once. */
const fixed = new WeakMap<RawStep, RawStep>();

/** Its schema lets it through. */
export function filledIn({ raw }: LoadedStep, scope: Variables): RawStep {
  const known = fixed.get(raw);
  if (known !== undefined) return known;
  const open: string[] = [];
  let isFixed = true;
  const resolve: Variables["resolve"] = (reference) => {
    isFixed = false;
    return scope.resolve(reference);
  };
  const filled = fillStep(raw, resolve, ({ path, message }) => open.push(`${path.join(".")}: ${message}`));
  const faults = open.length > 0 ? open : filledStepFaults(filled);
  if (faults.length > 0) throw new StepFailure({ message: faults.join("; ") });
  if (isFixed) fixed.set(raw, filled);
  return filled;
}

/** The lists of a step, as often as it says; reports of those that are worth telling of. */
async function carryOutTurns(
  step: LoadedStep,
  { atOnce = false }: ContainerRow,
  turns: readonly Turn[],
  scope: Variables,
  carrying: Carrying,
  tell: (part: string) => void,
): Promise<StepReport[]> {
  const take = async ({ list, part }: Turn, locals: Locals): Promise<StepReport[]> => {
    const reports = await carryOutAll(step.lists[list] ?? [], locals, carrying);
    return reports.map((report) => ({ ...report, ...(part === undefined ? {} : { part }) }));
  };
  if (atOnce) {
    const lanes = turns.map(({ own }) => new Locals(scope, own, true));
    const reports = await Promise.all(turns.map((turn, index) => take(turn, lanes[index]!)));
    for (const lane of lanes) lane.handOn();
    return reports.flat();
  }
  for (const turn of turns) {
    if (turn.part !== undefined) tell(turn.part);
    const reports = await take(turn, new Locals(scope, turn.own, false));
    // Of many turns that went well nobody wants to read.
    if (turns.length === 1 || reports.some(({ outcome }) => outcome !== "passed")) return reports;
  }
  return [];
}

function keep(save: Record<string, string> | undefined, result: unknown, scope: Variables): void {
  for (const [name, path] of Object.entries(save ?? {})) {
    const found = valueAt(result, path);
    if (found === undefined)
      throw new StepFailure({ message: `there is no ${path} to save as ${name}`, got: result ?? null });
    scope.save(name, found.value);
  }
}

export function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new CannotRun("interrupted"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Of many calls so many are named. */
const MOST = 3;

/** Whether steps of that kind call the app under test. */
export function callsApp(kind: string): boolean {
  return kind === "app" || kind === "reconcile";
}

/** Where a step that calls somebody begins: faults are looked for from here on. */
export function beginning(
  kind: string,
  { client, isTerse }: RunContext,
): Promise<string | undefined> | undefined {
  return isTerse !== true && (kind === "request" || callsApp(kind)) ? newest(client, "requests") : undefined;
}

/** Which answers since then a fault has made, for a step that failed: its own call's, or those of the app's. */
export async function madeBy(
  kind: string,
  since: string | undefined,
  { client, isTerse }: RunContext,
): Promise<string[]> {
  if (isTerse === true) return [];
  if (kind !== "request" && !callsApp(kind)) return [];
  const rows = await listSince(client, "requests", since);
  const isOwn = kind === "request";
  return rows
    .filter(({ runner, fault }) => fault !== null && (runner !== null) === isOwn)
    .slice(0, MOST)
    .reverse()
    .map(told);
}

function told(row: Row): string {
  const { method, path, status, fault } = row;
  const source = String(fault).startsWith("flt_") ? `fault ${fault}` : `the fault of scenario ${fault}`;
  return `${method} ${path} → ${status ?? unansweredText(row)}, made by ${source}`;
}
