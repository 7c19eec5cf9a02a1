import {
  findUnknownNames,
  type NameCheck,
  type UnknownName,
  unknownPathMessage,
} from "../../core/domain/name-check.js";
import { globMatchesRoute } from "../../core/domain/path-patterns.js";
import { isRecord } from "../../core/files/documents.js";
import { didYouMean } from "../../core/schema/nearest.js";
import { childSchema, knownKeys, schemaNodes, unknownPathPart } from "../../core/schema/schema-paths.js";
import { schemaOf } from "./step-faults.js";
import { routeOf } from "./steps/request.js";
import type { ContainerDefinition, StepDefinition } from "./steps/step-definition.js";
import { STEPS, type StepKind } from "./steps/step-kinds.js";

type Step = Readonly<Record<string, unknown>>;
type Definition = Pick<StepDefinition | ContainerDefinition, "result" | "expectationField">;

/** Finds unknown names in a step, which make its expectation always true or always false. */
export function unknownNamesInStep(kind: StepKind, step: Step, check: NameCheck): UnknownName[] {
  return [
    ...findUnknownNames(schemaOf(kind, step), step, check),
    ...(kind === "request" ? unknownRoute(step, check) : []),
    ...unknownExpectedFields(kind, step, check),
    ...unknownSavedFields(kind, step, check),
  ];
}

/** Prefix of the service's calls; other pages of the server are not in the vocabulary. */
const SERVICE_PREFIX = "/api/";

/** A call without a route, unless the step expects an error. */
function unknownRoute({ request, expect }: Step, { vocabulary }: NameCheck): UnknownName[] {
  const routes = vocabulary("path");
  if (typeof request !== "string" || routes === undefined || expectsMissingRoute(expect)) return [];
  const { path } = routeOf(request);
  if (!path.startsWith(SERVICE_PREFIX) || routes.some((route) => globMatchesRoute(path, route))) return [];
  return [{ path: ["request"], message: unknownPathMessage(path, routes) }];
}

function expectsMissingRoute(expect: unknown): boolean {
  const { status, error } = (expect ?? {}) as Step;
  return status === 404 || status === 405 || error !== undefined;
}

/** Expected fields, at any depth, that the result never has. */
function unknownExpectedFields(kind: StepKind, step: Step, check: NameCheck): UnknownName[] {
  const { result, expectationField = "" }: Definition = STEPS[kind];
  const shape = result?.(step, check.vocabulary.routes);
  const expected = step[expectationField];
  if (shape === undefined || !isRecord(expected)) return [];
  return Object.entries(expected).flatMap(([field, value]) => {
    const parts = schemaNodes(shape).flatMap((place) => childSchema(place, field) ?? []);
    // Other words are the step's own.
    return parts.flatMap((part) =>
      findUnknownNames(part, value, { ...check, rejectsUnknownFields: true }).map(({ path, message }) => ({
        path: [expectationField, field, ...path],
        message,
      })),
    );
  });
}

/** Saved paths that the result never has. */
function unknownSavedFields(
  kind: StepKind,
  step: Step,
  { isUnresolved: isOpen, vocabulary }: NameCheck,
): UnknownName[] {
  const { result }: Definition = STEPS[kind];
  const shape = result?.(step, vocabulary.routes);
  if (shape === undefined) return [];
  return Object.entries((step.save ?? {}) as Record<string, unknown>).flatMap(([variable, path]) => {
    if (typeof path !== "string" || isOpen?.(path)) return [];
    const parts = path.split(".");
    const stray = unknownPathPart(shape, parts);
    if (stray === undefined) return [];
    const { part, known } = stray;
    const parent =
      part === parts[0] ? known.find((field) => knownKeys(shape, [field]).includes(part)) : undefined;
    const hint =
      parent === undefined
        ? didYouMean(part, known, `; there are: ${known.join(", ")}`)
        : `; did you mean ${parent}.${path}?`;
    return [{ path: ["save", variable], message: `there is no ${part} to save${hint}` }];
  });
}
