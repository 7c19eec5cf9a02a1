import type { Bodies } from "./claims.js";
import { isDelivery } from "./claims.js";
import type { FreeField } from "./sandbox-plan.js";
import { fieldAt, fieldsIn, generalPath, sizeOf } from "./views.js";

interface ObservedView {
  readonly ignore?: readonly string[] | undefined;
  readonly app?: string | undefined;
}

/** The fields that no run is judged by. A learned field is free in all views of its call, as of another order. */
export class FreeFields {
  readonly #views: readonly ObservedView[];
  readonly #free: Map<string, FreeField>;

  constructor(views: readonly ObservedView[], known: readonly FreeField[]) {
    this.#views = views;
    this.#free = new Map(known.map((one) => [freeKey(one.view, one.field), one]));
  }

  /** The fields without those that the flow ignores. */
  get all(): FreeField[] {
    return [...this.#free.values()];
  }

  add(view: number, field: string, reason: string): void {
    const calls = this.#views.map(({ app }, index) => app?.replace(/\$\{[^}]*\}/g, "*") ?? index);
    for (const [other, call] of calls.entries())
      if (call === calls[view] && !this.#free.has(freeKey(other, field)))
        this.#free.set(freeKey(other, field), { view: other, field, reason });
  }

  isFree(view: number): (path: string) => boolean {
    const { ignore = [] } = this.#views[view]!;
    return (path) => ignore.includes(path) || this.#free.has(freeKey(view, path));
  }
}

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

/** Finds the fields that grow even if nothing is paid, such as a history or a version. */
export function journalFields({
  plain,
  before,
  during,
  unpaid,
}: Growth): Pick<FreeField, "view" | "field">[] {
  return plain.flatMap((body, view) =>
    fieldsIn(body).flatMap(({ path, value }) => {
      const sizeIn = (bodies: Bodies | undefined) => sizeOf(fieldAt(bodies?.[view], path));
      const hasGrown = sizeOf(value) > sizeIn(before);
      const growsUnpaid = unpaid.length > 1 && unpaid.every((bodies) => sizeIn(bodies) > sizeIn(before));
      // A count of the tries to pay grows before the payment too, but not with it.
      const growsOnTheWay =
        sizeIn(during) > sizeIn(before) && sizeOf(value) > sizeIn(during) && !isDelivery(path);
      return hasGrown && (growsUnpaid || growsOnTheWay) ? [{ view, field: path.join(".") }] : [];
    }),
  );
}
