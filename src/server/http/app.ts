// Connects every route of the server: the service's calls, pages, OpenAPI documents and the control API, which is
// loaded at first use. opening.ts calls `createApps` once per server. Handlers get an `HttpCall`, made of a Request or
// by the fast path. No state is read or changed here.
import type { Context, Hono } from "hono";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import {
  LimitReachedError,
  refuse,
  SandboxError,
  StorageUnavailableError,
} from "../../core/schema/refusals.js";
import { iso } from "../../core/schema/time.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import type { ControlApp } from "../control/app.js";
import type { DocumentLoader } from "../openapi/serve.js";
import { hintForUnknownCall } from "../service/admit.js";
import { handleCall, handleUnknownCall } from "../service/handle.js";
import { OPERATIONS } from "../service/operations.js";
import { CROSS_ORIGIN_MESSAGE, isCrossSiteSubresource } from "./access.js";
import { MAX_BODY_BYTES } from "./body.js";
import { handleRequest, isDropped } from "./call.js";
import { operationPath, serviceRoutes } from "./custom-paths.js";
import type { FastPath } from "./fast-path.js";
import { createPageHost, type PageHost } from "./page-host.js";
import {
  errorReply,
  failureReply,
  ok,
  type Reply,
  serializeReply,
  throughDoor,
  toFetchResponse,
  toResponse,
} from "./reply.js";
import { CONTROL, isControl, type RouteHandler, Routes, unknownPathMessage } from "./routes.js";

/** A page's route; its handler runs after pending changes are stored. */
export interface PageRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handle: RouteHandler;
  readonly maxBodyBytes?: number;
}

/** The pages, passed in because the server must not import them. */
export interface Pages {
  service(host: PageHost): PageRoute[];
  control(host: PageHost): PageRoute[];
}

export interface AppOptions {
  readonly namespaces: Namespaces;
  readonly pages: Pages;
  readonly paths?: Readonly<Record<string, string>>;
  readonly errorCodes?: Readonly<Record<string, string>>;
  readonly documentOf: DocumentLoader;
  /** Called with the error behind every 500. */
  readonly onError: (error: unknown) => void;
}

export interface Apps {
  readonly app: Hono;
  /** Loads the control API at first use. */
  control(): ControlApp | Promise<ControlApp>;
  readonly fastPath: FastPath;
}

/** Makes the Hono app with all routes. A known path with another method gives 405, an unknown path 404. */
export function createApps(options: AppOptions): Apps {
  const { namespaces, pages, paths = {}, errorCodes = {}, documentOf, onError } = options;
  const routes = new Routes();
  const { app } = routes;
  if (namespaces.ownership !== undefined)
    app.use(async (c, next) => {
      const { serveOrForward } = await loadLazily(() => import("./forward.js"));
      return serveOrForward(namespaces, async (path) =>
        isControl(path) ? (await controlApp()).maxBodyBytesAt(path) : MAX_BODY_BYTES,
      )(c, next);
    });
  for (const operation of OPERATIONS)
    routes.addCall(operation.method, operationPath(operation, paths), (call) =>
      handleCall(namespaces, operation, call),
    );
  const server = { fetch: inProcessFetch(app), routes: serviceRoutes(paths) };
  const servicePaths = () => server.routes.map(({ path }) => path);
  // Loads OpenAPI on demand, to keep starts short.
  const described = { namespaces, paths, documentOf };
  const openapi = () => loadLazily(() => import("../openapi/serve.js"));
  routes.add("GET", "/openapi.json", async (c) => (await openapi()).serveDocument("service", described, c));
  routes.add("GET", "/llms.txt", async (c) =>
    (await loadLazily(() => import("../openapi/llms-guide.js"))).serveGuide(described, c),
  );
  const addPages = (to: Routes, pageRoutes: readonly PageRoute[]) => {
    for (const { method, path, handle, maxBodyBytes } of pageRoutes) {
      const handleAtDoor: RouteHandler = async (c) => {
        const response = await handle(c);
        return throughDoor(namespaces, () => response);
      };
      to.add(method, path, handleAtDoor, maxBodyBytes);
    }
  };
  const host = createPageHost(described, server.fetch, () => controlApp());
  addPages(routes, pages.service(host));
  routes.add("GET", "/", (c) =>
    c.req.header("accept")?.includes("text/html")
      ? new Response(null, {
          status: 302,
          headers: { location: "_sandbox/dashboard", "sandbox-now": iso(namespaces.nowMs()) },
        })
      : toResponse(
          ok({
            name: "payments-sandbox",
            version: namespaces.options.base.version,
            docs: "/docs",
            dashboard: "/_sandbox/dashboard",
          }),
          namespaces.nowMs(),
        ),
  );
  routes.add("GET", "/health", () => toResponse(healthReply(namespaces), namespaces.nowMs()));

  const report = (error: unknown) => {
    const known = [StorageUnavailableError, LimitReachedError, SandboxError];
    if (!known.some((type) => error instanceof type)) onError(error);
  };
  const failureResponse = (error: unknown, path: string) => {
    report(error);
    // `error_codes` renames the codes of the service, not of the control API.
    return serializeReply(failureReply(error, isControl(path) ? {} : errorCodes), namespaces.nowMs());
  };
  let control: ControlApp | undefined;
  const loadControl = async (): Promise<ControlApp> => {
    const { createControlApp } = await loadLazily(() => import("../control/app.js"));
    return (control ??= createControlApp({
      described,
      server,
      addPages: (to) => addPages(to, pages.control(host)),
      onError: report,
      failureResponse,
    }));
  };
  const controlApp = () => control ?? loadControl();
  const toControl = async (c: Context) => {
    if (isCrossSiteSubresource((name) => c.req.raw.headers.get(name)))
      return toResponse(errorReply(refuse("FORBIDDEN", CROSS_ORIGIN_MESSAGE)), namespaces.nowMs());
    return (await controlApp()).app.fetch(c.req.raw, c.env);
  };
  app.all(`${CONTROL}/*`, toControl);
  app.all(CONTROL, toControl);
  app
    .notFound((c) => {
      const { path, method } = c.req;
      const allow = routes.allowedAt(path);
      const reply =
        allow === undefined
          ? errorReply(
              refuse("NOT_FOUND", unknownPathMessage(path, servicePaths(), "/docs")),
              { "sandbox-hint": hintForUnknownCall(path, false) },
              errorCodes,
            )
          : errorReply(
              refuse("METHOD_NOT_ALLOWED", `${method} is not allowed at ${path}`),
              { allow, "sandbox-hint": hintForUnknownCall(path, true) },
              errorCodes,
            );
      return handleRequest((call) => handleUnknownCall(namespaces, call, reply), c);
    })
    .onError((error, c) => toFetchResponse(failureResponse(error, c.req.path)));
  return {
    app,
    control: controlApp,
    fastPath: { match: (method, path) => routes.match(method, path), failureResponse },
  };
}

/** Calls the app without a socket. If the app cuts the connection, the call rejects with a network error. */
export function inProcessFetch(app: Hono): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await app.fetch(request);
    if (isDropped(response))
      throw new TypeError("fetch failed", { cause: new Error("the connection was cut") });
    return response;
  };
}

export function healthReply({ options, ownership, startedMs, count }: Namespaces): Reply {
  const storage = ownership?.isStorageUnreachable ? "away" : "ok";
  const owns = ownership?.ownedNamespaces.size ?? count;
  const { version } = options.base;
  return ok({ status: "ok", version, pid: process.pid, started_at: iso(startedMs), storage, owns });
}
