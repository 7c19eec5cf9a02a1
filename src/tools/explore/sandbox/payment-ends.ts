import { isJsonObject } from "../../../core/schema/json-objects.js";
import { statusWordsOf } from "../../../core/schema/reconciliation.js";
import { isFulfilledWord, statusMeaningOf } from "../judge.js";
import type { Baseline } from "./sandbox-plan.js";

/*
 * The end of a run whose payment ends otherwise than in the plain runs. Apps differ in what they show then, so a view
 * need not equal another: it must not show what is wrong in every app.
 */

/** Expects what a field may be; undefined if it may be anything. */
type Allowed = (value: unknown, name: string) => unknown;

/** No view shows the charge as paid or delivered, or waits for the payment. */
export function unpaid(baseline: Baseline, mayWait = false): Baseline {
  const { completedCharges: paid } = baseline;
  // An app with a word for the payment may confirm an order before it is paid.
  const hasPaidWord = baseline.observed.some(containsPaidWord);
  return {
    ...withViews(baseline, (value, name) => {
      if (isPaidWord(value)) return noneOf([value, ...(mayWait ? [] : written(WAITING_WORDS, value))]);
      if (isFulfilledWord(value) && !mayWait && !hasPaidWord)
        return noneOf([value, ...written(WAITING_WORDS, value)]);
      if (!DELIVERY_NAME.test(name)) return undefined;
      if (typeof value === "number" && value > 0) return { lt: value };
      return value === true ? { not: true } : undefined;
    }),
    ...atMost(baseline),
    // A rule for the customer's charges ends each of several payments so.
    completedCharges: Number(paid) > 1 ? { lte: Number(paid) - 1 } : 0,
  };
}

/** No view waits for the payment, and nothing more is delivered. The charge may stay paid: a balance may be too low. */
export function refunded(baseline: Baseline, mayWait = false): Baseline {
  return {
    ...withViews(baseline, (value, name) => {
      if (isPaidWord(value)) return mayWait ? undefined : noneOf(written(WAITING_WORDS, value));
      // Other numbers may grow, such as the amount refunded.
      return typeof value === "number" && DELIVERY_NAME.test(name) ? { lte: value } : undefined;
    }),
    ...atMost(baseline),
  };
}

/** No view takes the part for the whole: as refunded, or as not delivered. */
export function partlyRefunded(baseline: Baseline): Baseline {
  return {
    ...withViews(baseline, (value, name) => {
      if (isPaidWord(value)) return noneOf(written([...WAITING_WORDS, ...statusWordsOf("refunded")], value));
      const isShare = typeof value === "number" && value > 0 && SHARE_NAME.test(name);
      return isShare ? { gt: 0, lte: value } : undefined;
    }),
    ...atMost(baseline),
  };
}

/** A payout may depend on a payment that did not come, came too late, or went back. */
export function atMost({ completedWithdrawals: most }: Baseline): Pick<Baseline, "completedWithdrawals"> {
  return typeof most === "number" ? { completedWithdrawals: { lte: most } } : {};
}

export const PRESENT = { exists: true };

/** Status words of an order that waits for its payment. An order that is `open` or `unpaid` need not wait. */
const WAITING_WORDS = ["pending", "processing", "awaiting_payment", "waiting"];
/** Names of fields that count or mark what a customer gets for a payment. */
const DELIVERY_NAME = /deliver|fulfil|shipped|granted|activated|credited|(^|_)(is_?)?paid$/i;
/** Names of fields of which a partial refund leaves a part. */
const SHARE_NAME = /deliver|fulfil|shipped|granted|credit|balance|available|wallet|received|paid/i;

function isPaidWord(value: unknown): value is string {
  return typeof value === "string" && statusMeaningOf(value) === "paid";
}

function containsPaidWord(value: unknown): boolean {
  return (
    isPaidWord(value) ||
    (typeof value === "object" && value !== null && Object.values(value).some(containsPaidWord))
  );
}

function noneOf(words: readonly string[]): object {
  return { not: { in: words } };
}

/** Writes the words as the app writes `paid`. */
function written(words: readonly string[], paid: string): string[] {
  if (paid === paid.toUpperCase()) return words.map((word) => word.toUpperCase());
  if (paid === paid.toLowerCase()) return [...words];
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1));
}

function withViews(baseline: Baseline, allowed: Allowed): Baseline {
  return { ...baseline, observed: baseline.observed.map((view) => allowedIn(view, allowed) ?? PRESENT) };
}

function allowedIn(value: unknown, allowed: Allowed, name = ""): unknown {
  if (Array.isArray(value)) return value.map((part) => allowedIn(part, allowed, name) ?? PRESENT);
  if (!isJsonObject(value)) return allowed(value, name);
  const fields = Object.entries(value).flatMap(([key, part]) => {
    const expected = allowedIn(part, allowed, key);
    return expected === undefined ? [] : [[key, expected]];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}
