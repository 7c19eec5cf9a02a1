import {
  type NameCheck,
  type UnknownName,
  unknownNames,
  unknownPath,
} from "../../core/domain/known-names.js";
import { globFitsRoute } from "../../core/domain/path-patterns.js";
import { isRecord } from "../../core/files/documents.js";
import { didYouMean } from "../../core/schema/nearest.js";
import { knownKeys, partOf, placesOf, strayPart } from "../../core/schema/places.js";
import { schemaOf } from "./step-faults.js";
import { STEPS, type StepKind } from "./steps/kinds.js";
import { routeOf } from "./steps/request.js";
import type { ContainerRow, StepRow } from "./steps/row.js";

type Step = Readonly<Record<string, unknown>>;
type Row = Pick<StepRow | ContainerRow, "result" | "holds">;

/** The names in a step that nothing has, so that what it expects can only come true, or only fail. */
export function unknownInStep(kind: StepKind, step: Step, check: NameCheck): UnknownName[] {
  return [
    ...unknownNames(schemaOf(kind, step), step, check),
    ...(kind === "request" ? nowhere(step, check) : []),
    ...neverThere(kind, step, check),
    ...nothingToSave(kind, step, check),
  ];
}

/** Other pages of the server are not in the vocabulary; the service's calls are all below this. */
const SERVICE = "/api/";

/** A call of what is not there, unless that is what is expected. */
function nowhere({ request, expect }: Step, { vocabulary }: NameCheck): UnknownName[] {
  const routes = vocabulary("path");
  if (typeof request !== "string" || routes === undefined || expectsNothingThere(expect)) return [];
  const { path } = routeOf(request);
  if (!path.startsWith(SERVICE) || routes.some((route) => globFitsRoute(path, route))) return [];
  return [{ path: ["request"], message: unknownPath(path, routes) }];
}

function expectsNothingThere(expect: unknown): boolean {
  const { status, error } = (expect ?? {}) as Step;
  return status === 404 || status === 405 || error !== undefined;
}

/** What is expected of fields that no such result has, or can be in none: at any depth. */
function neverThere(kind: StepKind, step: Step, check: NameCheck): UnknownName[] {
  const { result, holds = "" }: Row = STEPS[kind];
  const shape = result?.(step, check.vocabulary.routes);
  const expected = step[holds];
  if (shape === undefined || !isRecord(expected)) return [];
  return Object.entries(expected).flatMap(([field, value]) => {
    const parts = placesOf(shape).flatMap((place) => partOf(place, field) ?? []);
    // Words that are no fields of it are the step's own.
    return parts.flatMap((part) =>
      unknownNames(part, value, { ...check, isClosed: true }).map(({ path, message }) => ({
        path: [holds, field, ...path],
        message,
      })),
    );
  });
}

/** What is saved of a result that has no such field. */
function nothingToSave(kind: StepKind, step: Step, { isOpen, vocabulary }: NameCheck): UnknownName[] {
  const { result }: Row = STEPS[kind];
  const shape = result?.(step, vocabulary.routes);
  if (shape === undefined) return [];
  return Object.entries((step.save ?? {}) as Record<string, unknown>).flatMap(([variable, path]) => {
    if (typeof path !== "string" || isOpen?.(path)) return [];
    const parts = path.split(".");
    const stray = strayPart(shape, parts);
    if (stray === undefined) return [];
    const { part, known } = stray;
    const below =
      part === parts[0] ? known.find((field) => knownKeys(shape, [field]).includes(part)) : undefined;
    const hint =
      below === undefined
        ? didYouMean(part, known, `; there are: ${known.join(", ")}`)
        : `; did you mean ${below}.${path}?`;
    return [{ path: ["save", variable], message: `there is no ${part} to save${hint}` }];
  });
}
