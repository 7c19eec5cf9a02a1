import type * as z from "zod/mini";
import { type Fault, type LoadedDocument, schemaFaults, valueDocument } from "../../core/files/documents.js";
import { didYouMean, nearest } from "../../core/schema/nearest.js";
import { unknownField } from "../../core/schema/places.js";
import { STEP_KINDS, STEPS, type StepKind } from "./steps/kinds.js";
import { WAIT_KINDS, WAIT_SCHEMAS } from "./steps/wait-for.js";
import { isOpen, type Path } from "./variables.js";

/** What may stand beside some action, for telling a slip from a word that is not there at all. */
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

/** What to write in place of `define` and `use`. */
export const SHARED_STEPS =
  "a step that recurs takes a YAML anchor (&name, *name), steps of several files a file to include";

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
    return [
      document.faultAt(
        [...at, another],
        `a step has one action, and this one has ${kind} already: begin another with -`,
      ),
    ];
  if (kind === "wait_for" && isUnknownYet(step.wait_for)) return [];
  if (kind === "wait_for" && !isWaitKind(step.wait_for))
    return [
      document.faultAt(
        [...at, kind],
        `must be one of ${WAIT_KINDS.join(", ")}${didYouMean(String(step.wait_for), WAIT_KINDS)}`,
      ),
    ];
  return schemaFaults(schemaOf(kind, step), document, { at, value: step, isOpen: isUnknownYet });
}

/** The shape of a step: of one that waits, by what it waits for. */
export function schemaOf(kind: StepKind, { wait_for }: Readonly<Record<string, unknown>>): z.ZodMiniType {
  return isWaitKind(wait_for) ? WAIT_SCHEMAS[wait_for] : STEPS[kind].schema;
}

function noAction(
  document: Pick<LoadedDocument, "faultAt">,
  at: Path,
  step: Readonly<Record<string, unknown>>,
): Fault[] {
  if (Object.hasOwn(step, "use"))
    return [document.faultAt([...at, "use"], `is not supported: write the steps here; ${SHARED_STEPS}`)];
  const unknown = Object.keys(step).filter((key) => !COMPANIONS.includes(key));
  const slips = unknown.filter((key) => nearest(key, STEP_KINDS) !== undefined);
  if (slips.length > 0)
    return slips.map((key) => document.faultAt([...at, key], unknownField(key, STEP_KINDS)));
  const [beside] = Object.keys(step).filter((key) => key !== "name");
  const message =
    beside !== undefined && unknown.length === 0
      ? `${beside} goes with an action, in one step: take the dash before it away, or say what is done`
      : `a step needs an action: one of ${STEP_KINDS.join(", ")}`;
  return [document.faultAt(at, message)];
}

function isWaitKind(value: unknown): value is keyof typeof WAIT_SCHEMAS {
  return typeof value === "string" && Object.hasOwn(WAIT_SCHEMAS, value);
}

/** What is wrong with a step that has everything filled in, a line each. */
export function filledStepFaults(step: Readonly<Record<string, unknown>>): string[] {
  return stepFaults(valueDocument(step), [], step, () => false).map(({ field, message }) =>
    field === "" ? message : `${field}: ${message}`,
  );
}
