import type { Charge } from "../core/domain/charge.js";
import { isPaid } from "../core/schema/statuses.js";

/** Where the page and its actions are, as the answer at hand has to write them. */
export interface Links {
  readonly page: string;
  readonly waiting: string;
  readonly status: string;
  /** The dashboard of a namespace. */
  dashboard(namespace: string): string;
  action(name: "method" | "paid" | "cancel" | "outcome"): string;
}

/**
 * All relative, so that they hold behind a public address with a path of its own too. An answer to
 * `/checkout/ID/ACTION` stands one step further down than the page itself.
 */
export function linksFrom(checkoutId: string, stands: "page" | "action"): Links {
  const page = `${stands === "page" ? "" : "../"}${encodeURIComponent(checkoutId)}`;
  return {
    page,
    waiting: `${page}?waiting=1`,
    status: `${page}/status`,
    dashboard: (namespace) =>
      `${stands === "page" ? "" : "../"}../_sandbox/dashboard/${encodeURIComponent(namespace)}`,
    action: (name) => `${page}/${name}`,
  };
}

/**
 * Back to the shop, with `checkout_id`, `charge_id` and `status` in the query; undefined when the shop gave no
 * address. What else is in the query stays as it was written, and so
 * does the fragment; parameters of the same names are replaced.
 */
export function shopUrl(charge: Charge): string | undefined {
  return withOutcome(isPaid(charge.status) ? charge.success_url : charge.cancel_url, charge);
}

function withOutcome(address: string | null, charge: Charge): string | undefined {
  // The API takes http and https only, but a state that was imported may hold anything.
  if (address === null || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const ours = new URLSearchParams({
    checkout_id: charge.checkout_id,
    charge_id: charge.charge_id,
    status: charge.status,
  });
  const kept = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && ![...new URLSearchParams(pair).keys()].some((name) => ours.has(name)));
  url.search = [...kept, ours.toString()].join("&");
  return url.href;
}
