import { isJsonObject } from "../../../core/schema/json-objects.js";
import { type Bodies, isDelivery } from "./claims.js";
import type { FreeField } from "./facts.js";
import type { ObservedViews } from "./seen-views.js";
import { type Field, fieldAt, fieldsIn, partAt, sizeOf } from "./views.js";

interface Growth {
  readonly plain: Bodies;
  /** The compared values of `plain`. */
  readonly values: Bodies;
  /** The app before the customer pays. */
  readonly before: Bodies;
  /** The app while a payment is under way; undefined if a payment was complete by then. */
  readonly during: Bodies | undefined;
  /** The app at each end without a payment. */
  readonly unpaid: readonly Bodies[];
  /** The app at a further end without a payment, which is judged. */
  readonly judged: readonly Bodies[];
}

type Journal = Pick<FreeField, "view" | "freedom"> & Pick<Field, "path">;

/** Finds the journals of an app: fields that grow even if nothing is paid, and do not tell a paid order from others. */
export function journalsOf(views: ObservedViews, growth: Growth): Journal[] {
  const { plain, values, unpaid } = growth;
  const growing = growingFields(growth);
  const tellsPaid = (view: number, path: readonly string[]) => {
    const textIn = (bodies: Bodies) => JSON.stringify(partAt(bodies[view], path));
    return unpaid.every((bodies) => textIn(bodies) !== textIn(plain));
  };
  const isGrowing = (view: number, path: readonly string[]) =>
    growing.some((one) => one.view === view && one.path.join(".") === path.join("."));
  const isTold = values.some((body, view) =>
    fieldsIn(body).some(({ path }) => !isGrowing(view, path) && tellsPaid(view, path)),
  );
  // A field that tells a paid order from every unpaid one is a status, or a count that happens to.
  const isStatus = ({ view, path }: Journal) => {
    const paid = partAt(plain[view], path);
    return (
      typeof paid === "string" || (typeof paid === "number" && (isExpected(views, view, path) || !isTold))
    );
  };
  return growing.filter((one) => !tellsPaid(one.view, one.path) || !isStatus(one));
}

/** Returns true for a field of which the flow expects a number. */
function isExpected({ observe, checks = [] }: ObservedViews, view: number, path: readonly string[]): boolean {
  return checks.some(
    ({ step }) =>
      step.app === observe[view]!.app &&
      isJsonObject(step.expect) &&
      typeof fieldAt(step.expect.body, path) === "number",
  );
}

/**
 * Finds the fields that grow even if nothing is paid, such as a history or a version. The entries of a list that grows
 * with the end alone, such as sent e-mails, are compared.
 */
function growingFields({ plain, before, during, unpaid, judged }: Growth): Journal[] {
  const ends = [...unpaid, ...judged];
  return plain.flatMap((body, view) =>
    partsIn(body).flatMap(({ path, value }) => {
      const countIn = (bodies: Bodies | undefined) => countOf(partAt(bodies?.[view], path), value);
      const hasGrown = countIn(plain) > countIn(before);
      const growsUnpaid = ends.length > 1 && ends.every((bodies) => countIn(bodies) > countIn(before));
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
