import {
  CHARGE_STATE_FIELDS,
  chargeStateValues,
  hasSameTerms,
  toPlainRecord,
} from "../domain/charge-state.js";
import { type Charge, isLazyInstructions } from "../domain/charge-transition.js";

export type Fields = Readonly<Record<string, unknown>>;

/** Items appended to lists, by field. */
export type AppendedItems = Readonly<Record<string, readonly unknown[]>>;

export interface FieldsDiff {
  readonly fields: Fields;
  /** Names of fields with the same value in the `model`; undefined if there are fewer than SHARED_MIN_FIELDS. */
  readonly sharedNames?: readonly string[];
  /** New items of extended lists; undefined if there are none. */
  readonly appendedByField?: AppendedItems;
}

const SHARED_MIN_FIELDS = 3;

/**
 * Returns a record's differences from its earlier version; undefined if they cannot restore the record's exact bytes.
 *
 * @param model the previously changed record; a changed field with the value of the model goes to `sharedNames`
 * @param canAppend true if extended lists may be given by their new items
 */
export function diffFields(
  before: Fields,
  after: Fields,
  model?: Fields,
  canAppend = true,
): FieldsDiff | undefined {
  const { old, names, olds, values } = comparisonOf(before, after);
  if (names.length < old.length) return undefined;
  const fields: Record<string, unknown> = {};
  const shared: string[] = [];
  let grown: Record<string, readonly unknown[]> | undefined;
  for (let index = 0; index < names.length; index++) {
    const field = names[index]!;
    const value = values[index];
    const isThere = index < old.length;
    if (isThere && old[index] !== field) return undefined;
    if (isThere && (value === olds[index] || isUnchanged(olds[index], value, model?.[field]))) continue;
    // JSON has no undefined, so the journal file would lose the field.
    if (value === undefined || (isThere && olds[index] === undefined)) return undefined;
    // New fields never go to `shared`, so the order of fields is kept.
    if (isThere && model !== undefined && isShared(model, field, value)) {
      shared.push(field);
      continue;
    }
    const addition = canAppend ? appendedItems(olds[index], value) : undefined;
    if (addition !== undefined) (grown ??= {})[field] = addition;
    else fields[field] = value;
  }
  if (shared.length >= SHARED_MIN_FIELDS) return withGrown({ fields, sharedNames: shared }, grown);
  return shared.length > 0 ? diffFields(before, after, undefined, canAppend) : withGrown({ fields }, grown);
}

interface Comparison {
  readonly old: readonly string[];
  readonly names: readonly string[];
  readonly olds: readonly unknown[];
  readonly values: readonly unknown[];
}

/** Returns the fields that may differ, as arrays: reading forty fields by name takes three times as long. */
function comparisonOf(before: Fields, after: Fields): Comparison {
  if (hasSameTerms(after, before))
    return {
      old: CHARGE_STATE_FIELDS,
      names: CHARGE_STATE_FIELDS,
      olds: chargeStateValues(before as object as Charge),
      values: chargeStateValues(after),
    };
  const [old, current] = [toPlainRecord(before), toPlainRecord(after)];
  return {
    old: Object.keys(old),
    names: Object.keys(current),
    olds: Object.values(old),
    values: Object.values(current),
  };
}

/** Returns false without a comparison if `after` and `model` are the same object: such an object is always new. */
function isUnchanged(before: unknown, after: unknown, model: unknown): boolean {
  return after !== model && isSameJson(before, after);
}

function isShared(model: Fields, field: string, value: unknown): boolean {
  return Object.hasOwn(model, field) && isSameJson(model[field], value);
}

function withGrown(changes: FieldsDiff, grown: AppendedItems | undefined): FieldsDiff {
  return grown === undefined ? changes : { ...changes, appendedByField: grown };
}

/** Items appended to a list; undefined for any other difference. */
function appendedItems(before: unknown, after: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  if (before.length === 0 || after.length <= before.length) return undefined;
  for (let index = 0; index < before.length; index++)
    if (!isSameJson(before[index], after[index])) return undefined;
  return after.slice(before.length);
}

/** Returns true if both have the same JSON, to the byte. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isLazyInstructions(a)) return isSameJson(a.toJSON(), b);
  if (isLazyInstructions(b)) return isSameJson(a, b.toJSON());
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && a.length !== (b as readonly unknown[]).length) return false;
  const fields = Object.keys(a);
  const others = Object.keys(b);
  if (fields.length !== others.length) return false;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index]!;
    if (field !== others[index] || !isSameJson((a as Fields)[field], (b as Fields)[field])) return false;
  }
  return true;
}
