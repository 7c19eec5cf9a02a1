import type { CurrencyFixture } from "../../schema/fixtures.js";
import type { QuoteBody } from "../../schema/requests.js";
import type { Catalogue } from "../catalogue.js";
import type { Pricing } from "../pricing.js";
import { type BodyCheck, checkAmount, oneOf } from "./body-check.js";

/** The pricing object, canonical; undefined when something about it is wrong. */
export function checkPricing<Body extends { pricing: QuoteBody["pricing"] }>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
): Pricing | undefined {
  const pricing = body.field("pricing") as Partial<QuoteBody["pricing"]> | undefined;
  if (typeof pricing !== "object" || pricing === null) return undefined;
  const known = (code: string, path: string): CurrencyFixture | undefined => {
    const currency = catalogue.currency(code);
    if (currency === undefined)
      body.fault(path, oneOf(catalogue.fixtures.currencies.map((one) => one.code).sort()));
    return currency;
  };
  const base =
    body.isRight("pricing.base_currency") && typeof pricing.base_currency === "string"
      ? known(pricing.base_currency, "pricing.base_currency")
      : undefined;
  const amount = base && checkAmount(body, "pricing.amount", pricing.amount, base);
  const local = body.isRight("pricing.local_pricing") ? pricing.local_pricing : undefined;
  const localPricing: Record<string, string> = {};
  let localIsRight = true;
  if (typeof local === "object" && local !== null) {
    if (base !== undefined && base.code !== "USD")
      body.fault("pricing.local_pricing", "is allowed only when base_currency is USD");
    for (const [code, localAmount] of Object.entries(local)) {
      const path = `pricing.local_pricing.${code}`;
      const currency = known(code, path);
      const canonical = currency && checkAmount(body, path, localAmount, currency);
      if (canonical === undefined) localIsRight = false;
      else localPricing[code] = canonical;
    }
  }
  if (base === undefined || amount === undefined || !localIsRight) return undefined;
  return {
    base_currency: base.code,
    amount,
    ...(Object.keys(localPricing).length === 0 ? {} : { local_pricing: localPricing }),
  };
}
