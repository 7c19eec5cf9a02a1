import type * as z from "zod/mini";
import { ALL_EVENT_TYPES } from "../schema/event-types.js";
import type { Fixtures } from "../schema/fixtures-file.js";
import { DETAILS_MAX } from "../schema/issues.js";
import { isMatcher } from "../schema/matcher-words.js";
import { type NameKind, nameKindOf, unknownNameMessage } from "../schema/name-kinds.js";
import { didYouMean } from "../schema/nearest.js";
import { OPERATION_IDS, type OperationId } from "../schema/operation-ids.js";
import {
  childSchema,
  innerSchemas,
  listKnownKeys,
  schemaNodes,
  unknownFieldMessage,
} from "../schema/schema-paths.js";
import { durationSchema, parseDuration } from "../schema/time.js";
import { globMatches } from "./glob.js";
import { globMatchesRoute, suggestPath } from "./path-patterns.js";

export interface Vocabulary {
  /** All names of a kind; undefined if they are not known. */
  (kind: NameKind): readonly string[] | undefined;
  readonly routes?: readonly Route[] | undefined;
}

export interface Route {
  readonly id: OperationId;
  readonly method: string;
  /** Path of the route, with parameters as `:name`. */
  readonly path: string;
}

interface NamedFixtures {
  readonly currencies: readonly Pick<Fixtures["currencies"][number], "code">[];
  readonly methods: readonly Pick<Fixtures["methods"][number], "id">[];
  readonly rails: readonly Pick<Fixtures["rails"][number], "id">[];
}

/** Source of the names that differ between sandboxes. */
interface VocabularySource {
  readonly fixtures?: NamedFixtures | undefined;
  /** Names under which events are sent, by type. */
  readonly eventNames?: Readonly<Record<string, string>> | undefined;
  readonly routes?: Vocabulary["routes"];
}

const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

export function vocabularyOf({ fixtures, eventNames = {}, routes }: VocabularySource): Vocabulary {
  const names: Readonly<Record<NameKind, () => readonly string[] | undefined>> = {
    operation: () => OPERATION_IDS,
    "event type": () => ALL_EVENT_TYPES,
    "event name": () => [...ALL_EVENT_TYPES, ...Object.values(eventNames)],
    "HTTP method": () => HTTP_METHODS,
    path: () => routes?.map(({ path }) => path),
    currency: () => fixtures?.currencies.map(({ code }) => code),
    "payment method": () => fixtures?.methods.map(({ id }) => id),
    "payment rail": () => fixtures?.rails.map(({ id }) => id),
  };
  return withRoutes((kind) => names[kind](), routes);
}

export function withRoutes(names: Vocabulary, routes: Vocabulary["routes"]): Vocabulary {
  return Object.assign(names, { routes });
}

/** A name that does not exist, so a rule with it never matches. */
export interface UnknownName {
  /** Path within the checked value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface NameCheckOptions {
  readonly vocabulary: Vocabulary;
  /** Reports unknown fields too, even if the schema accepts them. */
  readonly rejectsUnknownFields?: boolean;
  /** Returns true for a text with unresolved variables, which cannot be checked. */
  readonly isUnresolved?: (text: unknown) => boolean;
}

/**
 * Finds unknown names in a value: enum values, and texts that the schema marks as names. With `rejectsUnknownFields`,
 * unknown fields are reported too. A glob is known if it matches any name. Skips objects with `force: true`.
 */
export function findUnknownNames(
  schema: z.core.$ZodType,
  value: unknown,
  names: NameCheckOptions,
): UnknownName[] {
  const found = new Map<string, UnknownName>();
  for (const name of namesIn([schema], value, names, [])) {
    found.set(name.path.join("\0"), name);
    if (found.size === DETAILS_MAX) break;
  }
  return [...found.values()];
}

type Path = UnknownName["path"];
type Schemas = readonly z.core.$ZodType[];

