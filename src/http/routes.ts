import { type Context, Hono } from "hono";

export type Handle = (c: Context) => Response | Promise<Response>;

/** What there is at a path. */
interface Place {
  readonly methods: string[];
  /** Made when somebody first misses one: a start need not. */
  pattern?: RegExp;
}

/** The routes of an app, and what there is at a path besides what was asked of it. */
export class Routes {
  readonly app = new Hono();
  readonly #places = new Map<string, Place>();

  add(method: string, path: string, handle: Handle): void {
    const place = this.#places.get(path);
    if (place === undefined) this.#places.set(path, { methods: [method] });
    else place.methods.push(method);
    this.app.on(method, path, handle);
  }

  /** The methods there are at a path, as the header `Allow` has them; undefined where there is nothing. */
  allowedAt(path: string): string | undefined {
    for (const [known, place] of this.#places) {
      place.pattern ??= new RegExp(`^${known.replace(/:\w+/g, "[^/]+")}$`);
      const { pattern, methods } = place;
      if (pattern.test(path)) return (methods.includes("GET") ? [...methods, "HEAD"] : methods).join(", ");
    }
    return undefined;
  }
}
