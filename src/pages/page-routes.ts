/**
 * The HTML pages: checkout for customers, dashboard for developers, reference for API documentation. The server mounts
 * them by this table and loads their code with the first request, to keep startup short. A handler takes a request and
 * returns a response of escaped markup (html.ts, page-shell.ts). Pages change records only by commands and API calls.
 */
import type { Context } from "hono";
import type { Namespaces } from "../core/namespace/namespaces.js";
import { relativeUrl } from "../core/schema/text-format.js";
import { iso } from "../core/schema/time.js";
import { loadLazily } from "../core/time/load-lazily.js";
import type { PageRoute, Pages } from "../server/http/app.js";
import type { CheckoutActionName } from "./checkout/page-model.js";

const ACTION_NAMES: readonly CheckoutActionName[] = ["method", "paid", "cancel", "outcome"];

export const PAGES: Pages = {
  service: (options) => [
    ...checkoutRoutes(options.namespaces),
    get("/docs", async (c) =>
      (await loadLazily(() => import("./reference/reference-page.js"))).serveDocs(options, c),
    ),
  ],
  control: (options, fetch) => [
    get("/_sandbox/docs", async (c) =>
      (await loadLazily(() => import("./reference/reference-page.js"))).serveControlDocs(options, c),
    ),
    ...dashboardRoutes(options.namespaces, fetch),
  ],
};

function get(path: string, handle: PageRoute["handle"]): PageRoute {
  return { method: "GET", path, handle };
}

function checkoutRoutes(namespaces: Namespaces): PageRoute[] {
  const load = () => loadLazily(() => import("./checkout/checkout-handlers.js"));
  const id = (c: Context): string => c.req.param("checkout_id") ?? "";
  const show = (
    path: string,
    name: "serveCheckoutPage" | "serveCheckoutStatus" | "redirectToCheckoutPage",
  ): PageRoute => get(path, async (c) => (await load())[name](namespaces, c.req.raw, id(c)));
  const act = (action: CheckoutActionName): PageRoute => ({
    method: "POST",
    path: `/checkout/:checkout_id/${action}`,
    handle: async (c) => (await load()).actOnCheckout(namespaces, c.req.raw, id(c), action),
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

function dashboardRoutes(
  namespaces: Namespaces,
  fetch: (request: Request) => Promise<Response>,
): PageRoute[] {
  const load = () => loadLazily(() => import("./dashboard/dashboard-handlers.js"));
  return [
    ...(["css", "js"] as const).map((kind) =>
      get(`/_sandbox/dashboard.${kind}`, async () => (await load()).serveDashboardFile(namespaces, kind)),
    ),
    ...["", "/:namespace", "/:namespace/:view", "/:namespace/:view/:id"].flatMap((below) => [
      get(`/_sandbox/dashboard${below}`, async (c) => (await load()).serveDashboardPage(namespaces, c)),
      get(`/_sandbox/dashboard${below}/`, async (c) => withoutSlash(c, namespaces.nowMs())),
    ]),
    ...["", "/:namespace"].map(
      (below): PageRoute => ({
        method: "POST",
        path: `/_sandbox/dashboard${below}`,
        handle: async (c) => (await load()).actOnDashboard(namespaces, fetch, c),
      }),
    ),
  ];
}

/** Redirects to the same path without the trailing slash. */
function withoutSlash(c: Context, nowMs: number): Response {
  const { pathname, search } = new URL(c.req.url);
  const path = pathname.slice(0, -1);
  return new Response(null, {
    status: 302,
    headers: { location: `${relativeUrl(pathname, path)}${search}`, "sandbox-now": iso(nowMs) },
  });
}
