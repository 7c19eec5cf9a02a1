import type { Charge } from "../../core/domain/charge-transition.js";
import { isPaid } from "../../core/schema/statuses.js";

/** Relative URLs of the checkout's pages and actions. */
export interface CheckoutLinks {
  readonly page: string;
  readonly waiting: string;
  readonly status: string;
  dashboard(namespace: string): string;
  action(name: "method" | "paid" | "cancel" | "outcome"): string;
}

/**
 * Links are relative, so they work behind a proxy with a path prefix.
 * @param from the response's URL: `/checkout/ID` or, one level deeper, `/checkout/ID/ACTION`
 */
export function linksFrom(checkoutId: string, from: "page" | "action"): CheckoutLinks {
  const page = `${from === "page" ? "" : "../"}${encodeURIComponent(checkoutId)}`;
  return {
    page,
    waiting: `${page}?waiting=1`,
    status: `${page}/status`,
    dashboard: (namespace) =>
      `${from === "page" ? "" : "../"}../_sandbox/dashboard/${encodeURIComponent(namespace)}`,
    action: (name) => `${page}/${name}`,
  };
}

/**
 * URL of the shop with `checkout_id`, `charge_id` and `status` added to its query; undefined if the shop gave none.
 * Other parameters and the fragment stay byte for byte.
 */
export function shopUrl(charge: Charge): string | undefined {
  return withOutcome(isPaid(charge.status) ? charge.success_url : charge.cancel_url, charge);
}

function withOutcome(address: string | null, charge: Charge): string | undefined {
  // The API accepts http and https only, but an imported state may hold anything.
  if (address === null || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const added = new URLSearchParams({
    checkout_id: charge.checkout_id,
    charge_id: charge.charge_id,
    status: charge.status,
  });
  const otherParams = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && ![...new URLSearchParams(pair).keys()].some((name) => added.has(name)));
  url.search = [...otherParams, added.toString()].join("&");
  return url.href;
}
