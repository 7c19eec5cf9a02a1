import { unansweredText } from "../../../core/client/story-text.js";
import type { RunContext } from "./context.js";
import { listSince, newest, type Row } from "./lists.js";

/** Of many calls so many are named. */
const MOST = 3;

/** Whether steps of that kind call the app under test. */
export function callsApp(kind: string): boolean {
  return kind === "app" || kind === "reconcile";
}

/** Where a step that calls somebody begins: faults are looked for from here on. */
export function beginning(
  kind: string,
  { client, isTerse }: RunContext,
): Promise<string | undefined> | undefined {
  return isTerse !== true && (kind === "request" || callsApp(kind)) ? newest(client, "requests") : undefined;
}

/** Which answers since then a fault has made, for a step that failed: its own call's, or those of the app's. */
export async function madeBy(
  kind: string,
  since: string | undefined,
  { client, isTerse }: RunContext,
): Promise<string[]> {
  if (isTerse === true) return [];
  if (kind !== "request" && !callsApp(kind)) return [];
  const rows = await listSince(client, "requests", since);
  const isOwn = kind === "request";
  return rows
    .filter(({ runner, fault }) => fault !== null && (runner !== null) === isOwn)
    .slice(0, MOST)
    .reverse()
    .map(told);
}

function told(row: Row): string {
  const { method, path, status, fault } = row;
  const source = String(fault).startsWith("flt_") ? `fault ${fault}` : `the fault of scenario ${fault}`;
  return `${method} ${path} → ${status ?? unansweredText(row)}, made by ${source}`;
}
