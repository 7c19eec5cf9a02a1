import type { NextItem } from "../../core/schema/control-responses.js";
import { receiverLabel } from "./components.js";
import type { PageContext } from "./page-context.js";

/** Something with a due time. */
export interface DueItem extends NextItem {
  readonly at: string;
}

/** Items read for the clock, and for the tasks due next unless they are few groups. */
const READ_ITEMS = 30;

/** Due tasks of a page, earliest first, without those that wait for a receiver; `isWhole` if it is the last page. */
export async function dueItems(
  { ask, mode }: Pick<PageContext, "ask" | "mode">,
  { limit, offset } = { limit: READ_ITEMS, offset: 0 },
) {
  const { items } = await ask("listNext", { limit, offset, mode });
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
