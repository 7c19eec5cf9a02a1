import type { Vocabulary } from "../core/domain/name-check.js";
import { DocumentError, type DocumentFault } from "../core/files/documents.js";
import { didYouMean } from "../core/schema/nearest.js";
import { UserError } from "../core/schema/user-error.js";
import { type LoadedScenario, readScenarioFile } from "../tools/scenario/files.js";
import type { RunReport } from "../tools/scenario/running/run-report.js";

export type InputFile = LoadedScenario | BrokenFile;

interface BrokenFile {
  readonly file: string;
  readonly faults: readonly DocumentFault[];
}

export function isBrokenFile(given: InputFile): given is BrokenFile {
  return "faults" in given;
}

export interface ScenarioReadContext {
  readonly vars: Readonly<Record<string, string>>;
  readonly runIdOf: (name: string) => string;
  readonly vocabulary: Vocabulary;
  readonly isStrict: boolean;
}

/** Reads all files before the first run, to report all faults together. */
export async function readScenarioFiles(
  files: readonly string[],
  reading: ScenarioReadContext,
): Promise<InputFile[]> {
  const given: InputFile[] = [];
  for (const file of files) given.push(await readFile(file, reading));
  // Variables of a file with faults are unknown.
  const loaded = given.filter((one): one is LoadedScenario => !isBrokenFile(one));
  if (loaded.length === given.length)
    refuseUnknownVars(
      reading.vars,
      loaded.map(({ variables }) => variables),
    );
  return given;
}

async function readFile(file: string, { isStrict, ...inputs }: ScenarioReadContext): Promise<InputFile> {
  try {
    const loaded = await readScenarioFile(file, { ...inputs, environment: process.env });
    if (isStrict && loaded.warnings.length > 0) return { file, faults: loaded.warnings };
    if (loaded.steps.length > 0 || loaded.replay !== undefined) return loaded;
    const message = "the file has none: nothing to run";
    return { file, faults: [{ file, line: 1, column: 1, field: "steps", message }] };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { file, faults: error.faults };
  }
}

/** Refuses a `--var` that no file uses. `variables` has the variables of each file. */
export function refuseUnknownVars(
  vars: Readonly<Record<string, string>>,
  variables: readonly ReadonlySet<string>[],
): void {
  const known = new Set(variables.flatMap((names) => [...names]));
  for (const name of Object.keys(vars))
    if (!known.has(name))
      throw new UserError(`--var ${name}: no file has that variable${didYouMean(name, [...known])}`);
}

export function cannotRunReport(file: string, error: string): RunReport {
  return {
    file,
    name: file,
    outcome: "error",
    passed: false,
    run_id: "",
    duration_ms: 0,
    steps: [],
    applied: {},
    never_happened: [],
    never_happened_at: [],
    blind_spots: [],
    error,
    warnings: [],
  };
}
