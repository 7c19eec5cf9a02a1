import type { Context } from "hono";
import { relativeUrl } from "../../core/schema/text-format.js";
import { iso } from "../../core/schema/time.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import type { PageRoute } from "../../server/http/app.js";
import type { PageHost } from "../../server/http/page-host.js";
import { get, type PageFamily } from "../page-route.js";

/** The dashboard of a namespace, for developers. */
export const DASHBOARD: PageFamily = { control: dashboardRoutes };

const load = () => loadLazily(() => import("./dashboard-handlers.js"));

function dashboardRoutes(host: PageHost): PageRoute[] {
  return [
    ...(["css", "js"] as const).map((kind) =>
      get(`/_sandbox/dashboard.${kind}`, async () => (await load()).serveDashboardFile(host, kind)),
    ),
    ...["", "/:namespace", "/:namespace/:view", "/:namespace/:view/:id"].flatMap((below) => [
      get(`/_sandbox/dashboard${below}`, async (c) => (await load()).serveDashboardPage(host, c)),
      get(`/_sandbox/dashboard${below}/`, async (c) => withoutSlash(c, host.nowMs())),
    ]),
    ...["", "/:namespace"].map(
      (below): PageRoute => ({
        method: "POST",
        path: `/_sandbox/dashboard${below}`,
        handle: async (c) => (await load()).actOnDashboard(host, c),
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
