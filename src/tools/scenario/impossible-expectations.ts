import { evaluateMatcher } from "../../core/domain/matcher.js";
import { isRecord } from "../../core/files/documents.js";
import { parseDuration } from "../../core/schema/duration.js";
import { COMPARISONS } from "../../core/schema/matchers.js";
import type { StepKind } from "./steps/step-kinds.js";
import type { Warning } from "./timeline-warnings.js";
import { isOpen } from "./variables.js";

type Path = Warning["path"];

/** Fields of steps that hold expectations. */
const EXPECTATION_FIELDS = ["expect", "match", "count"];

/** Warns of expectations in a step that can never be met. */
export function impossibleInStep(kind: StepKind, step: Readonly<Record<string, unknown>>): Warning[] {
  const fields =
    kind === "fault" || kind.startsWith("expect_") ? [...EXPECTATION_FIELDS, kind] : EXPECTATION_FIELDS;
  return fields.flatMap((field) => impossibleExpectations(step[field], [field]));
}

/** Warns of matchers and ranges that no value meets. */
export function impossibleExpectations(value: unknown, path: Path = []): Warning[] {
  if (Array.isArray(value))
    return value.flatMap((part, index) => impossibleExpectations(part, [...path, index]));
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).flatMap(([key, part]) => impossibleExpectations(part, [...path, key]));
  const bounds = COMPARISONS.filter((word) => value[word] !== undefined);
  const isResolved = bounds.every((word) => !isOpen(value[word]));
  const emptyLists =
    Array.isArray(value.in) && value.in.length === 0
      ? [{ path: [...path, "in"], message: "is empty, so nothing matches" }]
      : [];
  if (!isResolved || !isEmpty(value, path.at(-1) === "count")) return [...inner, ...emptyLists];
  const text = bounds.map((word) => `${word} ${String(value[word])}`).join(" and ");
  return [...inner, ...emptyLists, { path, message: `can never be met: no value is ${text}` }];
}

/** Returns true if no value is within all bounds. */
function isEmpty(matcher: Readonly<Record<string, unknown>>, isWhole: boolean): boolean {
  return (["gt", "gte"] as const).some((low) =>
    (["lt", "lte"] as const).some((high) => {
      if (matcher[low] === undefined || matcher[high] === undefined) return false;
      const [least, most] = [comparable(matcher[low]), comparable(matcher[high])];
      const isInclusive = low === "gte" && high === "lte";
      if (isWhole && low === "gt" && high === "lt" && Number(most) - Number(least) === 1) return true;
      return evaluateMatcher({ [isInclusive ? "lte" : "lt"]: most }, least, () => false) === false;
    }),
  );
}

/** Converts durations to numbers. */
function comparable(bound: unknown): unknown {
  return typeof bound === "string" ? (parseDuration(bound) ?? bound) : bound;
}
