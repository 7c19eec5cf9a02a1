import { holdingsKey } from "../domain/ledger-postings.js";
import { add } from "../domain/money.js";
import type { LedgerAccount, Mode } from "../schema/common.js";
import type { LedgerEntry } from "./records.js";

/** An entry with the balances before and after it. */
export interface StatementRow {
  readonly entry: LedgerEntry;
  readonly before: Balances;
  readonly after: Balances;
}
type Balances = { readonly [Account in LedgerAccount]?: string };

/** Selects the entries of a mode or of one account; without either, all entries. */
export interface StatementFilter {
  readonly mode?: Mode | undefined;
  /** Key of the holdings. */
  readonly account?: string | undefined;
}

const ALL = "";

/** Ledger as a bank statement: immutable entries with the balances they lead to. */
export class Statement {
  readonly #rows = new Map<string, StatementRow[]>();

  constructor(entries: Iterable<LedgerEntry>) {
    for (const entry of [...entries].sort((a, b) => a.seq - b.seq)) this.add(entry);
  }

  /** Adds the newest entry. */
  add(entry: LedgerEntry): void {
    const account = accountOf(entry);
    const before = this.#list(account).at(-1)?.after ?? {};
    const after = { ...before };
    for (const { account: name, amount } of entry.postings)
      after[name] = after[name] === undefined ? amount : add(after[name], amount);
    const row = { entry, before, after };
    for (const key of [ALL, entry.mode, account]) this.#list(key).push(row);
  }

  /** Page of rows, newest first, with the total number of rows. */
  page({ mode, account }: StatementFilter, offset: number, limit: number) {
    const rows = this.#rows.get(account ?? mode ?? ALL) ?? [];
    const end = Math.max(0, rows.length - offset);
    return { total: rows.length, items: rows.slice(Math.max(0, end - limit), end).reverse() };
  }

  #list(key: string): StatementRow[] {
    let list = this.#rows.get(key);
    if (list === undefined) this.#rows.set(key, (list = []));
    return list;
  }
}

function accountOf({ mode, organization_id, currency }: LedgerEntry): string {
  return holdingsKey(mode, organization_id, currency);
}
