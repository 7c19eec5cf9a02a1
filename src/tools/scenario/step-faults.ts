import type * as z from "zod/mini";
import {
  type DocumentFault,
  documentFromValue,
  type LoadedDocument,
  schemaFaults,
} from "../../core/files/documents.js";
import { hasVariable } from "../../core/schema/matchers.js";
import { didYouMean, findNearestWord } from "../../core/schema/nearest.js";
import { unknownFieldMessage } from "../../core/schema/schema-paths.js";
import type { RawStep } from "./loaded-steps.js";
import { STEP_KINDS, STEPS, type StepKind } from "./steps/step-kinds.js";
import { WAIT_KINDS, WAIT_SCHEMAS } from "./steps/wait-for.js";
import type { ValuePath } from "./variables.js";

/** Fields of a step besides its action. Any other field may be a misspelled action. */
const COMPANIONS: readonly string[] = [
  "name",
  "body",
  "headers",
  "expect",
  "save",
  "match",
  "within",
  "count",
  "as",
  "steps",
];

/** Lists the actions of a step; a valid step has exactly one. */
export function stepKindsOf(step: RawStep): StepKind[] {
  return STEP_KINDS.filter((kind) => Object.hasOwn(step, kind));
}

export function stepFaults(
  document: LoadedDocument,
  at: ValuePath,
  step: RawStep,
  isUnresolved: (value: unknown) => boolean = hasVariable,
): DocumentFault[] {
  const [kind, second] = stepKindsOf(step);
  if (kind === undefined) return missingActionFaults(document, at, step);
  const faultAt = (field: string, message: string) => [document.faultAt([...at, field], message)];
  if (second !== undefined)
    return faultAt(second, `a step has one action, and this one has ${kind} already: begin another with -`);
  if (kind === "wait_for" && !isWaitKind(step.wait_for)) {
    if (isUnresolved(step.wait_for)) return [];
    const hint = didYouMean(String(step.wait_for), WAIT_KINDS);
    return faultAt(kind, `must be one of ${WAIT_KINDS.join(", ")}${hint}`);
  }
  return schemaFaults(stepSchemaOf(kind, step), document, { path: at, value: step, isUnresolved });
}

/** Returns the schema of a step; the schema of `wait_for` depends on the field's value. */
export function stepSchemaOf(kind: StepKind, { wait_for }: RawStep): z.ZodMiniType {
  return isWaitKind(wait_for) ? WAIT_SCHEMAS[wait_for] : STEPS[kind].schema;
}

function missingActionFaults(
  document: Pick<LoadedDocument, "faultAt">,
  at: ValuePath,
  step: RawStep,
): DocumentFault[] {
  const unknown = Object.keys(step).filter((key) => !COMPANIONS.includes(key));
  const typos = unknown.filter((key) => findNearestWord(key, STEP_KINDS) !== undefined);
  if (typos.length > 0)
    return typos.map((key) => document.faultAt([...at, key], unknownFieldMessage(key, STEP_KINDS)));
  const [companion] = Object.keys(step).filter((key) => key !== "name");
  const message =
    companion !== undefined && unknown.length === 0
      ? `${companion} belongs to the step of an action: remove the dash before it, or add an action`
      : `a step needs an action: one of ${STEP_KINDS.join(", ")}`;
  return [document.faultAt(at, message)];
}

function isWaitKind(value: unknown): value is keyof typeof WAIT_SCHEMAS {
  return typeof value === "string" && Object.hasOwn(WAIT_SCHEMAS, value);
}

export function filledStepFaults(step: RawStep): string[] {
  return stepFaults(documentFromValue(step), [], step, () => false).map(({ field, message }) =>
    field === "" ? message : `${field}: ${message}`,
  );
}
