import { encodeChange } from "../../engine/encode-change.js";
import type { Change, FrozenState, RecordReader, StateDump } from "../../engine/records.js";
import type { Store, StoreEvents } from "../../engine/store.js";
import { errorText } from "../../schema/error-text.js";
import { DEFAULT_NAMESPACE } from "../../schema/option-schemas.js";
import { joinPieces, withYields } from "../../time/wall-clock.js";
import { encodeState, isJournalEntry, isStateDump } from "../state-format.js";
import { type SavedState, type Snapshot, SnapshotsInMemory } from "../storage.js";
import { asStoreError, StoreError } from "../store-error.js";
import type { OwnedNamespace, StoredEntry } from "./commits.js";

/** Compaction begins once the changes exceed this size and twice the size of the state. */
const COMPACT_AT_CHARS = 4 * 1024 * 1024;

/** Stores one namespace in the database. All namespaces of the process share a transaction. */
export class PostgresStore implements Store {
  #stateChars = 0;
  #changedChars = 0;

  constructor(readonly owned: OwnedNamespace) {}

  load(events: StoreEvents): ReturnType<Store["load"]> {
    const { name, entries, seq } = this.owned;
    this.owned.events = events;
    if (entries === undefined) throw new StoreError(`The namespace "${name}" is open already.`);
    this.owned.entries = undefined;
    this.#checkNumbers(entries);
    // The engine's earlier state may have changes that were not stored, and later ones would be stored without them.
    this.owned.failure = undefined;
    this.owned.lastSeq = seq;
    this.#count(entries);
    const parsed = entries.map(({ body }): unknown => JSON.parse(body));
    const snapshot = parsed.shift();
    if (snapshot === undefined) return undefined;
    if (!isStateDump(snapshot) || !parsed.every(isJournalEntry))
      throw this.toLoadError("a row is not one of this program");
    return { snapshot, changes: parsed };
  }

  /** @throws StoreError if an entry is missing, or if the last one is not the last commit */
  #checkNumbers(entries: readonly StoredEntry[]): void {
    const { seq } = this.owned;
    const first = entries[0]?.seq ?? 0;
    const gap = entries.findIndex((entry, index) => entry.seq !== first + index);
    if (gap !== -1) throw this.toLoadError(`change ${first + gap} is missing`);
    const last = entries.at(-1)?.seq ?? 0;
    if (last !== seq)
      throw this.toLoadError(`it ends with change ${last}, and the last commit was change ${seq}`);
  }

  #count(entries: readonly StoredEntry[]): void {
    for (const { isState, body } of entries) {
      this.#changedChars = isState ? 0 : this.#changedChars + body.length;
      if (isState) this.#stateChars = body.length;
    }
  }

  append(change: Change, before: RecordReader): void {
    this.#write({ seq: change.seq, isState: false, body: JSON.stringify(encodeChange(change, before)) });
  }

  replace(state: StateDump): void {
    this.#write({ seq: state.seq, isState: true, body: [...encodeState(state)].join("") });
  }

  /** Throws at once while the database is away, so that reads go on without due tasks instead of waiting. */
  #write(entry: StoredEntry): void {
    this.owned.commits.write(this.owned, entry);
    this.#count([entry]);
  }

  compactIfLarge(state: () => FrozenState): Promise<Error | undefined> | undefined {
    const isLarge = this.#changedChars > Math.max(COMPACT_AT_CHARS, 2 * this.#stateChars);
    return isLarge ? this.#compact(state()) : undefined;
  }

  async #compact(state: FrozenState): Promise<Error | undefined> {
    const charsBefore = this.#changedChars;
    // Prevents a second compaction meanwhile.
    this.#stateChars = Number.POSITIVE_INFINITY;
    try {
      const body = await joinPieces(withYields(encodeState(state)));
      await this.owned.commits.writeIfHeld(
        this.owned,
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
      // Compaction is tried again when the changes have doubled.
      this.#stateChars = this.#changedChars;
      return asStoreError(error, `Cannot compact the namespace "${this.owned.name}"`);
    }
  }

  close(): void {
    this.owned.commits.forget(this.owned);
  }

  toLoadError(cause: unknown): StoreError {
    const { name } = this.owned;
    const reason = errorText(cause);
    const otherwise = name === DEFAULT_NAMESPACE ? "use another schema" : "delete the namespace";
    return new StoreError(
      `The namespace "${name}" in the database is not a state of this program (${reason}). Restore the database from a backup, or ${otherwise}.`,
    );
  }
}

/** Snapshots in the database, with a copy in memory for synchronous reads. */
export class PostgresSnapshots extends SnapshotsInMemory {
  constructor(readonly owned: OwnedNamespace) {
    super();
    for (const { name, at, body } of owned.snapshots) void super.save({ name, at }, JSON.parse(body));
  }

  override async save(snapshot: Snapshot, state: FrozenState): Promise<void> {
    const insertion = `, stored as (
      insert into snapshots (id, name, at, body) select id, $4, $5, $6 from held
      on conflict (id, name) do update set at = excluded.at, saved = excluded.saved, body = excluded.body)`;
    const values = [snapshot.name, snapshot.at, await joinPieces(withYields(encodeState(state)))];
    await this.owned.commits.writeIfHeld(this.owned, insertion, values);
    await super.save(snapshot, JSON.parse(values[2]!));
  }

  /** Marks the dump as unchecked, because another version of the program may have written the snapshot. */
  override read(name: string): SavedState | undefined {
    const saved = super.read(name);
    return saved && { dump: saved.dump, isFromOutside: true };
  }

  override async delete(name: string): Promise<boolean> {
    if (!this.list().some((snapshot) => snapshot.name === name)) return false;
    const deletion = ", deleted as (delete from snapshots s using held where s.id = held.id and s.name = $4)";
    await this.owned.commits.writeIfHeld(this.owned, deletion, [name]);
    return super.delete(name);
  }
}
