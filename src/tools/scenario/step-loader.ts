import type { NameCheck } from "../../core/domain/name-check.js";
import { type DocumentFault, isRecord, type LoadedDocument } from "../../core/files/documents.js";
import { impossibleInStep } from "./impossible-expectations.js";
import { type IncludedFiles, resolveBeside } from "./includes.js";
import { fillStep, type LoadedStep, listsIn, type RawStep, stepLocation } from "./loaded-steps.js";
import { rootOf, type Scope } from "./scope.js";
import { stepFaults, stepKinds } from "./step-faults.js";
import { unknownNamesInStep } from "./step-names.js";
import { REPEAT_MAX } from "./steps/repeat.js";
import type { StepKind } from "./steps/step-kinds.js";
import type { Path, Reference, Resolved } from "./variables.js";

export interface StepList {
  readonly document: LoadedDocument;
  readonly at: Path;
  readonly list: readonly unknown[];
}

/** Context in which steps are loaded. */
export interface LoadContext {
  readonly scope: Scope;
  /** Variable → index of the first step that saves it. */
  readonly savedBy: ReadonlyMap<string, number>;
  readonly included: IncludedFiles;
  readonly names: NameCheck;
}

/** Variables that steps save or count; their values are known only in the run. */
type RunVariables = Set<string>;

/** Maximum number of steps with those of included files, which can multiply. */
const STEPS_MAX = 20_000;

/** Checks lists of steps, nested ones too, each with the variables known at that point. */
export class StepLoader {
  readonly faults: DocumentFault[] = [];
  /** Unknown names in steps. */
  readonly unknown: DocumentFault[] = [];
  /** Expectations that can never be met. */
  readonly impossible: DocumentFault[] = [];
  /** Variables that the steps use. */
  readonly variables = new Set<string>();
  readonly #context: LoadContext;
  #count = 0;
  /** Count of the enclosing repeat. */
  #repeat: unknown;
  /** Event types that the file triggers itself. */
  readonly #ownTypes = new Set<unknown>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  /** Loads the lists of a file. Lists in `after` see the variables that the others save, but not each other's. */
  load(lists: readonly StepList[], after: readonly StepList[] = []): LoadedStep[] {
    const known: RunVariables = new Set();
    const steps = lists.flatMap((list) => this.#list(list, known));
    for (const list of after) this.#list(list, new Set(known));
    return steps;
  }

  /** Adds the saved variables to `known`. */
  #list({ document, at, list }: StepList, known: RunVariables): LoadedStep[] {
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

  #step(document: LoadedDocument, at: Path, step: RawStep, known: RunVariables): LoadedStep | undefined {
    const [kind] = stepKinds(step);
    const filled = fillStep(
      step,
      (reference) => this.#resolve(reference, known),
      ({ path, message }) => this.faults.push(document.faultAt([...at, ...path], message)),
    );
    this.faults.push(...stepFaults(document, at, filled));
    if (kind === undefined) return undefined;
    if (isRecord(step.trigger) && step.trigger.force === true) this.#ownTypes.add(step.trigger.type);
    for (const { path, message } of unknownNamesInStep(kind, filled, this.#context.names)) {
      const list = this.#isVoid(kind, filled, path) ? this.faults : this.unknown;
      list.push(document.faultAt([...at, ...path], message));
    }
    for (const { path, message } of impossibleInStep(kind, filled))
      this.impossible.push(document.faultAt([...at, ...path], message));
    const outerRepeat = this.#repeat;
    if (kind === "repeat") {
      if (outerRepeat !== undefined)
        this.faults.push(document.faultAt([...at, "repeat"], nestedRepeat(outerRepeat, filled.repeat)));
      this.#repeat = filled.repeat;
    }
    const lists =
      kind === "include"
        ? [this.#include(document, at, filled, known)]
        : listsIn(step).map((part) => {
            const inner: RunVariables = new Set(known);
            if (typeof step.as === "string") inner.add(step.as);
            return this.#list({ document, at: [...at, ...part.at], list: part.list }, inner);
          });
    this.#repeat = outerRepeat;
    return { kind, raw: step, location: stepLocation(document, at), lists };
  }

  /** An expectation of an unknown event type, operation or status is met whatever happens, with `count: 0` or `not`. */
  #isVoid(kind: StepKind, step: RawStep, path: Path): boolean {
    if (!kind.startsWith("expect_")) return false;
    const isName = kind === "expect_sequence" || path.some((part) => VOID_FIELDS.includes(part));
    const value = path.reduce((inner: unknown, part) => (inner as RawStep | undefined)?.[part], step);
    return isName && !this.#ownTypes.has(value);
  }

  #include(document: LoadedDocument, at: Path, { include }: RawStep, known: RunVariables): LoadedStep[] {
    const included = this.#context.included.get(resolveBeside(document.file, String(include)));
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

  #resolve(reference: Reference, known: RunVariables): Resolved {
    const root = rootOf(reference.name);
    this.variables.add(root);
    if (known.has(root)) return "open";
    const resolved = this.#context.scope.resolve(reference);
    if (typeof resolved === "string" || !("fault" in resolved)) return resolved;
    const saved = this.#context.savedBy.get(root);
    return saved === undefined
      ? resolved
      : { fault: `\${${reference.name}} is not known here: step ${saved + 1} saves it` };
  }
}

/** Fields of expectations whose values are names of the service. */
const VOID_FIELDS: Path = ["type", "operation", "status"];

function nestedRepeat(outer: unknown, inner: unknown): string {
  const times = Number(outer) * Number(inner);
  const alternative = times <= REPEAT_MAX ? `write one with repeat: ${times}, or ` : "";
  return `cannot be inside another repeat: ${alternative}write the inner steps out`;
}

/** Variables that a step or a nested one saves. */
export function savedIn(step: RawStep): string[] {
  return [
    ...(isRecord(step.save) ? Object.keys(step.save) : []),
    ...(isRecord(step.pay) && typeof step.pay.as === "string" ? [step.pay.as] : []),
    ...listsIn(step).flatMap(({ list }) => list.filter(isRecord).flatMap(savedIn)),
  ];
}

/** Variables that a loaded step saves, with those of included files. */
function savedBy({ raw, lists }: LoadedStep): string[] {
  return [...savedIn(raw), ...lists.flat().flatMap(savedBy)];
}
