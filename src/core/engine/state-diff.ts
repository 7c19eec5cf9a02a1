import { COLLECTION_NAMES } from "../schema/records/collection-names.js";
import type { CollectionName } from "./records.js";

export interface RecordChange {
  readonly collection: CollectionName;
  readonly id: string;
  readonly changeKind: "added" | "removed" | "changed";
  /** Empty for an added or removed record. */
  readonly fields: readonly FieldChange[];
}
export interface FieldChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface StateChanges {
  readonly counts: readonly {
    readonly collection: CollectionName;
    readonly added: number;
    readonly removed: number;
    readonly changed: number;
  }[];
  /** Changed records, at most `limit`. */
  readonly records: readonly RecordChange[];
}

/** Internal collections, which are not compared. */
const INTERNAL = new Set<CollectionName>(["idempotency", "lanes", "tasks", "clock", "entries"]);

/** @param limit maximum length of `records`; `counts` covers all changes */
export function diffStates(before: unknown, after: unknown, limit: number): StateChanges {
  const records: RecordChange[] = [];
  const counts = COLLECTION_NAMES.filter((name) => !INTERNAL.has(name)).map((collection) => {
    const old = new Map(recordsOf(before, collection));
    const count = { collection, added: 0, removed: 0, changed: 0 };
    const note = (id: string, from: unknown, to: unknown): void => {
      const is = from === undefined ? "added" : to === undefined ? "removed" : "changed";
      count[is]++;
      if (records.length < limit)
        records.push({ collection, id, changeKind: is, fields: diffRecordFields(from, to) });
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

/** Records by key. The state may be any JSON; entries that are no records are skipped. */
function recordsOf(state: unknown, collection: CollectionName): [string, unknown][] {
  const { collections } = (state ?? {}) as { collections?: Record<string, unknown> };
  const list = collections?.[collection];
  if (!Array.isArray(list)) return [];
  return list.filter(Array.isArray).map(([key, record]) => [String(key), record]);
}

export function diffRecordFields(from: unknown, to: unknown): FieldChange[] {
  if (from === undefined || to === undefined) return [];
  const [before, after] = [flattenRecord(from), flattenRecord(to)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }));
}

/** JSON of every value in a record, by the value's path. */
function flattenRecord(value: unknown, path = "", into = new Map<string, string>()): Map<string, string> {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    for (const [name, inner] of Object.entries(value))
      flattenRecord(inner, path === "" ? name : `${path}.${name}`, into);
  else into.set(path, JSON.stringify(value));
  return into;
}
