// The control API under /_sandbox. http/app.ts loads it at first use; each operation is one `ControlOperation` in a
// table by subject (charges.ts, clock.ts, …) and gets a validated `ControlCall`. Operations change state through the
// namespace only.
import type { Hono } from "hono";
import { refuse } from "../../core/schema/refusals.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import { errorReply, type TextResponse, toFetchResponse, toResponse } from "../http/reply.js";
import { Routes, unknownPathMessage } from "../http/routes.js";
import type { DocumentOptions } from "../openapi/serve.js";
import {
  createControlHandler,
  createInProcessControl,
  type InProcessControl,
  type ServerHandle,
} from "./handle-control.js";
import { CONTROL_OPERATIONS } from "./operations.js";
import { serveStream } from "./stream.js";

/** A reset loses the state, so it is suggested for no other path. */
const SUGGESTED_PATHS: readonly string[] = [
  ...new Set(CONTROL_OPERATIONS.map(({ path }) => path)),
  "/_sandbox/stream",
].filter((path) => path !== "/_sandbox/reset");

export interface ControlApp {
  readonly app: Hono;
  maxBodyBytesAt(path: string): number;
  /** Calls the control API without HTTP. */
  readonly inProcess: InProcessControl;
}

export interface ControlAppOptions {
  readonly described: DocumentOptions;
  readonly server: ServerHandle;
  readonly addPages: (routes: Routes) => void;
  /** Called with the error behind every 500. */
  readonly onError: (error: unknown) => void;
  readonly failureResponse: (error: unknown, path: string) => TextResponse;
}

/** Some routes have a fixed segment where another has a parameter, which the service's fast router cannot take. */
export function createControlApp(options: ControlAppOptions): ControlApp {
  const { described, server, addPages, onError, failureResponse } = options;
  const { namespaces } = described;
  const routes = new Routes();
  for (const operation of CONTROL_OPERATIONS)
    routes.add(
      operation.method,
      operation.path,
      createControlHandler(namespaces, operation, server),
      operation.maxBodyBytes,
    );
  routes.add("GET", "/_sandbox/stream", serveStream(namespaces));
  routes.add("GET", "/_sandbox/openapi.json", async (c) =>
    (await loadLazily(() => import("../openapi/serve.js"))).serveDocument("control", described, c),
  );
  addPages(routes);
  routes.app
    .notFound(({ req: { path, method } }) => {
      const allow = routes.allowedAt(path);
      const reply =
        allow === undefined
          ? errorReply(
              refuse("NOT_FOUND", unknownPathMessage(path, SUGGESTED_PATHS, "/_sandbox/openapi.json")),
            )
          : errorReply(refuse("METHOD_NOT_ALLOWED", `${method} is not allowed at ${path}`), { allow });
      return toResponse(reply, namespaces.nowMs());
    })
    .onError((error, c) => toFetchResponse(failureResponse(error, c.req.path)));
  return {
    app: routes.app,
    maxBodyBytesAt: (path) => routes.maxBodyBytesAt(path),
    inProcess: createInProcessControl(namespaces, CONTROL_OPERATIONS, server, onError),
  };
}
