import type { Catalogue } from "../core/domain/catalogue.js";
import type { Charge } from "../core/domain/charge.js";
import type { Price } from "../core/domain/pricing.js";
import { offers } from "../core/engine/commands/methods.js";
import type { Namespace } from "../core/namespace/namespace.js";
import type { ChargeStatus } from "../core/schema/common.js";
import type { CurrencyFixture, MethodFixture } from "../core/schema/fixtures.js";
import { STATUSES } from "../core/schema/statuses.js";
import type { Links } from "./links.js";

/** Everything a view shows: the charge, and the moment it is shown at. */
export interface Page {
  readonly charge: Charge;
  /** The name of the namespace it is in. */
  readonly namespace: string;
  /** Whether the customer has said that the payment is on its way. */
  readonly isWaiting: boolean;
  readonly catalogue: Catalogue;
  readonly merchant: string;
  readonly links: Links;
  /** Where the customer goes from here, if the shop said so. */
  readonly shop: string | undefined;
  readonly nowMs: number;
  readonly remainingMs: number;
  /** Sandbox milliseconds for one of wall time; 0 on a clock that stands still. */
  readonly speed: number;
  /** What could not be done, when this answers a form. */
  readonly problem: string | undefined;
  readonly fields: FieldState;
  /** What the quote the checkout was made with is for. */
  readonly quoted: { readonly method: string; readonly currency: string } | undefined;
  /** What the charge becomes next, if nobody interferes; undefined where nothing is planned. */
  readonly next: { readonly to: ChargeStatus; readonly dueMs: number } | undefined;
  /** What can be chosen from; empty once it has been. */
  readonly offers: readonly Offer[];
}

/** A form as it was sent, and what is wrong with it, by the name of the field. */
export interface FieldState {
  readonly sent: URLSearchParams | undefined;
  readonly faults: Readonly<Record<string, string>>;
}

export const UNTOUCHED: FieldState = { sent: undefined, faults: {} };

export function needsMethod(charge: Charge): boolean {
  return charge.status === "PENDING" && charge.payment_method === null;
}

export function canBecome(charge: Charge, status: ChargeStatus): boolean {
  return STATUSES[charge.status].next.includes(status);
}

/** What amounts are written with: a crypto currency by its asset, the network is named beside it. */
export function unit(catalogue: Catalogue, code: string): string {
  return catalogue.currency(code)?.asset ?? code;
}

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
