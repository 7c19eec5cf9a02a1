import { findMismatches } from "../../../core/domain/deep-match.js";
import { getOwn, isJsonObject } from "../../../core/schema/json-objects.js";
import { isMatcher, isMatcherOperator } from "../../../core/schema/matcher-words.js";

/*
 * The app's views as values, and as expectations of every run: without the run's id and without fields that may differ.
 */

/** Placeholder for the run id in scenario files. */
export const RUN_ID = `\${run.id}`;
export const PRESENT = { exists: true };

export function withoutRun(value: unknown, runId: string): unknown {
  return mapTexts(value, (text) =>
    text.replace(/[*?]/g, "\\$&").replaceAll("${", "$${").replaceAll(runId, RUN_ID),
  );
}

/**
 * Replaces the parts of a value that have no parts themselves.
 *
 * @param isLeaf returns true for a list or an object that is replaced as a whole, such as a matcher
 */
export function mapLeaves(
  value: unknown,
  replace: (leaf: unknown) => unknown,
  isLeaf: (part: unknown) => boolean = () => false,
): unknown {
  if (typeof value !== "object" || value === null || isLeaf(value)) return replace(value);
  if (Array.isArray(value)) return value.map((part) => mapLeaves(part, replace, isLeaf));
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, mapLeaves(part, replace, isLeaf)]),
  );
}

export function mapTexts(
  value: unknown,
  textOf: (text: string) => unknown,
  isLeaf?: (part: unknown) => boolean,
): unknown {
  return mapLeaves(value, (leaf) => (typeof leaf === "string" ? textOf(leaf) : leaf), isLeaf);
}

/**
 * The part of a field that may differ: the keys of a map, the numbers and codes in a text, the way of a journal to its
 * last entry, the value of a field, or also that it has one.
 */
export type Freedom = "keys" | "codes" | "way" | "value" | "all";

/** Returns what may differ of the field at a dotted path; undefined if nothing may. */
export type FreedomOf = (path: string) => Freedom | undefined;

/**
 * Returns an expectation of the parts that both values share; undefined if they share none.
 *
 * @param onDifference called with the path of each field that differs, and what of it does
 */
export function commonPart(
  one: unknown,
  other: unknown,
  freedomOf: FreedomOf,
  onDifference: (path: string, freedom: Freedom) => void = () => {},
  path = "",
): unknown {
  const freedom = freedomOf(path);
  if (freedom === "all") return undefined;
  const areThere = isThere(one) && isThere(other);
  if (freedom === "value") {
    if (!areThere && (isThere(one) || isThere(other))) onDifference(path, "all");
    return areThere ? PRESENT : undefined;
  }
  const common = (first: unknown, second: unknown, key: string) =>
    commonPart(first, second, freedomOf, onDifference, path === "" ? key : `${path}.${key}`);
  const form = formOf(freedom, one, other);
  if (form !== undefined) {
    if (freedom === undefined) onDifference(path, form);
    const within: FreedomOf = (at) => (at === path ? undefined : freedomOf(at));
    return commonPart(listOf(one, form), listOf(other, form), within, onDifference, path);
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.map((part, index) => common(part, other[index], String(index)) ?? PRESENT);
  if (isJsonObject(one) && isJsonObject(other)) {
    const fields = [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) => {
      const part = common(one[key], other[key], key);
      return part === undefined ? [] : [[isMatcherOperator(key) ? `\\${key}` : key, part]];
    });
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
  if (JSON.stringify(one) === JSON.stringify(other) && !Array.isArray(one)) return one;
  onDifference(path, areThere ? "value" : "all");
  return undefined;
}

type Form = "keys" | "codes";

/** The form in which values are compared: maps with other keys as lists of entries, texts with other codes as words. */
function formOf(freedom: Freedom | undefined, one: unknown, other: unknown): Form | undefined {
  if (freedom === "keys" || freedom === "codes") return freedom;
  if (freedom !== undefined) return undefined;
  return areKeyedAnew(one, other) ? "keys" : shareWords(one, other) ? "codes" : undefined;
}

function listOf(value: unknown, form: Form, runId?: string): unknown {
  if (form === "codes") return typeof value === "string" ? wordsOf(value, runId) : value;
  return isJsonObject(value) && !isMatcher(value) ? Object.values(value) : value;
}

/** Returns true for two maps of equally many entries without a common key, such as tickets by their random codes. */
function areKeyedAnew(one: unknown, other: unknown): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return keys.length > 0 && keys.length === others.length && !keys.some((key) => key in other);
}

