import { isWrittenLater } from "../domain/charge.js";
import { COLLECTION_NAMES } from "../schema/records/names.js";
import type { CollectionName } from "./records.js";

/** One record that differs. */
export interface RecordChange {
  readonly collection: CollectionName;
  readonly id: string;
  readonly is: "added" | "removed" | "changed";
  /** By their paths; of a changed one only those that differ. */
  readonly fields: readonly FieldChange[];
}
export interface FieldChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** How one state differs from another, in all and record by record. */
export interface StateChanges {
  readonly counts: readonly {
    readonly collection: CollectionName;
    readonly added: number;
    readonly removed: number;
    readonly changed: number;
  }[];
  /** At most as many as were asked for. */
  readonly records: readonly RecordChange[];
}

/** The plumbing: it follows from the rest, and would bury it. */
const PASSED_OVER = new Set<CollectionName>(["idempotency", "lanes", "tasks", "clock", "entries"]);

/** @param most so many records are told of, the counts are of all */
export function changesBetween(before: unknown, after: unknown, most: number): StateChanges {
  const records: RecordChange[] = [];
  const counts = COLLECTION_NAMES.filter((name) => !PASSED_OVER.has(name)).map((collection) => {
    const old = new Map(recordsOf(before, collection));
    const count = { collection, added: 0, removed: 0, changed: 0 };
    const note = (id: string, from: unknown, to: unknown): void => {
      const is = from === undefined ? "added" : to === undefined ? "removed" : "changed";
      count[is]++;
      if (records.length < most) records.push({ collection, id, is, fields: fieldsBetween(from, to) });
    };
    for (const [id, to] of recordsOf(after, collection)) {
      const from = old.get(id);
      old.delete(id);
      if (from !== to && JSON.stringify(from) !== JSON.stringify(to)) note(id, from, to);
    }
    for (const [id, from] of old) note(id, from, undefined);
    return count;
  });
  return { counts: counts.filter(({ added, removed, changed }) => added + removed + changed > 0), records };
}

/** By their keys. A state from outside may be anything; what is no record is passed over. */
function recordsOf(state: unknown, collection: CollectionName): [string, unknown][] {
  const { collections } = (state ?? {}) as { collections?: Record<string, unknown> };
  const list = collections?.[collection];
  if (!Array.isArray(list)) return [];
  return list.filter(Array.isArray).map(([key, record]) => [String(key), record]);
}

function fieldsBetween(from: unknown, to: unknown): FieldChange[] {
  if (from === undefined || to === undefined) return [];
  const [before, after] = [flat(from), flat(to)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }));
}

/** Every value in a record as JSON, by its path. */
export function flat(value: unknown, path = "", into = new Map<string, string>()): Map<string, string> {
  if (isWrittenLater(value)) return flat(value.toJSON(), path, into);
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    for (const [name, inner] of Object.entries(value))
      flat(inner, path === "" ? name : `${path}.${name}`, into);
  else into.set(path, JSON.stringify(value));
  return into;
}
