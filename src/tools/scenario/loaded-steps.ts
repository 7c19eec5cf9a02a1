import type { LoadedDocument } from "../../core/files/documents.js";
import type { StepLocation } from "./step-reference.js";
import type { StepKind } from "./steps/step-kinds.js";
import { fillReferences, type ResolveReference, type ValuePath, type VariableFault } from "./variables.js";

export type RawStep = Readonly<Record<string, unknown>>;

/** A step whose variables are not filled in yet. */
export interface LoadedStep {
  readonly kind: StepKind;
  readonly raw: RawStep;
  readonly location: StepLocation;
  readonly lists: readonly (readonly LoadedStep[])[];
}

export function flattenSteps(steps: readonly LoadedStep[]): LoadedStep[] {
  return steps.flatMap((step) => [step, ...step.lists.flatMap(flattenSteps)]);
}

export function stepLocation(document: LoadedDocument, at: ValuePath): StepLocation {
  const lineAt = (path: ValuePath): number => document.faultAt(path, "").line;
  return {
    file: document.file,
    line: lineAt(at),
    lineOf: (field) => lineAt([...at, ...field.split(".").filter((part) => part !== "")]),
  };
}

const LISTS = ["steps", "parallel"];

export interface NestedStepList {
  readonly at: ValuePath;
  readonly list: readonly unknown[];
}

export function nestedStepLists({ steps, parallel }: RawStep): NestedStepList[] {
  const lanes = Array.isArray(parallel) ? [...parallel.entries()] : [];
  return [
    ...(Array.isArray(steps) ? [{ at: ["steps"], list: steps }] : []),
    ...lanes.flatMap(([lane, list]) => (Array.isArray(list) ? [{ at: ["parallel", lane], list }] : [])),
  ];
}

/** Fills in the variables of a step, but not of nested steps, which may use variables saved later. */
export function fillStep(
  step: RawStep,
  resolve: ResolveReference,
  onFault: (fault: VariableFault) => void,
): RawStep {
  const entries = Object.entries(step);
  const fields = entries.filter(([field]) => !LISTS.includes(field));
  const lists = entries.filter(([field]) => LISTS.includes(field));
  const filled = fillReferences(Object.fromEntries(fields), resolve, onFault) as RawStep;
  return { ...filled, ...Object.fromEntries(lists) };
}
