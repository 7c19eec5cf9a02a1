import * as z from "zod/mini";
import { atLeastOneOf, closedShape, field, schemasOf } from "./descriptions.js";
import { DEFAULT_ISSUE_MESSAGE, issueMessage, PARSE_OPTIONS } from "./issues.js";
import { isDecimal, isMatcher, MATCHER_OPERATORS, type MatcherOperator } from "./matcher-words.js";
import {
  compilePattern,
  costlyPatternsMessage,
  instructionsIn,
  MAX_INSTRUCTIONS,
  MAX_RULE_INSTRUCTIONS,
} from "./pattern.js";
import {
  charactersAtMost,
  type Glob,
  globListSchema,
  globTextSchema,
  MAX_LENGTHS,
  refineIfValid,
} from "./schema-checks.js";
import { parseInstant } from "./time.js";

export interface Matcher {
  readonly not?: ValueMatch | undefined;
  readonly in?: string[] | undefined;
  readonly contains?: string | undefined;
  readonly exists?: boolean | undefined;
  readonly matches?: string | undefined;
  readonly gt?: string | number | undefined;
  readonly gte?: string | number | undefined;
  readonly lt?: string | number | undefined;
  readonly lte?: string | number | undefined;
}
export type ValueMatch = Glob | Matcher;

export const COMPARISON_OPERATORS = ["gt", "gte", "lt", "lte"] as const;

export function hasVariable(value: unknown): boolean {
  return typeof value === "string" && value.includes("${");
}

const BOUND = "must be a number, a decimal string or an instant such as 2026-01-31T09:00:00Z";
const boundSchema = z.optional(
  z.union(
    [
      z.number(),
      z.string().check(
        charactersAtMost(MAX_LENGTHS.glob),
        z.refine((text) => hasVariable(text) || isDecimal(text) || parseInstant(text) !== undefined, BOUND),
      ),
    ],
    BOUND,
  ),
);

function patternSchema(maxInstructions?: number) {
  return z.string().check(({ value, issues }) => {
    const pattern = compilePattern(value, maxInstructions);
    if (typeof pattern === "string") issues.push({ code: "custom", input: value, message: pattern });
  });
}

const PATTERN_WORDS =
  "A regular expression matches somewhere in it: JavaScript syntax, without look-around and back-references.";

const valueConditions = {
  exists: field(z.optional(z.boolean()), "Whether it is present; null counts as absent."),
  gt: field(boundSchema, "Greater than, or later."),
  gte: field(boundSchema, "Greater than or equal to."),
  lt: field(boundSchema, "Less than, or earlier."),
  lte: field(boundSchema, "Less than or equal to."),
};

const matcherSchema: z.ZodMiniType<Matcher> = closedShape(
  "Matcher",
  {
    description: "Conditions on a field; all must hold.",
    jsonSchema: atLeastOneOf("not", "in", "contains", "exists", "matches", ...COMPARISON_OPERATORS),
  },
  {
    not: field(z.optional(z.lazy(() => valueMatchSchema)), "It does not match this."),
    in: field(z.optional(globListSchema), "It matches one of these."),
    contains: field(z.optional(globTextSchema), "The text contains this, or the list has it."),
    ...valueConditions,
    // A rule cannot tell that a text is too long for its pattern.
    matches: field(z.optional(patternSchema(MAX_RULE_INSTRUCTIONS)), PATTERN_WORDS),
  },
  refineIfValid((matcher) => Object.keys(matcher as object).length > 0, "must not be empty"),
);

export const valueMatchSchema: z.ZodMiniType<ValueMatch> = z.union([
  globTextSchema,
  globListSchema,
  matcherSchema,
]);

/** Adds a check to the match schema: reports a bound, such as the value of `gt`, that `isAllowed` rejects. */
function matchWithBounds(isAllowed: (bound: string | number) => boolean, message: string) {
  return valueMatchSchema.check(({ value, issues }) => {
    if (issues.length > 0) return;
    for (const [path, input] of boundsOf(value))
      if (!isAllowed(input)) issues.push({ code: "custom", path: [...path], input, message });
  });
}

