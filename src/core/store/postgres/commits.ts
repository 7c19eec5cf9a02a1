import type { NamespaceIdentity } from "../../schema/control-requests.js";
import { StorageAway } from "../../schema/unavailable.js";
import type { Snapshot } from "../storage.js";
import { Link } from "./link.js";
import type { PostgresStorage } from "./postgres-storage.js";

/** The right to commit in a namespace while the database has this fence for it, and what was stored when it began. */
export interface Lease {
  readonly storage: PostgresStorage;
  readonly name: string;
  readonly id: number;
  readonly fence: string;
  readonly identity: NamespaceIdentity;
  /** Number of the last stored entry. */
  seq: number;
  /** Removed by the first load. */
  entries: readonly Entry[] | undefined;
  readonly snapshots: readonly (Snapshot & { readonly body: string })[];
  isLost: boolean;
}

export interface Entry {
  readonly seq: number;
  readonly isState: boolean;
  readonly body: string;
}

interface Write {
  readonly lease: Lease;
  readonly entries: readonly Entry[];
  readonly onStored: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** Entries belong to a write and not to a namespace: a write of a lost lease may wait beside one of the next lease. */
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
 * Group commit of a process: all entries that wait are one transaction, which checks fence and number of each namespace.
 * One transaction is under way at a time.
 */
export class Commits extends Link {
  #waiting: Write[] = [];
  #draining: Promise<void> | undefined;

  write(lease: Lease, entries: readonly Entry[]): Promise<void> {
    return new Promise((onStored, onFailed) => {
      this.#waiting.push({ lease, entries, onStored, onFailed });
      this.#draining ??= Promise.resolve().then(() => this.#drain());
    });
  }

  /** Resolves when nothing waits. */
  async whenEmpty(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#store(this.#waiting.splice(0));
    this.#draining = undefined;
  }

  async #store(batch: readonly Write[]): Promise<void> {
    const { storage } = batch[0]!.lease;
    const values = batch.map(({ lease: { id, fence, seq }, entries }, write) => {
      return { write, id, fence, seq, last: entries.at(-1)!.seq, entries };
    });
    try {
      const parameters = [JSON.stringify(values), storage.process];
      const rows = await this.query<{ write: number }>(COMMIT, parameters, "commit");
      const held = new Set(rows.map(({ write }) => write));
      for (const [index, { lease, entries, onStored, onFailed }] of batch.entries()) {
        if (held.has(index)) {
          lease.seq = entries.at(-1)!.seq;
          onStored();
        } else {
          storage.lose(lease);
          onFailed(movedAway(lease));
        }
      }
    } catch (error) {
      storage.noteAway(error);
      for (const { lease, entries, onFailed } of batch) {
        // Memory has the new state already.
        if (entries[0]!.isState) storage.lose(lease);
        onFailed(error instanceof StorageAway ? error : new StorageAway(String(error), { cause: error }));
      }
    }
  }
}

export function movedAway({ name }: Pick<Lease, "name">): StorageAway {
  return new StorageAway(`another process runs the namespace "${name}" by now`);
}
