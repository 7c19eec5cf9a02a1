import { writeFileSync } from "node:fs";
import { DocumentError, isRecord, warningText } from "../files/documents.js";
import { readFlow } from "../files/flows.js";
import { makeFolder } from "../files/folders.js";
import { loadScenarioFile } from "../scenario/files.js";
import { withoutEndSlashes } from "../schema/addresses.js";
import { durationMs } from "../schema/duration.js";
import { DEFAULT_DEPTH } from "../schema/explore.js";
import { lazily } from "../schema/lazily.js";
import { UserError } from "../schema/user-error.js";
import { type ExploreOptions, explore } from "./explore.js";
import { flowOf } from "./flow.js";
import type { ExploreReport } from "./report.js";
import type { SaveTo } from "./save.js";

export interface ExploreFileOptions extends Omit<ExploreOptions, "saveTo"> {
  /** The folder for the scenario files of what is found; it is made where there is none. */
  readonly save?: string | undefined;
  /** Called with each thing in the file that is odd, in one line with its place. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** What the library is asked, its options checked. */
interface Asked extends Omit<ExploreFileOptions, "fetch" | "runIdOf" | "depth" | "budgetMs" | "onWarning"> {
  readonly depth?: number;
  readonly budget?: string;
}

/** Explores for the library's doors, with their defaults. */
export function exploreAsked(
  file: string,
  { app, budget, depth = DEFAULT_DEPTH, environment = process.env, ...asked }: Asked,
  door: Pick<ExploreFileOptions, "fetch" | "runIdOf">,
): Promise<ExploreReport> {
  const budgetMs = budget === undefined ? undefined : durationMs(budget);
  return exploreFile(file, { ...asked, ...door, environment, depth, budgetMs, app: withoutEndSlashes(app) });
}

/** Explores the flow of a scenario file; a file with faults throws each at its line, and one that cannot be explored why. */
export async function exploreFile(
  file: string,
  { save, onWarning, ...options }: ExploreFileOptions,
): Promise<ExploreReport> {
  const document = await readFlow(file);
  const { vars = {}, environment = {}, runIdOf } = options;
  const loaded = await loadScenarioFile(document, { given: vars, environment, runIdOf });
  if (!isRecord(document.value) || loaded.steps.length === 0)
    throw new DocumentError([document.faultAt(["steps"], "the file has none: nothing to explore")]);
  for (const warning of loaded.warnings) onWarning?.(warningText(warning));
  const flow = flowOf(file, document.value);
  return explore(flow, { ...options, saveTo: save === undefined ? undefined : await savingTo(save) });
}

async function savingTo(folder: string): Promise<SaveTo> {
  const { writeYaml } = await lazily(() => import("../schema/write-yaml.js"));
  const write = (file: string, text: string): void => {
    try {
      makeFolder(folder);
      writeFileSync(file, text);
    } catch (error) {
      throw new UserError(`save: ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
    }
  };
  return { folder, write, yamlOf: writeYaml };
}
