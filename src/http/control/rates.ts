import { setRates } from "../../engine/commands/rates.js";
import { rateOf } from "../../engine/market.js";
import type { Namespace } from "../../namespace/namespace.js";
import { ratesRequestSchema } from "../../schema/control.js";
import { invalid } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { controlOperation } from "./operation.js";

export const RATES = [
  controlOperation(
    {
      id: "getRates",
      method: "GET",
      path: "/_sandbox/rates",
      answer: "Rates",
      says: {
        summary: "Read the market",
        about: "Units of each currency for one US dollar, as they stand now.",
      },
    },
    ({ namespace }) => ratesOf(namespace),
  ),
  controlOperation(
    {
      id: "setRates",
      method: "PUT",
      path: "/_sandbox/rates",
      answer: "Rates",
      says: {
        summary: "Change the market",
        body: "RatesRequest",
        about: "Rates that are not named stay, and so does what was quoted before.",
      },
    },
    ({ namespace, body }) => {
      const { rates: nested } = body;
      const rates = check(ratesRequestSchema, typeof nested === "object" && nested !== null ? nested : body);
      if (!rates.ok) return invalid(issueDetails(rates.issues));
      return namespace.execute(setRates(rates.data)) ?? ratesOf(namespace);
    },
  ),
];

/** Units of each currency for one US dollar, as they stand now. */
function ratesOf({ engine: { catalogue, state } }: Namespace) {
  const rates = catalogue.fixtures.currencies.map((currency) => [currency.code, rateOf(state, currency)]);
  return { rates: Object.fromEntries(rates) as Record<string, string> };
}
