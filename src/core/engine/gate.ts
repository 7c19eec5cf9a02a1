import type { StoreFailure } from "./store.js";

type Callback = (failure?: StoreFailure) => void;

/**
 * Holds back what leaves the sandbox (a reply, a webhook, a message of a stream) until the changes before it are safe:
 * synced with `--fsync`, committed in a database. A store in memory or in a file without sync never closes it.
 */
export class Gate {
  readonly #onError: (error: unknown) => void;
  /** Callbacks with the number of the change they wait for, in order. */
  #waiting: { readonly seq: number; readonly callback: Callback }[] = [];
  #lastSeq = 0;
  #safeSeq = 0;
  #failure: StoreFailure | undefined;

  /** @param onError receives what callbacks throw */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get isOpen(): boolean {
    return this.#safeSeq >= this.#lastSeq && this.#failure === undefined;
  }

  /** Closes the gate for what follows the change, unless the change is safe already. */
  noteChange(seq: number): void {
    this.#lastSeq = seq;
  }

  /** All changes up to this number are safe. */
  noteSafe(seq: number): void {
    this.#safeSeq = seq;
    while (this.#waiting.length > 0 && this.#waiting[0]!.seq <= seq)
      this.#call(this.#waiting.shift()!.callback);
  }

  /** A change may be lost: everyone at the gate gets the failure, until `reopen`. */
  fail(error: unknown): void {
    this.#failure = { error };
    for (const { callback } of this.#waiting.splice(0)) this.#call(callback);
  }

  /** The state has been read from the store again. */
  reopen(seq: number): void {
    this.#failure = undefined;
    this.#lastSeq = seq;
    this.#safeSeq = seq;
  }

  /** Calls back when the changes so far are safe or one of them has failed: at once, or later in the order of calls. */
  pass(callback: Callback): void {
    if (this.#failure !== undefined || this.isOpen) this.#call(callback);
    else this.#waiting.push({ seq: this.#lastSeq, callback });
  }

  /** Undefined if the changes so far are safe; else resolves when they are, and rejects if one of them has failed. */
  passed(): Promise<void> | undefined {
    if (this.isOpen) return undefined;
    return new Promise((resolve, reject) => {
      this.pass((failure) => (failure === undefined ? resolve() : reject(failure.error)));
    });
  }

  #call(callback: Callback): void {
    try {
      callback(this.#failure);
    } catch (error) {
      this.#onError(error);
    }
  }
}
