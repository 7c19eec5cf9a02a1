import {
  type Fault,
  type LoadedDocument,
  schemaFaults,
  unknownField,
  valueDocument,
} from "../../files/documents.js";
import { nearest } from "../../schema/nearest.js";
import {
  STEP_COMPANIONS,
  STEP_KINDS,
  STEP_SCHEMAS,
  type StepKind,
  WAIT_KINDS,
  WAIT_SCHEMAS,
} from "../../schema/steps.js";
import { isOpen, type Path } from "./variables.js";

/** The actions a step names; it should be one. */
export function stepKinds(step: Readonly<Record<string, unknown>>): StepKind[] {
  return STEP_KINDS.filter((kind) => Object.hasOwn(step, kind));
}

/** What is wrong with a step, its variables filled in as far as they are known. */
export function stepFaults(
  document: LoadedDocument,
  at: Path,
  step: Readonly<Record<string, unknown>>,
  isUnknownYet: (value: unknown) => boolean = isOpen,
): Fault[] {
  const [kind, another] = stepKinds(step);
  if (kind === undefined) return noAction(document, at, step);
  if (another !== undefined)
    return [document.faultAt([...at, another], `a step has one action, and this one has ${kind} already`)];
  if (kind === "wait_for" && isUnknownYet(step.wait_for)) return [];
  if (kind === "wait_for" && !isWaitKind(step.wait_for))
    return [
      document.faultAt([...at, kind], `must be one of ${WAIT_KINDS.join(", ")}${meant(step.wait_for)}`),
    ];
  const schema = isWaitKind(step.wait_for) ? WAIT_SCHEMAS[step.wait_for] : STEP_SCHEMAS[kind];
  return schemaFaults(schema, document, { at, value: step, isOpen: isUnknownYet });
}

function noAction(
  document: Pick<LoadedDocument, "faultAt">,
  at: Path,
  step: Readonly<Record<string, unknown>>,
): Fault[] {
  const companions: readonly string[] = STEP_COMPANIONS;
  const unknown = Object.keys(step).filter((key) => !companions.includes(key));
  const slips = unknown.filter((key) => nearest(key, STEP_KINDS) !== undefined);
  if (slips.length > 0)
    return slips.map((key) => document.faultAt([...at, key], unknownField(key, STEP_KINDS)));
  return [document.faultAt(at, `a step needs an action: one of ${STEP_KINDS.join(", ")}`)];
}

function isWaitKind(value: unknown): value is keyof typeof WAIT_SCHEMAS {
  return typeof value === "string" && Object.hasOwn(WAIT_SCHEMAS, value);
}

function meant(word: unknown): string {
  const near = typeof word === "string" ? nearest(word, WAIT_KINDS) : undefined;
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** What is wrong with a step that has everything filled in, a line each. */
export function filledStepFaults(step: Readonly<Record<string, unknown>>): string[] {
  return stepFaults(valueDocument(step), [], step, () => false).map(({ field, message }) =>
    field === "" ? message : `${field}: ${message}`,
  );
}
