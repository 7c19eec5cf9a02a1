import { matcherFits } from "../../core/domain/matcher.js";
import { isRecord } from "../../core/files/documents.js";
import { parseDuration } from "../../core/schema/duration.js";
import { COMPARISONS } from "../../core/schema/matchers.js";
import type { StepKind } from "./steps/kinds.js";
import { isOpen } from "./variables.js";
import type { Warning } from "./warnings.js";

type Path = Warning["path"];

/** Fields of steps that say what something has to be like. */
const HELD = ["expect", "match", "count"];

/** What a step expects, or waits for, that can never be. */
export function unmeetableInStep(kind: StepKind, step: Readonly<Record<string, unknown>>): Warning[] {
  const fields = kind === "fault" || kind.startsWith("expect_") ? [...HELD, kind] : HELD;
  return fields.flatMap((field) => unmeetable(step[field], [field]));
}

/** Matchers and ranges in what is expected that nothing can ever meet. */
export function unmeetable(value: unknown, path: Path = []): Warning[] {
  if (Array.isArray(value)) return value.flatMap((part, index) => unmeetable(part, [...path, index]));
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).flatMap(([key, part]) => unmeetable(part, [...path, key]));
  const bounds = COMPARISONS.filter((word) => value[word] !== undefined);
  const isClosed = bounds.every((word) => !isOpen(value[word]));
  const nothing =
    Array.isArray(value.in) && value.in.length === 0
      ? [{ path: [...path, "in"], message: "is empty: nothing is one of these" }]
      : [];
  if (!isClosed || !isEmpty(value, path.at(-1) === "count")) return [...inner, ...nothing];
  const said = bounds.map((word) => `${word} ${String(value[word])}`).join(" and ");
  return [...inner, ...nothing, { path, message: `can never be met: nothing is ${said}` }];
}

/** Whether no value is within all bounds; between whole numbers there are none. */
function isEmpty(matcher: Readonly<Record<string, unknown>>, isWhole: boolean): boolean {
  return (["gt", "gte"] as const).some((low) =>
    (["lt", "lte"] as const).some((high) => {
      if (matcher[low] === undefined || matcher[high] === undefined) return false;
      const [least, most] = [comparable(matcher[low]), comparable(matcher[high])];
      const isInclusive = low === "gte" && high === "lte";
      if (isWhole && low === "gt" && high === "lt" && Number(most) - Number(least) === 1) return true;
      return matcherFits({ [isInclusive ? "lte" : "lt"]: most }, least, () => false) === false;
    }),
  );
}

/** Durations as numbers. */
function comparable(bound: unknown): unknown {
  return typeof bound === "string" ? (parseDuration(bound) ?? bound) : bound;
}
