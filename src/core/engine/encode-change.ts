import { toPlainRecord } from "../domain/charge-state.js";
import { iso } from "../schema/time.js";
import { type AppendedItems, diffFields, type Fields } from "./encode-fields.js";
import { applyObjectDiffs, diffObjects, type ObjectDiffs } from "./encode-objects.js";
import { idScopeOf } from "./ids.js";
import { type EventId, LazyEvent } from "./lazy-event.js";
import type {
  Change,
  CollectionName,
  Collections,
  EventRecord,
  JournalEntry,
  JournalPut,
  RecordKey,
  RecordPut,
  RecordReader,
} from "./records.js";
import { chargeDetailJson, withdrawalJson } from "./wire-views.js";

/** Makes an event's data from its charge or withdrawal; a read of the record returns the same JSON. */
const EVENT_DATA = { charges: chargeDetailJson, withdrawals: withdrawalJson };
const EVENT_SOURCES = Object.keys(EVENT_DATA) as (keyof typeof EVENT_DATA)[];

/** Keys of the records against which puts are encoded: the newest record of each kind, and the last changed record. */
export interface LatestKeys {
  readonly created: Map<CollectionName, Map<unknown, RecordKey>>;
  readonly changed: Map<CollectionName, RecordKey>;
}

export function createLatestKeys(): LatestKeys {
  return { created: new Map(), changed: new Map() };
}

/**
 * @param before records before the change
 * @param latest receives the keys of this change; can contain keys of records that no longer exist
 */
export function encodeChange(change: Change, before: RecordReader, latest: LatestKeys): JournalEntry {
  return { ...change, puts: change.puts.map((_, index) => encodePut(change, index, before, latest)) };
}

function encodePut(change: Change, index: number, before: RecordReader, latest: LatestKeys): JournalPut {
  const { puts } = change;
  const put = puts[index]!;
  const [name, key, record] = put;
  if (record === null) return put;
  if (record instanceof LazyEvent) {
    const fields = derivedFields(key, record, change, before);
    return fields === undefined ? put : [name, key, fields, "derived"];
  }
  const old = before.get(name, key);
  if (old !== undefined) {
    const changedLast = latest.changed.get(name);
    const model =
      changedLast === undefined || changedLast === key
        ? undefined
        : recordAfter(name, changedLast, puts, before, index);
    const changes = diffFields(
      old as object as Fields,
      record as Fields,
      model as object as Fields | undefined,
    );
    if (changes === undefined) return put;
    latest.changed.set(name, key);
    const { fields, sharedNames, appendedByField } = changes;
    if (sharedNames === undefined)
      return appendedByField === undefined
        ? [name, key, fields, "changed"]
        : [name, key, fields, "changed", appendedByField];
    if (appendedByField === undefined) return [name, key, fields, "as", changedLast!, sharedNames];
    return [name, key, fields, "as", changedLast!, sharedNames, appendedByField];
  }
  const other = latestOfKind(latest, name, key, record as Fields);
  if (other === undefined || other === key) return put;
  const model = recordAfter(name, other, puts, before, index);
  if (model === undefined || model instanceof LazyEvent) return put;
  const plain = toPlainRecord(model) as object as Fields;
  const fields = diffFields(plain, record as Fields, undefined, false)?.fields;
  if (fields === undefined) return put;
  const { fields: others, parts } = diffObjects(plain, fields);
  return parts === undefined ? [name, key, others, "like", other] : [name, key, others, "like", other, parts];
}

/** Sets `key` as the newest of the record's kind; returns the key that was the newest before. */
function latestOfKind(
  { created: made }: LatestKeys,
  name: CollectionName,
  key: RecordKey,
  { kind }: Fields,
): RecordKey | undefined {
  let kinds = made.get(name);
  if (kinds === undefined) made.set(name, (kinds = new Map()));
  const other = kinds.get(kind);
  kinds.set(kind, key);
  return other;
}

/** Returns the event's fields that its charge or withdrawal does not give; undefined to store the whole event. */
function derivedFields(
  key: RecordKey,
  event: LazyEvent<unknown>,
  change: Change,
  before: RecordReader,
): object | undefined {
  const { data, object_id } = event;
  const name = data && EVENT_SOURCES.find((source) => EVENT_DATA[source] === data.toJson);
  if (data === undefined || name === undefined || object_id === null) return undefined;
  const { source, toJson } = data;
  const after = recordAfter(name, object_id, change.puts, before);
  if (after === undefined || (after !== source && toJson(after) !== toJson(source))) return undefined;
  const { seq, type, at, mode, organization_id } = event;
  const follows = at === iso(change.at) && mode === after.mode && organization_id === after.organization_id;
  const known = follows
    ? onlyObjectOf(change.puts) === object_id
      ? { type }
      : { type, object_id }
    : { type, at, mode, organization_id, object_id };
  const named = data.name === type ? known : { ...known, name: data.name };
  if (typeof key === "string") return { seq, ...named };
  return event.number === seq ? named : { ...named, number: event.number };
}

