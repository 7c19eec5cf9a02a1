import * as z from "zod/mini";
import { isMetadata, metadataSchema } from "./common.js";

type Test = (value: unknown) => boolean;

const tests = new WeakMap<z.core.$ZodType, Test>([[metadataSchema, isMetadata]]);

/**
 * Fast path of validation: true means valid, false means "run the schema". Takes a tenth of the time of parsing, and
 * saves at least 10 % of the processor time of a POST.
 */
export function passesQuickValidation(schema: z.core.$ZodType, value: unknown): boolean {
  let test = tests.get(schema);
  if (test === undefined) tests.set(schema, (test = testOf(schema)));
  return test(value);
}

const RUN_SCHEMA: Test = () => false;

function testOf(schema: z.core.$ZodType): Test {
  if (schema instanceof z.ZodMiniOptional) {
    const inner = testOf(schema.def.innerType);
    return (value) => value === undefined || inner(value);
  }
  if (schema instanceof z.ZodMiniNullable) {
    const inner = testOf(schema.def.innerType);
    return (value) => value === null || inner(value);
  }
  const checks = checksOf(schema);
  const isOfShape = checks && shapeOf(schema);
  if (isOfShape === undefined) return RUN_SCHEMA;
  if (checks!.length === 0) return isOfShape;
  return (value) => {
    if (!isOfShape(value)) return false;
    for (const check of checks!) if (!check(value)) return false;
    return true;
  };
}

function shapeOf(schema: z.core.$ZodType): Test | undefined {
  if (schema instanceof z.ZodMiniString) return (value) => typeof value === "string";
  if (schema instanceof z.ZodMiniRecord && isAnyText(schema.def.keyType)) {
    const test = testOf(schema.def.valueType);
    return (value) => {
      if (!isPlain(value)) return false;
      for (const name of Object.keys(value)) if (!test(value[name])) return false;
      return true;
    };
  }
  if (schema instanceof z.ZodMiniObject && schema.def.catchall === undefined) {
    const fields = Object.entries(schema.def.shape).map(([name, field]) => ({ name, test: testOf(field) }));
    return (value) => {
      if (!isPlain(value)) return false;
      for (const { name, test } of fields) if (!test(value[name])) return false;
      return true;
    };
  }
  return undefined;
}

function isAnyText(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodMiniString && (checksOf(schema)?.length ?? 1) === 0;
}

/** Returns true for a plain object. An object with a key `__proto__` goes to the schema instead. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !Object.hasOwn(value, "__proto__")
  );
}

/** The checks of a schema besides its type; undefined if one of them is not supported here. */
function checksOf(schema: z.core.$ZodType): readonly Test[] | undefined {
  const tests: Test[] = [];
  const self = schema._zod.traits.has("$ZodCheck") ? [schema as unknown as z.core.$ZodCheck] : [];
  for (const check of [...self, ...(schema._zod.def.checks ?? [])]) {
    const test = testOfCheck(check._zod.def as AnyCheck);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  return tests;
}

interface AnyCheck {
  readonly check: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly fn?: (value: unknown) => unknown;
}

/** String formats whose check is only a pattern. */
const PATTERNS: readonly (string | undefined)[] = ["regex", "email"];

function testOfCheck({ check, format, pattern, minimum, maximum, fn }: AnyCheck): Test | undefined {
  switch (check) {
    case "string_format":
      if (pattern === undefined || pattern.global || pattern.sticky || !PATTERNS.includes(format))
        return undefined;
      return (value) => pattern.test(value as string);
    case "min_length":
      // Zod counts characters of one or two UTF-16 units: 2 * minimum - 1 units hold at least `minimum` characters.
      return (value) => typeof value === "string" && value.length >= 2 * minimum! - 1;
    case "max_length":
      return (value) => typeof value === "string" && value.length <= maximum!;
    case "custom":
      return fn && ((value) => fn(value) === true);
    default:
      return undefined;
  }
}
