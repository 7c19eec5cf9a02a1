import type * as z from "zod/mini";
import { didYouMean } from "./nearest.js";
import type { ErrorDetails } from "./refusals.js";
import { listKnownKeys } from "./schema-paths.js";

type Issue = z.core.$ZodIssue;

/** Error message for a field, without the field's name, which is the key in `details`. */
export function issueMessage(issue: Issue): string {
  if (issue.input === undefined && (issue.code === "invalid_type" || issue.code === "invalid_value"))
    return "is required";
  switch (issue.code) {
    case "invalid_type":
      // The schema's own message is more specific than the expected type.
      if (issue.message !== DEFAULT_ISSUE_MESSAGE && !/^(number|int)$/.test(issue.expected))
        return issue.message;
      return `must be ${article(issue.expected)}`;
    case "unrecognized_keys":
      return `unknown: ${issue.keys.join(", ")}`;
    case "invalid_value": {
      const known = issue.values.map(String);
      const hint = typeof issue.input === "string" ? didYouMean(issue.input, known) : "";
      return `must be ${known.length === 1 ? "" : "one of "}${known.join(", ")}${hint}`;
    }
    case "invalid_key":
      return issue.issues.map(issueMessage)[0] ?? issue.message;
    case "too_small":
    case "too_big":
      return issue.message === DEFAULT_ISSUE_MESSAGE ? boundMessage(issue) : issue.message;
    default:
      return issue.message;
  }
}

/** Zod's message if the schema has none. */
export const DEFAULT_ISSUE_MESSAGE = "Invalid input";

/** Sets the message explicitly: zod's locale is global to the process, and Playwright tests change it. */
export const PARSE_OPTIONS = { reportInput: true, error: () => DEFAULT_ISSUE_MESSAGE } as const;

const RUN_OPTIONS = { ...PARSE_OPTIONS, async: false };

type BoundIssue = Extract<Issue, { readonly code: "too_small" | "too_big" }>;

function boundMessage(issue: BoundIssue): string {
  const [bound, inclusive, exclusive] =
    issue.code === "too_small"
      ? [issue.minimum, "at least", "more than"]
      : [issue.maximum, "at most", "less than"];
  return `must be ${issue.inclusive ? inclusive : exclusive} ${bound.toLocaleString("en")}`;
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  if (type === "record") return "an object";
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Dotted path of a field, such as `pricing.amount`; `body` for the whole body. */
export function issuePath(issue: Issue): string {
  return issue.path.length === 0 ? "body" : issue.path.map(String).join(".");
}

/** Returns the issues of a union's closest option if the value matches no option; empty for other issues. */
export function findClosestUnionIssues(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [];
  const [best = []] = [...issue.errors].sort((a, b) => distance(a) - distance(b));
  return best.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as Issue);
}

/** Distance of a value from a schema: a wrong type counts 10, any other issue 1. */
function distance(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.path.length > 0) return sum + 1;
    if (issue.code === "invalid_union" && issue.errors.length > 0)
      return sum + Math.min(...issue.errors.map(distance));
    const isOtherKind =
      issue.code === "invalid_type" ||
      (issue.code === "invalid_value" && typeof issue.input === "object" && issue.input !== null);
    return sum + (isOtherKind ? 10 : 1);
  }, 0);
}

/** Replaces a union's default message by the issues of the union's closest option. */
function expandUnions(issue: Issue): Issue[] {
  const closest = issue.message === DEFAULT_ISSUE_MESSAGE ? findClosestUnionIssues(issue) : [];
  return closest.length === 0 ? [issue] : closest.flatMap(expandUnions);
}

/** Maximum number of errors in a response, because the message of each takes time. */
export const DETAILS_MAX = 100;

/** The errors as `details` of an error body, one per field. With the schema, unknown fields get suggestions. */
export function issueDetails(issues: readonly Issue[], schema?: z.core.$ZodType): ErrorDetails {
  const details = new Map<string, string>();
  for (const issue of issues.slice(0, DETAILS_MAX).flatMap(expandUnions)) {
    if (details.size >= DETAILS_MAX) break;
    if (issue.code === "unrecognized_keys") {
      const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
      const known = schema === undefined ? [] : listKnownKeys(schema, path);
      for (const key of issue.keys.slice(0, DETAILS_MAX))
        details.set([...path, key].join("."), `is not a known field${didYouMean(key, known)}`);
      continue;
    }
    const path = issuePath(issue);
    if (!details.has(path)) details.set(path, issueMessage(issue));
  }
  return Object.fromEntries(details);
}

type ParseResult<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Parses without throwing. Issues keep their input: an undefined input means a missing field. */
export function safeParse<T>(schema: z.ZodMiniType<T>, value: unknown): ParseResult<T> {
  // Zod's own call copies the options, which takes longer than the checks.
  const run = schema._zod.run({ value, issues: [] }, RUN_OPTIONS) as z.core.ParsePayload<T>;
  if (run.issues.length === 0) return { ok: true, data: run.value };
  const result = schema.safeParse(value, PARSE_OPTIONS);
  return result.success ? { ok: true, data: result.data } : { ok: false, issues: result.error.issues };
}
