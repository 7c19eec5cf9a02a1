import { setRates } from "../../engine/commands/rates.js";
import { rateOf } from "../../engine/market.js";
import { ratesRequestSchema } from "../../schema/control.js";
import { invalid, isRefusal, type Refusal } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

/** Units of each currency for one US dollar, as they stand now. */
export function getRates({ namespace }: ControlCall): Reply {
  const { catalogue, state } = namespace.engine;
  return ok({
    rates: Object.fromEntries(
      catalogue.fixtures.currencies.map((currency) => [currency.code, rateOf(state, currency)]),
    ),
  });
}

/** Changes the market: `{"rates": {"NGN": "1600"}}`, or the rates alone. Quotes keep the rate they were made at. */
export function putRates(call: ControlCall): Reply | Refusal {
  const { rates: nested } = call.body;
  const rates = typeof nested === "object" && nested !== null ? nested : call.body;
  const checked = check(ratesRequestSchema, rates);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const refusal = call.namespace.execute(setRates(checked.data));
  return isRefusal(refusal) ? refusal : getRates(call);
}
