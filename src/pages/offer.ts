import type { Charge } from "../core/domain/charge.js";
import type { Price } from "../core/domain/pricing.js";
import { offers } from "../core/engine/commands/methods.js";
import type { Namespace } from "../core/namespace/namespace.js";
import type { CurrencyFixture, MethodFixture } from "../core/schema/fixtures.js";

/** A method with what it comes to in each of its currencies. */
export interface Offer {
  readonly method: MethodFixture;
  readonly prices: readonly { readonly currency: CurrencyFixture; readonly price: Price }[];
}

/** What the customer may choose from, method by method; asked as a command that writes nothing. */
export function offersFor(namespace: Namespace, charge: Charge): Offer[] {
  const byMethod = new Map<string, { method: MethodFixture; prices: Offer["prices"][number][] }>();
  for (const { method, currency, price } of namespace.execute((tx) => offers(tx, charge))) {
    const offer = byMethod.get(method.id) ?? { method, prices: [] };
    offer.prices.push({ currency, price });
    byMethod.set(method.id, offer);
  }
  return [...byMethod.values()];
}
