import { type Stats, statSync, utimesSync } from "node:fs";
import { every, machineNowMs, monotonicMs } from "../time/timers.js";
import { asStoreError, StoreError } from "./error.js";
import { readLock, removeLock } from "./lock-file.js";
import { parseOwner } from "./owner.js";

/** How often a lock is touched, so that others see that its owner lives. */
const BEAT_MS = 1_000;

/**
 * The files of the locks held here. All copies of this module in the process share them: what `import` and `require`
 * give are two, and a lock of the other would look like one of nobody.
 */
const LOCKS = Symbol.for("payments-sandbox.locks");
const heldHere = ((globalThis as { [LOCKS]?: Set<string> })[LOCKS] ??= new Set());

export function isHeldHere(lockFile: string): boolean {
  return heldHere.has(lockFile);
}

/** The locks of this copy of the module. They are touched together, whoever of them comes to it first. */
const held = new Set<HeldLock>();
let stopBeating: (() => void) | undefined;
let beatMs = 0;

/** To be called now and then by what takes long and lets no timer run. */
export function beatIfDue(): void {
  const nowMs = monotonicMs();
  if (nowMs - beatMs < BEAT_MS) return;
  beatMs = nowMs;
  for (const lock of held) lock.beat();
}

/** FILE.lock, held. It can be lost: to somebody who saw no sign of life of this process, or with its folder. */
export class HeldLock {
  readonly #file: string;
  readonly #lockFile: string;
  readonly #content: string;
  #seen: Stats | undefined;

  constructor(file: string, content: string) {
    this.#file = file;
    this.#lockFile = `${file}.lock`;
    this.#content = content;
    this.#seen = this.#look();
    heldHere.add(this.#lockFile);
    held.add(this);
    stopBeating ??= every(BEAT_MS, beatIfDue);
  }

  /** To be called before the files are written to, if not each time. @throws StoreError when it is lost */
  check(): void {
    try {
      if (!this.#isOurs()) throw lost(this.#file, readLock(this.#lockFile));
    } catch (error) {
      throw asStoreError(error, `Cannot tell whose ${this.#lockFile} is, so nothing more is kept`);
    }
    beatIfDue();
  }

  beat(): void {
    try {
      if (!this.#isOurs()) return;
      const nowS = machineNowMs() / 1000;
      utimesSync(this.#lockFile, nowS, nowS);
      this.#seen = this.#look();
    } catch {
      // Others may take it over for want of a sign, and that is come upon before anything is written.
    }
  }

  release(): void {
    heldHere.delete(this.#lockFile);
    held.delete(this);
    if (held.size === 0) {
      stopBeating?.();
      stopBeating = undefined;
    }
    if (readLock(this.#lockFile) === this.#content) removeLock(this.#lockFile);
  }

  #look(): Stats | undefined {
    return statSync(this.#lockFile, { throwIfNoEntry: false });
  }

  /** What nobody but us has touched need not be read. */
  #isOurs(): boolean {
    const now = this.#look();
    if (now !== undefined && now.ino === this.#seen?.ino && now.mtimeMs === this.#seen.mtimeMs) return true;
    if (readLock(this.#lockFile) !== this.#content) return false;
    this.#seen = now;
    return true;
  }
}

function lost(file: string, content: string | undefined): StoreError {
  const owner = content === undefined ? undefined : parseOwner(content);
  const what =
    content === undefined
      ? `${file}.lock is not there any more`
      : owner === undefined
        ? `${file}.lock has become another's`
        : `process ${owner.pid} on host ${owner.host} has taken ${file} over while this one gave no sign of life`;
  return new StoreError(`${what}, so nothing more is kept. Stop this process, and start again.`);
}
