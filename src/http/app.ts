import { type Context, Hono } from "hono";
import { nearestPath } from "../domain/path-patterns.js";
import type { Namespaces } from "../namespace/namespaces.js";
import { refuse } from "../schema/errors.js";
import { lazily } from "../schema/lazily.js";
import { NoRoom } from "../schema/no-room.js";
import { iso } from "../schema/time.js";
import { type ControlInProcess, controlInProcess } from "./control/in-process.js";
import { CONTROL_OPERATIONS } from "./control/operations.js";
import { serveControl } from "./control/serve.js";
import { serveStream } from "./control/stream.js";
import type { DirectWay } from "./direct.js";
import { isDropped } from "./dropped.js";
import { answerRequest } from "./exchange.js";
import type { DocumentOf } from "./openapi/serve.js";
import { isEmbedded, OTHER_SITE } from "./origin.js";
import { pageRoutes } from "./pages/routes.js";
import { pathOf, serviceRoutes } from "./paths.js";
import { errorReply, failureReply, ok, type Reply, responseOf, toResponse, toSent } from "./reply.js";
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
  /** The part of it that is the control API. */
  readonly control: Hono;
  /** The same for who is in this process. */
  readonly controlInProcess: ControlInProcess;
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
  const app = new Hono();
  // The control API has paths that Hono's fast router cannot tell apart (a word where another path has a parameter);
  // one such path among them would leave the service's calls to the slow one.
  const control = new Hono();
  const methodsAt = new Map<string, string[]>();
  const route = (method: string, path: string, handle: (c: Context) => Response | Promise<Response>) => {
    methodsAt.set(path, [...(methodsAt.get(path) ?? []), method]);
    (isControl(path) ? control : app).on(method, path, handle);
  };
  const service = new ServiceCalls(app);
  for (const operation of OPERATIONS)
    route(operation.method, pathOf(operation, paths), service.handler(serve(namespaces, operation)));
  const ways = { fetch: fetchOf(app), routes: serviceRoutes(paths) };
  for (const operation of CONTROL_OPERATIONS)
    route(operation.method, operation.path, serveControl(namespaces, operation, ways));
  // Whatever a page shows is kept.
  const page = (handle: (c: Context) => Promise<Response>) => async (c: Context) => {
    await namespaces.calm();
    const response = await handle(c);
    await namespaces.whenKept();
    return response;
  };
  for (const { method, path, handle } of pageRoutes(namespaces)) route(method, path, page(handle));
  // These are made on demand, so that a start does not read what most runs never ask for.
  const described = { namespaces, paths, documentOf };
  const openapi = () => lazily(() => import("./openapi/serve.js"));
  const docs = () => lazily(() => import("./pages/docs.js"));
  const dashboard = () => lazily(() => import("./pages/dashboard/serve.js"));
  route("GET", "/openapi.json", async (c) => (await openapi()).serveDocument("service", described, c));
  route("GET", "/llms.txt", async (c) =>
    (await lazily(() => import("./openapi/guide.js"))).serveGuide(described, c),
  );
  route("GET", "/docs", async (c) => (await docs()).serveDocs(described, c));
  route("GET", "/_sandbox/docs", async (c) => (await docs()).serveControlDocs(described, c));
  route("GET", "/_sandbox/openapi.json", async (c) =>
    (await openapi()).serveDocument("control", described, c),
  );
  for (const below of ["", "/:namespace", "/:namespace/:view", "/:namespace/:view/:id"]) {
    route(
      "GET",
      `/_sandbox/dashboard${below}`,
      page(async (c) => (await dashboard()).showDashboard(namespaces, c)),
    );
    route("GET", `/_sandbox/dashboard${below}/`, (c) => withoutSlash(c, namespaces.nowMs()));
  }
  for (const below of ["", "/:namespace"])
    route(
      "POST",
      `/_sandbox/dashboard${below}`,
      page(async (c) => (await dashboard()).actOnDashboard(namespaces, ways.fetch, c)),
    );
  route("GET", "/", (c) =>
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
  route("GET", "/_sandbox/stream", serveStream(namespaces));
  route("GET", "/health", () => toResponse(healthReply(namespaces.version), namespaces.nowMs()));

  const known = [...methodsAt].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`),
    allow: methods.includes("GET") ? [...methods, "HEAD"].join(", ") : methods.join(", "),
  }));
  // The control API is no part of the service, whose codes the user may have given other names.
  const codesAt = (path: string) => (isControl(path) ? {} : errorCodes);
  const notFound = (c: Context) => {
    const { path, method } = c.req;
    const there = known.find(({ pattern }) => pattern.test(path));
    const [refusal, headers] =
      there === undefined
        ? [refuse("NOT_FOUND", nothingAt(path, isControl(path) ? [] : ways.routes.map((one) => one.path)))]
        : [refuse("METHOD_NOT_ALLOWED", `${method} is not allowed at ${path}`), { allow: there.allow }];
    const hint: Record<string, string> = isControl(path)
      ? {}
      : { "sandbox-hint": hintWithoutCall(there !== undefined) };
    const reply = errorReply(refusal, { ...headers, ...hint }, codesAt(path));
    return isControl(path)
      ? toResponse(reply, namespaces.nowMs())
      : answerRequest((call) => serveUnknown(namespaces, call, reply), c);
  };
  const told = (error: unknown) => {
    if (!(error instanceof NoRoom)) onError(error);
  };
  const failed = (error: unknown, path: string) => {
    told(error);
    return toSent(failureReply(error, codesAt(path)), namespaces.nowMs());
  };
  const toControl = (c: Context) =>
    isEmbedded((name) => c.req.raw.headers.get(name))
      ? toResponse(errorReply(refuse("FORBIDDEN", OTHER_SITE)), namespaces.nowMs())
      : control.fetch(c.req.raw, c.env);
  app.all(`${CONTROL}/*`, toControl);
  app.all(CONTROL, toControl);
  for (const one of [app, control])
    one.notFound(notFound).onError((error, c) => responseOf(failed(error, c.req.path)));
  const here = controlInProcess({ namespaces, operations: CONTROL_OPERATIONS, ways, onError: told });
  const direct = { meant: (method: string, path: string) => service.meant(method, path), failed };
  return { app, control, controlInProcess: here, direct };
}

/** An address as people type it, with a slash at its end. */
function withoutSlash(c: Context, nowMs: number): Response {
  const { pathname, search } = new URL(c.req.url);
  return new Response(null, {
    status: 302,
    headers: { location: `${pathname.slice(0, -1)}${search}`, "sandbox-now": iso(nowMs) },
  });
}

function nothingAt(path: string, routes: readonly string[]): string {
  const near = nearestPath(path, routes);
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
