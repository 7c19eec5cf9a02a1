import * as z from "zod/mini";
import { stateDumpSchema } from "../../schema/control-requests.js";
import { issueDetails, safeParse } from "../../schema/issues.js";
import { COLLECTION_NAMES, type CollectionName } from "../../schema/records/collection-names.js";
import { RECORD_SCHEMAS } from "../../schema/records/collections.js";
import type { Collections, RecordKey, StateDump } from "../records.js";
import { recordPath, type StateFaults } from "./state-faults.js";

/** Records of an imported state by key, before validation. */
export type UncheckedRecords = {
  readonly [Name in CollectionName]?: Iterable<readonly [RecordKey, unknown]>;
};

/** Records of an imported state by key, each valid by its schema. */
export type CheckedRecords = {
  readonly [Name in CollectionName]?: Iterable<readonly [RecordKey, Collections[Name]]>;
};

/** Checks that a value has the shape of an export, except for its records. */
export function checkOutline(
  dump: unknown,
  faults: StateFaults,
): dump is Omit<StateDump, "collections"> & { readonly collections: UncheckedRecords } {
  const checked = safeParse(stateDumpSchema, dump);
  if (checked.ok) return true;
  for (const [path, message] of Object.entries(issueDetails(checked.issues))) faults.add(path, message);
  return false;
}

/** Minimum number of records for compiling a schema: it takes milliseconds and makes validation five times as fast. */
const COMPILE_MIN_RECORDS = 100;

/** zod's message for a string that does not match a pattern. */
const NO_MESSAGE = "Invalid input";

/** Validates every record by the schema of its collection. */
export function checkRecords(
  collections: UncheckedRecords,
  faults: StateFaults,
): collections is CheckedRecords {
  for (const name of COLLECTION_NAMES) {
    let schema = RECORD_SCHEMAS[name];
    let index = -1;
    for (const [, record] of collections[name] ?? []) {
      if (++index === COMPILE_MIN_RECORDS) schema = z.compile(schema);
      if (z.validate(schema, record)) continue;
      noteFaults(name, index, record, faults);
      if (faults.isFull) return false;
    }
  }
  return faults.isEmpty;
}

function noteFaults(name: CollectionName, index: number, record: unknown, faults: StateFaults): void {
  const entryPath = recordPath(name, index);
  if (typeof record !== "object" || record === null) {
    faults.add(entryPath, "must be an object");
    return;
  }
  const checked = safeParse(RECORD_SCHEMAS[name], record);
  if (checked.ok) return;
  for (const [path, message] of Object.entries(issueDetails(checked.issues)))
    faults.add(
      `${entryPath}.${path}`,
      message === NO_MESSAGE ? "has a format the sandbox does not write" : message,
    );
}
