import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { Bodies } from "./claims.js";
import { fieldAt, fieldsIn } from "./views.js";

/** An undisturbed end in which nothing is paid. */
interface UnpaidEnd {
  readonly name: string;
  readonly bodies: Bodies;
}

/**
 * Describes the fields in which one unpaid end is as a paid order and another is not: no money explains it, but the app
 * may tell its unpaid ends apart.
 *
 * @param plain compared parts of the views of a plain run
 */
export function unpaidEndNotes(plain: Bodies, ends: readonly UnpaidEnd[]): string[] {
  return plain.flatMap((view, index) =>
    fieldsIn(view).flatMap(({ path, value }) => {
      if (path.length === 0 || isJsonObject(value)) return [];
      const shown = ends.map(({ name, bodies }) => ({ name, got: fieldAt(bodies[index], path) }));
      const paid = shown.find(({ got }) => JSON.stringify(got) === JSON.stringify(value));
      const other = shown.find(
        ({ got }) => got !== undefined && JSON.stringify(got) !== JSON.stringify(value),
      );
      if (paid === undefined || other === undefined) return [];
      const [as, not] = [value, other.got].map((one) => JSON.stringify(one));
      return [
        `nothing is paid: with ${paid.name}, ${path.join(".")} is ${as} as for a paid order; with ${other.name}, it is ${not}`,
      ];
    }),
  );
}
