import { missingStatusReason } from "../../../core/reports/request-text.js";
import type { Failure } from "../../../core/schema/control-scenario-responses.js";
import { errorText } from "../../../core/schema/error-text.js";
import { systemWallClock, yieldIfDue } from "../../../core/time/wall-clock.js";
import { fillStep, type LoadedStep, type RawStep } from "../loaded-steps.js";
import { filledStepFaults } from "../step-faults.js";
import { type StepLocation, stepTitle } from "../step-reference.js";
import type { ContainerDefinition, Iteration, StepDefinition } from "../steps/step-definition.js";
import { STEPS } from "../steps/step-kinds.js";
import { LocalScope, type Variables, valueAt } from "../variables.js";
import type { Client } from "./client.js";
import type { RunContext } from "./context.js";
import { type LogRow, readNewestId, readRecordsSince } from "./control-lists.js";
import { CannotRunError, StepFailure } from "./failure.js";
import type { StepReport } from "./run-report.js";

export interface Execution {
  readonly context: RunContext;
  readonly signal: AbortSignal | undefined;
  readonly file: string;
  /** Number of steps left, nested ones included. */
  readonly budget: { left: number };
}

interface Listener {
  readonly begin?: (title: string, number: number) => void;
  readonly end?: (report: StepReport) => void;
  /** Called with the result of each step that passes and has no nested ones. */
  readonly result?: (result: unknown) => void;
}

export const MAX_RUN_STEPS = 100_000;

/** Runs steps in order until one does not pass. Reports each step, including those not run. */
export async function runSteps(
  steps: readonly LoadedStep[],
  scope: Variables,
  execution: Execution,
  { begin = () => {}, end = () => {}, result = () => {} }: Listener = {},
): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  for (const step of steps) {
    const number = reports.length + 1;
    const isOver = reports.some(({ outcome }) => outcome !== "passed");
    if (!isOver) begin(stepTitle(step.kind, step.raw), number);
    const report = isOver
      ? notRunReport(step, number, execution.file)
      : await runStep(step, number, scope, execution, {
          result,
          title: (title) => begin(title, number),
        });
    reports.push(report);
    end(report);
  }
  return reports;
}

export function notRunReport(step: LoadedStep, number: number, runFile: string): StepReport {
  const { kind, raw, location } = step;
  return {
    number,
    title: stepTitle(kind, raw),
    kind,
    ...lineOf(location, runFile),
    outcome: "not_run",
    duration_ms: 0,
  };
}

function lineOf({ file, line }: StepLocation, runFile: string): Pick<StepReport, "line" | "file"> {
  return file === runFile ? { line } : { file, line };
}

async function runStep(
  step: LoadedStep,
  number: number,
  scope: Variables,
  execution: Execution,
  on: { readonly title: (title: string) => void; readonly result: (result: unknown) => void },
): Promise<StepReport> {
  await yieldIfDue();
  const { kind, raw, location } = step;
  const { client } = execution.context;
  const startedMs = systemWallClock.nowMs();
  let since: string | undefined;
  const text = stepTitle(kind, raw);
  let title = text;
  const report = (outcome: StepReport["outcome"], more: Partial<StepReport> = {}): StepReport => ({
    number,
    title,
    ...(title === text ? {} : { text }),
    kind,
    ...lineOf(location, execution.file),
    outcome,
    duration_ms: systemWallClock.nowMs() - startedMs,
    ...more,
  });
  try {
    if (execution.signal?.aborted) throw new CannotRunError("interrupted");
    if (execution.budget.left-- <= 0)
      throw new StepFailure({ message: `a run carries out at most ${MAX_RUN_STEPS} steps` });
    const filled = fillAndCheckStep(step, scope);
    title = stepTitle(kind, filled);
    const row = STEPS[kind] as ContainerDefinition | StepDefinition;
    if ("iterations" in row) {
      const steps = await runIterations(step, row, row.iterations(filled), scope, execution, (part) =>
        on.title(`${title}: ${part}`),
      );
      const nested = steps.length === 0 ? {} : { steps };
      const failed = steps.find(({ failure }) => failure !== undefined);
      if (failed?.failure === undefined) return report("passed", nested);
      const message =
        failed.part === undefined ? failed.failure.message : `${failed.part}: ${failed.failure.message}`;
      return report(failed.outcome, { ...nested, failure: { message } });
    }
    if (canNameFaults(kind, execution.context)) since = await readNewestId(client, "requests");
    const result = await rejectOnAbort(
      execution.signal,
      row.run(filled, { ...execution.context, location, text }),
    );
    const variable = row.namedResult?.(filled, result);
    if (variable !== undefined) scope.save(...variable);
    saveResult(filled.save as Record<string, string> | undefined, result, scope);
    on.result(result);
    return report("passed");
  } catch (caught) {
    if (!(caught instanceof StepFailure)) return report("error", { failure: { message: errorText(caught) } });
    // The failure is reported even if the faults cannot be read.
    const made_by = canNameFaults(kind, execution.context)
      ? await faultedCalls(kind, since, client).catch(() => [])
      : [];
    return report("failed", {
      failure: { ...failureWithLine(caught, step), ...(made_by.length === 0 ? {} : { made_by }) },
    });
  }
}

