import type { MemoryMeter } from "../engine/memory-meter.js";
import type { ClockRecord, FrozenState } from "../engine/records.js";
import { State } from "../engine/state.js";
import { isRefusal, type Refusal, refuse } from "../schema/refusals.js";
import { iso } from "../schema/time.js";
import { encodeState } from "../store/state-format.js";
import type { SavedState, Snapshot, Snapshots } from "../store/storage.js";
import { StoreError, TooLongError } from "../store/store-error.js";
import type { ClockControl } from "../time/clock-control.js";
import { loadLazily } from "../time/load-lazily.js";
import type { ReadGate } from "../time/read-gate.js";
import type { Scheduler } from "../time/scheduler.js";
import { withYields } from "../time/wall-clock.js";

interface SavedStatesOptions {
  readonly scheduler: Scheduler;
  readonly reader: ReadGate;
  readonly clock: ClockControl;
  readonly snapshots: Snapshots;
  readonly memory: MemoryMeter;
  readonly onReplaced: () => void;
}

export class SavedStates {
  readonly #options: SavedStatesOptions;
  readonly #snapshots: Snapshots;
  /** Estimated sizes of the snapshots in memory, by name. */
  readonly #heldBytes = new Map<string, number>();

  constructor(options: SavedStatesOptions) {
    this.#options = options;
    this.#snapshots = options.snapshots;
  }

  /** Saves the current state. Refuses a state that is too large to load again. */
  async save(name: string): Promise<Snapshot | Refusal> {
    const state = this.#freeze();
    const { bytes } = this.#options.scheduler.engine.state;
    if (!this.#hold(name, bytes)) return this.#options.memory.refusal();
    const snapshot = { name, at: iso(this.#options.scheduler.clock.nowMs()) };
    try {
      await this.#options.scheduler.engine.gate.passed();
      await this.#snapshots.save(snapshot, state);
      return snapshot;
    } catch (error) {
      if (!(error instanceof TooLongError)) throw error;
      return refuse("PAYLOAD_TOO_LARGE", `The state is too large for a snapshot. ${error.message}`);
    }
  }

  /** Returns the state with the clock's current reading. Writes nothing, so a full disk does not matter. */
  #freeze(): FrozenState {
    const { reader, scheduler } = this.#options;
    reader.runDueTasks();
    const state = scheduler.engine.state.freeze();
    const clock = scheduler.clock.record();
    return { ...state, collections: { ...state.collections, clock: [["clock", clock]] } };
  }

  /** Newest first. */
  list(): Snapshot[] {
    return this.#snapshots.list();
  }

  /** Refused during an advance, or if the snapshot is missing or unusable. */
  async restore(name: string): Promise<Refusal | undefined> {
    const saved = this.#read(name);
    if (isRefusal(saved)) return saved;
    return saved.isFromOutside ? this.load(saved.dump) : this.#replaceState(State.from(saved.dump));
  }

  #read(name: string): SavedState | Refusal {
    try {
      return this.#snapshots.read(name) ?? refuse("NOT_FOUND", `There is no snapshot "${name}"`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return refuse("NOT_FOUND", `The snapshot "${name}" cannot be read. ${error.message}`);
    }
  }

  /** Counts the bytes of a snapshot in memory in place of an earlier one's. Returns false if there is no room. */
  #hold(name: string, bytes: number): boolean {
    if (!this.#snapshots.isInMemory) return true;
    const { memory } = this.#options;
    const addedBytes = bytes - (this.#heldBytes.get(name) ?? 0);
    if (addedBytes > 0 && !memory.hasRoomFor(addedBytes)) return false;
    memory.add(addedBytes);
    this.#heldBytes.set(name, bytes);
    return true;
  }

  /** Returns true if the snapshot existed. */
  delete(name: string): boolean | Promise<boolean> {
    this.#hold(name, 0);
    return this.#snapshots.delete(name);
  }

  exportText(): AsyncIterable<string> {
    return withYields(encodeState(this.#freeze()));
  }

  /** Replaces the state by an imported state, after full validation. Refused if invalid, or during an advance. */
  async load(dump: unknown): Promise<Refusal | undefined> {
    const { readState } = await loadLazily(() => import("../engine/intake/read-state.js"));
    const state = readState(dump, this.#options.scheduler.engine);
    if (isRefusal(state)) return state;
    const { memory, scheduler } = this.#options;
    return memory.hasRoomFor(state.bytes - scheduler.engine.state.bytes)
      ? this.#replaceState(state)
      : memory.refusal();
  }

  async #replaceState(state: State): Promise<Refusal | undefined> {
    const { scheduler, clock, onReplaced } = this.#options;
    const clockRecord = state.get("clock", "clock");
    const { mode, speed } = clockRecord ?? scheduler.clock.setting;
    const nowMs = Math.max(state.at, clockRecord?.sandbox_ms ?? state.at);
    const replace = (record: ClockRecord) => scheduler.engine.load(state, record);
    const refusal = clock.replaceState(replace, nowMs, { mode, speed });
    if (refusal === undefined) onReplaced();
    return refusal;
  }

  close(): void {
    for (const name of this.#heldBytes.keys()) this.#hold(name, 0);
    this.#snapshots.close();
  }
}
