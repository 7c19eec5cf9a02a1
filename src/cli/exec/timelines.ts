import { oneLine } from "../../schema/printable.js";
import type { Stories, Story } from "./collect.js";

/** The stories as a person reads them: a heading a charge, a line a happening. */
export function timelinesText({ charges, not_in_order, items }: Stories): string {
  const left = charges - items.length;
  return [
    `${charges} ${charges === 1 ? "charge" : "charges"}, ${not_in_order} not in order${left > 0 ? `; ${left} left out here` : ""}`,
    ...items.flatMap((story) => ["", storyTitle(story), ...storyLines(story)]),
    "",
  ].join("\n");
}

/** One line that tells which charge it is and what became of it. */
export function storyTitle({ charge }: Story): string {
  const { sandbox } = charge as { sandbox?: { scenario?: unknown } };
  return oneLine(
    [
      charge.charge_id,
      charge.status,
      charge.failure_reason,
      `${charge.amount} ${charge.currency}`,
      charge.payment_method,
      charge.customer_email,
      charge.mode === "live" ? "live mode" : null,
      sandbox?.scenario == null ? null : `scenario ${sandbox.scenario}`,
    ]
      .filter((part) => part != null)
      .join("  "),
  );
}

/** A line a happening: how long after the first, what kind, what. */
export function storyLines({ items }: Story): string[] {
  const rows = items.map((item) => [offset(items[0]!.at, item.at), item.kind, oneLine(told(item))] as const);
  const width = Math.max(0, ...rows.map(([after]) => after.length));
  return rows.map(([after, kind, text]) => `  ${after.padStart(width)}  ${kind.padEnd(10)}  ${text}`);
}

function offset(from: string, at: string): string {
  return `+${((Date.parse(at) - Date.parse(from)) / 1_000).toFixed(3)}s`;
}

function told(item: Story["items"][number]): string {
  switch (item.kind) {
    case "request":
      return `${item.method} ${item.path} → ${item.status ?? (item.client_gone ? "client gone" : "connection cut")}${item.fault == null ? "" : ` (fault of ${item.fault})`}${errorOf(item.response_body)}`;
    case "transition":
      return `${item.status}${item.reason === undefined ? "" : ` (${item.reason})`}`;
    case "ledger":
      return `${item.posting} ${item.currency}: ${(item.postings as { account: string; amount: string }[])
        .map(({ account, amount }) => `${account} ${amount}`)
        .join(", ")}`;
    case "event":
      return `${item.type} ${item.event_id}`;
    case "note":
      return String(item.note);
    case "attempt":
      return `${item.type} to ${item.webhook_id} → ${item.status ?? item.error} (attempt ${item.attempt}, ${item.duration_ms} ms)`;
    default:
      return JSON.stringify(item);
  }
}

function errorOf(body: unknown): string {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as {
    error?: { code?: unknown; message?: unknown };
  };
  return error?.code === undefined ? "" : ` ${error.code}: ${error.message}`;
}

/** The command as it is told in a line. */
export function commandText(command: readonly string[]): string {
  return oneLine(command.join(" ").replace(/\s+/g, " "));
}
