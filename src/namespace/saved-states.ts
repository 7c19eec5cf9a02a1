import type { FrozenState } from "../engine/frozen-state.js";
import { State } from "../engine/state.js";
import { isRefusal, type Refusal, refuse } from "../schema/errors.js";
import { iso } from "../schema/time.js";
import { StoreError, TooLongError } from "../store/error.js";
import { piecesOf } from "../store/state-text.js";
import type { SavedState, Snapshot, Snapshots } from "../store/storage.js";
import { inTurns } from "../time/wall.js";

/** What saving and restoring asks of the namespace whose state it is. */
export interface StateOwner {
  nowMs(): number;
  /** The state of this moment, its clock with it. */
  freeze(): FrozenState;
  /** Puts a state that is known to be whole in the place of the present one; refused while the clock is advanced. */
  replace(state: State): Refusal | undefined;
  /** Looks at a state from outside as a whole before it does. */
  takeIn(dump: unknown): Promise<Refusal | undefined>;
}

/** The states of a namespace: under a name, as a text to carry away, and put back. */
export class SavedStates {
  readonly #owner: StateOwner;
  readonly #kept: Snapshots;

  constructor(owner: StateOwner, kept: Snapshots) {
    this.#owner = owner;
    this.#kept = kept;
  }

  /** Of this moment, whatever happens until it is written. Refused when it is too large to be read back. */
  async save(name: string): Promise<Snapshot | Refusal> {
    const state = this.#owner.freeze();
    const snapshot = { name, at: iso(this.#owner.nowMs()) };
    try {
      await this.#kept.save(snapshot, state);
      return snapshot;
    } catch (error) {
      if (!(error instanceof TooLongError)) throw error;
      return refuse("PAYLOAD_TOO_LARGE", `The state is too large for a snapshot. ${error.message}`);
    }
  }

  /** Newest first. */
  list(): Snapshot[] {
    return this.#kept.list();
  }

  /** Refused while the clock is being advanced, or when there is no such snapshot, or none that can be gone on from. */
  async restore(name: string): Promise<Refusal | undefined> {
    const saved = this.#read(name);
    if (isRefusal(saved)) return saved;
    return saved.isFromOutside ? this.#owner.takeIn(saved.dump) : this.#owner.replace(State.from(saved.dump));
  }

  #read(name: string): SavedState | Refusal {
    try {
      return this.#kept.read(name) ?? refuse("NOT_FOUND", `There is no snapshot "${name}"`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return refuse("NOT_FOUND", `The snapshot "${name}" cannot be read. ${error.message}`);
    }
  }

  /** Whether there was one. */
  delete(name: string): boolean {
    return this.#kept.delete(name);
  }

  /** The whole state of this moment as the pieces of a JSON text. */
  text(): AsyncIterable<string> {
    return inTurns(piecesOf(this.#owner.freeze()));
  }

  /** Refused while the clock is being advanced, or when it is no state that can be gone on from. */
  load(dump: unknown): Promise<Refusal | undefined> {
    return this.#owner.takeIn(dump);
  }

  /** What is not kept by now is not kept. */
  close(): void {
    this.#kept.close();
  }
}
