import type { Charge } from "../domain/charge-transition.js";
import { matchesWords, searchWords } from "../domain/word-search.js";
import { getOwn } from "../schema/json-objects.js";
import type { FieldCondition } from "./indexes.js";

/* Fields by which charges are found; each is indexed on first use, under its `name`. */

export function emailCondition(value: string): FieldCondition<Charge> {
  return { name: "customer_email", value, of: (charge) => charge.customer_email };
}

export function metadataCondition(key: string, value: string): FieldCondition<Charge> {
  return { name: `metadata.${key}`, value, of: (charge) => getOwn(charge.metadata, key) ?? null };
}

/** Returns a filter: each search word must begin a word in the charge's ids, customer fields, amounts or metadata. */
export function chargeSearchFilter(search: string): (charge: Charge) => boolean {
  const words = searchWords(search);
  return (charge) => matchesWords(words, searchValues(charge));
}

function searchValues(charge: Charge): (string | null | undefined)[] {
  const { charge_id, checkout_id, quote_id, provider_reference, customer_email, customer_name, metadata } =
    charge;
  const { amount, currency, settlement_amount, pricing } = charge;
  const amounts = [amount, currency, settlement_amount, pricing.amount, pricing.base_currency];
  const ids = [charge_id, checkout_id, quote_id, provider_reference];
  return [...ids, customer_email, customer_name, ...amounts, ...Object.values(metadata)];
}
