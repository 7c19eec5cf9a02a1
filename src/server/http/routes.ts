import { type Context, Hono } from "hono";
import { suggestPath } from "../../core/domain/path-patterns.js";
import { MAX_BODY_BYTES } from "./body.js";
import { type CallHandler, handleRequest } from "./call.js";

export type RouteHandler = (c: Context) => Response | Promise<Response>;

export interface RouteMatch {
  readonly handler: CallHandler;
  param(name: string): string | undefined;
}

export const CONTROL = "/_sandbox";

export function isControl(path: string): boolean {
  return path === CONTROL || path.startsWith(`${CONTROL}/`);
}

interface PathEntry {
  readonly methods: string[];
  maxBodyBytes: number;
  /** Compiled at the first use, to keep starts short. */
  pattern?: RegExp;
}

/** The server's routes. The fast path and all other calls share the router of one Hono app. */
export class Routes {
  readonly app = new Hono();
  readonly #paths = new Map<string, PathEntry>();
  readonly #handlers = new Map<unknown, CallHandler>();

  add(method: string, path: string, handle: RouteHandler, maxBodyBytes = MAX_BODY_BYTES): void {
    const entry = this.#paths.get(path);
    if (entry === undefined) this.#paths.set(path, { methods: [method], maxBodyBytes });
    else {
      entry.methods.push(method);
      entry.maxBodyBytes = Math.max(entry.maxBodyBytes, maxBodyBytes);
    }
    this.app.on(method, path, handle);
  }

  /** Adds a call of the service. `match` finds only calls that were added here. */
  addCall(method: string, path: string, handler: CallHandler): void {
    const handle: RouteHandler = (c) => handleRequest(handler, c);
    this.#handlers.set(handle, handler);
    this.add(method, path, handle);
  }

  /** Finds a call of the service; the path must need no decoding. */
  match(method: string, path: string): RouteMatch | undefined {
    const [[first], captured] = this.app.router.match(method, path);
    if (first === undefined) return undefined;
    const [[handle], params] = first as unknown as [
      [RouteHandler],
      Readonly<Record<string, string | number>>,
    ];
    const handler = this.#handlers.get(handle);
    if (handler === undefined) return undefined;
    // The router returns each parameter as text or as an index into `captured`.
    const param = (name: string): string | undefined => {
      const value = params[name];
      return typeof value === "number" ? captured?.[value] : value;
    };
    return { handler, param };
  }

  /** The value of the header `Allow`; undefined for an unknown path. */
  allowedAt(path: string): string | undefined {
    const methods = this.#entryAt(path)?.methods;
    return (methods?.includes("GET") ? [...methods, "HEAD"] : methods)?.join(", ");
  }

  maxBodyBytesAt(path: string): number {
    return this.#entryAt(path)?.maxBodyBytes ?? MAX_BODY_BYTES;
  }

  #entryAt(path: string): PathEntry | undefined {
    for (const [template, entry] of this.#paths) {
      entry.pattern ??= new RegExp(`^${template.replace(/:\w+/g, "[^/]+")}$`);
      if (entry.pattern.test(path)) return entry;
    }
    return undefined;
  }
}

/** @param page where all calls are listed */
export function unknownPathMessage(path: string, routes: readonly string[], page: string): string {
  const near = suggestPath(path, routes);
  return `There is nothing at ${path}${near === undefined ? "" : `; did you mean ${near}? ${page} has every call`}`;
}
