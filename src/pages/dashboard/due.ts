import type { NextItem } from "../../core/schema/control-responses.js";
import { receiverLabel } from "./components.js";
import type { PageContext } from "./page-context.js";
import { LONGEST_PAGE } from "./rows.js";

/** Something with a due time. */
export interface DueItem extends NextItem {
  readonly at: string;
}

/** Due tasks of a page of the list, earliest first, without those that wait for a receiver; `isWhole` if it is the last page. */
export async function dueItems({ ask, mode }: Pick<PageContext, "ask" | "mode">, offset = 0) {
  const { items } = await ask("listNext", { limit: LONGEST_PAGE, offset, mode });
  const due = items.flatMap(({ at, ...item }): DueItem[] =>
    at === null || item.hold !== null ? [] : [{ ...item, at }],
  );
  // Items without a time come last.
  return { items: due, isWhole: items.length < LONGEST_PAGE || items.at(-1)!.at === null };
}

export function dueText({ kind, what, to, attempts, receiver }: DueItem): string {
  if (kind === "delivery") return `${attempts > 0 ? "retry " : ""}${what} → ${receiverLabel(receiver ?? "")}`;
  if (what === "expire") return "EXPIRED, if unpaid";
  return what === "settle" ? "settlement" : (to[0] ?? "next step");
}
