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
        summary: "Get exchange rates",
        about: "Units of each currency for one US dollar, as of now.",
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
        summary: "Set exchange rates",
        body: "RatesRequest",
        about: "Other rates keep their values; existing quotes keep their rates.",
        example: { rates: { NGN: "1600" } },
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

/** Units of each currency for one US dollar, as of now. */
function ratesOf({ engine: { catalogue, state } }: Namespace) {
  const rates = catalogue.fixtures.currencies.map((currency) => [currency.code, rateOf(state, currency)]);
  return { rates: Object.fromEntries(rates) as Record<string, string> };
}
