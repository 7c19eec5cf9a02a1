import { pagesOf } from "../../../control-client.js";
import type { Client } from "./client.js";
import { idOf, listSince, newest } from "./lists.js";

/**
 * How things stood when the run began. What happens (requests, events, deliveries) is counted from there, and
 * a balance's change is taken against it; what is (charges) is looked at as it is.
 */
export class Baseline {
  readonly #client: Client;
  #newest: Record<Happening, string | undefined> = {
    requests: undefined,
    events: undefined,
    deliveries: undefined,
  };
  #balances: BalanceRow[] = [];
  #at = "";

  constructor(client: Client) {
    this.#client = client;
  }

  /** From now on. */
  async take(): Promise<void> {
    for (const list of ["requests", "events", "deliveries"] as const)
      this.#newest[list] = await newest(this.#client, list);
    this.#balances = await balances(this.#client);
    const { now } = (await this.#client.must("GET", "/clock")) as { now: string };
    this.#at = now;
  }

  /** When the run began, in sandbox time. */
  get at(): string {
    return this.#at;
  }

  /** What has happened since, newest first. */
  since(list: Happening): Promise<Record<string, unknown>[]> {
    return listSince(this.#client, list, this.#newest[list]);
  }

  /** What there was before, newest first. */
  async before(list: Happening): Promise<Record<string, unknown>[]> {
    const last = this.#newest[list];
    if (last === undefined) return [];
    const all = await listSince(this.#client, list, undefined);
    const end = all.findIndex((row) => idOf(list, row) === last);
    return end === -1 ? [] : all.slice(end);
  }

  /** The balance there was; an account that was not there had nothing. */
  balance(wanted: (row: BalanceRow) => boolean): BalanceRow | undefined {
    return this.#balances.find(wanted);
  }
}

export type Happening = "requests" | "events" | "deliveries";

export interface BalanceRow {
  readonly organization_id: string;
  readonly mode: string;
  readonly currency: string;
  readonly available_balance: string;
  readonly pending_balance: string;
}

/** The balances of every organization and mode as they are; looking at them opens no account. */
export async function balances(client: Client): Promise<BalanceRow[]> {
  const all: BalanceRow[] = [];
  for await (const page of pagesOf<BalanceRow>("/balances", (path) => client.must("GET", path)))
    all.push(...page);
  return all;
}
