import { computePrice, type Price, type Pricing } from "../domain/pricing.js";
import type { CurrencyFixture, MethodFixture } from "../schema/fixtures-file.js";
import { type ErrorDetails, type Refusal, refuseInvalid } from "../schema/refusals.js";
import type { State } from "./state.js";
import type { Command, Transaction } from "./transaction.js";

/** Units of the currency per US dollar: the rate set at run time, else the fixtures' rate. */
export function usdRateOf(state: State, currency: CurrencyFixture): string {
  return state.get("rates", currency.code)?.rate ?? currency.rate;
}

/** Prices an amount in the target currency at current exchange rates. */
export function currentPrice(
  tx: Transaction,
  pricing: Pricing,
  target: CurrencyFixture,
  method: MethodFixture,
): Price {
  return computePrice(pricing, target.code, {
    base_rate: usdRateOf(tx.state, tx.catalogue.requireCurrency(pricing.base_currency)),
    target_rate: usdRateOf(tx.state, target),
    decimals: target.decimals,
    platform_percent: method.fees.platform_percent,
    gateway_percent: method.fees.gateway_percent,
  });
}

/** Sets rates, all or none: units of each currency per US dollar. */
export function setRates(rates: Readonly<Record<string, string>>): Command<Refusal | undefined> {
  return (tx) => {
    const details: ErrorDetails = {};
    for (const code of Object.keys(rates))
      if (tx.catalogue.currency(code) === undefined) details[code] = "is not a currency";
      else if (code === "USD") details[code] = "is what the others are measured in";
    if (Object.keys(details).length > 0) return refuseInvalid(details);
    for (const [code, rate] of Object.entries(rates)) tx.put("rates", code, { code, rate });
    return undefined;
  };
}
