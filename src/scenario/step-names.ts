import { type NameCheck, type UnknownName, unknownNames, unknownPath } from "../domain/known-names.js";
import { globFitsRoute } from "../domain/path-patterns.js";
import { didYouMean } from "../schema/nearest.js";
import { schemaOf } from "./step-faults.js";
import { STEPS, type StepKind } from "./steps/kinds.js";
import { callOf } from "./steps/request.js";
import type { ContainerRow, StepRow } from "./steps/row.js";

type Step = Readonly<Record<string, unknown>>;

/** The names in a step that nothing has, so that what it expects can only come true, or only fail. */
export function unknownInStep(kind: StepKind, step: Step, check: NameCheck): UnknownName[] {
  return [
    ...unknownNames(schemaOf(kind, step), step, check),
    ...(kind === "request" ? nowhere(step, check) : []),
    ...nothingToSave(kind, step, check),
  ];
}

/** Other pages of the server are not in the vocabulary; the service's calls are all below this. */
const SERVICE = "/api/";

/** A call of what is not there, unless that is what is expected. */
function nowhere({ request, expect }: Step, { vocabulary }: NameCheck): UnknownName[] {
  const routes = vocabulary("path");
  if (typeof request !== "string" || routes === undefined || expectsNothingThere(expect)) return [];
  const path = callOf(request)
    .path.replace(/\$\{[^{}]*\}/g, "*")
    .split("?", 1)[0]!;
  if (!path.startsWith(SERVICE) || routes.some((route) => globFitsRoute(path, route))) return [];
  return [{ path: ["request"], message: unknownPath(path, routes) }];
}

function expectsNothingThere(expect: unknown): boolean {
  const { status, error } = (expect ?? {}) as Step;
  return status === 404 || status === 405 || error !== undefined;
}

/** What is saved of a result that has no such field. */
function nothingToSave(kind: StepKind, step: Step, { isOpen }: NameCheck): UnknownName[] {
  const row: StepRow | ContainerRow = STEPS[kind];
  const known = "saves" in row ? row.saves?.(step) : undefined;
  if (known === undefined) return [];
  return Object.entries((step.save ?? {}) as Record<string, unknown>).flatMap(([variable, path]) => {
    if (typeof path !== "string" || isOpen?.(path)) return [];
    const field = path.split(".", 1)[0]!;
    if (known.includes(field)) return [];
    const hint = didYouMean(field, known, `; there are: ${known.join(", ")}`);
    return [{ path: ["save", variable], message: `there is no ${field} to save${hint}` }];
  });
}
