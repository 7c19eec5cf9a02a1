import { readPages } from "../../../control-client.js";
import type { Client } from "./client.js";
import { StepFailure } from "./failure.js";

/** Maximum number of rows to search: the sandbox's default log size. */
const MAX_ROWS = 10_000;

export type LogRow = Record<string, unknown>;

const IDS = {
  requests: "request_id",
  events: "event_id",
  deliveries: "delivery_id",
  charges: "charge_id",
  withdrawals: "withdrawal_id",
} as const;
export type RecordListName = keyof typeof IDS;

export function recordIdOf(list: RecordListName, row: LogRow): string {
  return String(row[IDS[list]]);
}

export async function newestId(client: Client, list: RecordListName): Promise<string | undefined> {
  const { items } = (await client.callOrFail("GET", `/${list}?limit=1`)) as { items: LogRow[] };
  return items[0] === undefined ? undefined : recordIdOf(list, items[0]);
}

/**
 * Reads a list, newest first, up to the record `last`.
 *
 * @param size rows per page
 * @param isEnough ends reading after the page with a row for which it returns true
 */
export async function listSince(
  client: Client,
  list: RecordListName,
  last: string | undefined,
  size?: number,
  isEnough: (row: LogRow) => boolean = () => false,
): Promise<LogRow[]> {
  const found: LogRow[] = [];
  for await (const page of readPages<LogRow>(`/${list}`, (path) => client.callOrFail("GET", path), size)) {
    const end = page.findIndex((row) => recordIdOf(list, row) === last);
    if (end !== -1) return [...found, ...page.slice(0, end)];
    found.push(...page);
    if (page.some(isEnough)) return found;
    if (found.length >= MAX_ROWS) throw tooMany(list);
  }
  return found;
}

function tooMany(list: RecordListName): StepFailure {
  return new StepFailure({
    message: `more than ${MAX_ROWS} ${list} to look through: name fewer, or reset first`,
  });
}
