import { type ErrorDetails, invalid, type Refusal } from "../../schema/errors.js";
import type { Command } from "../transaction.js";

/** Sets rates, all or none: units of each currency for one US dollar. */
export function setRates(rates: Readonly<Record<string, string>>): Command<Refusal | undefined> {
  return (tx) => {
    const details: ErrorDetails = {};
    for (const code of Object.keys(rates))
      if (tx.catalogue.currency(code) === undefined) details[code] = "is not a currency";
      else if (code === "USD") details[code] = "is what the others are measured in";
    if (Object.keys(details).length > 0) return invalid(details);
    for (const [code, rate] of Object.entries(rates)) tx.put("rates", code, { code, rate });
    return undefined;
  };
}
