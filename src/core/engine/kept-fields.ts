import { type Charge, isWrittenLater } from "../domain/charge.js";
import { hasSameTerms, plainCharge, STATE_FIELDS, stateOf } from "../domain/charge-state.js";

export type Fields = Readonly<Record<string, unknown>>;

/** By field, what was added at the end of a list. */
export type KeptGrowth = Readonly<Record<string, readonly unknown[]>>;

/** What sets a record apart from the one it goes by. */
export interface FieldChanges {
  readonly fields: Fields;
  /** Of the fields that are now as in the record that changed before it; undefined where those are too few. */
  readonly names?: readonly string[];
  /** What lists go on by, in the place of the lists; undefined where none does. */
  readonly grown?: KeptGrowth;
}

/** Fewer fields are written out. */
const LEAST_SHARED = 3;

/**
 * How a record differs from what there was. Undefined where these put over the fields there were would not be that record
 * to the byte.
 *
 * @param model the record that changed before this one: what is as in it is told by its name
 * @param goesOn whether a list may be told by what it goes on by
 */
export function changesOf(
  before: Fields,
  after: Fields,
  model?: Fields,
  goesOn = true,
): FieldChanges | undefined {
  const { old, names, olds, values } = comparisonOf(before, after);
  if (names.length < old.length) return undefined;
  const fields: Record<string, unknown> = {};
  const shared: string[] = [];
  let grown: Record<string, readonly unknown[]> | undefined;
  for (let place = 0; place < names.length; place++) {
    const field = names[place]!;
    const value = values[place];
    const isThere = place < old.length;
    if (isThere && old[place] !== field) return undefined;
    if (isThere && (value === olds[place] || stays(olds[place], value, model?.[field]))) continue;
    // JSON has no undefined: in the file this field is not there, or will not be.
    if (value === undefined || (isThere && olds[place] === undefined)) return undefined;
    // What is new stays in its order.
    if (isThere && model !== undefined && isOwn(model, field, value)) {
      shared.push(field);
      continue;
    }
    const addition = goesOn ? additionTo(olds[place], value) : undefined;
    if (addition !== undefined) (grown ??= {})[field] = addition;
    else fields[field] = value;
  }
  if (shared.length >= LEAST_SHARED) return withGrown({ fields, names: shared }, grown);
  return shared.length > 0 ? changesOf(before, after, undefined, goesOn) : withGrown({ fields }, grown);
}

interface Comparison {
  readonly old: readonly string[];
  readonly names: readonly string[];
  readonly olds: readonly unknown[];
  readonly values: readonly unknown[];
}

/** The fields of both that may differ, by place: looking up forty fields by their names takes three times as long. */
function comparisonOf(before: Fields, after: Fields): Comparison {
  if (hasSameTerms(after, before))
    return {
      old: STATE_FIELDS,
      names: STATE_FIELDS,
      olds: stateOf(before as object as Charge),
      values: stateOf(after),
    };
  const [one, other] = [plainCharge(before), plainCharge(after)];
  return {
    old: Object.keys(one),
    names: Object.keys(other),
    olds: Object.values(one),
    values: Object.values(other),
  };
}

/** What many charges come to at one instant is one object: that it did not stay is seen at a glance. */
function stays(before: unknown, after: unknown, model: unknown): boolean {
  return after !== model && isSame(before, after);
}

function isOwn(model: Fields, field: string, value: unknown): boolean {
  return Object.hasOwn(model, field) && isSame(model[field], value);
}

function withGrown(changes: FieldChanges, grown: KeptGrowth | undefined): FieldChanges {
  return grown === undefined ? changes : { ...changes, grown };
}

/** What a list goes on by; undefined where it is no longer one, or another. */
function additionTo(before: unknown, after: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  if (before.length === 0 || after.length <= before.length) return undefined;
  for (let place = 0; place < before.length; place++)
    if (!isSame(before[place], after[place])) return undefined;
  return after.slice(before.length);
}

/** Whether both are the same JSON, to the byte. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isWrittenLater(one)) return isSame(one.toJSON(), other);
  if (isWrittenLater(other)) return isSame(one, other.toJSON());
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (Array.isArray(one) && one.length !== (other as readonly unknown[]).length) return false;
  const fields = Object.keys(one);
  const others = Object.keys(other);
  if (fields.length !== others.length) return false;
  for (let place = 0; place < fields.length; place++) {
    const field = fields[place]!;
    if (field !== others[place] || !isSame((one as Fields)[field], (other as Fields)[field])) return false;
  }
  return true;
}
