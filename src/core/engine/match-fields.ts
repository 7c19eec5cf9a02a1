import type { Charge } from "../domain/charge-transition.js";
import type { MatchSubject } from "../domain/rule-matching.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import { getOwn } from "../schema/json-objects.js";
import type { FieldCondition } from "./indexes.js";
import type { Destination } from "./records.js";

export function chargeSubject(charge: Charge): MatchSubject {
  return {
    metadata: charge.metadata,
    fields: {
      charge_id: charge.charge_id,
      mode: charge.mode,
      organization_id: charge.organization_id,
      currency: charge.currency,
      amount: charge.amount,
      customer_email: charge.customer_email,
      customer_name: charge.customer_name,
      payment_method: charge.payment_method,
      payment_rail: charge.payment_rail,
      phone_number: charge.phone_number,
      bank_account_number: charge.bank_account_number,
      base_currency: charge.pricing.base_currency,
      base_amount: charge.pricing.amount,
    },
  };
}

/** Fields of a withdrawal and its destination that rules are matched against. */
export function withdrawalSubject(
  withdrawal: Withdrawal,
  destination: Destination | undefined,
): MatchSubject {
  return {
    metadata: withdrawal.metadata,
    fields: {
      ...destination?.fields,
      withdrawal_id: withdrawal.withdrawal_id,
      mode: withdrawal.mode,
      organization_id: withdrawal.organization_id,
      currency: withdrawal.currency,
      amount: withdrawal.amount,
      destination_id: withdrawal.destination_id,
      reference: withdrawal.reference,
    },
  };
}

/* Fields by which charges are found; each is indexed on first use, under its `name`. */

export function emailCondition(value: string): FieldCondition<Charge> {
  return { name: "customer_email", value, of: (charge) => charge.customer_email };
}

export function metadataCondition(key: string, value: string): FieldCondition<Charge> {
  return { name: `metadata.${key}`, value, of: (charge) => getOwn(charge.metadata, key) ?? null };
}

/** Returns a filter: each search word must begin a word in the charge's ids, customer fields, amounts, outcome or metadata. */
export function chargeSearchFilter(search: string): (charge: Charge) => boolean {
  const words = searchWords(search);
  return (charge) => matchesWords(words, searchValues(charge));
}

function searchValues(charge: Charge): (string | null | undefined)[] {
  const { charge_id, checkout_id, quote_id, provider_reference, customer_email, customer_name, metadata } =
    charge;
  const { amount, currency, settlement_amount, pricing, status, failure_reason, scenario } = charge;
  const amounts = [amount, currency, settlement_amount, pricing.amount, pricing.base_currency];
  const ids = [charge_id, checkout_id, quote_id, provider_reference];
  const outcome = [status, failure_reason, scenario];
  return [...ids, customer_email, customer_name, ...amounts, ...outcome, ...Object.values(metadata)];
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const FIRST_LETTER = /^[\p{L}\p{M}\p{N}]/u;
const AMOUNT = /^\d+(\.\d+)?$/;
const GROUPED_AMOUNT = /^\d{1,3}(,\d{3})+(\.\d*)?$/;

/** Words of a search in lower case, `1042` for `order #1042` and `1105` for `1,105`; empty without a letter or digit. */
export function searchWords(search: string): string[] {
  const words = search
    .toLowerCase()
    .replace(/^\s*order\s+(?=\S)/, "")
    .split(/[\s#]+/)
    .filter(Boolean);
  if (!words.some((word) => LETTER.test(word))) return [];
  return words.map((word) => (GROUPED_AMOUNT.test(word) ? word.replaceAll(",", "") : word));
}

/** Returns true if each word begins a word in one of the values. An amount is one word. */
export function matchesWords(
  words: readonly string[],
  values: readonly (string | null | undefined)[],
): boolean {
  return (
    words.length > 0 && words.every((word) => values.some((value) => value != null && beginsIn(value, word)))
  );
}

function beginsIn(value: string, word: string): boolean {
  if (AMOUNT.test(value)) return value.startsWith(word);
  const text = value.toLowerCase();
  for (let index = text.indexOf(word); index !== -1; index = text.indexOf(word, index + 1))
    if (index === 0 || !LETTER.test(text[index - 1]!) || !FIRST_LETTER.test(word)) return true;
  return false;
}
