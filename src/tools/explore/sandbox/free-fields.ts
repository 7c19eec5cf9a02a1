import { systemWallClock } from "../../../core/time/wall-clock.js";
import type { FreeField } from "./facts.js";
import { type Freedom, type FreedomOf, generalPath } from "./views.js";

interface ObservedView {
  readonly ignore?: readonly string[] | undefined;
  readonly app?: string | undefined;
}

/** The fields that no run is judged by. A learned field is free in all views of its call, as of another order. */
export class FreeFields {
  readonly #views: readonly ObservedView[];
  /** The call of each view, without the order that it names. */
  readonly #calls: readonly unknown[];
  readonly #free: Map<string, FreeField>;

  constructor(views: readonly ObservedView[], known: readonly FreeField[]) {
    this.#views = views;
    this.#calls = views.map(({ app }, index) => app?.replace(/\$\{[^}]*\}/g, "*") ?? index);
    this.#free = new Map(known.map((one) => [freeKey(one.view, one.field), one]));
  }

  /** The fields without those that the flow ignores, and without maps and journals, whose entries are compared. */
  get all(): FreeField[] {
    return [...this.#free.values()].filter(({ freedom }) => !hasComparedEntries(freedom));
  }

  add(view: number, field: string, freedom: Freedom, reason: string): void {
    for (const [other, call] of this.#calls.entries()) {
      if (call !== this.#calls[view]) continue;
      const key = freeKey(other, field);
      const known = this.#free.get(key);
      if (known === undefined) this.#free.set(key, { view: other, field, freedom, reason });
      else if (hasComparedEntries(known.freedom) && known.freedom !== freedom)
        this.#free.set(key, { view: other, field, freedom: "all", reason });
      else if (freedom === "all") this.#free.set(key, { ...known, freedom });
    }
  }

  /** Frees the fields that hold a time of the run by the machine's clock, which two runs in one second share. */
  addTimes(bodies: readonly unknown[]): void {
    const nowMs = systemWallClock.nowMs();
    for (const [view, body] of bodies.entries())
      for (const field of timesIn(body, nowMs))
        if (this.freedomOf(view)(field) === undefined)
          this.add(view, generalPath(field), "value", "is the time of the run");
  }

  /** For each view its own index if `isKnown`, else that of a view of the same call, as of another order. */
  modelsOf(isKnown: (view: number) => boolean): number[] {
    return this.#calls.map((call, index) => {
      const model = this.#calls.findIndex((other, at) => other === call && isKnown(at));
      return isKnown(index) || model === -1 ? index : model;
    });
  }

  freedomOf(view: number): FreedomOf {
    const { ignore = [] } = this.#views[view]!;
    return (path) => (ignore.includes(path) ? "all" : this.#free.get(freeKey(view, path))?.freedom);
  }
}

function hasComparedEntries(freedom: Freedom): boolean {
  return freedom === "keys" || freedom === "codes" || freedom === "way";
}

/** Longer than a run takes, and shorter than the age of what an app keeps beyond its runs. */
const RECENT_MS = 600_000;

function timesIn(part: unknown, nowMs: number, path = ""): string[] {
  if (typeof part !== "object" || part === null)
    return Math.abs(nowMs - instantOf(part)) < RECENT_MS ? [path] : [];
  return Object.entries(part).flatMap(([key, value]) =>
    timesIn(value, nowMs, path === "" ? key : `${path}.${key}`),
  );
}

/** Reads a time in text, in milliseconds or in seconds; NaN for anything else. */
function instantOf(value: unknown): number {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d[T ]/.test(value) ? Date.parse(value) : Number.NaN;
  return typeof value === "number" ? value * (value < MAX_SECONDS ? 1_000 : 1) : Number.NaN;
}

/** Larger than seconds since 1970, smaller than milliseconds. */
const MAX_SECONDS = 1e11;

/** Names a field of a view in all runs. */
function freeKey(view: number, path: string): string {
  return `${view} ${generalPath(path)}`;
}
