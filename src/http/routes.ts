import { type Context, Hono } from "hono";

export type Handle = (c: Context) => Response | Promise<Response>;

/** The routes of an app, and what there is at a path besides what was asked of it. */
export class Routes {
  readonly app = new Hono();
  readonly #methodsAt = new Map<string, string[]>();

  add(method: string, path: string, handle: Handle): void {
    const methods = this.#methodsAt.get(path);
    if (methods === undefined) this.#methodsAt.set(path, [method]);
    else methods.push(method);
    this.app.on(method, path, handle);
  }

  /** The methods there are at a path, as the header `Allow` has them; undefined where there is nothing. */
  allowedAt(path: string): string | undefined {
    for (const [known, methods] of this.#methodsAt)
      if (new RegExp(`^${known.replace(/:\w+/g, "[^/]+")}$`).test(path))
        return (methods.includes("GET") ? [...methods, "HEAD"] : methods).join(", ");
    return undefined;
  }
}
