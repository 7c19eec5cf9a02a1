import type { NameCheck } from "../../core/domain/known-names.js";
import { type Fault, isRecord, type LoadedDocument } from "../../core/files/documents.js";
import { fileBeside, type Included } from "./included.js";
import { rootOf, type Scope } from "./scope.js";
import { stepFaults, stepKinds } from "./step-faults.js";
import { unknownInStep } from "./step-names.js";
import { fillStep, type LoadedStep, listsIn, placeOf, type RawStep } from "./step-places.js";
import { REPEAT_MAX } from "./steps/repeat.js";
import { unmeetableInStep } from "./unmeetable.js";
import type { Path, Reference, Resolved } from "./variables.js";

/** A list of steps as a file has it. */
export interface StepList {
  readonly document: LoadedDocument;
  readonly at: Path;
  readonly list: readonly unknown[];
}

/** What steps are loaded with. */
export interface Surroundings {
  readonly scope: Scope;
  /** Variable → the first of the file's steps that saves it. */
  readonly savedBy: ReadonlyMap<string, number>;
  readonly included: Included;
  readonly names: NameCheck;
}

/** Names of variables that steps save or count; their values are known only in the run. */
type Known = Set<string>;

/** Steps of a file with those it includes: files that include each other several times multiply. */
const STEPS_MAX = 20_000;

/** Checks lists of steps, those within steps too, each with the variables that are known by then. */
export class StepLoader {
  readonly faults: Fault[] = [];
  /** Names in steps that nothing has. */
  readonly unknown: Fault[] = [];
  /** What is expected in steps that can never be. */
  readonly unmeetable: Fault[] = [];
  /** The variables the steps refer to. */
  readonly variables = new Set<string>();
  readonly #around: Surroundings;
  #count = 0;
  /** The count of the repeat around the current step. */
  #repeat: unknown;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** The steps of a file, list after list, and those that know what the ones before them have saved. */
  load(lists: readonly StepList[], after: readonly StepList[] = []): LoadedStep[] {
    const known: Known = new Set();
    const steps = lists.flatMap((list) => this.#list(list, known));
    for (const list of after) this.#list(list, new Set(known));
    return steps;
  }

  /** Adds to what is known what the steps save. */
  #list({ document, at, list }: StepList, known: Known): LoadedStep[] {
    return list.flatMap((step, index) => {
      if (!isRecord(step) || this.#isTooMany(document, [...at, index])) return [];
      const loaded = this.#step(document, [...at, index], step, known);
      for (const name of loaded === undefined ? savedIn(step) : savedBy(loaded)) known.add(name);
      return loaded === undefined ? [] : [loaded];
    });
  }

  #isTooMany(document: LoadedDocument, at: Path): boolean {
    if (++this.#count === STEPS_MAX + 1)
      this.faults.push(
        document.faultAt(at, `is one step too many: a file has at most ${STEPS_MAX}, with those it includes`),
      );
    return this.#count > STEPS_MAX;
  }

  #step(document: LoadedDocument, at: Path, step: RawStep, known: Known): LoadedStep | undefined {
    const [kind] = stepKinds(step);
    const filled = fillStep(
      step,
      (reference) => this.#resolve(reference, known),
      ({ path, message }) => this.faults.push(document.faultAt([...at, ...path], message)),
    );
    this.faults.push(...stepFaults(document, at, filled));
    if (kind === undefined) return undefined;
    for (const { path, message } of unknownInStep(kind, filled, this.#around.names))
      this.unknown.push(document.faultAt([...at, ...path], message));
    for (const { path, message } of unmeetableInStep(kind, filled))
      this.unmeetable.push(document.faultAt([...at, ...path], message));
    const around = this.#repeat;
    if (kind === "repeat") {
      if (around !== undefined)
        this.faults.push(document.faultAt([...at, "repeat"], nestedRepeat(around, filled.repeat)));
      this.#repeat = filled.repeat;
    }
    const lists =
      kind === "include"
        ? [this.#include(document, at, filled, known)]
        : listsIn(step).map((part) => {
            const own: Known = new Set(known);
            if (typeof step.as === "string") own.add(step.as);
            return this.#list({ document, at: [...at, ...part.at], list: part.list }, own);
          });
    this.#repeat = around;
    return { kind, raw: step, place: placeOf(document, at), lists };
  }

  #include(document: LoadedDocument, at: Path, { include }: RawStep, known: Known): LoadedStep[] {
    const included = this.#around.included.get(fileBeside(document.file, String(include)));
    const steps = isRecord(included?.value) ? included.value.steps : undefined;
    if (included !== undefined && Array.isArray(steps))
      return this.#list({ document: included, at: ["steps"], list: steps }, new Set(known));
    const message =
      document.file === ""
        ? "only a scenario that is a file can include another"
        : "has no steps: its rules and variables are taken by `include` at the top of the file";
    this.faults.push(document.faultAt([...at, "include"], message));
    return [];
  }

  #resolve(reference: Reference, known: Known): Resolved {
    const root = rootOf(reference.name);
    this.variables.add(root);
    if (known.has(root)) return "open";
    const resolved = this.#around.scope.resolve(reference);
    if (typeof resolved === "string" || !("fault" in resolved)) return resolved;
    const saved = this.#around.savedBy.get(root);
    return saved === undefined
      ? resolved
      : { fault: `\${${reference.name}} is not known here: step ${saved + 1} saves it` };
  }
}

function nestedRepeat(outer: unknown, inner: unknown): string {
  const times = Number(outer) * Number(inner);
  const one = times <= REPEAT_MAX ? `write one with repeat: ${times}, or ` : "";
  return `cannot be inside another repeat: ${one}write the inner steps out`;
}

/** The variables a step saves, or a step that stands in it. */
export function savedIn(step: RawStep): string[] {
  return [
    ...(isRecord(step.save) ? Object.keys(step.save) : []),
    ...(isRecord(step.pay) && typeof step.pay.as === "string" ? [step.pay.as] : []),
    ...listsIn(step).flatMap(({ list }) => list.filter(isRecord).flatMap(savedIn)),
  ];
}

/** Those that are known when it has been carried out. */
function savedBy({ raw, lists }: LoadedStep): string[] {
  return [...savedIn(raw), ...lists.flat().flatMap(savedBy)];
}