/** Adds the line of the first differing field, or of the expectation. */
function failureWithLine({ failure, at }: StepFailure, { location }: LoadedStep): Failure {
  const [first] = failure.difference ?? [];
  if (at === undefined) return failure;
  return { ...failure, line: location.lineOf(first === undefined ? at : `${at}.${first.path}`) };
}

/** Cache of checked steps that have no variables. A repeated step is checked only once. */
const constantSteps = new WeakMap<RawStep, RawStep>();

export function fillAndCheckStep({ raw }: LoadedStep, scope: Variables): RawStep {
  const cached = constantSteps.get(raw);
  if (cached !== undefined) return cached;
  const unresolved: string[] = [];
  let isConstant = true;
  const resolve: Variables["resolve"] = (reference) => {
    isConstant = false;
    return scope.resolve(reference);
  };
  const filled = fillStep(raw, resolve, ({ path, message }) =>
    unresolved.push(`${path.join(".")}: ${message}`),
  );
  const faults = unresolved.length > 0 ? unresolved : filledStepFaults(filled);
  if (faults.length > 0) throw new StepFailure({ message: faults.join("; ") });
  if (isConstant) constantSteps.set(raw, filled);
  return filled;
}

/**
 * Runs the nested lists of a step. For a single iteration or concurrent iterations, returns all reports. For a sequence
 * of iterations, returns only the reports of the iteration that did not pass.
 */
async function runIterations(
  step: LoadedStep,
  { hasConcurrentIterations = false }: ContainerDefinition,
  iterations: readonly Iteration[],
  scope: Variables,
  execution: Execution,
  onPart: (part: string) => void,
): Promise<StepReport[]> {
  const runIteration = async ({ list, part }: Iteration, locals: LocalScope): Promise<StepReport[]> => {
    const reports = await runSteps(step.lists[list] ?? [], locals, execution);
    return reports.map((report) => ({ ...report, ...(part === undefined ? {} : { part }) }));
  };
  if (hasConcurrentIterations) {
    const lanes = iterations.map(({ variables }) => new LocalScope(scope, variables, true));
    const reports = await Promise.all(
      iterations.map((iteration, index) => runIteration(iteration, lanes[index]!)),
    );
    for (const lane of lanes) lane.publish();
    return reports.flat();
  }
  for (const iteration of iterations) {
    if (iteration.part !== undefined) onPart(iteration.part);
    const reports = await runIteration(iteration, new LocalScope(scope, iteration.variables, false));
    if (iterations.length === 1 || reports.some(({ outcome }) => outcome !== "passed")) return reports;
  }
  return [];
}

function saveResult(save: Record<string, string> | undefined, result: unknown, scope: Variables): void {
  for (const [name, path] of Object.entries(save ?? {})) {
    const found = valueAt(result, path);
    if (found === undefined)
      throw new StepFailure({ message: `there is no ${path} to save as ${name}`, got: result ?? null });
    scope.save(name, found.value);
  }
}

export function rejectOnAbort<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new CannotRunError("interrupted"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const MAX_CALLS = 3;

export function isAppCallKind(kind: string): boolean {
  return kind === "app" || kind === "reconcile";
}

/** Returns true for a step whose failure lists the calls affected by faults. */
function canNameFaults(kind: string, { isTerse }: RunContext): boolean {
  return isTerse !== true && (kind === "request" || isAppCallKind(kind));
}

/** Describes faulted requests after `since`: the run's requests for a `request` step, else the app's requests. */
async function faultedCalls(kind: string, since: string | undefined, client: Client): Promise<string[]> {
  const rows = await readRecordsSince(client, "requests", since);
  const isRunsCall = kind === "request";
  return rows
    .filter(({ runner, fault }) => fault !== null && (runner !== null) === isRunsCall)
    .slice(0, MAX_CALLS)
    .reverse()
    .map(callText);
}

function callText(row: LogRow): string {
  const { method, path, status, fault } = row;
  const source = String(fault).startsWith("flt_") ? `fault ${fault}` : `the fault of scenario ${fault}`;
  return `${method} ${path} → ${status ?? missingStatusReason(row)}, made by ${source}`;
}
