import type { Vocabulary } from "../../core/domain/name-check.js";
import { DocumentError, type DocumentFault, documentFromValue } from "../../core/files/documents.js";
import { didYouMean } from "../../core/schema/nearest.js";
import { isRefusal, type Refusal, refuseInvalid } from "../../core/schema/refusals.js";
import type { Scenario } from "../../core/schema/scenario-rules.js";
import { trimTrailingSlashes } from "../../core/schema/text-format.js";
import { type LoadedScenario, loadScenario } from "./files.js";
import type { RunReport } from "./running/run-report.js";
import { type RunOptions, runScenario } from "./running/run-scenario.js";

export interface ScenarioNamespace {
  readonly name: string;
  nextRunId(scenario: string): string;
}

interface Run extends Pick<RunOptions, "onStep" | "onStepBegin" | "signal"> {
  readonly source: Readonly<Record<string, unknown>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly app: string | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
}

export function readScenarioObject(
  stage: ScenarioNamespace,
  source: Run["source"],
  vocabulary?: Vocabulary,
): Scenario | Refusal {
  const loaded = load(stage, source, {}, vocabulary);
  if (isRefusal(loaded)) return loaded;
  return loaded.unknownNames.length > 0 ? refusalOf(loaded.unknownNames) : loaded.scenario;
}

export async function runScenarioObject(
  stage: ScenarioNamespace,
  { source, vars, app, fetch, ...options }: Run,
): Promise<RunReport | Refusal> {
  const loaded = load(stage, source, vars);
  if (isRefusal(loaded)) return loaded;
  const known = [...loaded.variables];
  const unknown = Object.keys(vars).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    return refuseInvalid(
      Object.fromEntries(
        unknown.map((name) => [
          `vars.${name}`,
          `the scenario has no such variable${didYouMean(name, known)}`,
        ]),
      ),
    );
  return runScenario(loaded, {
    ...options,
    namespace: stage.name,
    app: app && trimTrailingSlashes(app),
    fetch: (path, init) => fetch(new Request(`http://sandbox${path}`, init)),
  });
}

function load(
  stage: ScenarioNamespace,
  source: Run["source"],
  given: Run["vars"],
  vocabulary?: Vocabulary,
): LoadedScenario | Refusal {
  try {
    const runIdOf = (name: string): string => stage.nextRunId(name);
    const loaded = loadScenario(documentFromValue(source), { vars: given, runIdOf, vocabulary });
    return loaded.replay === undefined ? loaded : refuseInvalid({ flow: "only a file can name a flow" });
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return refusalOf(error.faults);
  }
}

function refusalOf(faults: readonly DocumentFault[]): Refusal {
  return refuseInvalid(Object.fromEntries(faults.map(({ field, message }) => [field || "body", message])));
}
