import type { NameCheck } from "../domain/known-names.js";
import { type Fault, isRecord, type LoadedDocument } from "../files/documents.js";
import { didYouMean } from "../schema/nearest.js";
import { fileBeside, type Included } from "./included.js";
import { referred, rootOf, type Scope } from "./scope.js";
import { stepFaults, stepKinds } from "./step-faults.js";
import { unknownInStep } from "./step-names.js";
import { fillStep, type LoadedStep, listsIn, placeOf, type RawStep } from "./step-places.js";
import { unmeetableInStep } from "./unmeetable.js";
import { fill, isOpen, type Path, type Reference, type Resolved } from "./variables.js";

/** A list of steps as a file has it. */
export interface StepList {
  readonly document: LoadedDocument;
  readonly at: Path;
  readonly list: readonly unknown[];
}

/** Steps that have a name. */
export interface Definition extends StepList {
  /** What their variables are where `with` does not say. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** What steps are loaded with. */
export interface Surroundings {
  readonly scope: Scope;
  /** Variable → the first of the file's steps that saves it. */
  readonly savedBy: ReadonlyMap<string, number>;
  readonly included: Included;
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly names: NameCheck;
}

/** What a variable that is not the file's own stands for, as far as it is known before the run. */
type Known = Map<string, { readonly value: unknown } | "open">;

/** Steps of a file, each as often as the repeats around it say where they are nested. */
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
  /** The definitions they use. */
  readonly used = new Set<string>();
  readonly #around: Surroundings;
  #count = 0;
  /** The `repeat` of each step around the current one. */
  #repeats: readonly number[] = [];
  /** The definitions that are being looked into. */
  #using: readonly string[] = [];
  #isUnused = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** The steps of a file, list after list, and those that know what the ones before them have saved. */
  load(lists: readonly StepList[], after: readonly StepList[] = []): LoadedStep[] {
    const known: Known = new Map();
    const steps = lists.flatMap((list) => this.#list(list, known));
    for (const list of after) this.#list(list, new Map(known));
    return steps;
  }

  /** Looks through a definition that nothing uses: any variable may be one it is given. */
  lookThrough(definition: Definition): void {
    this.#isUnused = true;
    this.#list(definition, new Map());
    this.#isUnused = false;
  }

  /** Adds to what is known what the steps save. */
  #list({ document, at, list }: StepList, known: Known): LoadedStep[] {
    return list.flatMap((step, index) => {
      if (!isRecord(step) || this.#isTooMany(document, [...at, index])) return [];
      const loaded = this.#step(document, [...at, index], step, known);
      for (const name of loaded === undefined ? savedIn(step) : savedBy(loaded)) known.set(name, "open");
      return loaded === undefined ? [] : [loaded];
    });
  }

  #isTooMany(document: LoadedDocument, at: Path): boolean {
    const isKnown = this.#count > STEPS_MAX;
    this.#count +=
      this.#repeats.length < 2 ? 1 : this.#repeats.reduce((product, times) => product * times, 1);
    if (!isKnown && this.#count > STEPS_MAX)
      this.faults.push(
        document.faultAt(
          at,
          `comes to ${this.#count} steps with the repeats around it; a file may have ${STEPS_MAX}`,
        ),
      );
    return this.#count > STEPS_MAX;
  }

  #step(document: LoadedDocument, at: Path, written: RawStep, known: Known): LoadedStep | undefined {
    const [kind] = stepKinds(written);
    const definition = kind === "use" ? this.#around.definitions.get(String(written.use)) : undefined;
    const step: RawStep =
      definition === undefined ? written : { ...written, with: withDefaults(written.with, definition) };
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
    const outer = this.#repeats;
    if (kind === "repeat" && typeof filled.repeat === "number") this.#repeats = [...outer, filled.repeat];
    const lists =
      kind === "use"
        ? [this.#use(document, at, filled, definition, known)]
        : kind === "include"
          ? [this.#include(document, at, filled, known)]
          : listsIn(step).map((part) => {
              const own: Known = new Map(known);
              if (typeof step.as === "string") own.set(step.as, "open");
              return this.#list({ document, at: [...at, ...part.at], list: part.list }, own);
            });
    this.#repeats = outer;
    return { kind, raw: step, place: placeOf(document, at), lists };
  }

  #use(
    document: LoadedDocument,
    at: Path,
    filled: RawStep,
    definition: Definition | undefined,
    known: Known,
  ): LoadedStep[] {
    const name = filled.use;
    // That it is no name at all is told by its shape.
    if (typeof name !== "string") return [];
    const fault = (path: Path, message: string): LoadedStep[] => {
      this.faults.push(document.faultAt([...at, ...path], message));
      return [];
    };
    if (definition === undefined) {
      const names = [...this.#around.definitions.keys()];
      const known = names.length === 0 ? "" : `; known: ${names.join(", ")}`;
      return fault(["use"], `nothing is defined as ${name}${didYouMean(name, names, known)}`);
    }
    this.used.add(name);
    if (this.#using.includes(name))
      return fault(["use"], `leads back to itself: ${[...this.#using, name].join(" → ")}`);
    const given = Object.entries(isRecord(filled.with) ? filled.with : {});
    const takes = [...rootsIn(definition.list), ...Object.keys(definition.defaults)];
    for (const [variable] of given)
      if (!takes.includes(variable))
        fault(["with", variable], `${name} has no \${${variable}}${didYouMean(variable, takes)}`);
    const own: Known = new Map(known);
    for (const [variable, value] of given)
      own.set(variable, isOpen(JSON.stringify(value)) ? "open" : { value });
    this.#using = [...this.#using, name];
    const steps = this.#list(definition, own);
    this.#using = this.#using.slice(0, -1);
    return steps;
  }

  #include(document: LoadedDocument, at: Path, { include }: RawStep, known: Known): LoadedStep[] {
    const included = this.#around.included.get(fileBeside(document.file, String(include)));
    const steps = isRecord(included?.value) ? included.value.steps : undefined;
    if (included !== undefined && Array.isArray(steps))
      return this.#list({ document: included, at: ["steps"], list: steps }, new Map(known));
    const message =
      document.file === ""
        ? "only a scenario that is a file can include another"
        : "has no steps: what it defines is taken by `include` at the top of the file";
    this.faults.push(document.faultAt([...at, "include"], message));
    return [];
  }

  #resolve(reference: Reference, known: Known): Resolved {
    const root = rootOf(reference.name);
    this.variables.add(root);
    const own = known.get(root);
    if (own !== undefined) return own === "open" ? own : referred(reference.name, own.value);
    const resolved = this.#around.scope.resolve(reference);
    if (typeof resolved === "string" || !("fault" in resolved)) return resolved;
    if (this.#isUnused) return "open";
    const saved = this.#around.savedBy.get(root);
    return saved === undefined
      ? resolved
      : { fault: `\${${reference.name}} is not known here: step ${saved + 1} saves it` };
  }
}

function withDefaults(given: unknown, { defaults }: Definition): unknown {
  return given === undefined || isRecord(given) ? { ...defaults, ...given } : given;
}

/** The variables a value refers to. */
function rootsIn(value: unknown): Set<string> {
  const roots = new Set<string>();
  const note = ({ name }: Reference): Resolved => {
    roots.add(rootOf(name));
    return "open";
  };
  fill(value, note, () => {});
  return roots;
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
