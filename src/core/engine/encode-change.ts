import type {
  Change,
  CollectionName,
  JournalEntry,
  JournalPut,
  RecordKey,
  RecordPut,
  RecordReader,
} from "./records.js";

type Fields = Readonly<Record<string, unknown>>;

/** @param before records before the change */
export function encodeChange(change: Change, before: RecordReader): JournalEntry {
  return { ...change, puts: change.puts.map((put) => encodePut(put, before)) };
}

function encodePut(put: RecordPut, before: RecordReader): JournalPut {
  const [name, key, record] = put;
  const old = record === null ? undefined : before.get(name, key);
  const fields = old === undefined ? undefined : changedFields(old as object as Fields, record as Fields);
  return fields === undefined ? put : [name, key, fields, "changed"];
}

/** Returns undefined if a field was removed or moved, because then the changed fields would not give the record. */
function changedFields(old: Fields, record: Fields): Fields | undefined {
  const names = Object.keys(record);
  if (Object.keys(old).some((name, index) => name !== names[index])) return undefined;
  const isChanged = (name: string) =>
    record[name] !== old[name] && JSON.stringify(record[name]) !== JSON.stringify(old[name]);
  return Object.fromEntries(names.filter(isChanged).map((name) => [name, record[name]]));
}

/** @param before records before the change @throws if the change refers to a missing record */
export function decodeChange(entry: JournalEntry, before: RecordReader): Change {
  const recordOf = (name: CollectionName, key: RecordKey): object => {
    const found = before.get(name, key);
    if (found === undefined)
      throw new Error(`change ${entry.seq} refers to ${name} ${key}, which does not exist`);
    return found;
  };
  const puts = entry.puts.map(([name, key, fields, how]): RecordPut => {
    return [name, key, how === undefined ? fields : { ...recordOf(name, key), ...(fields as Fields) }];
  });
  return { ...entry, puts };
}
