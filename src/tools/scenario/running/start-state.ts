import { readPages } from "../../../control-client.js";
import type { Client } from "./client.js";
import { type LogRow, listSince, newestId, recordIdOf } from "./control-lists.js";

/** Lists of which a step counts only the records since the start of the run; of charges, it counts all. */
const LOG_LISTS = ["requests", "events", "deliveries", "withdrawals"] as const;
export type LogListName = (typeof LOG_LISTS)[number];

/** State at the start of a run. */
export class StartState {
  readonly #client: Client;
  readonly #lastIds = new Map<LogListName, string | undefined>();
  #balances: BalanceRow[] = [];
  #startTime = "";

  constructor(client: Client) {
    this.#client = client;
  }

  async record(): Promise<void> {
    for (const list of LOG_LISTS) this.#lastIds.set(list, await newestId(this.#client, list));
    this.#balances = await readBalanceRows(this.#client);
    const { now } = (await this.#client.callOrFail("GET", "/clock")) as { now: string };
    this.#startTime = now;
  }

  /** Start of the run in sandbox time. */
  get time(): string {
    return this.#startTime;
  }

  /** Rows since the start, newest first; `isEnough` as in listSince(). */
  since(list: LogListName, isEnough?: (row: LogRow) => boolean): Promise<LogRow[]> {
    return listSince(this.#client, list, this.#lastIds.get(list), undefined, isEnough);
  }

  /** Rows before the start, newest first. */
  async before(list: LogListName): Promise<LogRow[]> {
    const last = this.#lastIds.get(list);
    if (last === undefined) return [];
    const all = await listSince(this.#client, list, undefined);
    const end = all.findIndex((row) => recordIdOf(list, row) === last);
    return end === -1 ? [] : all.slice(end);
  }

  /** A balance at the start; undefined for an account that did not exist. */
  balance(matches: (row: BalanceRow) => boolean): BalanceRow | undefined {
    return this.#balances.find(matches);
  }
}

export interface BalanceRow {
  readonly organization_id: string;
  readonly mode: string;
  readonly currency: string;
  readonly available_balance: string;
  readonly pending_balance: string;
}

/** Reads the balances of every organization and mode. Does not open accounts. */
export async function readBalanceRows(client: Client): Promise<BalanceRow[]> {
  const all: BalanceRow[] = [];
  for await (const page of readPages<BalanceRow>("/balances", (path) => client.callOrFail("GET", path)))
    all.push(...page);
  return all;
}
