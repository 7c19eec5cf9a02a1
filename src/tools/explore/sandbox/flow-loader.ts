import { RULE_KINDS } from "../../../core/domain/rule-matching.js";
import { documentFromValue } from "../../../core/files/documents.js";
import {
  type LoadedScenario,
  loadScenarioWithIncludes,
  type ScenarioInputs,
  withScenarioRules,
} from "../../scenario/files.js";
import { flattenSteps, type LoadedStep, nestedStepLists, type RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import type { RunPlan } from "../run-plan.js";
import type { Flow } from "./flow.js";

/** Fields of a flow's file that only `explore` reads. */
const EXPLORE_FIELDS = ["given", "observe", "tick", "meanwhile", "never", "allow", "reset", "$schema"];

export class FlowLoader {
  readonly #flow: Flow;
  readonly #inputs: ScenarioInputs;
  readonly #document: Readonly<Record<string, unknown>>;
  readonly #loaded: LoadedScenario;
  readonly #steps = new Map<RawStep, LoadedStep>();
  readonly #hasIncludes: boolean;
  /** Number of steps that are not those of the file. */
  readonly #others: number;

  private constructor(
    flow: Flow,
    inputs: ScenarioInputs,
    document: Readonly<Record<string, unknown>>,
    loaded: LoadedScenario,
    others: number,
  ) {
    this.#flow = flow;
    this.#inputs = inputs;
    this.#document = document;
    this.#loaded = loaded;
    this.#others = others;
    for (const step of loaded.steps) this.#steps.set(step.raw, step);
    this.#hasIncludes =
      document.include !== undefined || flattenSteps(loaded.steps).some(({ kind }) => kind === "include");
  }

  static async open(flow: Flow, inputs: ScenarioInputs): Promise<FlowLoader> {
    const { raw, drive, scheduledWork, meanwhile, reset } = flow;
    const kept = Object.entries(raw).filter(([key]) => !EXPLORE_FIELDS.includes(key));
    const own = (raw.steps ?? []) as readonly RawStep[];
    const others = [...drive.filter((step) => !own.includes(step)), ...scheduledWork, ...meanwhile, ...reset];
    const document = { ...Object.fromEntries(kept), steps: [...own, ...others] };
    const loaded = await loadScenarioWithIncludes(documentFromValue(document, flow.file), inputs);
    return new FlowLoader(flow, inputs, document, loaded, others.length);
  }

  /** The steps of the file, with one for each file that it includes. Those come first. */
  get fileSteps(): readonly LoadedStep[] {
    const { steps } = this.#loaded;
    return steps.slice(0, steps.length - this.#others);
  }

  get includedSteps(): readonly LoadedStep[] {
    const own = (this.#flow.raw.steps ?? []) as readonly RawStep[];
    return this.fileSteps.slice(0, this.fileSteps.length - own.length);
  }

  /** Prepares a run. Its rules come before the flow's own, because the first match wins. */
  async load(name: string, rules: Partial<RunPlan["rules"]>): Promise<LoadedScenario> {
    const merged = RULE_KINDS.flatMap((kind) => {
      const all = [
        ...(rules[kind as keyof typeof rules] ?? []),
        ...((this.#document[kind] ?? []) as object[]),
      ];
      return all.length === 0 ? [] : [[kind, all]];
    });
    const document = { ...this.#document, name, ...Object.fromEntries(merged) };
    if (!this.#hasIncludes) return withScenarioRules(this.#loaded, document, this.#inputs);
    return loadScenarioWithIncludes(documentFromValue(document, this.#flow.file), this.#inputs);
  }

  stepOf(raw: RawStep): LoadedStep {
    const known = this.#steps.get(raw);
    if (known !== undefined) return known;
    const { file } = this.#flow;
    const lists = nestedStepLists(raw).map(({ list }) => list.map((step) => this.stepOf(step as RawStep)));
    return { kind: stepKindsOf(raw)[0]!, raw, location: { file, line: 1, lineOf: () => 1 }, lists };
  }
}
