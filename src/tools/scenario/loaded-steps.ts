import type { LoadedDocument } from "../../core/files/documents.js";
import type { StepKind } from "./steps/step-kinds.js";
import { fillReferences, type ResolveReference, type ValuePath, type VariableFault } from "./variables.js";

export type RawStep = Readonly<Record<string, unknown>>;

/** Line of a rule or a step. */
export interface SourceLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

export interface StepLocation extends SourceLine {
  /** Line of a field by its dotted path, or of its nearest parent in the file. */
  lineOf(field: string): number;
}

/** A step whose variables are not filled in yet. */
export interface LoadedStep {
  readonly kind: StepKind;
  readonly raw: RawStep;
  readonly location: StepLocation;
  /** Nested lists of steps. */
  readonly lists: readonly (readonly LoadedStep[])[];
}

/** Lists the steps with all nested ones. */
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

/** Fields with nested steps. */
const LISTS = ["steps", "parallel"];

export interface NestedStepList {
  /** Path within the step. */
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

const MAX_TITLE_LENGTH = 72;

/** The step's name, or its action in a few words. */
export function stepTitle(kind: string, step: RawStep): string {
  if (typeof step.name === "string") return step.name;
  const values = [brief(step[kind]), brief(step.match)].filter((part) => part !== "").join(" ");
  const text = `${kind.replaceAll("_", " ")} ${values}`.trimEnd();
  return text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH - 1)}…` : text;
}

function brief(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value))
    return value.every((part) => typeof part === "string") ? value.join(", ") : `(${value.length})`;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(
      ([key, part]) =>
        `${key}: ${typeof part === "string" ? part : JSON.stringify(part).replaceAll('"', "")}`,
    )
    .join(", ");
}
