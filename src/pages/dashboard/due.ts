import type { NextItem } from "../../core/schema/control-responses.js";
import type { PageContext } from "./page-context.js";
import { LONGEST_PAGE } from "./rows.js";

/** Something with a due time. */
export interface DueItem extends NextItem {
  readonly at: string;
}

/** Length of the list, unless the page shows all. */
const READ_ITEMS = 30;

/** Due tasks, earliest first, without those that wait for a receiver; `total` may be more. */
export async function dueItems({ ask, query }: PageContext) {
  const limit = query.get("due") === "all" ? LONGEST_PAGE : READ_ITEMS;
  const { total, items } = await ask("listNext", { limit });
  const due = items.flatMap(({ at, ...item }): DueItem[] =>
    at === null || item.hold !== null ? [] : [{ ...item, at }],
  );
  const isWhole = due.length < items.length;
  return { items: due, total: isWhole ? due.length : total };
}
