import { findMismatches } from "../../../core/domain/deep-match.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { statusWordsOf } from "../../../core/schema/reconciliation.js";
import { amountOf, isFulfilledWord, statusMeaningOf } from "../judge.js";
import {
  expectationOf,
  type Field,
  fieldAt,
  fieldsIn,
  hasEntriesOf,
  isPresence,
  isThere,
  PRESENT,
  sizeOf,
  withoutMore,
} from "./views.js";

/*
 * The few things that are wrong in every app, whatever its undisturbed runs show. All else an app decides by itself: no
 * other run says how it shows an end that only it has.
 */

/** Expected bodies of the views, and bodies that they must not all have at once. */
export interface Claims {
  readonly views: readonly unknown[];
  readonly unlike?: Unlike;
}

/** An end of the app that this one must differ from. */
export interface Unlike {
  readonly sentence: string;
  readonly views: readonly unknown[];
  /** Bodies at that end of the views that it leaves as they are: the app may show the money there instead. */
  readonly others?: Bodies;
}

/** Views of one moment in the app, without the run's id. */
export type Bodies = readonly unknown[];

/** Facts about an app that its plain and its unpaid runs have shown. */
export interface Shown {
  /** Expected bodies of a plain run. */
  readonly plain: Bodies;
  /** The app before the customer pays, and while the payment is under way; an unknown view is undefined. */
  readonly waiting: readonly Bodies[];
  /** For each view its own index, or that of a view of the same call whose waiting state is known. */
  readonly models: readonly number[];
  /** The price, to recognize a balance that it raises. */
  readonly price: string | undefined;
  /** The app at each end without a payment that it has shown. */
  readonly unpaid: readonly Bodies[];
  /** Bodies after a refund of the whole, and after an expiry without a payment; empty if they are not known. */
  readonly refunded: Bodies;
  readonly expired: Bodies;
  /** Compared parts of the views of the run that is judged. */
  readonly seen: Bodies;
}

/** Nothing of a payment is shown, and the app does not wait for it. */
export function unpaidClaims(shown: Shown, mayWait: boolean): Claims {
  const facts = shown.plain.map((_, index) => factsIn(shown, index));
  const hasPaidWord = facts.flat().some(({ value }) => isPaidWord(value));
  return {
    views: facts.map((fields) =>
      claim(fields, (field) => {
        const { value } = field;
        // An app with a word for the payment may confirm an order before it is paid.
        if (isPaidWord(value) || (isFulfilledWord(value) && !hasPaidWord))
          return noneOf([value, ...(mayWait ? [] : written(WAITING_WORDS, value))]);
        return isShare(field, shown) ? lessThan(value) : undefined;
      }),
    ),
    unlike: unlikePaid(shown, "not paid, and the app shows all that it shows for a payment"),
  };
}

/** Nothing is delivered for another amount or currency. An app may show that it was paid something. */
export function wrongMoneyClaims(shown: Shown): Claims {
  return {
    views: shown.plain.map(() => PRESENT),
    // Without a waiting state, no field of the view may be missing.
    unlike: unlikePaid(shown, "delivered as if the right amount had been paid", shown.waiting.length === 0),
  };
}

/** An order does not show all that it shows only once it is paid. */
function unlikePaid(shown: Shown, sentence: string, isWhole = false): Unlike {
  // A number may count changes, until another end has shown that it does not.
  const isUnsure = ({ value }: Fact) => !isWhole && shown.unpaid.length === 0 && typeof value === "number";
  const views = shown.models.map((model, index) => {
    const facts = isWhole || isKnown(shown, model) ? factsIn(shown, index) : [];
    const isTold = facts.some((fact) => isTelling(fact, shown) && !isUnsure(fact));
    return isTold ? expectationOf(isWhole ? facts : facts.map((fact) => withLonger(fact, shown))) : undefined;
  });
  return { sentence, views };
}

/** Allows a list that has more beside all that it has once an order is paid, if it did not have all that before. */
function withLonger(fact: Fact, { seen, waiting, models }: Shown): Fact {
  const { path, value, index } = fact;
  const hasAll = (body: unknown) => hasEntriesOf(value, fieldAt(body, path));
  const isNew = !waiting.some((bodies) => hasAll(bodies[models[index]!]));
  return isNew && hasAll(seen[index]) ? { ...fact, value: fieldAt(seen[index], path) } : fact;
}

function isKnown({ waiting }: Shown, model: number): boolean {
  return waiting.some((bodies) => bodies[model] !== undefined);
}

/** Returns true for a fact that shows something. An order that only waits for nothing any more need not be paid. */
function isTelling(fact: Fact, shown: Shown): boolean {
  const { value } = fact;
  const isEmpty = Array.isArray(value) ? value.length === 0 : !value || amountOf(value) === 0;
  return !isEmpty || isPrice(amountOf(value) - numberBefore(fact, shown), shown);
}

