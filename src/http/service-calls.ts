import type { Context, Handler, Hono } from "hono";
import type { Meant } from "./direct.js";
import { type Answering, answerRequest } from "./exchange.js";

/** So many addresses are known by heart: whoever polls asks for the same few again and again. */
const MOST_KNOWN = 500;
const LONGEST_KNOWN = 200;

/** The service's calls among the routes of an app, to be found by whoever has no Request. The app's own router finds them. */
export class ServiceCalls {
  readonly #app: Hono;
  readonly #answering = new Map<unknown, Answering>();
  /** What was found last, by method and path. */
  readonly #known = new Map<string, Map<string, Meant>>();

  constructor(app: Hono) {
    this.#app = app;
  }

  /** What is to be routed for that call. */
  handler(answering: Answering): (c: Context) => Response | Promise<Response> {
    const handle = (c: Context): Response | Promise<Response> => answerRequest(answering, c);
    this.#answering.set(handle, answering);
    return handle;
  }

  /** The call that a method and a path without anything to decode mean; undefined for other routes. */
  meant(method: string, path: string): Meant | undefined {
    let known = this.#known.get(method);
    if (known === undefined) this.#known.set(method, (known = new Map()));
    const last = known.get(path);
    if (last !== undefined) return last;
    const meant = this.#find(method, path);
    if (meant === undefined || path.length > LONGEST_KNOWN) return meant;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(path, meant);
    return meant;
  }

  #find(method: string, path: string): Meant | undefined {
    const [matches, captured] = this.#app.router.match(method, path);
    const first = matches[0];
    if (first === undefined) return undefined;
    const [[handle], places] = first as [[Handler, unknown], Readonly<Record<string, string | number>>];
    const answering = this.#answering.get(handle);
    if (answering === undefined) return undefined;
    return new Found(answering, places, captured);
  }
}

class Found implements Meant {
  readonly answering: Answering;
  readonly #places: Readonly<Record<string, string | number>>;
  readonly #captured: readonly string[] | undefined;

  /** @param places what each parameter is, or where it is among what was captured */
  constructor(
    answering: Answering,
    places: Readonly<Record<string, string | number>>,
    captured: readonly string[] | undefined,
  ) {
    this.answering = answering;
    this.#places = places;
    this.#captured = captured;
  }

  param(name: string): string | undefined {
    const place = this.#places[name];
    return typeof place === "number" ? this.#captured?.[place] : place;
  }
}
