import type { Context } from "hono";
import type { Namespaces } from "../core/namespace/namespaces.js";
import { lazily } from "../core/schema/lazily.js";
import { iso } from "../core/schema/time.js";
import type { PageRoute, Pages } from "../server/http/app.js";
import type { ActionName } from "./actions.js";

const ACTION_NAMES: readonly ActionName[] = ["method", "paid", "cancel", "outcome"];

/** Every page. Their code is loaded with the first request for one, to keep starts short. */
export const PAGES: Pages = {
  service: (described) => [
    ...checkoutRoutes(described.namespaces),
    get("/docs", async (c) => (await lazily(() => import("./reference/page.js"))).serveDocs(described, c)),
  ],
  control: (described, fetch) => [
    get("/_sandbox/docs", async (c) =>
      (await lazily(() => import("./reference/page.js"))).serveControlDocs(described, c),
    ),
    ...dashboardRoutes(described.namespaces, fetch),
  ],
};

function get(path: string, handle: PageRoute["handle"]): PageRoute {
  return { method: "GET", path, handle };
}

function checkoutRoutes(namespaces: Namespaces): PageRoute[] {
  const load = () => lazily(() => import("./checkout.js"));
  const id = (c: Context): string => c.req.param("checkout_id") ?? "";
  const show = (path: string, name: "showCheckout" | "checkoutStatus" | "backToPage"): PageRoute =>
    get(path, async (c) => (await load())[name](namespaces, c.req.raw, id(c)));
  const act = (action: ActionName): PageRoute => ({
    method: "POST",
    path: `/checkout/:checkout_id/${action}`,
    handle: async (c) => (await load()).actOnCheckout(namespaces, c.req.raw, id(c), action),
  });
  return [
    show("/checkout/:checkout_id", "showCheckout"),
    show("/checkout/:checkout_id/status", "checkoutStatus"),
    ...ACTION_NAMES.flatMap((name) => [show(`/checkout/:checkout_id/${name}`, "backToPage"), act(name)]),
  ];
}

function dashboardRoutes(
  namespaces: Namespaces,
  fetch: (request: Request) => Promise<Response>,
): PageRoute[] {
  const load = () => lazily(() => import("./dashboard/serve.js"));
  return [
    ...(["css", "js"] as const).map((kind) =>
      get(`/_sandbox/dashboard.${kind}`, async () => (await load()).dashboardFile(namespaces, kind)),
    ),
    ...["", "/:namespace", "/:namespace/:view", "/:namespace/:view/:id"].flatMap((below) => [
      get(`/_sandbox/dashboard${below}`, async (c) => (await load()).showDashboard(namespaces, c)),
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

/** Redirects a path with a trailing slash. */
function withoutSlash(c: Context, nowMs: number): Response {
  const { pathname, search } = new URL(c.req.url);
  return new Response(null, {
    status: 302,
    headers: { location: `${pathname.slice(0, -1)}${search}`, "sandbox-now": iso(nowMs) },
  });
}
