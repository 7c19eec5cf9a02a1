import { StorageAway } from "../../schema/unavailable.js";
import type { Link } from "./link.js";

/** The right to commit in a namespace while the database has this fence for it. */
export interface Lease {
  readonly name: string;
  readonly id: number;
  readonly fence: string;
  /** Number of the last stored entry. */
  seq: number;
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
  readonly onFailed: (error: StorageAway) => void;
}

/** Entries belong to a write and not to a namespace: a write of a lost lease may wait beside one of the next lease. */
const COMMIT = `with batch as (
    select * from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[])
      as b (write, id, fence, seq, last)
  ), held as (
    update namespaces n set seq = b.last from batch b
    where n.id = b.id and n.fence = b.fence and n.owner = $6 and n.seq = b.seq returning n.id, b.write
  ), entry as (
    select held.id, e.seq, e.is_state, e.body
    from unnest($7::int[], $8::bigint[], $9::bool[], $10::text[]) as e (write, seq, is_state, body)
    join held using (write)
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
export class Commits {
  #waiting: Write[] = [];
  #draining: Promise<void> | undefined;

  /**
   * @param owner returns the id of this process
   * @param onAway called if the database does not answer: the fate of the entries is unknown
   * @param onLost called if memory and database may differ
   */
  constructor(
    readonly link: Link,
    readonly owner: () => string,
    readonly onAway: (error: unknown) => void,
    readonly onLost: (lease: Lease) => void,
  ) {}

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
    const { link, owner, onAway, onLost } = this;
    try {
      const rows = await link.query<{ write: number }>(COMMIT, valuesOf(batch, owner()), "commit");
      const held = new Set(rows.map(({ write }) => write));
      for (const [index, { lease, entries, onStored, onFailed }] of batch.entries()) {
        if (held.has(index)) {
          lease.seq = entries.at(-1)!.seq;
          onStored();
        } else {
          onLost(lease);
          onFailed(movedAway(lease));
        }
      }
    } catch (error) {
      onAway(error);
      for (const { lease, entries, onFailed } of batch) {
        // Memory has the new state already.
        if (entries[0]!.isState) onLost(lease);
        onFailed(error instanceof StorageAway ? error : new StorageAway(String(error), { cause: error }));
      }
    }
  }
}

function valuesOf(batch: readonly Write[], owner: string): unknown[] {
  const leases = batch.map(({ lease: { id, fence, seq }, entries }, write) => [
    write,
    id,
    fence,
    seq,
    entries.at(-1)!.seq,
  ]);
  const entries = batch.flatMap((one, write) =>
    one.entries.map(({ seq, isState, body }) => [write, seq, isState, body]),
  );
  const columns = (rows: unknown[][], count: number) =>
    Array.from({ length: count }, (_, index) => rows.map((row) => row[index]));
  return [...columns(leases, 5), owner, ...columns(entries, 4)];
}

export function movedAway({ name }: Pick<Lease, "name">): StorageAway {
  return new StorageAway(`another process runs the namespace "${name}" by now`);
}