/** The order does not wait again, and no more is delivered. It may stay paid, and a balance may be too low. */
export function refundedClaims(shown: Shown, mayWait: boolean): Claims {
  const views = shown.plain.map((view, index) =>
    claim(fieldsIn(view), (field) => {
      const fact = { ...field, index };
      if (isShare(fact, shown)) return notMoreThan(field.value);
      const known = isPaidWord(field.value) ? WAITING_WORDS : [];
      return mayWait ? undefined : notWaiting(fact, shown, known);
    }),
  );
  return { views };
}

/** The app does not take a part for the whole: as refunded, or as not delivered. */
export function partlyRefundedClaims(shown: Shown): Claims {
  const words = [...WAITING_WORDS, ...statusWordsOf("refunded")];
  const views = shown.plain.map((view, index) =>
    claim(fieldsIn(view), ({ path, value }) => {
      const fact = { path, value, index };
      const known = isPaidWord(value) || isFulfilledWord(value) ? words : [];
      if (!isShare(fact, shown) || typeof value !== "number") return notWaiting(fact, shown, known);
      return { gt: isDelivery(path) ? 0 : numberBefore(fact, shown), lte: value };
    }),
  );
  const sentence = "a part was refunded, and the app takes it for the whole";
  const whole = changed(shown.refunded, shown, valuesText);
  const stated = whole.map((body, index) => wordsOfRefund(shown, index) ?? body);
  return { views, unlike: { sentence, views: stated } };
}

/** The words for a refund of the whole in place of those for a payment; undefined if none are known. */
function wordsOfRefund(shown: Shown, index: number): unknown {
  const facts = isKnown(shown, shown.models[index]!) ? factsIn(shown, index) : [];
  const words = facts.map((fact) => ({ ...fact, value: fieldAt(shown.refunded[index], fact.path) }));
  return expectationOf(
    words.filter(({ value }, at) => isWord(value) && isWord(facts[at]!.value) && value !== facts[at]!.value),
  );
}

/** Expects neither `known` words of an order that waits, nor those that no unpaid order shows at its end. */
function notWaiting(
  { path, value, index }: Fact,
  { waiting, unpaid, models }: Shown,
  known: readonly string[],
): object | undefined {
  const at = (bodies: Bodies) => fieldAt(bodies[models[index]!], path);
  const ends = unpaid.map(at);
  const isOnlyBefore = (one: unknown) => isWord(one) && one !== value && !ends.includes(one);
  const learned = ends.some(isWord) ? waiting.map(at).filter(isOnlyBefore) : [];
  const words = [...(typeof value === "string" ? written(known, value) : []), ...learned];
  return words.length === 0 ? undefined : noneOf(words);
}

function isWord(value: unknown): boolean {
  return typeof value === "string" && Number.isNaN(amountOf(value));
}

/** Late money is delivered, credited or returned, once; and what the app calls returned it has returned. */
export function paidLateClaims(shown: Shown, isReturned: boolean): Claims {
  const views = shown.plain.map((view, index) =>
    claim(fieldsIn(view), (field) => {
      const { value } = field;
      if (isPaidWord(value) || isFulfilledWord(value))
        return isReturned ? undefined : noneOf(written(statusWordsOf("refunded"), value));
      return isShare({ ...field, index }, shown) ? notMoreThan(value) : undefined;
    }),
  );
  const sentence = "paid late, but not marked as paid by the app: it shows what it shows if nothing is paid";
  if (isReturned) return { views };
  const unpaid = changed(shown.expired, shown);
  const others = shown.expired.map((body, index) => (unpaid[index] === undefined ? body : undefined));
  return { views, unlike: { sentence, views: unpaid, others } };
}

/** The views of an end that are not as in a plain run, without the fields that only the judged run shows. */
function changed(
  ended: Bodies,
  { plain, seen }: Shown,
  textOf = (body: unknown) => JSON.stringify(body),
): Bodies {
  return ended.map((body, index) =>
    textOf(body) === textOf(plain[index]) ? undefined : withoutMore(body, seen[index]),
  );
}

/** Writes a body without fields that may have any value, such as times: half a refund has a time too. */
function valuesText(body: unknown): string {
  return JSON.stringify(body, (_key, value) => (isPresence(value) ? undefined : value));
}

/** Status words of an order that waits for its payment. An order that is `open` or `unpaid` need not wait. */
const WAITING_WORDS = ["pending", "processing", "awaiting_payment", "waiting"];
/** Names of fields that count or mark what a customer gets for a payment. */
const DELIVERY_NAME = /deliver|fulfil|shipped|granted|activated|credited|(^|_)(is_?)?paid$/i;

