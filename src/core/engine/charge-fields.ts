import type { Charge } from "../domain/charge.js";
import { own } from "../schema/own.js";
import type { Having } from "./indexes.js";

/*
 * What charges are found by besides their ids. Each is grouped when somebody first asks for it, under its name.
 */

/** Charges of that customer. */
export function havingEmail(value: string): Having<Charge> {
  return { name: "customer_email", value, of: (charge) => charge.customer_email };
}

/** Charges whose metadata has that value under that key. */
export function havingMetadata(key: string, value: string): Having<Charge> {
  return { name: `metadata.${key}`, value, of: (charge) => own(charge.metadata, key) ?? null };
}

/**
 * Makes a test of charges: each word of the search must begin a word in the charge's ids, customer or metadata. A search
 * without letters and digits finds nothing.
 */
export function hasWords(search: string): (charge: Charge) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.some((word) => LETTER.test(word))) return () => false;
  return (charge) => {
    const text = textOf(charge);
    return words.every((word) => beginsIn(text, word));
  };
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const FIRST_LETTER = /^[\p{L}\p{M}\p{N}]/u;

function textOf(charge: Charge): string {
  const { charge_id, checkout_id, quote_id, provider_reference, customer_email, customer_name, metadata } =
    charge;
  const fields = [charge_id, checkout_id, quote_id, provider_reference, customer_email, customer_name];
  return [...fields, ...Object.values(metadata)].join("\n").toLowerCase();
}

function beginsIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (at === 0 || !LETTER.test(text[at - 1]!) || !FIRST_LETTER.test(word)) return true;
  return false;
}
