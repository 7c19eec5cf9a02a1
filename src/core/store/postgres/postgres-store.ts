import { encodeChange, noLatestKeys } from "../../engine/encode-change.js";
import type { FrozenState } from "../../engine/frozen-state.js";
import type { Change, JournalEntry, RecordReader, StateDump } from "../../engine/records.js";
import type { Store } from "../../engine/store.js";
import { StorageAway } from "../../schema/unavailable.js";
import { withYields } from "../../time/wall-clock.js";
import { SnapshotsInMemory } from "../memory-storage.js";
import { encodeState } from "../state-text.js";
import type { SavedState, Snapshot } from "../storage.js";
import { asStoreError, StoreError } from "../store-error.js";
import { isChange, isStateDump } from "../stored-shapes.js";
import { type Commits, type Entry, type Lease, movedAway } from "./commits.js";
import type { Link } from "./link.js";

/** Below this size of the changes nothing is compacted; above it, when they are twice as large as the state. */
const COMPACT_AT_CHARS = 4 * 1024 * 1024;

export interface StoredSnapshot extends Snapshot {
  readonly body: string;
}

/** A namespace of this process: its lease, and what was stored when it was taken over. */
export interface Held {
  readonly lease: Lease;
  readonly identity: unknown;
  /** Removed by the first load. */
  entries: readonly Entry[] | undefined;
  readonly snapshots: readonly StoredSnapshot[];
  readonly commits: Commits;
  /** For snapshots and compactions, which must not delay commits. */
  readonly link: Link;
  readonly owner: () => string;
  readonly isAway: () => boolean;
  readonly onClose: () => void;
}

/** A namespace in the database. The process's next transaction has the changes of this tick. */
export class PostgresStore implements Store {
  readonly #held: Held;
  readonly #latest = noLatestKeys();
  #stateChars = 0;
  #changedChars = 0;
  #isCompacting = false;

  constructor(held: Held) {
    this.#held = held;
  }

  load(): ReturnType<Store["load"]> {
    const { entries, lease } = this.#held;
    if (entries === undefined) throw new StoreError(`The namespace "${lease.name}" is open already.`);
    this.#held.entries = undefined;
    this.#count(entries);
    const parsed = entries.map(({ body }): unknown => JSON.parse(body));
    const snapshot = parsed.shift();
    if (snapshot === undefined) return undefined;
    if (!isStateDump(snapshot) || !parsed.every(isChange))
      throw this.loadError("a row is not one of this program");
    return { snapshot, changes: parsed };
  }

  #count(entries: readonly Entry[]): void {
    for (const { isState, body } of entries) {
      this.#changedChars = isState ? 0 : this.#changedChars + body.length;
      if (isState) this.#stateChars = body.length;
    }
  }

  encode(change: Change, before: RecordReader): JournalEntry {
    return encodeChange(change, before, this.#latest);
  }

  append(changes: readonly JournalEntry[]): Promise<void> {
    const { name, seq: lastSeq } = this.#held.lease;
    if (changes.some(({ seq }, index) => seq !== lastSeq + 1 + index))
      throw new StoreError(`${name}: change ${changes[0]!.seq} cannot follow change ${lastSeq}.`);
    return this.#write(
      changes.map((change) => ({ seq: change.seq, isState: false, body: JSON.stringify(change) })),
    );
  }

  replace(state: StateDump): Promise<void> {
    return this.#write([{ seq: state.seq, isState: true, body: [...encodeState(state)].join("") }]);
  }

  /** Throws at once while the database is away, so that a read goes on without the changes of due tasks. */
  #write(entries: readonly Entry[]): Promise<void> {
    checkReachable(this.#held);
    return this.#held.commits.write(this.#held.lease, entries).then(() => this.#count(entries));
  }

  compactIfLarge(state: () => FrozenState): Promise<Error | undefined> | undefined {
    const isLarge = this.#changedChars > Math.max(COMPACT_AT_CHARS, 2 * this.#stateChars);
    return isLarge && !this.#isCompacting ? this.#compact(state()) : undefined;
  }

  async #compact(state: FrozenState): Promise<Error | undefined> {
    const charsBefore = this.#changedChars;
    this.#isCompacting = true;
    try {
      const body = await textOf(state);
      await writeIfHeld(
        this.#held,
        `, stored as (
          insert into entries (id, seq, is_state, body) select id, $4, true, $5 from held
          on conflict (id, seq) do update set is_state = true, body = excluded.body
        ), replaced as (delete from entries e using held where e.id = held.id and e.seq < $4)`,
        [state.seq, body],
      );
      this.#stateChars = body.length;
      this.#changedChars -= charsBefore;
      return undefined;
    } catch (error) {
      // Tried again when the changes have doubled.
      this.#stateChars = this.#changedChars;
      return asStoreError(error, `Cannot compact the namespace "${this.#held.lease.name}"`);
    } finally {
      this.#isCompacting = false;
    }
  }

  close(): void {
    this.#held.onClose();
  }

  loadError(cause: unknown): StoreError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StoreError(
      `The namespace "${this.#held.lease.name}" in the database is not a state of this program (${reason}). Restore the database from a backup, or delete the namespace.`,
    );
  }
}

/** Snapshots in the database, and in memory for readers that cannot wait. */
export class PostgresSnapshots extends SnapshotsInMemory {
  readonly #held: Held;

  constructor(held: Held) {
    super();
    this.#held = held;
    for (const { name, at, body } of held.snapshots) void super.save({ name, at }, JSON.parse(body));
  }

  override async save(snapshot: Snapshot, state: FrozenState): Promise<void> {
    checkReachable(this.#held);
    await writeIfHeld(
      this.#held,
      `, stored as (
        insert into snapshots (id, name, at, body) select id, $4, $5, $6 from held
        on conflict (id, name) do update set at = excluded.at, saved = excluded.saved, body = excluded.body)`,
      [snapshot.name, snapshot.at, await textOf(state)],
    );
    await super.save(snapshot, state);
  }

  /** Another version may have written it. */
  override read(name: string): SavedState | undefined {
    const saved = super.read(name);
    return saved && { dump: saved.dump, isFromOutside: true };
  }

  override async delete(name: string): Promise<boolean> {
    checkReachable(this.#held);
    const deletion = ", deleted as (delete from snapshots s using held where s.id = held.id and s.name = $4)";
    await writeIfHeld(this.#held, deletion, [name]);
    return super.delete(name);
  }
}

function checkReachable({ lease, isAway }: Held): void {
  if (lease.isLost) throw movedAway(lease);
  if (isAway()) throw new StorageAway("the database does not answer");
}

async function writeIfHeld({ link, lease, owner }: Held, write: string, values: unknown[]): Promise<void> {
  const held = "held as (select id from namespaces where id = $1 and fence = $2 and owner = $3)";
  const text = `with ${held}${write} select id from held`;
  const rows = await link.query(text, [lease.id, lease.fence, owner(), ...values]);
  if (rows.length === 0) throw movedAway(lease);
}

async function textOf(state: FrozenState): Promise<string> {
  let text = "";
  for await (const piece of withYields(encodeState(state))) text += piece;
  return text;
}
