import { type EventData, WrittenLater } from "./event-record.js";
import type { Change, Collections, EventRecord, KeptChange, KeptPut, Key, Put, Records } from "./records.js";
import { chargeDetailJson, withdrawalJson } from "./views.js";

/** The objects whose events say what a read of them answers. */
const EVENT_DATA = { charges: chargeDetailJson, withdrawals: withdrawalJson };
const EVENT_SOURCES = Object.keys(EVENT_DATA) as (keyof typeof EVENT_DATA)[];

/** @param before the records that the change is about to be applied to */
export function keptChange(change: Change, before: Records): KeptChange {
  return { ...change, puts: change.puts.map((put) => keptPut(put, change.puts, before)) };
}

function keptPut(put: Put, puts: readonly Put[], before: Records): KeptPut {
  const [name, key, record] = put;
  if (record === null) return put;
  if (record instanceof WrittenLater) {
    const { data } = record as WrittenLater<unknown>;
    if (data === undefined || !isAsItIs(data, record.object_id, puts, before)) return put;
    return [name, key, data.name === record.type ? { ...record } : { ...record, name: data.name }, "derived"];
  }
  const fields = changedFields(before.get(name, key), record as object);
  return fields === undefined ? put : [name, key, fields, "changed"];
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

function recordAfter<Name extends keyof typeof EVENT_DATA>(
  name: Name,
  key: Key,
  puts: readonly Put[],
  before: Records,
): Collections[Name] | undefined {
  const put = puts.find((one) => one[1] === key && one[0] === name);
  return put === undefined ? before.get(name, key) : ((put[2] as Collections[Name] | null) ?? undefined);
}

/** Undefined where the fields of the one put over those of the other would not be that record to the byte. */
function changedFields(before: object | undefined, after: object): object | undefined {
  if (before === undefined) return undefined;
  const old = Object.entries(before);
  const fields: Record<string, unknown> = {};
  let place = 0;
  for (const [field, value] of Object.entries(after)) {
    const was = old[place++];
    if (was !== undefined) {
      if (was[0] !== field) return undefined;
      if (was[1] === value) continue;
      // JSON has no undefined: in the file this field is not there, or will not be.
      if (was[1] === undefined) return undefined;
    }
    if (value === undefined) return undefined;
    fields[field] = value;
  }
  return place < old.length ? undefined : fields;
}

/**
 * The change again, record for record.
 *
 * @param before the records that the change was applied to
 * @throws when they are not those
 */
export function wholeChange(kept: KeptChange, before: Records): Change {
  const puts = kept.puts.map((put): Put => {
    const [name, key, record, how] = put;
    if (how !== "changed") return [name, key, record];
    const old = before.get(name, key);
    if (old === undefined) throw new Error(`change ${kept.seq} is of ${name} ${key}, which is not there`);
    return [name, key, { ...old, ...(record as object) }];
  });
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
