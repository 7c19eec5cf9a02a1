import type { Context } from "hono";
import { loadLazily } from "../../core/time/load-lazily.js";
import type { PageRoute } from "../../server/http/app.js";
import type { PageHost } from "../../server/http/page-host.js";
import { get, type PageFamily } from "../page-route.js";
import type { CheckoutActionName } from "./page-model.js";

const ACTION_NAMES: readonly CheckoutActionName[] = ["method", "paid", "cancel", "outcome"];

/** The hosted checkout. */
export const CHECKOUT: PageFamily = { service: checkoutRoutes };

const load = () => loadLazily(() => import("./checkout-handlers.js"));

function checkoutRoutes(host: PageHost): PageRoute[] {
  const id = (c: Context): string => c.req.param("checkout_id") ?? "";
  const show = (
    path: string,
    name: "serveCheckoutPage" | "serveCheckoutStatus" | "redirectToCheckoutPage",
  ): PageRoute => get(path, async (c) => (await load())[name](host, c.req.raw, id(c)));
  const act = (action: CheckoutActionName): PageRoute => ({
    method: "POST",
    path: `/checkout/:checkout_id/${action}`,
    handle: async (c) => (await load()).actOnCheckout(host, c.req.raw, id(c), action),
  });
  return [
    show("/checkout/:checkout_id", "serveCheckoutPage"),
    show("/checkout/:checkout_id/", "redirectToCheckoutPage"),
    show("/checkout/:checkout_id/status", "serveCheckoutStatus"),
    ...ACTION_NAMES.flatMap((name) => [
      show(`/checkout/:checkout_id/${name}`, "redirectToCheckoutPage"),
      act(name),
    ]),
  ];
}
