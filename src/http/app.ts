import type { Context, Hono } from "hono";
import type { Route } from "../domain/known-names.js";
import { nearestPath } from "../domain/path-patterns.js";
import type { Namespaces } from "../namespace/namespaces.js";
import { refuse } from "../schema/errors.js";
import { lazily } from "../schema/lazily.js";
import { NoRoom } from "../schema/no-room.js";
import { iso } from "../schema/time.js";
import type { ControlApp } from "./control/app.js";
import type { DirectWay } from "./direct.js";
import { isDropped } from "./dropped.js";
import { answerRequest } from "./exchange.js";
import type { DocumentOf } from "./openapi/serve.js";
import { isEmbedded, OTHER_SITE } from "./origin.js";
import { pageRoutes } from "./pages/routes.js";
import { pathOf, serviceRoutes } from "./paths.js";
import { errorReply, failureReply, ok, type Reply, responseOf, toResponse, toSent } from "./reply.js";
import { type Handle, Routes } from "./routes.js";
import { hintWithoutCall } from "./service/hints.js";
import { OPERATIONS } from "./service/operations.js";
import { serve, serveUnknown } from "./service/serve.js";
import { ServiceCalls } from "./service-calls.js";

export interface AppOptions {
  readonly namespaces: Namespaces;
  /** Operation id → path of the user's own, parameters in braces. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Error code → the user's own name for it. */
  readonly errorCodes?: Readonly<Record<string, string>>;
  /** What both APIs are described by, made or read when somebody asks. */
  readonly documentOf: DocumentOf;
  /** Told of every answer 500: a fault of ours, never of the caller. */
  readonly onError: (error: unknown) => void;
}

export interface Apps {
  readonly app: Hono;
  /** The part of it that is the control API, loaded when it is first asked for. */
  control(): ControlApp | Promise<ControlApp>;
  /** The way to the service's calls without a Request; the app has the same behind its routes. */
  readonly direct: DirectWay;
}

/** Every route of the server. A path that exists with another method answers 405, any other 404. */
export function createApps({
  namespaces,
  paths = {},
  errorCodes = {},
  documentOf,
  onError,
}: AppOptions): Apps {
  const routes = new Routes();
  const { app } = routes;
  const service = new ServiceCalls(app);
  for (const operation of OPERATIONS)
    routes.add(operation.method, pathOf(operation, paths), service.handler(serve(namespaces, operation)));
  const ways = { fetch: fetchOf(app), routes: serviceRoutes(paths) };
  // Whatever a page shows is kept.
  const page =
    (handle: Handle): Handle =>
    async (c) => {
      await namespaces.calm();
      const response = await handle(c);
      await namespaces.whenKept();
      return response;
    };
  for (const { method, path, handle } of pageRoutes(namespaces)) routes.add(method, path, page(handle));
  // These are made on demand, so that a start does not read what most runs never ask for.
  const described = { namespaces, paths, documentOf };
  const openapi = () => lazily(() => import("./openapi/serve.js"));
  routes.add("GET", "/openapi.json", async (c) => (await openapi()).serveDocument("service", described, c));
  routes.add("GET", "/llms.txt", async (c) =>
    (await lazily(() => import("./openapi/guide.js"))).serveGuide(described, c),
  );
  routes.add("GET", "/docs", async (c) =>
    (await lazily(() => import("./pages/docs.js"))).serveDocs(described, c),
  );
  routes.add("GET", "/", (c) =>
    c.req.header("accept")?.includes("text/html")
      ? new Response(null, {
          status: 302,
          headers: { location: "/_sandbox/dashboard", "sandbox-now": iso(namespaces.nowMs()) },
        })
      : toResponse(
          ok({
            name: "payments-sandbox",
            version: namespaces.version,
            docs: "/docs",
            dashboard: "/_sandbox/dashboard",
          }),
          namespaces.nowMs(),
        ),
  );
  routes.add("GET", "/health", () => toResponse(healthReply(namespaces.version), namespaces.nowMs()));

  const told = (error: unknown) => {
    if (!(error instanceof NoRoom)) onError(error);
  };
  const failed = (error: unknown, path: string) => {
    told(error);
    // The control API is no part of the service, whose codes the user may have given other names.
    return toSent(failureReply(error, isControl(path) ? {} : errorCodes), namespaces.nowMs());
  };
  let control: ControlApp | undefined;
  const loadControl = async (): Promise<ControlApp> => {
    const { createControlApp } = await lazily(() => import("./control/app.js"));
    return (control ??= createControlApp({ described, ways, page, onError: told, failed }));
  };
  const controlApp = () => control ?? loadControl();
  const toControl = async (c: Context) => {
    if (isEmbedded((name) => c.req.raw.headers.get(name)))
      return toResponse(errorReply(refuse("FORBIDDEN", OTHER_SITE)), namespaces.nowMs());
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
              refuse("NOT_FOUND", nothingAt(path, ways.routes)),
              { "sandbox-hint": hintWithoutCall(false) },
              errorCodes,
            )
          : errorReply(
              refuse("METHOD_NOT_ALLOWED", `${method} is not allowed at ${path}`),
              { allow, "sandbox-hint": hintWithoutCall(true) },
              errorCodes,
            );
      return answerRequest((call) => serveUnknown(namespaces, call, reply), c);
    })
    .onError((error, c) => responseOf(failed(error, c.req.path)));
  return {
    app,
    control: controlApp,
    direct: { meant: (method, path) => service.meant(method, path), failed },
  };
}

function nothingAt(path: string, routes: readonly Route[]): string {
  const near = nearestPath(
    path,
    routes.map((one) => one.path),
  );
  return `There is nothing at ${path}${near === undefined ? "" : `; did you mean ${near}? /docs has every call`}`;
}

const CONTROL = "/_sandbox";

function isControl(path: string): boolean {
  return path === CONTROL || path.startsWith(`${CONTROL}/`);
}

/** Calls without a socket. A connection that is cut is an error here as it is over the network. */
export function fetchOf(app: Hono): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await app.fetch(request);
    if (isDropped(response))
      throw new TypeError("fetch failed", { cause: new Error("the connection was cut") });
    return response;
  };
}

export function healthReply(version: string): Reply {
  return ok({ status: "ok", version });
}
