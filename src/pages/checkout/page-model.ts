import type { Catalogue } from "../../core/domain/catalogue.js";
import type { Charge } from "../../core/domain/charge-transition.js";
import type { Price } from "../../core/domain/pricing.js";
import { paymentOffers } from "../../core/engine/commands/methods.js";
import type { PlannedMove } from "../../core/engine/look-ahead.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { ChargeStatus } from "../../core/schema/common.js";
import type { CurrencyFixture, MethodFixture } from "../../core/schema/fixtures-file.js";
import { hasEnded, isPaid, isRefunded } from "../../core/schema/statuses.js";

/** Data of a checkout page at one moment. */
export interface CheckoutPage {
  readonly charge: Charge;
  readonly namespace: string;
  /** True once the customer has confirmed the payment. */
  readonly isWaiting: boolean;
  readonly catalogue: Catalogue;
  readonly merchant: string;
  readonly links: ReturnType<typeof checkoutLinks>;
  /** URL of the shop to return to, if given. */
  readonly shop: string | undefined;
  readonly nowMs: number;
  /** Sandbox milliseconds per millisecond of wall time; 0 if the clock is frozen. */
  readonly speed: number;
  /** Error of the submitted form as a whole. */
  readonly problem?: string | undefined;
  /** True if the sandbox panel sent the form, and shows the error. */
  readonly isPanelProblem?: boolean;
  readonly submitted?: URLSearchParams;
  /** Error of each invalid field of the submitted form. */
  readonly errors: Readonly<Record<string, string>>;
  /** Statuses that the sandbox panel may set. */
  readonly settable: readonly ChargeStatus[];
  /** Refunds and the chargeback. */
  readonly returns: ReturnType<typeof returnsOf>;
  /** The status of an ended charge and its cause: `FAILED, declined: customer_email matches declined@*`. */
  readonly cause: string | undefined;
  readonly planned: readonly PlannedMove[];
  /** Methods to choose from; empty once chosen. */
  readonly offers: readonly Offer[];
}

/** Unit shown beside an amount: the asset of a crypto currency, else the currency's code. */
export function displayUnit(catalogue: Catalogue, code: string): string {
  return catalogue.currency(code)?.asset ?? code;
}

/** `USDT on Tron (TRC20)`; the name alone of a currency with its own network. */
export function currencyName({ name, asset, network }: CurrencyFixture): string {
  return !network || network === asset ? name : `${name.replace(/^.+(?= on )/, asset!)} (${network})`;
}

/** True once the customer knows where to send money: only a card is charged by the service itself. */
export function mayHaveSentMoney({ charge }: CheckoutPage): boolean {
  return (charge.payment_instructions?.type ?? "card") !== "card";
}

/** A method with its price in each currency. */
export interface Offer {
  readonly method: MethodFixture;
  readonly prices: readonly OfferPrice[];
}
export interface OfferPrice {
  readonly currency: CurrencyFixture;
  readonly price: Price;
}

/** Ledger entries that return money to the customer, as a receipt names them. */
export const RETURNS: Readonly<Record<string, string>> = {
  partial_refund: "Refunded",
  refund: "Refunded",
  chargeback: "Charged back",
};

export function returnsOf({ engine }: Namespace, charge: Charge) {
  const entries = engine.state.entriesOf(charge.charge_id).filter(({ kind }) => Object.hasOwn(RETURNS, kind));
  return entries.map(({ kind, at, postings }) => {
    const { amount } = postings.find(({ account }) => account === "outside")!;
    return { kind, at, amount };
  });
}

export function isChargedBack({ returns }: CheckoutPage): boolean {
  return returns.some(({ kind }) => kind === "chargeback");
}

/** Prices every method that the charge offers, in a read-only command. */
export function priceMethods(namespace: Namespace, charge: Charge): Offer[] {
  const byMethod = new Map<string, { method: MethodFixture; prices: OfferPrice[] }>();
  for (const { method, currency, price } of namespace.execute((tx) => paymentOffers(tx, charge))) {
    const offer = byMethod.get(method.id) ?? { method, prices: [] };
    offer.prices.push({ currency, price });
    byMethod.set(method.id, offer);
  }
  return [...byMethod.values()];
}

export type CheckoutActionName = "method" | "paid" | "cancel" | "outcome";

/**
 * URLs of the checkout's pages and actions. They are relative, so they work behind a proxy with a path prefix.
 * `from` is "page" for a response at `/checkout/ID`, and "action" for a response at `/checkout/ID/ACTION`.
 */
export function checkoutLinks(checkoutId: string, from: "page" | "action") {
  const up = from === "page" ? "" : "../";
  const page = `${up}${encodeURIComponent(checkoutId)}`;
  return {
    page,
    waiting: `${page}?waiting=1`,
    status: `${page}/status`,
    dashboard: (namespace: string) => `${up}../_sandbox/dashboard/${encodeURIComponent(namespace)}`,
    action: (name: CheckoutActionName) => `${page}/${name}`,
  };
}

/** The query that loads the same screen again. With `waiting`, the end of the charge redirects to the shop. */
export function sameScreen({ charge, isWaiting }: CheckoutPage): string {
  return hasEnded(charge.status) ? "" : `?waiting=${isWaiting ? 1 : 0}`;
}

/**
 * The shop's return URL with `checkout_id`, `charge_id` and `status` in the query. Other query parameters and the
 * fragment stay byte for byte. Undefined if the charge has no valid return URL.
 */
export function shopUrl(charge: Charge): string | undefined {
  const { checkout_id, charge_id, status, success_url, cancel_url } = charge;
  const address = isPaid(status) || isRefunded(status) ? success_url : cancel_url;
  // The API accepts http and https only, but an imported state may hold anything.
  if (address === null || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const added = new URLSearchParams({ checkout_id, charge_id, status });
  const otherParams = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && ![...new URLSearchParams(pair).keys()].some((name) => added.has(name)));
  url.search = [...otherParams, added.toString()].join("&");
  return url.href;
}