/** Yields each bound of a matcher, including the bounds inside `not`. */
function* boundsOf(
  match: ValueMatch,
  path: readonly string[] = [],
): Generator<readonly [readonly string[], string | number]> {
  if (typeof match === "string" || Array.isArray(match)) return;
  for (const word of COMPARISON_OPERATORS) {
    const bound = (match as Matcher)[word];
    if (bound !== undefined) yield [[...path, word], bound];
  }
  const { not } = match as Matcher;
  if (not !== undefined) yield* boundsOf(not, [...path, "not"]);
}

export const textMatchSchema = matchWithBounds(
  () => false,
  "compares amounts, numbers and times, but this field is text",
);

export const amountMatchSchema = matchWithBounds(
  (bound) => typeof bound === "string" && (hasVariable(bound) || isDecimal(bound)),
  "must be a decimal string",
);

const wholeSchema = z.optional(z.int("must be a whole number").check(z.gte(0, "must not be negative")));
export const rangeSchema = closedShape(
  "Range",
  { description: "Bounds of a number; all must hold.", jsonSchema: atLeastOneOf(...COMPARISON_OPERATORS) },
  {
    gt: field(wholeSchema, "More than this number."),
    gte: field(wholeSchema, "At least this number."),
    lt: field(wholeSchema, "Fewer than this number."),
    lte: field(wholeSchema, "At most this number."),
  },
  refineIfValid(
    (range) => Object.keys(range as object).length > 0,
    `needs at least one of ${COMPARISON_OPERATORS.join(", ")}`,
  ),
);
export type Range = z.infer<typeof rangeSchema>;

/** Schema of a matcher in an expectation, where values have any type. */
const EXPECTED_WORDS = z.strictObject({
  not: z.optional(z.unknown()),
  in: z.optional(z.array(z.unknown(), "must be a list")),
  contains: z.optional(z.unknown()),
  ...schemasOf(valueConditions),
  matches: z.optional(patternSchema()),
} satisfies Record<MatcherOperator, z.ZodMiniType>);

/** Reports a match or rules whose patterns, at any depth, would take too long together. */
export const reportCostlyPatterns: z.core.CheckFn<unknown> = ({ value, issues }) => {
  const instructions = instructionsIn(value);
  if (instructions > MAX_INSTRUCTIONS)
    issues.push({
      code: "custom",
      input: value,
      message: costlyPatternsMessage("its patterns", instructions),
    });
};

interface MatcherFault {
  readonly path: readonly (string | number)[];
  readonly input: unknown;
  readonly message: string;
}

export const reportInvalidMatchers: z.core.CheckFn<unknown> = ({ value, issues }) => {
  for (const { path, input, message } of matcherFaults(value))
    issues.push({ code: "custom", path: [...path], input, message });
};

export const expectationSchema = z.unknown().check(reportInvalidMatchers, reportCostlyPatterns);

/** A matcher in an expectation, for fields with a fixed set of values such as `status`. */
export const expectationMatcherSchema = z.record(z.string(), z.unknown()).check(
  z.refine(isMatcher, {
    error: `must be a matcher of ${MATCHER_OPERATORS.join(", ")}`,
    abort: true,
  }),
  reportInvalidMatchers,
  reportCostlyPatterns,
);

function matcherFaults(value: unknown, path: readonly (string | number)[] = []): MatcherFault[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, part]) =>
    matcherFaults(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  if (!isMatcher(value)) return inner;
  const { error } = EXPECTED_WORDS.safeParse(value, PARSE_OPTIONS);
  const faults = (error?.issues ?? []).map((issue) => ({
    path: [...path, ...(issue.path as (string | number)[])],
    input: issue.input,
    message: `${issue.message === DEFAULT_ISSUE_MESSAGE ? issueMessage(issue) : issue.message}; to expect a field of this name, write \\${String(issue.path[0])}`,
  }));
  return [...faults, ...inner];
}
