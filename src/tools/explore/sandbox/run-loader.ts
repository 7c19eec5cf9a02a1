import { RULE_KINDS } from "../../../core/domain/rule-matching.js";
import { documentFromValue } from "../../../core/files/documents.js";
import {
  type LoadedScenario,
  loadScenarioWithIncludes,
  type ScenarioInputs,
  withScenarioRules,
} from "../../scenario/files.js";
import { flattenSteps } from "../../scenario/loaded-steps.js";
import type { RunDocument } from "./run-document.js";

/** Fields of a run's document that differ between runs with the same steps. */
const PER_RUN: ReadonlySet<string> = new Set(["name", ...RULE_KINDS]);

/** Loads documents of runs. Checks the steps once for all runs that differ only in their rules. */
export class RunLoader {
  readonly #file: string;
  readonly #inputs: ScenarioInputs;
  /** Loaded documents. The key is the content without its name and rules, because many runs have the same steps. */
  readonly #checked = new Map<string, LoadedScenario>();

  /** @param file the flow's file, from which includes are read */
  constructor(file: string, inputs: ScenarioInputs) {
    this.#file = file;
    this.#inputs = inputs;
  }

  async load(document: RunDocument["document"]): Promise<LoadedScenario> {
    const inputs = this.#inputs;
    const key = JSON.stringify(Object.entries(document).filter(([word]) => !PER_RUN.has(word)));
    const checked = this.#checked.get(key);
    if (checked !== undefined) return withScenarioRules(checked, document, inputs);
    const loaded = await loadScenarioWithIncludes(documentFromValue(document, this.#file), inputs);
    if (document.include === undefined && !flattenSteps(loaded.steps).some(({ kind }) => kind === "include"))
      this.#checked.set(key, loaded);
    return loaded;
  }
}