interface Fact extends Field {
  readonly index: number;
}

/** Finds the fields of a plain run's view that the app shows only once it is paid. */
function factsIn({ plain, waiting, models }: Shown, index: number): Fact[] {
  const model = models[index]!;
  const isFact = ({ path, value }: Field, moments = waiting) => {
    const earlier = moments.map((bodies) => fieldAt(bodies[model], path));
    if (isPresence(value)) return path.length > 0 && !earlier.some(isThere);
    // A list of entries that are not compared is met by an earlier one of its length.
    if (Array.isArray(value)) return earlier.every((one) => findMismatches(value, one).length > 0);
    const paid = JSON.stringify(fieldAt(plain[model], path));
    return !isJsonObject(value) && earlier.every((one) => JSON.stringify(one) !== paid);
  };
  const fields = fieldsIn(plain[index]);
  const facts = fields.filter((field) => isFact(field));
  // An app that is wrong may call a payment paid while it is under way. Another word for a payment then tells if it is.
  const before = waiting.slice(0, 1);
  const early = facts.some(({ value }) => isPaidWord(value))
    ? []
    : fields.filter((field) => isPaidWord(field.value) && isFact(field, before) && !facts.includes(field));
  return [...facts, ...early].map((field) => ({ ...field, index }));
}

/** Returns true for a field by which the customer has what is paid: a delivery by its name, a balance by the price. */
function isShare(fact: Fact, shown: Shown): boolean {
  const { path, value } = fact;
  if (isDelivery(path)) return value === true || sizeOf(value) > 0;
  const grown = amountOf(value) - numberBefore(fact, shown);
  return grown > 0 && isPrice(grown, shown);
}

function isPrice(change: number, { price }: Shown): boolean {
  const paid = Number(price ?? Number.NaN);
  return [paid, paid * 100].some((amount) => Math.abs(Math.abs(change) - amount) < 1e-6);
}

/** Reads a balance as it is before the customer pays: a debt is below zero. */
function numberBefore({ path, index }: Fact, { waiting: [before], models }: Shown): number {
  return amountOf(fieldAt(before?.[models[index]!], path));
}

export function isDelivery(path: readonly string[]): boolean {
  return DELIVERY_NAME.test(path.at(-1) ?? "");
}

function lessThan(value: unknown): object {
  return Number.isNaN(amountOf(value)) ? { not: value } : { lt: value };
}

function notMoreThan(value: unknown): object | undefined {
  return Number.isNaN(amountOf(value)) ? undefined : { lte: value };
}

/** Expects what `allowed` returns of each field; anything of a field for which it returns undefined. */
function claim<One extends Field>(fields: readonly One[], allowed: (field: One) => unknown): unknown {
  const claimed = fields.flatMap((field) => {
    const value = allowed(field);
    return value === undefined ? [] : [{ ...field, value }];
  });
  return expectationOf(claimed) ?? PRESENT;
}

function isPaidWord(value: unknown): value is string {
  return typeof value === "string" && statusMeaningOf(value) === "paid";
}

function noneOf(words: readonly unknown[]): object {
  return { not: { in: words } };
}

/** Writes the words as the app writes `paid`. */
function written(words: readonly string[], paid: string): string[] {
  if (paid === paid.toUpperCase()) return words.map((word) => word.toUpperCase());
  if (paid === paid.toLowerCase()) return [...words];
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1));
}

/** An undisturbed end in which nothing is paid. */
interface UnpaidEnd {
  readonly name: string;
  readonly bodies: Bodies;
}

/**
 * Describes the fields in which one unpaid end is as a paid order and another is not: no money explains it, but the app
 * may tell its unpaid ends apart.
 *
 * @param plain compared parts of the views of a plain run
 */
export function unpaidEndNotes(plain: Bodies, ends: readonly UnpaidEnd[]): string[] {
  return plain.flatMap((view, index) =>
    fieldsIn(view).flatMap(({ path, value }) => {
      if (path.length === 0 || isJsonObject(value)) return [];
      const shown = ends.map(({ name, bodies }) => ({ name, got: fieldAt(bodies[index], path) }));
      const paid = shown.find(({ got }) => JSON.stringify(got) === JSON.stringify(value));
      const other = shown.find(
        ({ got }) => got !== undefined && JSON.stringify(got) !== JSON.stringify(value),
      );
      if (paid === undefined || other === undefined) return [];
      const [as, not] = [value, other.got].map((one) => JSON.stringify(one));
      return [
        `nothing is paid: with ${paid.name}, ${path.join(".")} is ${as} as for a paid order; with ${other.name}, it is ${not}`,
      ];
    }),
  );
}
