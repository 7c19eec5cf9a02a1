import type { LoadedDocument } from "../../core/files/documents.js";
import type { StepPlace } from "./place.js";
import type { StepKind } from "./steps/kinds.js";
import { fill, type Path, type Resolve, type VariableFault } from "./variables.js";

export type RawStep = Readonly<Record<string, unknown>>;

/** A step as the file has it, its variables not filled in yet. */
export interface LoadedStep {
  readonly kind: StepKind;
  readonly raw: RawStep;
  readonly place: StepPlace;
  /** The lists of steps that it carries out. */
  readonly lists: readonly (readonly LoadedStep[])[];
}

/** These steps and all in them. */
export function everyStep(steps: readonly LoadedStep[]): LoadedStep[] {
  return steps.flatMap((step) => [step, ...step.lists.flatMap(everyStep)]);
}

export function placeOf(document: LoadedDocument, at: Path): StepPlace {
  const lineAt = (path: Path): number => document.faultAt(path, "").line;
  return {
    file: document.file,
    line: lineAt(at),
    lineOf: (field) => lineAt([...at, ...field.split(".").filter((part) => part !== "")]),
  };
}

/** Fields of a step that hold steps. */
const LISTS = ["steps", "parallel"];

export interface RawList {
  /** Where it stands in the step. */
  readonly at: Path;
  readonly list: readonly unknown[];
}

/** The lists of steps that stand in a step. */
export function listsIn({ steps, parallel }: RawStep): RawList[] {
  const lanes = Array.isArray(parallel) ? [...parallel.entries()] : [];
  return [
    ...(Array.isArray(steps) ? [{ at: ["steps"], list: steps }] : []),
    ...lanes.flatMap(([lane, list]) => (Array.isArray(list) ? [{ at: ["parallel", lane], list }] : [])),
  ];
}

/** The step with every variable filled in, but for those of the steps in it, whose time has not come. */
export function fillStep(step: RawStep, resolve: Resolve, onFault: (fault: VariableFault) => void): RawStep {
  const parts = Object.entries(step);
  const own = parts.filter(([field]) => !LISTS.includes(field));
  const lists = parts.filter(([field]) => LISTS.includes(field));
  const filled = fill(Object.fromEntries(own), resolve, onFault) as RawStep;
  return { ...filled, ...Object.fromEntries(lists) };
}
