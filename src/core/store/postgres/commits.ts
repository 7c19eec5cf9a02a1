import type { NamespaceIdentity } from "../../schema/control-requests.js";
import { StorageUnavailableError } from "../../schema/unavailable.js";
import { generateToken } from "../../time/wall-clock.js";
import type { LeaseHandlers, Snapshot } from "../storage.js";
import { DatabaseConnection } from "./link.js";

/** A namespace's data at the start of a lease. Commits succeed only while the database has the same `fence`. */
export interface NamespaceLease {
  readonly commits: CommitQueue;
  readonly name: string;
  readonly id: number;
  readonly fence: string;
  readonly identity: NamespaceIdentity;
  /** Number of the last stored entry. */
  seq: number;
  /** Stored state and changes; undefined after the first load. */
  entries: readonly StoredEntry[] | undefined;
  readonly snapshots: readonly (Snapshot & { readonly body: string })[];
  isLost: boolean;
}

export interface StoredEntry {
  readonly seq: number;
  readonly isState: boolean;
  readonly body: string;
}

interface Write {
  readonly lease: NamespaceLease;
  readonly entries: readonly StoredEntry[];
  readonly onStored: () => void;
  readonly onFailed: (error: unknown) => void;
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
 * Group commit of a process: one transaction writes all waiting entries, and checks the fence and the last entry's
 * number of each namespace. Transactions run one at a time.
 */
export abstract class CommitQueue extends DatabaseConnection {
  readonly processId = generateToken();
  readonly heldLeases = new Map<string, NamespaceLease>();
  isStorageUnreachable = false;
  events: LeaseHandlers | undefined;
  /** Second connection, for statements that may take long. */
  abstract readonly link: DatabaseConnection;
  #waiting: Write[] = [];
  #draining: Promise<void> | undefined;

  write(lease: NamespaceLease, entries: readonly StoredEntry[]): Promise<void> {
    return new Promise((onStored, onFailed) => {
      this.#waiting.push({ lease, entries, onStored, onFailed });
      this.#draining ??= Promise.resolve().then(() => this.#drain());
    });
  }

  /** Resolves when no write is waiting. */
  async whenEmpty(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#store(this.#waiting.splice(0));
    this.#draining = undefined;
  }

  async #store(batch: readonly Write[]): Promise<void> {
    const values = batch.map(({ lease: { id, fence, seq }, entries }, write) => {
      return { write, id, fence, seq, last: entries.at(-1)!.seq, entries };
    });
    try {
      const parameters = [JSON.stringify(values), this.processId];
      const rows = await this.query<{ write: number }>(COMMIT, parameters, "commit");
      const held = new Set(rows.map(({ write }) => write));
      for (const [index, { lease, entries, onStored, onFailed }] of batch.entries()) {
        if (held.has(index)) {
          lease.seq = entries.at(-1)!.seq;
          onStored();
        } else {
          this.lose(lease);
          onFailed(leaseLostError(lease));
        }
      }
    } catch (error) {
      this.noteUnreachable(error);
      for (const { lease, entries, onFailed } of batch) {
        // Memory already has the new state, and cannot go back.
        if (entries[0]!.isState) this.lose(lease);
        onFailed(
          error instanceof StorageUnavailableError
            ? error
            : new StorageUnavailableError(String(error), { cause: error }),
        );
      }
    }
  }

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
    if (this.isStorageUnreachable) throw new StorageUnavailableError("the database does not answer");
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
