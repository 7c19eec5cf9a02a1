import type { Context, Hono } from "hono";
import type { Namespaces } from "../../namespace/namespaces.js";
import { refuse } from "../../schema/errors.js";
import { lazily } from "../../schema/lazily.js";
import { iso } from "../../schema/time.js";
import type { DescribeOptions } from "../openapi/serve.js";
import { errorReply, responseOf, type Sent, toResponse } from "../reply.js";
import { type Handle, Routes } from "../routes.js";
import { CONTROL_OPERATIONS } from "./operations.js";
import { type ControlInProcess, type ControlWays, controlInProcess, serveControl } from "./serve.js";
import { serveStream } from "./stream.js";

/** The control API, with the dashboard and its own documents. */
export interface ControlApp {
  readonly app: Hono;
  /** Its calls for who is in this process. */
  readonly inProcess: ControlInProcess;
}

export interface ControlAppOptions {
  readonly described: DescribeOptions;
  readonly ways: ControlWays;
  /** Serves a page: whatever it shows is kept. */
  readonly page: (handle: Handle) => Handle;
  /** Told of every answer 500. */
  readonly onError: (error: unknown) => void;
  /** Tells of an error, and is what is answered then. */
  readonly failed: (error: unknown, path: string) => Sent;
}

/**
 * Every route under /_sandbox. Its paths are ones that Hono's fast router cannot tell apart (a word where another path
 * has a parameter); one such path among them would leave the service's calls to the slow one.
 */
export function createControlApp({ described, ways, page, onError, failed }: ControlAppOptions): ControlApp {
  const { namespaces } = described;
  const routes = new Routes();
  for (const operation of CONTROL_OPERATIONS)
    routes.add(operation.method, operation.path, serveControl(namespaces, operation, ways));
  routes.add("GET", "/_sandbox/stream", serveStream(namespaces));
  routes.add("GET", "/_sandbox/docs", async (c) =>
    (await lazily(() => import("../pages/docs.js"))).serveControlDocs(described, c),
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
  const load = () => lazily(() => import("../pages/dashboard/serve.js"));
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

/** An address as people type it, with a slash at its end. */
function withoutSlash(c: Context, nowMs: number): Response {
  const { pathname, search } = new URL(c.req.url);
  return new Response(null, {
    status: 302,
    headers: { location: `${pathname.slice(0, -1)}${search}`, "sandbox-now": iso(nowMs) },
  });
}