/** The lines of a text as lists of words. A number is `0`, as is the run's id. */
function wordsOf(text: string, runId = RUN_ID): string[][] {
  const words = (line: string) => line.match(/[\p{L}\p{N}_-]+/gu) ?? [];
  const lines = text.replaceAll(runId, "0").split("\n");
  return lines.map((line) => words(line).map((word) => (/^\p{N}+$/u.test(word) ? "0" : word)));
}

/** Returns true for texts that differ only in numbers and codes, such as a page with the time. */
function shareWords(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string" || one === other) return false;
  const [lines, others] = [wordsOf(one), wordsOf(other)];
  const isAlike =
    lines.length === others.length && lines.every((line, row) => line.length === others[row]!.length);
  const words = lines.flat();
  const otherWords = others.flat();
  const isWord = (word: string) => /^\p{L}{2,}$/u.test(word);
  return (
    isAlike &&
    words.every((word, at) => word === otherWords[at] || !(isWord(word) && isWord(otherWords[at]!))) &&
    words.some((word, at) => word === otherWords[at] && isWord(word))
  );
}

/** Replaces the maps with free keys by lists of their entries, and the texts with free codes by lists of words. */
export function withLists(view: unknown, freedomOf: FreedomOf, runId?: string, path = ""): unknown {
  const form = formOf(freedomOf(path), undefined, undefined);
  const all = form === undefined ? view : listOf(view, form, runId);
  if (form === "codes" || typeof all !== "object" || all === null) return all;
  const within = (part: unknown, key: string) =>
    withLists(part, freedomOf, runId, path === "" ? key : `${path}.${key}`);
  if (Array.isArray(all)) return all.map((part, index) => within(part, String(index)));
  return Object.fromEntries(Object.entries(all).map(([key, part]) => [key, within(part, key)]));
}

/** Leaves out the entries of lists and maps that name another run, but not this one: they are of other customers. */
export function ofRun(view: unknown, runId: string, allRuns: readonly string[]): unknown {
  const isOwn = (text: string) => text.includes(runId) || !allRuns.some((id) => text.includes(id));
  const ownOf = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.filter((entry) => isOwn(JSON.stringify(entry))).map(ownOf);
    if (!isJsonObject(part)) return part;
    const own = Object.entries(part).filter(([key]) => isOwn(key));
    return Object.fromEntries(own.map(([key, value]) => [key, ownOf(value)]));
  };
  return allRuns.some((id) => id !== runId && JSON.stringify(view)?.includes(id)) ? ownOf(view) : view;
}

export function isPresence(expected: unknown): boolean {
  return isMatcher(expected) && "exists" in expected && expected.exists === true;
}

/** Returns true for a value, as the matcher `exists` does. */
export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The path with `*` for positions in lists: a list of another run may be longer. A row of a list keeps its columns. */
export function generalPath(path: string): string {
  return path.replaceAll(/(^|\.)\d+((?:\.\d+)*)(?=\.|$)/g, "$1*$2");
}

/** A field of a view that has no fields itself: a text, a number, a boolean or a list. */
export interface Field {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Lists the fields of an expectation, or of a body. */
export function fieldsIn(view: unknown, path: readonly string[] = []): Field[] {
  if (!isJsonObject(view) || isMatcher(view)) return [{ path, value: view }];
  return Object.entries(view).flatMap(([key, part]) => fieldsIn(part, [...path, key.replace(/^\\/, "")]));
}

/** Splits a dotted path; the whole view has none. */
export function pathOf(field: string): string[] {
  return field === "" ? [] : field.split(".");
}

export function fieldAt(view: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isJsonObject(part) ? part[key] : undefined), view);
}

/** The part at a path, which may lead into lists. */
export function partAt(view: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => getOwn(Object(part), key), view);
}

/** Returns an expectation of the fields alone; undefined without fields. */
export function expectationOf(fields: readonly Field[]): unknown {
  const [first] = fields;
  if (first === undefined || first.path.length === 0) return first?.value;
  const heads = new Map<string, Field[]>();
  for (const { path, value } of fields) {
    const [head = "", ...rest] = path;
    heads.set(head, [...(heads.get(head) ?? []), { path: rest, value }]);
  }
  return Object.fromEntries(
    [...heads].map(([head, parts]) => [isMatcherOperator(head) ? `\\${head}` : head, expectationOf(parts)]),
  );
}

/** The size of a number, or of a list; NaN for anything else, because comparisons with NaN are false. */
export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" ? value : Number.NaN;
}