/** @param until index of the first put to ignore */
function recordAfter<Name extends CollectionName>(
  name: Name,
  key: RecordKey,
  puts: readonly RecordPut[],
  before: RecordReader,
  until = puts.length,
): Collections[Name] | undefined {
  for (let index = 0; index < until; index++) {
    const put = puts[index]!;
    if (put[1] === key && put[0] === name) return (put[2] as Collections[Name] | null) ?? undefined;
  }
  return before.get(name, key);
}

/**
 * Decodes a change.
 *
 * @param before records before the change
 * @throws if the change refers to a missing record
 */
export function decodeChange(entry: JournalEntry, before: RecordReader): Change {
  const puts: RecordPut[] = [];
  for (const put of entry.puts) puts.push([put[0], put[1], decodeRecord(put, puts, before, entry.seq)]);
  for (const [index, [name, key, record, how]] of entry.puts.entries())
    if (how === "derived")
      puts[index] = [name, key, eventOf(key, record as DerivedEvent, { ...entry, puts }, before)];
  return { ...entry, puts };
}

/** @param puts decoded puts before this one */
function decodeRecord(
  put: JournalPut,
  puts: readonly RecordPut[],
  before: RecordReader,
  seq: number,
): unknown {
  const [name, key, record, how, other, more, grown] = put;
  if (how !== "changed" && how !== "like" && how !== "as") return record;
  const recordOf = (id: RecordKey): Fields => {
    const found = recordAfter(name, id, puts, before) as Fields | undefined;
    if (found === undefined) throw new Error(`change ${seq} refers to ${name} ${id}, which does not exist`);
    return toPlainRecord(found);
  };
  const fields = record as Fields;
  if (how === "like") {
    const model = recordOf(other as RecordKey);
    return { ...model, ...fields, ...applyObjectDiffs(model, more as ObjectDiffs | undefined) };
  }
  const old = recordOf(key);
  if (how === "changed") return { ...old, ...fields, ...appended(old, other as AppendedItems | undefined) };
  const model = recordOf(other as RecordKey);
  const shared = Object.fromEntries((more as readonly string[]).map((field) => [field, model[field]]));
  return { ...old, ...shared, ...fields, ...appended(old, grown) };
}

function appended(model: Fields, grown: AppendedItems = {}): Fields {
  return Object.fromEntries(
    Object.entries(grown).map(([field, items]) => [
      field,
      [...(model[field] as readonly unknown[]), ...items],
    ]),
  );
}

/**
 * An event without the bytes and fields that follow from its charge or withdrawal.
 * `object_id` defaults to the only charge or withdrawal in the change. `name` defaults to the value of `type`.
 * `number` is the number in the event's id. `number` defaults to the value of `seq`.
 */
type DerivedEvent = Pick<EventRecord, "type"> &
  Partial<EventRecord> & { readonly name?: string; readonly number?: number };

function eventOf(
  key: RecordKey,
  entry: DerivedEvent,
  { at, puts }: Change,
  before: RecordReader,
): EventRecord {
  const { name, type, object_id = onlyObjectOf(puts) ?? null } = entry;
  const seq = typeof key === "number" ? key : entry.seq!;
  const id = entry.event_id ?? (typeof key === "number" ? numberedEventId(before, entry.number ?? seq) : key);
  for (const from of EVENT_SOURCES) {
    const source = recordAfter(from, object_id ?? "", puts, before);
    if (source === undefined) continue;
    const { mode = source.mode, organization_id = source.organization_id } = entry;
    const head = { seq, type, at: entry.at ?? iso(at), mode, organization_id, object_id };
    const toJson = EVENT_DATA[from] as (source: unknown) => string;
    return new LazyEvent<unknown>(id, head, { name: name ?? type, source, toJson });
  }
  throw new Error(`event ${key} is about ${object_id}, which does not exist`);
}

/** Returns the id of the charge or withdrawal that the change puts, if there is exactly one. */
function onlyObjectOf(puts: readonly RecordPut[]): string | undefined {
  let only: RecordKey | undefined;
  for (const [name, key] of puts)
    if (name === "charges" || name === "withdrawals") {
      if (only !== undefined) return undefined;
      only = key;
    }
  return only as string | undefined;
}

function numberedEventId(before: RecordReader, number: number): EventId {
  return { scope: idScopeOf(before.get("world", "world")!), number };
}