function* namesIn(
  schemas: Schemas,
  value: unknown,
  check: NameCheckOptions,
  path: Path,
  field?: string,
): Generator<UnknownName> {
  const kind = nameKindIn(schemas, field);
  if (kind !== undefined) return yield* unknownTexts(kind, value, check, path);
  const places = schemas.flatMap(schemaNodes);
  const words = places.flatMap(({ def }) => (def.type === "enum" ? Object.values(def.entries) : []));
  const mayBeDuration = places.some(({ schema }) => schema === durationSchema);
  if (mayBeDuration && parseDuration(String(value)) !== undefined) return;
  if (words.length > 0) return yield* unknownEnumValues(words.map(String), value, check, path);
  if (isForced(value)) return;
  if (isMatcher(value)) return yield* namesInMatcher(schemas, value, check, path);
  for (const [key, part] of partsOf(value)) {
    const inner = places.flatMap((place) => childSchema(place, key) ?? []);
    const isField = places.some(({ def }) => def.type === "object");
    const name = isField ? String(key) : undefined;
    if (inner.length > 0) yield* namesIn(inner, part, check, [...path, key], name);
    else if (check.rejectsUnknownFields && isField) {
      const known = new Set(schemas.flatMap((schema) => listKnownKeys(schema, [])));
      yield { path: [...path, key], message: unknownFieldMessage(String(key), [...known]) };
    }
  }
}

/** Matcher words whose operand is compared with the whole value, not with a part of it. */
const WHOLE = new Set<string | number>(["not", "in"]);

function* namesInMatcher(schemas: Schemas, matcher: object, check: NameCheckOptions, path: Path) {
  for (const [word, operand] of Object.entries(matcher)) {
    const elements = schemas.flatMap(schemaNodes).flatMap((place) => childSchema(place, 0) ?? []);
    if (word === "not") yield* namesIn(schemas, operand, check, [...path, word]);
    if (word === "contains" && elements.length > 0) yield* namesIn(elements, operand, check, [...path, word]);
    if (word === "in")
      for (const [index, option] of partsOf(operand))
        yield* namesIn(schemas, option, check, [...path, word, index]);
  }
}

function isForced(value: unknown): boolean {
  return typeof value === "object" && value !== null && "force" in value && value.force === true;
}

function nameKindIn(schemas: Schemas, field: string | undefined): NameKind | undefined {
  for (const schema of schemas) {
    const kind = nameKindOf(schema, field) ?? nameKindIn(innerSchemas(schema) ?? [], field);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

function partsOf(value: unknown): (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((part, index) => [index, part]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Yields the texts of an expected value, also in lists and in the matcher words `not` and `in`. */
function* textsIn(value: unknown, path: Path): Generator<readonly [Path, string]> {
  if (typeof value === "string") yield [path, value];
  else
    for (const [key, part] of partsOf(value))
      if (typeof key === "number" || WHOLE.has(key)) yield* textsIn(part, [...path, key]);
}

function* unknownTexts(
  kind: NameKind,
  value: unknown,
  { vocabulary, isUnresolved }: NameCheckOptions,
  base: Path,
): Generator<UnknownName> {
  const known = vocabulary(kind);
  if (known === undefined) return;
  const fits = kind === "path" ? globMatchesRoute : globMatches;
  for (const [path, text] of textsIn(value, base)) {
    if (isUnresolved?.(text) || known.some((name) => fits(text, name))) continue;
    yield {
      path,
      message: kind === "path" ? unknownPathMessage(text, known) : unknownNameMessage(kind, text, known),
    };
  }
}

export function unknownPathMessage(path: string, routes: readonly string[]): string {
  const near = suggestPath(path, routes);
  return `there is nothing at ${path}${near === undefined ? "" : `; did you mean ${near}?`}`;
}

function* unknownEnumValues(
  known: readonly string[],
  value: unknown,
  { isUnresolved }: NameCheckOptions,
  base: Path,
): Generator<UnknownName> {
  for (const [path, text] of textsIn(value, base))
    if (!isUnresolved?.(text) && !known.some((word) => globMatches(text, word)))
      yield { path, message: `must be one of ${known.join(", ")}${didYouMean(text, known)}` };
}
