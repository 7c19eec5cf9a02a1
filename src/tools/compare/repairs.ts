import { isJsonObject } from "../../core/schema/json-objects.js";
import type { WireRule } from "../../core/schema/wire-rules.js";

/** A change of the config or the fixtures. Objects merge; lists of fixtures merge by their records' names. */
export interface Repair {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly fixtures?: Readonly<Record<string, readonly object[]>>;
}

/** Merges objects; lists of records by their first field, lists of words by replacement, rules of `wire` by what they are for. */
export function merge(under: unknown, over: unknown, name = ""): unknown {
  if (name === "wire") return mergeRules(under as WireRule[] | undefined, over as WireRule[]);
  if (Array.isArray(under) && Array.isArray(over) && over.every(isJsonObject))
    return mergeRecords(under, over);
  if (!isJsonObject(under) || !isJsonObject(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over))
    merged[key] = key in merged ? merge(merged[key], value, key) : value;
  return merged;
}

function mergeRecords(under: readonly unknown[], over: readonly Record<string, unknown>[]): unknown[] {
  const merged = [...under];
  for (const record of over) {
    const key = Object.keys(record)[0]!;
    const index = merged.findIndex((one) => isJsonObject(one) && one[key] === record[key]);
    if (index === -1) merged.push(record);
    else merged[index] = merge(merged[index], record);
  }
  return merged;
}

/** Rules that rename come last: the others have the names from before. */
function mergeRules(under: readonly WireRule[] = [], over: readonly WireRule[]): WireRule[] {
  const merged = [...under];
  for (const rule of over) {
    const { operation, event } = rule;
    const isAlike = (one: WireRule) =>
      one.operation === operation &&
      one.event === event &&
      (one.rename === undefined) === (rule.rename === undefined);
    const index = merged.findIndex(isAlike);
    if (index === -1) merged.push(rule);
    else merged[index] = unite(merged[index]!, rule);
  }
  return merged.sort((a, b) => Number(a.rename !== undefined) - Number(b.rename !== undefined));
}

function unite(a: WireRule, b: WireRule): WireRule {
  const lists = (["drop", "numbers"] as const).flatMap((name) => {
    const all = [...new Set([...(a[name] ?? []), ...(b[name] ?? [])])];
    return all.length === 0 ? [] : [[name, all] as const];
  });
  return { ...(merge(a, b) as WireRule), ...Object.fromEntries(lists) };
}

export function mergeRepairs(repairs: readonly Repair[]): Repair {
  return repairs.reduce<Repair>((all, one) => merge(all, one) as Repair, {});
}

/** Repairs without repetition, each with one change. */
export function splitRepairs(repairs: readonly Repair[]): Repair[] {
  return [...new Map(repairs.map((repair) => [JSON.stringify(repair), repair])).values()];
}

/** Field → name on the wire, of all rules together. */
export function renamesOf(rules: readonly WireRule[] = []): Record<string, string> {
  const pairs = rules.flatMap(({ rename = {} }) => Object.entries(rename));
  return Object.fromEntries(pairs.map(([field, name]) => [field.split(".").at(-1)!, name]));
}
