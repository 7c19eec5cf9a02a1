import { isWrittenLater } from "../domain/charge.js";
import { type EventData, WrittenLater } from "./event-record.js";
import { fromParts, partsOf } from "./kept-parts.js";
import type {
  Change,
  CollectionName,
  Collections,
  EventRecord,
  KeptChange,
  KeptPut,
  Key,
  Put,
  Records,
} from "./records.js";
import { chargeDetailJson, withdrawalJson } from "./views.js";

/** The objects whose events say what a read of them answers. */
const EVENT_DATA = { charges: chargeDetailJson, withdrawals: withdrawalJson };
const EVENT_SOURCES = Object.keys(EVENT_DATA) as (keyof typeof EVENT_DATA)[];

/** By collection, the key of the record that came last: the next new one has much in common with it. */
export type Newest = Map<CollectionName, Key>;

/**
 * @param before the records that the change is about to be applied to
 * @param newest of what was kept so far; what this change adds is put in. That it may be gone by now, or was never kept, does no harm
 */
export function keptChange(change: Change, before: Records, newest: Newest): KeptChange {
  return { ...change, puts: change.puts.map((_, place) => keptPut(change.puts, place, before, newest)) };
}

function keptPut(puts: readonly Put[], place: number, before: Records, newest: Newest): KeptPut {
  const put = puts[place]!;
  const [name, key, record] = put;
  if (record === null) return put;
  if (record instanceof WrittenLater) {
    const { data } = record as WrittenLater<unknown>;
    if (data === undefined || !isAsItIs(data, record.object_id, puts, before)) return put;
    return [name, key, data.name === record.type ? { ...record } : { ...record, name: data.name }, "derived"];
  }
  const old = before.get(name, key);
  if (old !== undefined) {
    const fields = changedFields(old as object as Fields, record as Fields);
    return fields === undefined ? put : [name, key, fields, "changed"];
  }
  const other = newest.get(name);
  newest.set(name, key);
  if (other === undefined || other === key) return put;
  const model = recordAfter(name, other, puts.slice(0, place), before);
  const fields =
    model instanceof WrittenLater ? undefined : changedFields(model as object as Fields, record as Fields);
  if (fields === undefined) return put;
  const { fields: apart, parts } = partsOf(model as object as Fields, fields, isSame);
  return parts === undefined ? [name, key, apart, "like", other] : [name, key, apart, "like", other, parts];
}

/** Whether the event's data is what a read of the object answers once the change is made. */
function isAsItIs(
  { source, toJson }: EventData<unknown>,
  objectId: string | null,
  puts: readonly Put[],
  before: Records,
): boolean {
  const name = EVENT_SOURCES.find((one) => EVENT_DATA[one] === toJson);
  if (name === undefined || objectId === null) return false;
  const after = recordAfter(name, objectId, puts, before);
  return after === source || (after !== undefined && toJson(after) === toJson(source));
}

function recordAfter<Name extends CollectionName>(
  name: Name,
  key: Key,
  puts: readonly Put[],
  before: Records,
): Collections[Name] | undefined {
  const put = puts.find((one) => one[1] === key && one[0] === name);
  return put === undefined ? before.get(name, key) : ((put[2] as Collections[Name] | null) ?? undefined);
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined where the fields of the one put over those of the other would not be that record to the byte. */
function changedFields(before: Fields | undefined, after: Fields): Fields | undefined {
  if (before === undefined) return undefined;
  const old = Object.keys(before);
  const names = Object.keys(after);
  if (names.length < old.length) return undefined;
  const fields: Record<string, unknown> = {};
  for (let place = 0; place < names.length; place++) {
    const field = names[place]!;
    const value = after[field];
    if (place < old.length) {
      if (old[place] !== field) return undefined;
      if (isSame(before[field], value)) continue;
      // JSON has no undefined: in the file this field is not there, or will not be.
      if (before[field] === undefined) return undefined;
    }
    if (value === undefined) return undefined;
    fields[field] = value;
  }
  return fields;
}

/** Whether both are the same JSON, to the byte. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isWrittenLater(one)) return isSame(one.toJSON(), other);
  if (isWrittenLater(other)) return isSame(one, other.toJSON());
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const fields = Object.keys(one);
  const others = Object.keys(other);
  if (fields.length !== others.length) return false;
  for (let place = 0; place < fields.length; place++) {
    const field = fields[place]!;
    if (field !== others[place] || !isSame((one as Fields)[field], (other as Fields)[field])) return false;
  }
  return true;
}

/**
 * The change again, record for record.
 *
 * @param before the records that the change was applied to
 * @throws when they are not those
 */
export function wholeChange(kept: KeptChange, before: Records): Change {
  const puts: Put[] = [];
  for (const [name, key, record, how, other = key, parts] of kept.puts) {
    const isPart = how === "changed" || how === "like";
    const model = isPart ? recordAfter(name, other, puts, before) : {};
    if (model === undefined) throw new Error(`change ${kept.seq} is of ${name} ${other}, which is not there`);
    const inParts = parts === undefined ? undefined : fromParts(model as object as Fields, parts);
    puts.push([name, key, isPart ? { ...model, ...(record as object), ...inParts } : record]);
  }
  for (const [place, [name, key, record, how]] of kept.puts.entries())
    if (how === "derived") puts[place] = [name, key, eventOf(record as DerivedEvent, puts, before)];
  return { ...kept, puts };
}

/** An event without its bytes; the name it is sent under, where that is not its type. */
type DerivedEvent = Omit<EventRecord, "body"> & { readonly name?: string };

function eventOf({ name, ...head }: DerivedEvent, puts: readonly Put[], before: Records): EventRecord {
  const id = head.object_id ?? "";
  for (const from of EVENT_SOURCES) {
    const source = recordAfter(from, id, puts, before);
    const toJson = EVENT_DATA[from] as (source: unknown) => string;
    if (source !== undefined) return new WrittenLater(head, { name: name ?? head.type, source, toJson });
  }
  throw new Error(`event ${head.event_id} is about ${id}, which is not there`);
}
