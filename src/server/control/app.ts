import type { Context, Hono } from "hono";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { refuse } from "../../core/schema/errors.js";
import { lazily } from "../../core/schema/lazily.js";
import { iso } from "../../core/schema/time.js";
import { errorReply, responseOf, type SerializedResponse, toResponse } from "../http/reply.js";
import { type Handle, Routes } from "../http/routes.js";
import type { DescribeOptions } from "../openapi/serve.js";
import { CONTROL_OPERATIONS } from "./operations.js";
import { type ControlInProcess, type ControlWays, controlInProcess, serveControl } from "./serve.js";
import { serveStream } from "./stream.js";

/** The control API, with the dashboard and its own documents. */
export interface ControlApp {
  readonly app: Hono;
  /** Its calls without HTTP, for callers in this process. */
  readonly inProcess: ControlInProcess;
}

export interface ControlAppOptions {
  readonly described: DescribeOptions;
  readonly ways: ControlWays;
  /** Serves a page once the state that it shows is saved. */
  readonly page: (handle: Handle) => Handle;
  /** Called for every response 500. */
  readonly onError: (error: unknown) => void;
  /** Reports an error and makes its response. */
  readonly failed: (error: unknown, path: string) => SerializedResponse;
}

/**
 * Every route under /_sandbox, in an app of its own: some paths have a word where another has a parameter, which Hono's
 * fast router refuses, and one such path would put the service's calls on the slow router too.
 */
export function createControlApp({ described, ways, page, onError, failed }: ControlAppOptions): ControlApp {
  const { namespaces } = described;
  const routes = new Routes();
  for (const operation of CONTROL_OPERATIONS)
    routes.add(operation.method, operation.path, serveControl(namespaces, operation, ways));
  routes.add("GET", "/_sandbox/stream", serveStream(namespaces));
  routes.add("GET", "/_sandbox/docs", async (c) =>
    (await lazily(() => import("../../pages/docs.js"))).serveControlDocs(described, c),
  );
  routes.add("GET", "/_sandbox/openapi.json", async (c) =>
    (await lazily(() => import("../openapi/serve.js"))).serveDocument("control", described, c),
  );
  addDashboard(routes, namespaces, ways, page);
  routes.app
    .notFound(({ req: { path, method } }) => {
      const allow = routes.allowedAt(path);
      const reply =
        allow === undefined
          ? errorReply(refuse("NOT_FOUND", `There is nothing at ${path}`))
          : errorReply(refuse("METHOD_NOT_ALLOWED", `${method} is not allowed at ${path}`), { allow });
      return toResponse(reply, namespaces.nowMs());
    })
    .onError((error, c) => responseOf(failed(error, c.req.path)));
  return {
    app: routes.app,
    inProcess: controlInProcess({ namespaces, operations: CONTROL_OPERATIONS, ways, onError }),
  };
}

function addDashboard(
  routes: Routes,
  namespaces: Namespaces,
  { fetch }: ControlWays,
  page: ControlAppOptions["page"],
): void {
  const load = () => lazily(() => import("../../pages/dashboard/serve.js"));
  const show = page(async (c) => (await load()).showDashboard(namespaces, c));
  const act = page(async (c) => (await load()).actOnDashboard(namespaces, fetch, c));
  for (const kind of ["css", "js"] as const)
    routes.add(
      "GET",
      `/_sandbox/dashboard.${kind}`,
      page(async () => (await load()).dashboardFile(namespaces, kind)),
    );
  for (const below of ["", "/:namespace", "/:namespace/:view", "/:namespace/:view/:id"]) {
    routes.add("GET", `/_sandbox/dashboard${below}`, show);
    routes.add("GET", `/_sandbox/dashboard${below}/`, (c) => withoutSlash(c, namespaces.nowMs()));
  }
  for (const below of ["", "/:namespace"]) routes.add("POST", `/_sandbox/dashboard${below}`, act);
}

/** Redirects a typed address with a trailing slash. */
function withoutSlash(c: Context, nowMs: number): Response {
  const { pathname, search } = new URL(c.req.url);
  return new Response(null, {
    status: 302,
    headers: { location: `${pathname.slice(0, -1)}${search}`, "sandbox-now": iso(nowMs) },
  });
}
