import { existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { DocumentError, warningText } from "../../core/files/documents.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { readFlow } from "../../core/files/read-flow.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { didYouMean } from "../../core/schema/nearest.js";
import { systemErrorText } from "../../core/schema/system-error-text.js";
import { trimTrailingSlashes } from "../../core/schema/text-format.js";
import { UserError } from "../../core/schema/user-error.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import { loadScenarioWithIncludes } from "../scenario/files.js";
import { type AsAsked, readAsked } from "./asked-options.js";
import { BlindSpotError } from "./deviable.js";
import { deviationSetText, scenarioName } from "./deviation-set.js";
import type { ExploreReport } from "./exploration.js";
import { explore } from "./explore.js";
import type { ExploreOptions } from "./explorer.js";
import { DEVIATION_KIND_DEFINITIONS } from "./kinds.js";
import { type Flow, flowOf } from "./sandbox/flow.js";
import type { ProcessHostOptions } from "./sandbox/process-host.js";
import { SandboxDeviable } from "./sandbox/sandbox-deviable.js";

export interface ExploreFileOptions extends Omit<ExploreOptions, "save">, ProcessHostOptions {
  /** Folder for the scenario files that reproduce findings; created if missing. */
  readonly save?: string | undefined;
  /** Called with each warning about the flow's file, as one line that names the position. */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** Ignores a variable that no file has, as `run` of the library does, instead of refusing it. */
  readonly mayHaveUnknownVars?: boolean;
}

/** Implements `explore` of the library, whose options have defaults. */
export function exploreWithDefaults(
  file: string,
  options: Omit<AsAsked<ExploreFileOptions>, "fetch" | "runIdOf" | "onWarning" | "mayHaveUnknownVars">,
  connection: Pick<ExploreFileOptions, "fetch" | "runIdOf">,
): Promise<ExploreReport> {
  const { app, environment = process.env, ...others } = readAsked(options);
  const checked = { environment, app: trimTrailingSlashes(app), mayHaveUnknownVars: true };
  return exploreFile(file, { ...others, ...connection, ...checked });
}

/** Explores the flow of a scenario file. Throws a `DocumentError`, which has line numbers, if the file is invalid. */
export async function exploreFile(
  file: string,
  { save, onWarning, mayHaveUnknownVars = false, ...options }: ExploreFileOptions,
): Promise<ExploreReport> {
  const document = await readFlow(file);
  const { vars: suppliedVars = {}, environment = {}, runIdOf } = options;
  const loaded = await loadScenarioWithIncludes(document, { vars: suppliedVars, environment, runIdOf });
  if (loaded.replay !== undefined)
    throw new DocumentError([
      document.faultAt(["flow"], "has its deviations: explore the flow itself, or run this file"),
    ]);
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
  const saver = save === undefined ? undefined : await saverIn(save, flow, vars);
  try {
    return await explore((signal) => SandboxDeviable.open(flow, { ...options, vars, signal }), {
      ...options,
      save: saver,
    });
  } catch (error) {
    if (!(error instanceof BlindSpotError)) throw error;
    const faults = error.spots.map(({ path, message }) => document.faultAt(path, message));
    throw new DocumentError(faults, error.exitCode, error.code);
  }
}

/** Returns a function that saves a set of deviations, or a life, beside its flow, as a file in the folder. */
async function saverIn(
  folder: string,
  { file, raw }: Flow,
  vars: Readonly<Record<string, string>>,
): Promise<NonNullable<ExploreOptions["save"]>> {
  const { toYaml } = await loadLazily(() => import("../../core/schema/write-yaml.js"));
  // A shipped flow is named, not found.
  const flow = existsSync(file) ? relative(folder, file).replaceAll("\\", "/") : file;
  return (found, description) => {
    const [only, set] = typeof found === "string" ? [found, []] : [deviationSetText(found), found];
    if (set.some(({ kind }) => DEVIATION_KIND_DEFINITIONS[kind].killsApp)) return undefined;
    const name = scenarioName(String(raw.name), found);
    const named = { name, description, flow, only };
    const path = join(folder, `${name}.yaml`);
    try {
      makeFolder(folder);
      writeFileSync(path, toYaml(Object.keys(vars).length === 0 ? named : { ...named, vars }));
    } catch (error) {
      throw new UserError(`save: ${path} cannot be written: ${systemErrorText(error)}`);
    }
    return path;
  };
}
