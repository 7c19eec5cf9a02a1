import type { FrozenState } from "../engine/frozen-state.js";
import type { ClockRecord } from "../engine/records.js";
import { State } from "../engine/state.js";
import { changesBetween, type StateChanges } from "../engine/state-changes.js";
import { isRefusal, type Refusal, refuse } from "../schema/errors.js";
import { lazily } from "../schema/lazily.js";
import { iso } from "../schema/time.js";
import { StoreError, TooLongError } from "../store/error.js";
import { piecesOf } from "../store/state-text.js";
import type { SavedState, Snapshot, Snapshots } from "../store/storage.js";
import type { ClockControl } from "../time/clock-control.js";
import type { Reader } from "../time/reader.js";
import type { Scheduler } from "../time/scheduler.js";
import { inTurns } from "../time/wall.js";

export interface SavedStatesOptions {
  readonly scheduler: Scheduler;
  readonly reader: Reader;
  readonly clock: ClockControl;
  readonly snapshots: Snapshots;
  /** Another state has taken the place of the one there was. */
  readonly onReplaced: () => void;
}

/** The states of a namespace: under a name, as a text to carry away, and put back. */
export class SavedStates {
  readonly #options: SavedStatesOptions;
  readonly #kept: Snapshots;

  constructor(options: SavedStatesOptions) {
    this.#options = options;
    this.#kept = options.snapshots;
  }

  /** Of this moment, whatever happens until it is written. Refused when it is too large to be read back. */
  async save(name: string): Promise<Snapshot | Refusal> {
    const state = this.#freeze();
    const snapshot = { name, at: iso(this.#options.scheduler.clock.nowMs()) };
    try {
      await this.#kept.save(snapshot, state);
      return snapshot;
    } catch (error) {
      if (!(error instanceof TooLongError)) throw error;
      return refuse("PAYLOAD_TOO_LARGE", `The state is too large for a snapshot. ${error.message}`);
    }
  }

  /** The state with its clock as it stands, which need not be kept for that: it can be read from a full disk. */
  #freeze(): FrozenState {
    const { reader, scheduler } = this.#options;
    reader.settle();
    const state = scheduler.engine.state.freeze();
    const clock = scheduler.clock.record();
    return { ...state, collections: { ...state.collections, clock: [["clock", clock]] } };
  }

  /** Newest first. */
  list(): Snapshot[] {
    return this.#kept.list();
  }

  /** Refused while the clock is being advanced, or when there is no such snapshot, or none that can be gone on from. */
  async restore(name: string): Promise<Refusal | undefined> {
    const saved = this.#read(name);
    if (isRefusal(saved)) return saved;
    return saved.isFromOutside ? this.load(saved.dump) : this.#goOnFrom(State.from(saved.dump));
  }

  #read(name: string): SavedState | Refusal {
    try {
      return this.#kept.read(name) ?? refuse("NOT_FOUND", `There is no snapshot "${name}"`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return refuse("NOT_FOUND", `The snapshot "${name}" cannot be read. ${error.message}`);
    }
  }

  /**
   * How the state of a snapshot differs from another's, or from that of this moment. Each is read as it is: what cannot be
   * gone on from can still be looked at.
   *
   * @param most of so many records it is told how they differ
   */
  changes(from: string, to: string | undefined, most: number): StateChanges | Refusal {
    const before = this.#read(from);
    if (isRefusal(before)) return before;
    const after = to === undefined ? this.#options.scheduler.engine.state.dump() : this.#read(to);
    if (isRefusal(after)) return after;
    return changesBetween(before.dump, "dump" in after ? after.dump : after, most);
  }

  /** Whether there was one. */
  delete(name: string): boolean {
    return this.#kept.delete(name);
  }

  /** The whole state of this moment as the pieces of a JSON text. */
  text(): AsyncIterable<string> {
    return inTurns(piecesOf(this.#freeze()));
  }

  /**
   * A state from outside may be anything: all of it is looked at before it takes the place of this one. Refused while
   * the clock is being advanced, or when it is no state that can be gone on from.
   */
  async load(dump: unknown): Promise<Refusal | undefined> {
    const { readState } = await lazily(() => import("../engine/intake/read.js"));
    const state = readState(dump, this.#options.scheduler.engine);
    return isRefusal(state) ? state : this.#goOnFrom(state);
  }

  /** Restoring puts time back too: it goes on from where the state stood, the way its clock went. */
  #goOnFrom(state: State): Refusal | undefined {
    const { scheduler, clock, onReplaced } = this.#options;
    const kept = state.get("clock", "clock");
    const { mode, speed } = kept ?? scheduler.clock.setting;
    const nowMs = Math.max(state.at, kept?.sandbox_ms ?? state.at);
    const replace = (record: ClockRecord) => scheduler.engine.load(state, record);
    const refusal = clock.replaceState(replace, nowMs, { mode, speed });
    if (refusal === undefined) onReplaced();
    return refusal;
  }

  /** What is not kept by now is not kept. */
  close(): void {
    this.#kept.close();
  }
}
