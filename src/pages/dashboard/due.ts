import type { NextItem } from "../../core/schema/control-responses.js";
import { receiverLabel } from "./components.js";
import type { PageContext } from "./page-context.js";
import { LONGEST_PAGE } from "./rows.js";

/** Something with a due time. */
export interface DueItem extends NextItem {
  readonly at: string;
}

/** Length of the list, unless the page shows all. */
const READ_ITEMS = 30;

/** Due tasks, earliest first, without those that wait for a receiver; `isWhole` unless there may be more. */
export async function dueItems({ ask, query, mode }: Pick<PageContext, "ask" | "query" | "mode">) {
  const limit = query.get("due") === "all" ? LONGEST_PAGE : READ_ITEMS;
  const { items } = await ask("listNext", { limit, mode });
  const due = items.flatMap(({ at, ...item }): DueItem[] =>
    at === null || item.hold !== null ? [] : [{ ...item, at }],
  );
  // Items without a time come last.
  return { items: due, isWhole: items.length < limit || items.at(-1)!.at === null };
}

export function dueText({ kind, what, to, attempts, receiver }: DueItem): string {
  if (kind === "delivery") return `${attempts > 0 ? "retry " : ""}${what} → ${receiverLabel(receiver ?? "")}`;
  if (what === "expire") return "EXPIRED, if unpaid";
  return what === "settle" ? "settlement" : (to[0] ?? "next step");
}
