import type { HistoryRow } from "../core/reports/charge-history-text.js";
import { missingStatusReason } from "../core/reports/request-text.js";
import type { ChargeHistoryItem } from "../core/schema/control-responses.js";
import { REVERSALS } from "../core/schema/event-types.js";
import { isSuccessStatus } from "../core/schema/http-response.js";
import { valueStyle } from "./table.js";
import { type Paint, type Style, wrapHanging } from "./text-layout.js";

export function historyLines(
  rows: readonly HistoryRow[],
  width: number,
  paint: Paint,
  indent = "",
): string[] {
  return rows.flatMap(({ head, text, item }) => {
    const style = styleOfActivity(item);
    const start = indent + head;
    return wrapHanging(start, text, width).map((line) =>
      style === undefined ? line : line.slice(0, start.length) + paint(style, line.slice(start.length)),
    );
  });
}

function styleOfActivity(item: ChargeHistoryItem): Style | undefined {
  if (item.kind === "hold") return "yellow";
  if (item.kind === "transition") return valueStyle("status", item.status);
  if (item.kind === "event")
    return valueStyle(
      "status",
      Object.values(REVERSALS).find(({ event }) => event === item.type)?.status ?? "",
    );
  if (item.kind === "attempt") return isSuccessStatus(item.status) ? undefined : "red";
  if (item.kind !== "request") return undefined;
  const style = valueStyle("status", String(item.status ?? missingStatusReason(item)));
  return style === "green" ? undefined : style;
}