export function isLess(got: unknown, plain: unknown): boolean {
  if (typeof got === "number" && typeof plain === "number") return got < plain;
  if (typeof got !== "object" || got === null || typeof plain !== "object" || plain === null) return false;
  return Object.entries(plain).some(([key, part]) => isLess((got as Record<string, unknown>)[key], part));
}

/**
 * Allows another way to the same end: a list of distinct states that differs only between its first and its last. The
 * states between depend on what arrived in time.
 */
export function onSamePaths(
  views: readonly object[],
  seen: readonly unknown[],
  freedomOf: (view: number) => FreedomOf,
): object[] {
  return views.map((view, index) => {
    const { body, ...rest } = view as { readonly body?: unknown };
    return body === undefined ? view : { ...rest, body: withSamePaths(body, seen[index], freedomOf(index)) };
  });
}

function withSamePaths(expected: unknown, seen: unknown, freedomOf: FreedomOf, path = ""): unknown {
  if (Array.isArray(expected) && Array.isArray(seen)) {
    const isSame = freedomOf(path) === "way" ? isSameJournal : isSamePath;
    return isMatch(expected, seen) || !isSame(expected, seen) ? expected : PRESENT;
  }
  if (!isJsonObject(expected) || isMatcher(expected) || !isJsonObject(seen)) return expected;
  return Object.fromEntries(
    Object.entries(expected).map(([key, part]) => {
      const name = key.replace(/^\\/, "");
      return [key, withSamePaths(part, seen[name], freedomOf, path === "" ? name : `${path}.${name}`)];
    }),
  );
}

/** Returns true for a journal with the same last entry, and no known entry more often. Numbers may differ. */
function isSameJournal(all: readonly unknown[], seen: readonly unknown[]): boolean {
  const expected = all.map(withoutNumbers);
  const countIn = (list: readonly unknown[], entry: unknown) =>
    list.filter((one) => isMatch(entry, one)).length;
  const isOnce = (entry: unknown) =>
    isUnknown(entry) || namesEvent(entry) || countIn(seen, entry) <= countIn(expected, entry);
  return expected.every(isOnce) && countIn(seen, expected.at(-1)) > 0;
}

/** Returns true if nothing of an entry is compared, as of a random code. */
function isUnknown(entry: unknown): boolean {
  const isObject = typeof entry === "object" && entry !== null;
  return isPresence(entry) || (isObject && Object.values(entry).every(isUnknown));
}

/** Returns true if an entry names a type of events, such as `charge.completed`: it tells that a webhook arrived. */
function namesEvent(entry: unknown): boolean {
  const textOf = (part: unknown): string =>
    typeof part === "object" && part !== null ? Object.values(part).map(textOf).join(".") : String(part);
  return /\b(charge|withdrawal)\.[a-z_]+/.test(textOf(entry));
}

function withoutNumbers(value: unknown): unknown {
  return mapLeaves(value, (leaf) => (typeof leaf === "number" ? PRESENT : leaf), isMatcher);
}

function isSamePath(one: readonly unknown[], other: readonly unknown[]): boolean {
  const isPath = (list: readonly unknown[]) => {
    const states = list.map(stateOf);
    return list.length > 1 && !states.includes(undefined) && new Set(states).size === states.length;
  };
  return isPath(one) && isPath(other) && isMatch(one[0], other[0]) && isMatch(one.at(-1), other.at(-1));
}

/** The state that an entry of a history names; undefined for an entry of another list. */
function stateOf(entry: unknown): string | undefined {
  const state = isJsonObject(entry) ? (entry.status ?? entry.state) : entry;
  return typeof state === "string" ? state : undefined;
}

function isMatch(expected: unknown, seen: unknown): boolean {
  return findMismatches(expected, seen, "").length === 0;
}

/** Allows each number of an expectation to be lower, and a list to lack some of its entries. */
function withFewer(expected: unknown, seen: unknown): unknown {
  if (typeof expected === "number" && expected > 0) return { gte: 0, lte: expected };
  if (Array.isArray(expected)) return hasSome(expected, seen) ? seen : expected;
  if (!isJsonObject(expected) || isMatcher(expected)) return expected;
  const partOf = (key: string) => (isJsonObject(seen) ? seen[key] : undefined);
  return Object.fromEntries(
    Object.entries(expected).map(([key, part]) => [key, withFewer(part, partOf(key))]),
  );
}

/** Returns true for a list of expected entries in their order. */
function hasSome(expected: readonly unknown[], seen: unknown): boolean {
  const left = [...expected];
  const takes = (entry: unknown) => {
    const at = left.findIndex((one) => isMatch(withFewer(one, entry), entry));
    left.splice(0, at + 1);
    return at >= 0;
  };
  return Array.isArray(seen) && seen.every(takes);
}

