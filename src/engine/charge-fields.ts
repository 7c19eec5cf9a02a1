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
