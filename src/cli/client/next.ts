import { eventWord, receiverText } from "../../core/reports/delivery-text.js";
import { LIST_COLUMNS } from "../../core/reports/list-columns.js";
import type { NextItem } from "../../core/schema/control-responses.js";
import { readableDuration } from "../../core/schema/time.js";
import { isTerminal } from "../terminal.js";
import type { StyledText } from "../text-layout.js";
import type { ClientCommand, CommandInput } from "./client-command.js";
import type { Connection, JsonBody } from "./connection.js";
import { stepLines, tableFormatter } from "./output.js";

/** Maximum number of rows of `next` on a terminal, without `--limit`. */
const ROWS_MAX = 15;

const HELD = "held";
const BY_HAND = "by hand";

/** The row of an item: the payment, its customer, and the change. What is held, or needs a hand, has no time. */
export function nextRow(item: NextItem, { now }: Pick<Connection, "now">): JsonBody {
  const { object, kind, hold, receiver } = item;
  const at = hold !== null ? HELD : kind === "transition" ? BY_HAND : item.at;
  const untilMs = Date.parse(String(at)) - Date.parse(now ?? "");
  const what = [changeText(item), receiver === null ? [] : `→ ${placeOf(receiver)}`].flat().join(" ");
  return {
    ...item,
    id: object ?? item.id,
    at,
    in: Number.isNaN(untilMs) ? undefined : readableDuration(untilMs),
    what,
    note: hold ?? undefined,
  };
}

/** The receiver, on this machine without its host. */
const placeOf = (receiver: string) => receiverText(`http://${receiver}`);

function changeText({ kind, what, to, attempts }: NextItem): string {
  if (kind === "delivery") return `${attempts === 0 ? "" : "retry "}${eventWord(what)}`;
  if (kind === "transition") return `${what} to ${to.join(", ")}`;
  return to.length === 0 ? "is settled" : `becomes ${to.join(", ")}`;
}

/** Reads all that is scheduled or waits, and for one payment its possible statuses, the last items of the list. */
async function readNext(connection: Connection, id: unknown): Promise<NextItem[]> {
  const items: NextItem[] = [];
  for await (const page of connection.pages<NextItem>("listNext", { id })) {
    // No status may follow a chargeback.
    const own = page.filter(({ kind, to }) => kind !== "transition" || (id !== undefined && to.length > 0));
    items.push(...own);
    if (own.length < page.length) break;
  }
  const rankOf = ({ hold, kind }: NextItem) => (kind === "transition" ? 2 : Number(hold !== null));
  return items.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Groups webhooks to one receiver that are due at one time, or held; any other item is a group of its own. */
function groupsOf(items: readonly NextItem[]): NextItem[][] {
  const groups = new Map<unknown, NextItem[]>();
  for (const item of items) {
    const { kind, receiver, hold, at } = item;
    const key = kind === "delivery" && isTerminal() ? `${receiver} ${hold ?? at}` : item;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

async function readPayment({ connection, words: { selector } }: CommandInput): Promise<JsonBody | undefined> {
  if (selector === undefined) return undefined;
  return selector.startsWith("wd_")
    ? connection.resolveRecord("withdrawal", selector)
    : connection.resolveCharge(selector);
}

export const NEXT_COMMAND: ClientCommand = {
  usage: "next [selector]",
  summary:
    "what can happen next: scheduled tasks, waiting deliveries, and a selected payment's possible statuses",
  example: "payments-sandbox next last",
  options: [["--limit <number>", "how many"]],
  defaultAction: {
    call: async (asked) => {
      const { connection, flags } = asked;
      const payment = await readPayment(asked);
      const id = payment?.charge_id ?? payment?.withdrawal_id;
      if (flags.json) return connection.run("listNext", { id, limit: flags.limit });
      return { payment, items: await readNext(connection, id) };
    },
    formatResult: ({ payment, items }, asked) => {
      const { connection, flags } = asked;
      const groups = groupsOf(items as NextItem[]);
      const shown = groups.slice(0, Number(flags.limit ?? (isTerminal() ? ROWS_MAX : groups.length)));
      const isStuck = payment !== undefined && !(items as NextItem[]).some(({ kind }) => kind === "task");
      const step = isStuck
        ? ((payment as JsonBody).next_step as Parameters<typeof stepLines>[0] | null)
        : null;
      const rows = shown.map(([first, ...others]) => {
        const row = nextRow(first!, connection);
        const note =
          first!.kind === "transition" && step !== null ? stepLines(step, connection).join(" ") : row.note;
        if (others.length === 0) return { ...row, note };
        const noun = [first!, ...others].every(({ attempts }) => attempts > 0) ? "retries" : "webhooks";
        const what = `${1 + others.length} ${noun} → ${placeOf(first!.receiver!)}`;
        return { at: row.at, in: row.in, what, note };
      });
      const left = groups.length - shown.length;
      const all = connection.commandFor(`next --limit ${groups.length}`);
      const more: StyledText = ["dim", `and ${left} more: ${all}`];
      return tableFormatter(LIST_COLUMNS.next, left > 0 ? [more] : [])({ items: rows }, asked);
    },
  },
};
