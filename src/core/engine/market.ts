import { compareAmounts } from "../domain/money.js";
import { computePrice, type Price, type Pricing } from "../domain/pricing.js";
import type { CurrencyFixture, MethodFixture } from "../schema/fixtures-file.js";
import { didYouMean } from "../schema/nearest.js";
import { type ErrorDetails, type Refusal, refuseInvalid } from "../schema/refusals.js";
import type { Quote } from "./records.js";
import type { State } from "./state.js";
import type { Command, ReadContext } from "./transaction.js";

/** Units of the currency per US dollar: the rate set at run time, else the fixtures' rate. */
export function usdRateOf(state: State, currency: CurrencyFixture): string {
  return state.get("rates", currency.code)?.rate ?? currency.rate;
}

export function currentPrice(
  context: ReadContext,
  pricing: Pricing,
  target: CurrencyFixture,
  method: MethodFixture,
): Price {
  return computePrice(pricing, target.code, {
    base_rate: usdRateOf(context.state, context.catalogue.requireCurrency(pricing.base_currency)),
    target_rate: usdRateOf(context.state, target),
    decimals: target.decimals,
    platform_percent: method.fees.platform_percent,
    gateway_percent: method.fees.gateway_percent,
  });
}

/** Price of a checkout that leaves no choice: its quote's, or that of its only method in its only currency. */
export function priceAtCreation(
  context: ReadContext,
  pricing: Pricing,
  methods: readonly string[],
  quote: Quote | undefined,
): PriceAtCreation | undefined {
  if (quote !== undefined) return quote;
  const method = methods.length === 1 ? context.catalogue.method(methods[0]!) : undefined;
  if (method?.currencies.length !== 1) return undefined;
  const currency = context.catalogue.requireCurrency(method.currencies[0]!);
  return { ...currentPrice(context, pricing, currency, method), currency: currency.code };
}

export type PriceAtCreation = Price & Pick<Quote, "currency">;

/** Amount of a hosted charge without a price, in the base currency; exchange rates have no effect on it. */
export function amountBeforeMethod(
  context: ReadContext,
  pricing: Pricing,
  methods: readonly string[],
): string {
  const setting = context.settings.amount_before_method;
  if (setting === "base") return pricing.amount;
  const base = context.catalogue.requireCurrency(pricing.base_currency);
  const amounts = methods.flatMap((id) => {
    const method = context.catalogue.method(id);
    return method === undefined ? [] : [currentPrice(context, pricing, base, method).amount];
  });
  return amounts.sort(compareAmounts).at(setting === "cheapest" ? 0 : -1) ?? pricing.amount;
}

/** Sets rates, all or none: units of each currency per US dollar. */
export function setRates(rates: Readonly<Record<string, string>>): Command<Refusal | undefined> {
  return (tx) => {
    const details: ErrorDetails = {};
    const known = tx.catalogue.fixtures.currencies.map(({ code }) => code);
    for (const code of Object.keys(rates))
      if (!known.includes(code)) details[`rates.${code}`] = `is not a currency${didYouMean(code, known)}`;
      else if (code === "USD") details["rates.USD"] = "is what the others are measured in";
    if (Object.keys(details).length > 0) return refuseInvalid(details);
    for (const [code, rate] of Object.entries(rates)) tx.put("rates", code, { code, rate });
    return undefined;
  };
}
