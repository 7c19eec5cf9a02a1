import type { StoreEvents } from "../../engine/store.js";
import type { NamespaceIdentity } from "../../schema/control-requests.js";
import { StorageUnavailableError } from "../../schema/refusals.js";
import { generateToken } from "../../time/wall-clock.js";
import type { LeaseHandlers, Snapshot } from "../storage.js";
import { DatabaseConnection } from "./link.js";

/** A namespace's data at the start of a lease. Commits succeed only while the database has the same `fence`. */
export interface NamespaceLease {
  readonly commits: CommitQueue;
  readonly name: string;
  readonly id: number;
  fence: string;
  readonly identity: NamespaceIdentity;
  /** Number of the last stored entry. */
  seq: number;
  /** Stored state and changes; undefined after the first load. */
  entries: readonly StoredEntry[] | undefined;
  readonly snapshots: readonly (Snapshot & { readonly body: string })[];
  /** True after a commit that failed or has an unknown fate, until the state is read again. */
  isBroken: boolean;
  isLost: boolean;
  events: StoreEvents | undefined;
}

export interface StoredEntry {
  readonly seq: number;
  readonly isState: boolean;
  readonly body: string;
}

/** Entries of one namespace that one transaction writes. */
interface Batch {
  readonly lease: NamespaceLease;
  readonly entries: StoredEntry[];
}

/** Identifies writes by number, not by namespace: a batch may contain writes of a lost lease and of its successor. */
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

/**
 * One transaction writes all waiting entries of the process, and checks the fence and the last entry's number of each
 * namespace. Transactions run one at a time.
 */
export abstract class CommitQueue extends DatabaseConnection {
  readonly processId = generateToken();
  readonly heldLeases = new Map<string, NamespaceLease>();
  isStorageUnreachable = false;
  events: LeaseHandlers | undefined;
  /** Second connection, for statements that may take long. */
  abstract readonly link: DatabaseConnection;
  #waiting = new Map<NamespaceLease, StoredEntry[]>();
  #draining: Promise<void> | undefined;

  write(lease: NamespaceLease, entry: StoredEntry): void {
    this.checkReachable(lease);
    const entries = this.#waiting.get(lease);
    if (entries === undefined) this.#waiting.set(lease, [entry]);
    else entries.push(entry);
    this.#draining ??= Promise.resolve().then(() => this.#drain());
  }

  /** Resolves when no write is waiting. */
  async whenEmpty(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batches = Array.from(this.#waiting, ([lease, entries]) => ({ lease, entries }));
      this.#waiting.clear();
      await this.#commit(batches.filter(({ lease }) => !lease.isBroken));
    }
    this.#draining = undefined;
  }

  async #commit(batches: readonly Batch[]): Promise<void> {
    if (batches.length === 0) return;
    const values = batches.map(({ lease: { id, fence, seq }, entries }, write) => {
      return { write, id, fence, seq, last: entries.at(-1)!.seq, entries };
    });
    try {
      const parameters = [JSON.stringify(values), this.processId];
      const rows = await this.query<{ write: number }>(COMMIT, parameters, "commit");
      const held = new Set(rows.map(({ write }) => write));
      for (const [index, { lease, entries }] of batches.entries()) {
        if (held.has(index)) {
          lease.seq = entries.at(-1)!.seq;
          lease.events?.onSafe(lease.seq);
        } else {
          this.lose(lease);
          lease.events?.onFailed(leaseLostError(lease));
        }
      }
    } catch (error) {
      const isAway = error instanceof StorageUnavailableError;
      // Tries each namespace alone, so that one bad entry does not harm the others.
      if (!isAway && batches.length > 1) {
        for (const batch of batches) await this.#commit([batch]);
        return;
      }
      for (const { lease } of batches) {
        lease.isBroken = true;
        lease.events?.onFailed(isAway ? error : new StorageUnavailableError(String(error), { cause: error }));
        if (!isAway) void this.reopen(lease);
      }
      if (isAway) this.noteUnreachable(error);
    }
  }

  /** Reads the state of a broken lease again. */
  abstract reopen(lease: NamespaceLease): Promise<void>;

  /** Called if the database does not answer, which leaves the fate of the entries unknown. */
  abstract noteUnreachable(error: unknown): void;

  /** Gives a lease up: memory and database may differ, or another process may have the namespace. */
  lose(lease: NamespaceLease): void {
    lease.isLost = true;
    if (this.forget(lease)) this.events?.discard(lease.name);
  }

  /** Returns false if the lease was no longer held. */
  forget(lease: NamespaceLease): boolean {
    return this.heldLeases.get(lease.name) === lease && this.heldLeases.delete(lease.name);
  }

  checkReachable(lease: NamespaceLease): void {
    if (lease.isLost) throw leaseLostError(lease);
    if (this.isStorageUnreachable || lease.isBroken)
      throw new StorageUnavailableError("the database does not answer");
  }

  /** Writes snapshots and compactions on the second connection, since they must not delay commits. */
  async writeIfHeld(lease: NamespaceLease, write: string, values: unknown[]): Promise<void> {
    this.checkReachable(lease);
    const held = "held as (select id from namespaces where id = $1 and fence = $2 and owner = $3)";
    const text = `with ${held}${write} select id from held`;
    const rows = await this.link.query(text, [lease.id, lease.fence, this.processId, ...values]);
    if (rows.length === 0) throw leaseLostError(lease);
  }
}

export function leaseLostError({ name }: Pick<NamespaceLease, "name">): StorageUnavailableError {
  return new StorageUnavailableError(`another process runs the namespace "${name}" by now`);
}
