import type { PricingTerms } from "../domain/pricing.js";
import type { CurrencyFixture, MethodFixture } from "../schema/fixtures.js";
import type { State } from "./state.js";
import type { Transaction } from "./transaction.js";

/** Units of the currency per US dollar: the changed rate, else the fixtures'. */
export function rateOf(state: State, currency: CurrencyFixture): string {
  return state.get("rates", currency.code)?.rate ?? currency.rate;
}

export function termsFor(
  tx: Transaction,
  baseCurrency: string,
  target: CurrencyFixture,
  method: MethodFixture,
): PricingTerms {
  return {
    base_rate: rateOf(tx.state, tx.catalogue.knownCurrency(baseCurrency)),
    target_rate: rateOf(tx.state, target),
    decimals: target.decimals,
    platform_percent: method.fees.platform_percent,
    gateway_percent: method.fees.gateway_percent,
  };
}
