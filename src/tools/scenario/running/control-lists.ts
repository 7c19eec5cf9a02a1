import type * as z from "zod/mini";
import type { OperationCall } from "../../../core/client/control-client.js";
import type { controlBalanceSchema } from "../../../core/schema/control-responses.js";
import type { Client } from "./client.js";
import { StepFailure } from "./failure.js";

/** Maximum number of rows that a search reads. The sandbox's log keeps as many rows by default. */
const MAX_ROWS = 10_000;

export type LogRow = Record<string, unknown>;

const LISTS = {
  requests: { operation: "listRequests", id: "request_id" },
  events: { operation: "listEvents", id: "event_id" },
  deliveries: { operation: "listDeliveries", id: "delivery_id" },
  charges: { operation: "listCharges", id: "charge_id" },
  withdrawals: { operation: "listControlWithdrawals", id: "withdrawal_id" },
} as const;
export type RecordListName = keyof typeof LISTS;

export function recordIdOf(list: RecordListName, row: LogRow): string {
  return String(row[LISTS[list].id]);
}

export async function readNewestId(client: Client, list: RecordListName): Promise<string | undefined> {
  const { items } = (await client.callOrFail(LISTS[list].operation, { limit: 1 })) as { items: LogRow[] };
  return items[0] === undefined ? undefined : recordIdOf(list, items[0]);
}

export async function readAllPages<Row>(client: Client, ...call: OperationCall): Promise<Row[]> {
  const all: Row[] = [];
  for await (const page of client.pages<Row>(call)) all.push(...page);
  return all;
}

/**
 * Reads the records of a list that are newer than the record `last`, newest first.
 * @param size rows per page
 * @param isEnough returns true for a row after which no further page is needed
 */
export async function readRecordsSince(
  client: Client,
  list: RecordListName,
  last: string | undefined,
  size?: number,
  isEnough: (row: LogRow) => boolean = () => false,
): Promise<LogRow[]> {
  const found: LogRow[] = [];
  for await (const page of client.pages<LogRow>([LISTS[list].operation], size)) {
    const end = page.findIndex((row) => recordIdOf(list, row) === last);
    if (end !== -1) return [...found, ...page.slice(0, end)];
    found.push(...page);
    if (page.some(isEnough)) return found;
    if (found.length >= MAX_ROWS)
      throw new StepFailure({
        message: `more than ${MAX_ROWS} ${list} to look through: name fewer, or reset first`,
      });
  }
  return found;
}

/** Lists in which steps see only records since the start of the run. In the list of charges, steps see all records. */
const LOG_LISTS = ["requests", "events", "deliveries", "withdrawals"] as const;
export type LogListName = (typeof LOG_LISTS)[number];
/** The newest record of each list; undefined for an empty list. */
export type LastIds = Readonly<Partial<Record<LogListName, string | undefined>>>;

export class StartState {
  readonly #client: Client;
  readonly #lastIds: Map<LogListName, string | undefined>;
  #balances: BalanceRow[] = [];
  #startTime = "";

  /** @param lastIds newest records at the start, as far as known; `record` reads all of them */
  constructor(client: Client, lastIds: LastIds = {}) {
    this.#client = client;
    this.#lastIds = new Map(Object.entries(lastIds) as [LogListName, string | undefined][]);
  }

  async record(): Promise<void> {
    for (const list of LOG_LISTS) this.#lastIds.set(list, await readNewestId(this.#client, list));
    this.#balances = await readBalanceRows(this.#client);
    const { now } = (await this.#client.callOrFail("getClock")) as { now: string };
    this.#startTime = now;
  }

  /** Start of the run in sandbox time. */
  get time(): string {
    return this.#startTime;
  }

  /** Returns the rows since the start of the run, newest first. For `isEnough`, see `readRecordsSince`. */
  since(list: LogListName, isEnough?: (row: LogRow) => boolean): Promise<LogRow[]> {
    return readRecordsSince(this.#client, list, this.#lastIds.get(list), undefined, isEnough);
  }

  /** Rows before the start, newest first. */
  async before(list: LogListName): Promise<LogRow[]> {
    const last = this.#lastIds.get(list);
    if (last === undefined) return [];
    const all = await readRecordsSince(this.#client, list, undefined);
    const end = all.findIndex((row) => recordIdOf(list, row) === last);
    return end === -1 ? [] : all.slice(end);
  }

  /** A balance at the start; undefined for an account that did not exist. */
  balance(matches: (row: BalanceRow) => boolean): BalanceRow | undefined {
    return this.#balances.find(matches);
  }
}

export type BalanceRow = Readonly<z.infer<typeof controlBalanceSchema>>;

/** Reads the balances of every organization and mode. Does not open missing accounts, unlike the service's call. */
export function readBalanceRows(client: Client): Promise<BalanceRow[]> {
  return readAllPages(client, "listBalances");
}
