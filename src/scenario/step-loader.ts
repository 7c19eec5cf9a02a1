import { type Fault, isRecord, type LoadedDocument } from "../files/documents.js";
import { referred, rootOf, type Scope } from "./scope.js";
import { stepFaults, stepKinds } from "./step-faults.js";
import { fillStep, type LoadedStep, listsIn, placeOf, type RawStep } from "./step-places.js";
import type { Path, Reference, Resolved } from "./variables.js";

/** A list of steps as a file has it. */
export interface StepList {
  readonly document: LoadedDocument;
  readonly at: Path;
  readonly list: readonly unknown[];
}

/** What a variable that is not the file's own stands for, as far as it is known before the run. */
type Known = ReadonlyMap<string, { readonly value: unknown } | "open">;

/** Checks lists of steps, those within steps too, each with the variables that are known by then. */
export class StepLoader {
  readonly faults: Fault[] = [];
  /** The variables the steps refer to. */
  readonly variables = new Set<string>();
  readonly #scope: Scope;
  /** Variable → the first of the file's steps that saves it. */
  readonly #savedBy: ReadonlyMap<string, number>;

  constructor(scope: Scope, savedBy: ReadonlyMap<string, number>) {
    this.#scope = scope;
    this.#savedBy = savedBy;
  }

  /** The steps of a file. */
  load(list: StepList): LoadedStep[] {
    return this.#list(list, new Map());
  }

  /** Adds to what is known what the steps save. */
  #list(
    { document, at, list }: StepList,
    known: Map<string, { readonly value: unknown } | "open">,
  ): LoadedStep[] {
    return list.flatMap((step, index) => {
      if (!isRecord(step)) return [];
      const loaded = this.#step(document, [...at, index], step, known);
      for (const name of savedIn(step)) known.set(name, "open");
      return loaded === undefined ? [] : [loaded];
    });
  }

  #step(document: LoadedDocument, at: Path, step: RawStep, known: Known): LoadedStep | undefined {
    const filled = fillStep(
      step,
      (reference) => this.#resolve(reference, known),
      ({ path, message }) => this.faults.push(document.faultAt([...at, ...path], message)),
    );
    this.faults.push(...stepFaults(document, at, filled));
    const own = new Map(known);
    if (typeof step.as === "string") own.set(step.as, "open");
    const lists = listsIn(step).map((part) =>
      this.#list({ document, at: [...at, ...part.at], list: part.list }, new Map(own)),
    );
    const [kind] = stepKinds(step);
    return kind && { kind, raw: step, place: placeOf(document, at), lists };
  }

  #resolve(reference: Reference, known: Known): Resolved {
    const root = rootOf(reference.name);
    this.variables.add(root);
    const own = known.get(root);
    if (own !== undefined) return own === "open" ? own : referred(reference.name, own.value);
    const resolved = this.#scope.resolve(reference);
    const saved = this.#savedBy.get(root);
    return saved !== undefined && typeof resolved === "object" && "fault" in resolved
      ? { fault: `\${${reference.name}} is not known here: step ${saved + 1} saves it` }
      : resolved;
  }
}

/** The variables a step saves, or a step in it. */
export function savedIn(step: RawStep): string[] {
  return [
    ...(isRecord(step.save) ? Object.keys(step.save) : []),
    ...listsIn(step).flatMap(({ list }) => list.filter(isRecord).flatMap(savedIn)),
  ];
}
