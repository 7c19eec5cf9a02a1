import { isSuccessStatus } from "../../core/schema/http-response.js";
import { parseJsonOrText } from "../../core/schema/json-objects.js";
import type { Answer } from "../../core/schema/receiver-report.js";

type Leaf = string | number | boolean | null;

/** The app's view of a charge: leaf values by dotted path, without timestamps. */
export type AppView = ReadonlyMap<string, Leaf>;

const DAY_MS = 86_400_000;
const STATUS = "the status";

/** Reads the view in an answer. Masks the charge's ids in texts and keys, so that views of two charges are comparable. */
export function viewOf({ status, body }: Answer, names: readonly string[], nowMs: number): AppView {
  const leaves = new Map<string, Leaf>([[STATUS, status]]);
  const mask = (text: string): string => names.reduce(maskWord, text);
  if (isSuccessStatus(status)) flatten(parseJsonOrText(body), "", { leaves, nowMs, mask });
  return leaves;
}

/** Masks a whole word only: order 1 leaves the amount 1142.67 as it is. */
function maskWord(text: string, word: string): string {
  const escaped = word.replaceAll(/\W/g, "\\$&");
  return text.replaceAll(new RegExp(String.raw`(?<![^\W_]|\d\.)${escaped}(?![^\W_]|\.\d)`, "g"), "…");
}

interface Flattening {
  readonly leaves: Map<string, Leaf>;
  readonly nowMs: number;
  readonly mask: (text: string) => string;
}

function flatten(value: unknown, path: string, flattening: Flattening): void {
  const { leaves, nowMs, mask } = flattening;
  const isList = Array.isArray(value);
  if (isList) leaves.set(`${path}.length`, value.length);
  if (typeof value === "object" && value !== null)
    for (const [key, part] of Object.entries(value)) {
      const name = isList ? key : mask(key);
      flatten(part, path === "" ? name : `${path}.${name}`, flattening);
    }
  else if (!isTimestamp(value, nowMs)) leaves.set(path === "" ? "the text" : path, leafOf(value, mask));
}

function isTimestamp(value: unknown, nowMs: number): boolean {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d([T ]\d\d:|$)/.test(value);
  if (typeof value !== "number") return false;
  return [value, value * 1_000].some((ms) => Math.abs(ms - nowMs) < DAY_MS);
}

/**
 * Reads decimal strings as numbers, because apps use strings or numbers for amounts. Masks no number: the count 1 of
 * order 1 is no ID, and an ID does not change with an event.
 */
function leafOf(value: unknown, mask: Flattening["mask"]): Leaf {
  if (typeof value !== "string") return value as Leaf;
  return /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : mask(value);
}

export function describeChanges(before: AppView, after: AppView, ignored: ReadonlySet<string>): string[] {
  return [...viewPathsOf(before, after)]
    .filter((path) => !ignored.has(path) && before.get(path) !== after.get(path))
    .map((path) => `${path} ${leafText(before.get(path))} → ${leafText(after.get(path))}`);
}

/** The effect of an event: differences of numbers, new values of other leaves. */
export function effectOf(before: AppView, after: AppView): AppView {
  const effect = new Map<string, Leaf>();
  for (const path of viewPathsOf(before, after)) {
    const [was, is] = [before.get(path), after.get(path)];
    if (was !== is)
      effect.set(path, typeof was === "number" && typeof is === "number" ? is - was : (is ?? null));
  }
  return effect;
}

/** Describes the first difference of an effect from the usual one; undefined if they agree. */
export function describeFirstDifference(
  effect: AppView,
  usual: AppView,
  ignored: ReadonlySet<string>,
): string | undefined {
  for (const path of viewPathsOf(usual, effect)) {
    const [actual, expected] = [effect.get(path), usual.get(path)];
    if (!ignored.has(path) && !isAlmostEqual(actual, expected))
      return actual === undefined
        ? `${path} has not become ${leafText(expected)}`
        : `${path} ${leafText(actual)}, not ${leafText(expected)}`;
  }
  return undefined;
}

function isAlmostEqual(one: Leaf | undefined, other: Leaf | undefined): boolean {
  return (
    one === other || (typeof one === "number" && typeof other === "number" && Math.abs(one - other) < 1e-6)
  );
}

export function viewPathsOf(...views: readonly AppView[]): Set<string> {
  return new Set(views.flatMap((view) => [...view.keys()]));
}

/** Apps show amounts in units or in hundredths. */
export function isAmountIn(values: readonly unknown[], amount: number): boolean {
  return values.some((value) => value === amount || value === Math.round(amount * 100));
}

function leafText(leaf: Leaf | undefined): string {
  return leaf === undefined ? "nothing" : String(leaf).slice(0, 60);
}
