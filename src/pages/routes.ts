import type { Context } from "hono";
import type { Namespaces } from "../core/namespace/namespaces.js";
import { lazily } from "../core/schema/lazily.js";
import type { ActionName } from "./actions.js";

type Handle = (c: Context) => Promise<Response>;

export interface PageRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handle: Handle;
}

const ACTION_NAMES: readonly ActionName[] = ["method", "paid", "cancel", "outcome"];

/** The hosted checkout. The pages themselves are loaded with the first request for one: a start is not to pay for them. */
export function pageRoutes(namespaces: Namespaces): PageRoute[] {
  const load = () => lazily(() => import("./checkout.js"));
  const id = (c: Context): string => c.req.param("checkout_id") ?? "";
  const get = (path: string, name: "showCheckout" | "checkoutStatus" | "backToPage"): PageRoute => ({
    method: "GET",
    path,
    handle: async (c) => (await load())[name](namespaces, c.req.raw, id(c)),
  });
  const post = (action: ActionName): PageRoute => ({
    method: "POST",
    path: `/checkout/:checkout_id/${action}`,
    handle: async (c) => (await load()).actOnCheckout(namespaces, c.req.raw, id(c), action),
  });
  return [
    get("/checkout/:checkout_id", "showCheckout"),
    get("/checkout/:checkout_id/status", "checkoutStatus"),
    ...ACTION_NAMES.flatMap((name) => [get(`/checkout/:checkout_id/${name}`, "backToPage"), post(name)]),
  ];
}
