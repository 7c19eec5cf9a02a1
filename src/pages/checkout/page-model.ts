import type {
  ControlCheckout,
  Offer,
  ShownCurrency,
  ShownMethod,
} from "../../core/schema/control-checkout-responses.js";
import type { ControlCharge } from "../../core/schema/control-responses.js";
import { hasEnded, isPaid, isRefunded } from "../../core/schema/statuses.js";

/** Data of a checkout page at one moment. */
export interface CheckoutPage {
  readonly checkout: ControlCheckout;
  /** With the price of the only offer, if there is one. */
  readonly charge: ControlCharge;
  readonly namespace: string;
  /** True once the customer has confirmed the payment. */
  readonly isWaiting: boolean;
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
  /** Methods to choose from; empty once chosen. */
  readonly offers: readonly MethodOffer[];
}

/** A method with its price in each currency. */
export interface MethodOffer {
  readonly method: ShownMethod;
  readonly prices: readonly OfferPrice[];
}
export interface OfferPrice {
  readonly currency: ShownCurrency;
  readonly price: Offer;
}

/** Returns true if the customer has yet to choose a method. */
export function needsChoice({ status, payment_method }: ControlCharge): boolean {
  return status === "PENDING" && payment_method === null;
}

export function methodOf({ methods }: ControlCheckout, id: string | null): ShownMethod | undefined {
  return methods.find((method) => method.id === id);
}

export function currencyOf({ currencies }: ControlCheckout, code: string): ShownCurrency | undefined {
  return currencies.find((currency) => currency.code === code);
}

/** Unit shown beside an amount: the asset of a crypto currency, else the currency's code. */
export function displayUnit({ checkout }: Pick<CheckoutPage, "checkout">, code: string): string {
  return currencyOf(checkout, code)?.asset ?? code;
}

/** `USDT on Tron (TRC20)`; the name alone of a currency with its own network. */
export function currencyName({ name, asset, network }: ShownCurrency): string {
  return !network || network === asset ? name : `${name.replace(/^.+(?= on )/, asset!)} (${network})`;
}

/** True once the customer knows where to send money: only a card is charged by the service itself. */
export function mayHaveSentMoney({ charge }: CheckoutPage): boolean {
  return (charge.payment_instructions?.type ?? "card") !== "card";
}

/** Money that went back to the customer, as a receipt names it. */
export const RETURNS = {
  partial_refund: "Refunded",
  refund: "Refunded",
  chargeback: "Charged back",
} as const;

export function isChargedBack({ checkout }: CheckoutPage): boolean {
  return checkout.returns.some(({ kind }) => kind === "chargeback");
}

/** The prices of each method. */
export function offersByMethod(checkout: ControlCheckout): MethodOffer[] {
  return checkout.methods.flatMap((method) => {
    const prices = checkout.offers
      .filter(({ payment_method }) => payment_method === method.id)
      .map((price) => ({ price, currency: currencyOf(checkout, price.currency)! }));
    return prices.length === 0 ? [] : [{ method, prices }];
  });
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
export function shopUrl({ charge, success_url, cancel_url }: ControlCheckout): string | undefined {
  const { checkout_id, charge_id, status } = charge;
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
