import type { Change, KeptChange } from "./records.js";
import type { State } from "./state.js";
import type { Store } from "./store.js";

/** Why changes are not kept. */
export interface NotKept {
  readonly error: unknown;
}

/** Changes that are kept together, or not at all. */
interface Turn {
  readonly changes: KeptChange[];
  /** Takes them back, the last first. */
  readonly undo: (() => void)[];
  /** In their order: what shows a change, and who waits for the turn. */
  readonly told: ((failure?: NotKept) => void)[];
  /** Whether anybody waits for it, and so hears when it fails. */
  isAwaited: boolean;
}

type KeepingStore = Store & Required<Pick<Store, "keep">>;

export function keepsChanges(store: Store): store is KeepingStore {
  return store.keep !== undefined;
}

export interface KeeperOptions {
  readonly state: () => State;
  readonly store: KeepingStore;
  /** Calls back at the end of this turn of the event loop; without it, each change is kept by itself and at once. */
  readonly atTurnsEnd: ((run: () => void) => void) | undefined;
  /** Told when a turn has been taken back, before those who wait for it; `isHeard` when somebody else is told, too. */
  readonly onUndone: (failure: NotKept, isHeard: boolean) => void;
}

/**
 * Kept before seen: the changes of one turn of the event loop are in the state at once, and are kept together at its end,
 * or when somebody cannot wait. What shows them comes after that. When they cannot be kept they are taken back, all of
 * the turn and whatever came on top of it, and everybody who waits hears of it.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  #gathered = newTurn();
  /** With a store that answers later. */
  #underWay: { readonly turn: Turn; readonly done: Promise<void> } | undefined;
  #isPlanned = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Whether all that has happened is kept. */
  get isKept(): boolean {
    return this.#underWay === undefined && this.#gathered.changes.length === 0;
  }

  /** Whether a store that answers later has yet to answer. */
  get isKeeping(): boolean {
    return this.#underWay !== undefined;
  }

  /**
   * Applies a change that is to be kept with its turn; `plan` comes next.
   *
   * @param undo takes back what goes with it besides the state
   * @param show told once it is kept
   */
  add(change: Change, undo: () => void, show: () => void): void {
    const { state, store } = this.#options;
    const { changes, undo: undos, told } = this.#gathered;
    changes.push(store.keptOf?.(change, state()) ?? change);
    const takeBack = state().tryOut(change);
    undos.push(() => {
      takeBack();
      undo();
    });
    told.push((failure) => {
      if (failure === undefined) show();
    });
  }

  /** Sees to it that what has been gathered is kept. */
  plan(): void {
    const { atTurnsEnd } = this.#options;
    if (atTurnsEnd === undefined) this.keep();
    else if (!this.#isPlanned) {
      this.#isPlanned = true;
      atTurnsEnd(() => {
        this.#isPlanned = false;
        void this.calm();
      });
    }
  }

  /** Calls back when all that has happened so far is kept, or taken back. */
  whenKept(then: (failure?: NotKept) => void): void {
    const turn = this.#gathered.changes.length > 0 ? this.#gathered : this.#underWay?.turn;
    if (turn === undefined) {
      then();
      return;
    }
    turn.isAwaited = true;
    turn.told.push(then);
  }

  /**
   * Keeps now what has been gathered. Undefined when all is kept by then; a promise with a store that answers later.
   * Throws, or rejects, when it cannot be kept, and it is taken back then.
   */
  keep(): Promise<void> | undefined {
    const keeping = this.#keep(true);
    if (keeping === undefined || keeping instanceof Promise) return keeping;
    throw keeping.error;
  }

  /** As `keep`, for somebody whom it does not concern whether that can be done; never throws or rejects. */
  calm(): Promise<void> | undefined {
    const keeping = this.#keep(false);
    return keeping instanceof Promise ? keeping.catch(() => {}) : undefined;
  }

  #keep(isHeard: boolean): Promise<void> | NotKept | undefined {
    const turn = this.#gathered;
    if (this.#underWay !== undefined) {
      const { done } = this.#underWay;
      return turn.changes.length === 0 ? done : handled(done.then(() => this.keep()));
    }
    if (turn.changes.length === 0) return undefined;
    this.#gathered = newTurn();
    let later: void | Promise<void>;
    try {
      later = this.#options.store.keep(turn.changes);
    } catch (error) {
      this.#takeBack([turn], { error }, isHeard);
      return { error };
    }
    if (later === undefined) {
      this.#confirm(turn);
      return undefined;
    }
    const kept = (): void => {
      this.#underWay = undefined;
      this.#confirm(turn);
    };
    const notKept = (error: unknown): never => {
      const onTop = this.#gathered;
      this.#gathered = newTurn();
      this.#underWay = undefined;
      this.#takeBack([turn, onTop], { error }, false);
      throw error;
    };
    const done = handled(later.then(kept, notKept));
    this.#underWay = { turn, done };
    return done;
  }

  #confirm({ told }: Turn): void {
    // What came on top may have to be taken back yet.
    if (this.isKept) this.#options.state().confirm();
    tellAll(told);
  }

  #takeBack(turns: readonly Turn[], failure: NotKept, isHeard: boolean): void {
    for (const { undo } of turns.toReversed()) for (const takeBack of undo.toReversed()) takeBack();
    const state = this.#options.state();
    state.tasks.restoreDropped();
    state.confirm();
    this.#options.onUndone(failure, isHeard || turns.some(({ isAwaited }) => isAwaited));
    for (const { told } of turns) tellAll(told, failure);
  }
}

/** A fault of one of them is thrown when all have been told. */
function tellAll(told: Turn["told"], failure?: NotKept): void {
  let fault: NotKept | undefined;
  for (const tell of told) {
    try {
      tell(failure);
    } catch (error) {
      fault ??= { error };
    }
  }
  if (fault !== undefined) throw fault.error;
}

function newTurn(): Turn {
  return { changes: [], undo: [], told: [], isAwaited: false };
}

/** Whoever does not wait for it need not hear of it. */
function handled(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
