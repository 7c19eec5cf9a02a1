import pg from "pg";
import type { StoreEvents } from "../../engine/store.js";
import type { NamespaceIdentity } from "../../schema/control-requests.js";
import { errorText } from "../../schema/error-text.js";
import { StorageUnavailableError } from "../../schema/refusals.js";
import { generateToken } from "../../time/wall-clock.js";
import type { OwnershipHandlers, Snapshot } from "../storage.js";
import { StoreError } from "../store-error.js";

/** SQLSTATEs that count as an unreachable database, such as a deadlock (40) or an expired lease (23503). */
const AWAY = /^(08|23503|25006|40|53|55P03|57|58)/;

/** One connection to the database, opened by the first query, and reopened by the next query after a failure. */
export class DatabaseConnection {
  readonly #pool: pg.Pool;

  /** @param timeoutMs limit of a query and of the wait for the connection; a slower database counts as unreachable */
  constructor(url: string, schema: string, timeoutMs: number) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      application_name: "payments-sandbox",
      onConnect: async (client) => void (await client.query(`set search_path to "${schema}"`)),
    });
    this.#pool.on("error", (error) => this.onLost(error));
  }

  /** Called if an idle connection breaks; the next query opens another one. */
  protected onLost(_error: Error): void {}

  /**
   * @param name name of a prepared statement
   * @throws StorageUnavailableError if the server does not answer; the query may have been carried out
   * @throws StoreError if the server refuses the query
   */
  async query<Row = object>(text: string, values?: unknown[], name?: string): Promise<Row[]> {
    try {
      return (await this.#pool.query({ text, values, name })).rows as Row[];
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      // An error of the system, such as EPIPE, has a code of its own kind.
      if (error instanceof pg.DatabaseError && !AWAY.test(code ?? ""))
        throw new StoreError(`The database refuses: ${message}`, { cause: error });
      throw new StorageUnavailableError(`the database does not answer: ${message || code}`, { cause: error });
    }
  }

  /** Closes the connection after the current query. The server then rolls an open transaction back. */
  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** Data of a namespace when this process took it. Commits succeed only while the database has the same `fence`. */
export interface OwnedNamespace {
  readonly commits: CommitQueue;
  readonly name: string;
  readonly id: number;
  fence: string;
  readonly identity: NamespaceIdentity;
  /** Number of the last stored entry. */
  seq: number;
  /** Number of the last entry, stored or waiting. */
  lastSeq: number;
  /** Stored state and changes; undefined after the first load. */
  entries: readonly StoredEntry[] | undefined;
  readonly snapshots: readonly (Snapshot & { readonly body: string })[];
  /** Error of a commit that failed or has an unknown fate, until the engine has loaded the stored state. */
  failure: Error | undefined;
  isLost: boolean;
  events: StoreEvents | undefined;
}

export interface StoredEntry {
  readonly seq: number;
  readonly isState: boolean;
  readonly body: string;
}

/**
 * Entries of one namespace that one transaction writes. The database refuses them unless the namespace has the fence and
 * the last number that it had when the first of them was written.
 */
interface Batch {
  readonly owned: OwnedNamespace;
  readonly fence: string;
  readonly seq: number;
  readonly entries: StoredEntry[];
}

/** Identifies writes by number, not by namespace: a batch may contain writes of a lost namespace, and of the same one taken again. */
const COMMIT = `with batch as (
    select * from json_to_recordset($1) as b (write int, id int, fence bigint, seq bigint, last bigint, entries json)
  ), held as (
    update namespaces n set seq = b.last from batch b
    where n.id = b.id and n.fence = b.fence and n.owner = $2 and n.seq = b.seq returning n.id, b.write, b.entries
  ), entry as (
    select held.id, e.seq, e."isState" as is_state, e.body
    from held, json_to_recordset(held.entries) as e (seq bigint, "isState" bool, body text)
  ), replaced as (
    delete from entries o using entry e where e.is_state and o.id = e.id and o.seq < e.seq
  ), stored as (
    insert into entries (id, seq, is_state, body) select * from entry
    on conflict (id, seq) do update set is_state = excluded.is_state, body = excluded.body
  ) select write from held`;

/** One transaction at a time writes all waiting entries, and checks each namespace's fence and last number. */
export abstract class CommitQueue extends DatabaseConnection {
  readonly processId = generateToken();
  readonly ownedNamespaces = new Map<string, OwnedNamespace>();
  isStorageUnreachable = false;
  events: OwnershipHandlers | undefined;
  /** Second connection, for statements that may take long. */
  abstract readonly link: DatabaseConnection;
  #waiting = new Map<OwnedNamespace, Batch>();
  #draining: Promise<void> | undefined;

  /** Takes an entry, which must follow the last one: a change has the next number, a state any number from the last on. */
  write(owned: OwnedNamespace, entry: StoredEntry): void {
    this.checkReachable(owned);
    const { name, fence, lastSeq } = owned;
    if (entry.isState ? entry.seq < lastSeq : entry.seq !== lastSeq + 1)
      throw new StoreError(`${name}: change ${entry.seq} cannot follow change ${lastSeq}.`);
    const batch = this.#waiting.get(owned);
    if (batch === undefined) this.#waiting.set(owned, { owned, fence, seq: lastSeq, entries: [entry] });
    else batch.entries.push(entry);
    owned.lastSeq = entry.seq;
    this.#draining ??= Promise.resolve().then(() => this.#drain());
  }

  async whenEmpty(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batches = [...this.#waiting.values()];
      this.#waiting.clear();
      await this.#commit(batches);
    }
    this.#draining = undefined;
  }

  async #commit(batches: readonly Batch[]): Promise<void> {
    const values = batches.map(({ owned: { id }, fence, seq, entries }, write) => {
      return { write, id, fence, seq, last: entries.at(-1)!.seq, entries };
    });
    try {
      const parameters = [JSON.stringify(values), this.processId];
      const rows = await this.query<{ write: number }>(COMMIT, parameters, "commit");
      const held = new Set(rows.map(({ write }) => write));
      for (const [index, { owned, entries }] of batches.entries()) {
        if (held.has(index)) {
          owned.seq = entries.at(-1)!.seq;
          owned.events?.onSafe(owned.seq);
        } else this.lose(owned);
      }
    } catch (error) {
      const isAway = error instanceof StorageUnavailableError;
      // Tries each namespace alone, so that one bad entry does not harm the others.
      if (!isAway && batches.length > 1) {
        for (const batch of batches) await this.#commit([batch]);
        return;
      }
      for (const { owned } of batches) {
        owned.failure = isAway
          ? error
          : new StoreError(`The namespace "${owned.name}" is unchanged. ${errorText(error)}`);
        this.#fail(owned, owned.failure);
        if (!isAway) void this.reopen(owned);
      }
      if (isAway) this.noteUnreachable(error);
    }
  }

  /** Drops what waits behind a failed entry, since it would be stored without that entry. */
  #fail(owned: OwnedNamespace, error: unknown): void {
    this.#waiting.delete(owned);
    owned.events?.onFailed(error);
  }

  abstract reopen(owned: OwnedNamespace): Promise<void>;

  /** Called if the database does not answer, which leaves the fate of the entries unknown. */
  abstract noteUnreachable(error: unknown): void;

  /** Gives a namespace up: memory and database may differ, or another process may have it. */
  lose(owned: OwnedNamespace): void {
    owned.isLost = true;
    this.#fail(owned, ownershipLostError(owned));
    if (this.forget(owned)) this.events?.discard(owned.name);
  }

  /** Returns false if the namespace was no longer owned. */
  forget(owned: OwnedNamespace): boolean {
    return this.ownedNamespaces.get(owned.name) === owned && this.ownedNamespaces.delete(owned.name);
  }

  checkReachable(owned: OwnedNamespace): void {
    if (owned.isLost) throw ownershipLostError(owned);
    if (owned.failure !== undefined) throw owned.failure;
    if (this.isStorageUnreachable) throw new StorageUnavailableError("the database does not answer");
  }

  /** Writes snapshots and compactions on the second connection, since they must not delay commits. */
  async writeIfHeld(owned: OwnedNamespace, write: string, values: unknown[]): Promise<void> {
    this.checkReachable(owned);
    const held = "held as (select id from namespaces where id = $1 and fence = $2 and owner = $3)";
    const text = `with ${held}${write} select id from held`;
    const rows = await this.link.query(text, [owned.id, owned.fence, this.processId, ...values]);
    if (rows.length === 0) throw ownershipLostError(owned);
  }
}

export function ownershipLostError({ name }: Pick<OwnedNamespace, "name">): StorageUnavailableError {
  return new StorageUnavailableError(`another process runs the namespace "${name}" by now`);
}
