import type { Charge } from "../domain/charge-transition.js";
import { getOwn } from "../schema/json-objects.js";
import type { FieldCondition } from "./indexes.js";

/* Fields by which charges are found; each is indexed on first use, under its `name`. */

export function emailCondition(value: string): FieldCondition<Charge> {
  return { name: "customer_email", value, of: (charge) => charge.customer_email };
}

export function metadataCondition(key: string, value: string): FieldCondition<Charge> {
  return { name: `metadata.${key}`, value, of: (charge) => getOwn(charge.metadata, key) ?? null };
}

/** Returns a filter: each search word must begin a word in the charge's ids, customer fields or metadata. */
export function chargeSearchFilter(search: string): (charge: Charge) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.some((word) => LETTER.test(word))) return () => false;
  return (charge) => {
    const text = searchText(charge);
    return words.every((word) => beginsIn(text, word));
  };
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const FIRST_LETTER = /^[\p{L}\p{M}\p{N}]/u;

function searchText(charge: Charge): string {
  const { charge_id, checkout_id, quote_id, provider_reference, customer_email, customer_name, metadata } =
    charge;
  const fields = [charge_id, checkout_id, quote_id, provider_reference, customer_email, customer_name];
  return [...fields, ...Object.values(metadata)].join("\n").toLowerCase();
}

function beginsIn(text: string, word: string): boolean {
  for (let index = text.indexOf(word); index !== -1; index = text.indexOf(word, index + 1))
    if (index === 0 || !LETTER.test(text[index - 1]!) || !FIRST_LETTER.test(word)) return true;
  return false;
}
