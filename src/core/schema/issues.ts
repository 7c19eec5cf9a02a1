import type * as z from "zod/mini";
import type { ErrorDetails } from "./errors.js";
import { didYouMean } from "./nearest.js";
import { knownKeys } from "./places.js";

type Issue = z.core.$ZodIssue;

/** One readable sentence for what is wrong with a field, without the field's name (that is the key). */
export function issueMessage(issue: Issue): string {
  if (issue.input === undefined && (issue.code === "invalid_type" || issue.code === "invalid_value"))
    return "is required";
  switch (issue.code) {
    case "invalid_type":
      // What a schema says of it in particular is better than what kind it must be of.
      if (issue.message !== NO_MESSAGE && !/^(number|int)$/.test(issue.expected)) return issue.message;
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
      return issue.message === NO_MESSAGE ? boundMessage(issue) : issue.message;
    default:
      return issue.message;
  }
}

/** What zod says where the schema says nothing. */
export const NO_MESSAGE = "Invalid input";

/** Its words are one setting for a whole process, which others in it change too: a test with Playwright does. */
export const PARSING = { reportInput: true, error: () => NO_MESSAGE } as const;

type BoundIssue = Extract<Issue, { readonly code: "too_small" | "too_big" }>;

function boundMessage(issue: BoundIssue): string {
  const [bound, within, beyond] =
    issue.code === "too_small"
      ? [issue.minimum, "at least", "more than"]
      : [issue.maximum, "at most", "less than"];
  return `must be ${issue.inclusive ? within : beyond} ${bound.toLocaleString("en")}`;
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  if (type === "record") return "an object";
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The dotted path the service names a field by: `pricing.amount`, or `body` for the whole of it. */
export function issuePath(issue: Issue): string {
  return issue.path.length === 0 ? "body" : issue.path.map(String).join(".");
}

/**
 * Where a choice of shapes fits none: what is wrong with the one that fits best, for it is the one that was meant.
 * Nothing for any other issue.
 */
export function meantIssues(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [];
  const [best = []] = [...issue.errors].sort((a, b) => distance(a) - distance(b));
  return best.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as Issue);
}

/** How far a value is from a shape: one that is of another kind altogether is farthest. */
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

/** A choice of shapes says itself what it takes, or leaves that to the shape that was meant. */
function plainIssues(issue: Issue): Issue[] {
  const meant = issue.message === NO_MESSAGE ? meantIssues(issue) : [];
  return meant.length === 0 ? [issue] : meant.flatMap(plainIssues);
}

/** All faults at once, the first of each field, in the error shape's `details`; with the schema, what a slip meant. */
export function issueDetails(issues: readonly Issue[], schema?: z.core.$ZodType): ErrorDetails {
  const details = new Map<string, string>();
  for (const issue of issues.flatMap(plainIssues)) {
    if (issue.code === "unrecognized_keys") {
      const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
      const known = schema === undefined ? [] : knownKeys(schema, path);
      for (const key of issue.keys)
        details.set([...path, key].join("."), `is not a known field${didYouMean(key, known)}`);
      continue;
    }
    const path = issuePath(issue);
    if (!details.has(path)) details.set(path, issueMessage(issue));
  }
  return Object.fromEntries(details);
}

export type Checked<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Parses without throwing, and keeps the input in each issue so that "missing" and "wrong" read differently. */
export function check<T>(schema: z.ZodMiniType<T>, value: unknown): Checked<T> {
  const result = schema.safeParse(value, PARSING);
  return result.success ? { ok: true, data: result.data } : { ok: false, issues: result.error.issues };
}
