import { holdingsKey } from "../domain/ledger.js";
import { add } from "../domain/money.js";
import type { LedgerAccount, Mode } from "../schema/common.js";
import type { LedgerEntry } from "./records.js";

/** A posted entry with what its accounts held before and after it. */
export interface StatementRow {
  readonly entry: LedgerEntry;
  readonly before: Balances;
  readonly after: Balances;
}
type Balances = { readonly [Account in LedgerAccount]?: string };

/** Whose entries are meant: of a mode, of one account of an organization, or all. */
export interface StatementOf {
  readonly mode?: Mode | undefined;
  /** As the holdings have it. */
  readonly account?: string | undefined;
}

const ALL = "";

/** The ledger as a bank's statement: each entry with the balances it led to. Entries never change. */
export class Statement {
  readonly #rows = new Map<string, StatementRow[]>();

  constructor(entries: Iterable<LedgerEntry>) {
    for (const entry of [...entries].sort((a, b) => a.seq - b.seq)) this.add(entry);
  }

  /** The newest entry. */
  add(entry: LedgerEntry): void {
    const account = accountOf(entry);
    const before = this.#list(account).at(-1)?.after ?? {};
    const after = { ...before };
    for (const { account: name, amount } of entry.postings)
      after[name] = after[name] === undefined ? amount : add(after[name], amount);
    const row = { entry, before, after };
    for (const place of [ALL, entry.mode, account]) this.#list(place).push(row);
  }

  /** Whether it was the newest, and has been taken away: nothing is known of what was before others. */
  takeBack(entry: LedgerEntry): boolean {
    const places = [ALL, entry.mode, accountOf(entry)];
    if (places.some((place) => this.#list(place).at(-1)?.entry !== entry)) return false;
    for (const place of places) this.#list(place).pop();
    return true;
  }

  /** Newest first, and how many there are. */
  page({ mode, account }: StatementOf, offset: number, limit: number) {
    const rows = this.#rows.get(account ?? mode ?? ALL) ?? [];
    const end = Math.max(0, rows.length - offset);
    return { total: rows.length, items: rows.slice(Math.max(0, end - limit), end).reverse() };
  }

  #list(place: string): StatementRow[] {
    let list = this.#rows.get(place);
    if (list === undefined) this.#rows.set(place, (list = []));
    return list;
  }
}

function accountOf({ mode, organization_id, currency }: LedgerEntry): string {
  return holdingsKey(mode, organization_id, currency);
}
