import { errorText } from "../../core/schema/error-text.js";
import { UserError } from "../../core/schema/user-error.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import { systemWallClock } from "../../core/time/wall-clock.js";
import type { LoadedScenario, ScenarioInputs } from "../scenario/files.js";
import type { Replay } from "../scenario/replay.js";
import type { RunReport, StepReport } from "../scenario/running/run-report.js";
import { NO_APP, outcomeOf, type RunOptions, runScenario } from "../scenario/running/run-scenario.js";
import { readAsked } from "./asked-options.js";
import { NO_PLACE_CODE } from "./deviation-set.js";
import type { ExploreReport } from "./exploration.js";

type Inputs = Pick<ScenarioInputs, "environment" | "runIdOf">;
/** Runs a scenario file: its steps, or the flow that it names with its deviations. */
export async function runFile(
  loaded: LoadedScenario,
  inputs: Inputs,
  options: RunOptions,
): Promise<RunReport> {
  const { file, scenario, runId, replay } = loaded;
  if (replay === undefined) return runScenario(loaded, options);
  const startedMs = systemWallClock.nowMs();
  const { only, line } = replay;
  options.onStepBegin?.(only, 1, 1);
  const { error, ...result } = await replayed(replay, inputs, options);
  const duration_ms = systemWallClock.nowMs() - startedMs;
  const step: StepReport = { number: 1, title: only, kind: "explore", line, duration_ms, ...result };
  options.onStep?.(step, 1);
  const outcome = outcomeOf([step], error);
  if (outcome !== "passed") await options.onFailed?.([step], undefined);
  const isUnmet = result.outcome === "not_run" && error === undefined;
  return {
    file,
    name: scenario.name,
    outcome,
    passed: outcome === "passed",
    run_id: runId,
    duration_ms,
    steps: [step],
    applied: { [only]: isUnmet ? 0 : 1 },
    never_happened: isUnmet ? [only] : [],
    never_happened_at: isUnmet ? [{ rule: only, line }] : [],
    blind_spots: [],
    ...(error === undefined ? {} : { error }),
    warnings: [],
  };
}

interface Replayed extends Pick<StepReport, "outcome" | "failure"> {
  readonly error?: string;
}

async function replayed(
  { flow, only, vars }: Replay,
  { environment, runIdOf }: Inputs,
  { app, fetch, namespace, controlToken, runCommand, signal }: RunOptions,
): Promise<Replayed> {
  if (app === undefined) return { outcome: "not_run", error: NO_APP };
  const { exploreFile } = await loadLazily(() => import("./file.js"));
  try {
    const report = await exploreFile(flow, {
      ...{ app, fetch, namespace, controlToken, runCommand, signal, vars, environment, runIdOf },
      ...readAsked({ only }),
      mayHaveUnknownVars: true,
    });
    return resultOf(report);
  } catch (error) {
    const isUnmet = error instanceof UserError && error.code === NO_PLACE_CODE;
    return { outcome: "not_run", ...(isUnmet ? {} : { error: errorText(error) }) };
  }
}

/** A fault of the flow with nothing going wrong is none of its deviations. */
function resultOf({ findings, passed, sentence }: ExploreReport): Replayed {
  const [finding] = findings.filter(({ deviations, acts }) => deviations.length > 0 || acts !== undefined);
  if (finding !== undefined) {
    const { oracle, message, hint } = finding;
    const note = hint === undefined ? {} : { note: hint };
    return { outcome: "failed", failure: { message: `${oracle}: ${message}`, ...note } };
  }
  return passed || findings.length > 0 ? { outcome: "passed" } : { outcome: "not_run", error: sentence };
}
