import { systemWallClock } from "../../../core/time/wall-clock.js";
import type { Bodies } from "./claims.js";
import { isDelivery } from "./claims.js";
import type { FreeField } from "./facts.js";
import { type Field, type Freedom, type FreedomOf, generalPath, partAt, sizeOf } from "./views.js";

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

interface Growth {
  readonly plain: Bodies;
  /** The app before the customer pays. */
  readonly before: Bodies;
  /** The app while a payment is under way; undefined if a payment was complete by then. */
  readonly during: Bodies | undefined;
  /** The app at each end without a payment. */
  readonly unpaid: readonly Bodies[];
}

/**
 * Finds the fields that grow even if nothing is paid, such as a history or a version. The entries of a list that grows
 * with the end alone, such as sent e-mails, are compared.
 */
export function journalFields({
  plain,
  before,
  during,
  unpaid,
}: Growth): (Pick<FreeField, "view" | "freedom"> & Pick<Field, "path">)[] {
  return plain.flatMap((body, view) =>
    partsIn(body).flatMap(({ path, value }) => {
      const countIn = (bodies: Bodies | undefined) => countOf(partAt(bodies?.[view], path), value);
      const hasGrown = countIn(plain) > countIn(before);
      const growsUnpaid = unpaid.length > 1 && unpaid.every((bodies) => countIn(bodies) > countIn(before));
      // A count of the tries to pay grows before the payment too, but not with it.
      const growsOnTheWay =
        countIn(during) > countIn(before) && countIn(plain) > countIn(during) && !isDelivery(path);
      const freedom = Array.isArray(value) && !growsOnTheWay ? "way" : "all";
      return hasGrown && (growsUnpaid || growsOnTheWay) ? [{ view, path, freedom }] : [];
    }),
  );
}

/** Lists the fields of a body, and those of the entries of its lists. */
function partsIn(body: unknown, path: readonly string[] = []): Field[] {
  const list = Array.isArray(body) ? [{ path, value: body }] : [];
  if (typeof body !== "object" || body === null) return [{ path, value: body }];
  return [...list, ...Object.entries(body).flatMap(([key, part]) => partsIn(part, [...path, key]))];
}

/** The size of a number or a list, or the last number in a text whose rest is as in `like`. */
function countOf(value: unknown, like: unknown): number {
  if (typeof value !== "string" || typeof like !== "string") return sizeOf(value);
  const [rest, last] = splitNumber(value);
  return rest === splitNumber(like)[0] ? Number(last ?? Number.NaN) : Number.NaN;
}

function splitNumber(text: string): [rest: string, last: string | undefined] {
  const [, head = text, last, tail = ""] = /^(.*?)(\d+)(\D*)$/s.exec(text) ?? [];
  return [`${head}#${tail}`, last];
}
