import { writeFileSync } from "node:fs";
import { DocumentError, warningText } from "../../core/files/documents.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { readFlow } from "../../core/files/read-flow.js";
import { DEFAULT_EXPLORE_DEPTH, type ExploreDepth } from "../../core/schema/explore-limits.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { didYouMean } from "../../core/schema/nearest.js";
import { systemErrorText } from "../../core/schema/system-error-text.js";
import { trimTrailingSlashes } from "../../core/schema/text-format.js";
import { durationToMs } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import { loadScenarioWithIncludes } from "../scenario/files.js";
import { BlindSpotError } from "./deviable.js";
import type { ExploreReport } from "./exploration.js";
import { type ExploreOptions, explore } from "./explore.js";
import { chosenSets } from "./incident-log/shown-deviations.js";
import { flowOf } from "./sandbox/flow.js";
import { SandboxDeviable, type SandboxDeviableOptions } from "./sandbox/sandbox-deviable.js";
import type { ScenarioFileWriter } from "./sandbox/saved-file.js";

export interface ExploreFileOptions extends ExploreOptions, Omit<SandboxDeviableOptions, "saveTo"> {
  /** Folder for the scenario files that reproduce findings; created if missing. */
  readonly save?: string | undefined;
  /** Called with each warning about the flow's file, as one line that names the position. */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** Ignores a variable that no file has, as `run` of the library does, instead of refusing it. */
  readonly mayHaveUnknownVars?: boolean;
}

/** Validated options of `explore` in the library. */
interface LibraryOptions
  extends Omit<
    ExploreFileOptions,
    "fetch" | "runIdOf" | "depth" | "budgetMs" | "only" | "shown" | "onWarning" | "mayHaveUnknownVars"
  > {
  readonly only?: string;
  readonly from?: string;
  readonly depth?: ExploreDepth;
  readonly budget?: string;
}

/** Implements `explore` of the library, whose options have defaults. */
export function exploreWithDefaults(
  file: string,
  {
    app,
    budget,
    only,
    from,
    depth = DEFAULT_EXPLORE_DEPTH,
    environment = process.env,
    ...options
  }: LibraryOptions,
  connection: Pick<ExploreFileOptions, "fetch" | "runIdOf">,
): Promise<ExploreReport> {
  const budgetMs = budget === undefined ? undefined : durationToMs(budget);
  const checked = {
    environment,
    depth,
    budgetMs,
    ...chosenSets({ only, from }),
    app: trimTrailingSlashes(app),
    mayHaveUnknownVars: true,
  };
  return exploreFile(file, { ...options, ...connection, ...checked });
}

/** Explores the flow of a scenario file. Throws a `DocumentError`, which has line numbers, if the file is invalid. */
export async function exploreFile(
  file: string,
  { save, onWarning, mayHaveUnknownVars = false, ...options }: ExploreFileOptions,
): Promise<ExploreReport> {
  const document = await readFlow(file);
  const { vars: suppliedVars = {}, environment = {}, runIdOf } = options;
  const loaded = await loadScenarioWithIncludes(document, { vars: suppliedVars, environment, runIdOf });
  if (!isJsonObject(document.value) || loaded.steps.length === 0)
    throw new DocumentError([document.faultAt(["steps"], "the file has none: nothing to explore")]);
  for (const warning of loaded.warnings) onWarning?.(warningText(warning));
  const isKnown = (name: string) => loaded.variables.has(name);
  const unknown = Object.keys(suppliedVars).find((name) => !isKnown(name));
  if (unknown !== undefined && !mayHaveUnknownVars)
    throw new UserError(
      `--var ${unknown}: no file has that variable${didYouMean(unknown, [...loaded.variables])}`,
    );
  const vars = Object.fromEntries(Object.entries(suppliedVars).filter(([name]) => isKnown(name)));
  const flow = flowOf(file, document.value);
  const saveTo = save === undefined ? undefined : await folderWriter(save);
  try {
    return await explore(
      (signal) => SandboxDeviable.open(flow, { ...options, vars, saveTo, signal }),
      options,
    );
  } catch (error) {
    if (!(error instanceof BlindSpotError)) throw error;
    const faults = error.spots.map(({ path, message }) => document.faultAt(path, message));
    throw new DocumentError(faults, error.exitCode, error.code);
  }
}

async function folderWriter(folder: string): Promise<ScenarioFileWriter> {
  const { toYaml: writeYaml } = await loadLazily(() => import("../../core/schema/write-yaml.js"));
  const write = (file: string, text: string): void => {
    try {
      makeFolder(folder);
      writeFileSync(file, text);
    } catch (error) {
      throw new UserError(`save: ${file} cannot be written: ${systemErrorText(error)}`);
    }
  };
  return { folder, write, yamlOf: writeYaml };
}