/** Returns true for a list that has each entry of another list, all of them known, as often as that has it. */
export function hasEntriesOf(expected: unknown, seen: unknown): boolean {
  if (!Array.isArray(expected) || expected.length === 0 || !Array.isArray(seen)) return false;
  const left = [...seen];
  return expected.every((one) => {
    const at = left.findIndex((entry) => isMatch(one, entry));
    return at >= 0 && !isUnknown(one) && left.splice(at, 1).length > 0;
  });
}

/** Leaves out the fields that the body lacks: nothing is shown there. */
export function withPresent(expected: unknown, seen: unknown): unknown {
  const present = fieldsIn(expected).filter(
    ({ path }) => path.length === 0 || fieldAt(seen, path) !== undefined,
  );
  return expectationOf(present) ?? PRESENT;
}

/** Allows fields to be missing whose value is not compared. */
export function withoutPresence(views: readonly object[]): object[] {
  return views.map((view) => {
    const { body, ...rest } = view as { readonly body?: unknown };
    const fields = fieldsIn(body ?? PRESENT).filter(({ value }) => !isPresence(value));
    return { ...rest, body: expectationOf(fields) ?? PRESENT };
  });
}

export function withoutMore(expected: unknown, seen: unknown): unknown {
  if (!isJsonObject(expected)) return expected;
  const fields = isMatcher(expected) ? [] : fieldsIn(expected);
  const more = fieldsIn(seen).filter(({ path }) => path.length > 0 && fieldAt(expected, path) === undefined);
  const absent = more.map(({ path }) => ({ path, value: { exists: false } }));
  return expectationOf([...fields, ...absent]) ?? expected;
}

export function withAllowed(
  views: readonly object[],
  allowed: readonly (readonly [field: string, value: unknown])[],
  plain: readonly unknown[],
): object[] {
  return views.map((view, index) => {
    const { body, ...rest } = view as { readonly body?: unknown };
    const meant = allowed
      .map(([field, value]) => ({ path: pathOf(field), value }))
      .filter(({ path }) => fieldAt(plain[index], path) !== undefined);
    const others = body === undefined ? [] : fieldsIn(body);
    const kept = others.filter(({ path }) => meant.every((one) => one.path.join(".") !== path.join(".")));
    const fields = [...kept.filter(({ path }) => path.length > 0), ...meant];
    return meant.length === 0 ? view : { ...rest, body: expectationOf(fields) };
  });
}

/** An app that hears of a payment after its refund need not deliver: each field may be as before the payment. */
export function undeliveredViews(
  views: readonly object[],
  waiting: readonly (readonly unknown[])[],
  seen: readonly unknown[] = [],
): object[] {
  return views.map((view, index) => {
    const { body, ...rest } = view as { readonly body?: unknown };
    const fields = fieldsIn(body ?? PRESENT).map(({ path, value }) => {
      const earlier = waiting.map((bodies) => fieldAt(bodies[index], path));
      const known = earlier.filter((one) => one !== undefined);
      return { path, value: { in: [withFewer(value, fieldAt(seen[index], path)), ...known] } };
    });
    return { ...rest, body: expectationOf(fields) };
  });
}

/** Allows a view to count the strangers or not: each number may be as in a plain run, or `times` as large. */
export function countedIn(expected: unknown, times: number): unknown {
  if (typeof expected === "number" && expected > 0) return { in: [expected, expected * times] };
  if (typeof expected === "string") return countedText(expected, times);
  // A list may also have what the strangers paid; a row of unlike columns is one payment or order.
  if (Array.isArray(expected))
    return isRow(expected) ? expected.map((part) => countedIn(part, times) ?? PRESENT) : undefined;
  if (!isJsonObject(expected) || isMatcher(expected)) return expected;
  const fields = Object.entries(expected).flatMap(([key, part]) => {
    const counted = countedIn(part, times);
    return counted === undefined ? [] : [[key, counted]];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function isRow(list: readonly unknown[]): boolean {
  const known = list.filter((part) => isThere(part) && !isMatcher(part));
  return new Set(known.map((part) => typeof part)).size > 1;
}

function countedText(text: string, times: number): unknown {
  const decimals = /^\d+\.(\d+)$/.exec(text)?.[1]?.length;
  return decimals === undefined ? text : { in: [text, (Number(text) * times).toFixed(decimals)] };
}
