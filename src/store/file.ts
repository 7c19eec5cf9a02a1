import type { StateDump, Store } from "../engine/records.js";
import { monotonicMs } from "../time/timers.js";
import { asStoreError, damaged, StoreError } from "./error.js";
import { checkFolder, checkWritable } from "./files.js";
import { nodeIo, type StoreIo } from "./io.js";
import { type Journal, openJournal } from "./journal.js";
import { type Lock, takeLock } from "./lock.js";
import { realFile } from "./real-file.js";
import { snapshotFile } from "./snapshot.js";

export { StoreError } from "./error.js";

const DEFAULT_COMPACT_AT_BYTES = 64 * 1024 * 1024;

/**
 * How often whoever writes looks whether lock and journal are where they were: what goes to a file that was removed
 * is lost. It is two system calls. Where those are slow they come more rarely, so that a fiftieth of the time goes
 * into them, but often enough to come upon a lock that was taken over.
 */
const LOOK_MS = { min: 10, max: 1_000, perMsOfLooking: 50 };

export interface FileStoreOptions {
  /** The lowdb file; FILE.journal and FILE.lock are next to it. Its folder must exist. */
  readonly file: string;
  /** Sync every change to the disk: safe against power loss too, at the cost of a disk flush a change. */
  readonly fsync?: boolean;
  /** Below this size of the journal `compactIfLarge` does nothing. Default 64 MiB. */
  readonly compactAtBytes?: number;
  /** Told what a person wants to know about an opening that went well. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** For tests: system calls that fail. */
  readonly io?: Partial<StoreIo>;
}

/** A store on disk. `load` comes first: it takes the lock, and every other method needs it. */
export interface FileStore extends Store {
  /**
   * Writes a new snapshot and empties the journal if the journal has outgrown both `compactAtBytes` and twice the
   * snapshot, so that the cost a change stays the same on average. To be called between changes only: `dump`
   * must give the state with the last appended change in it.
   *
   * @returns why the disk refused, if it did. Nothing is lost then, and the next try waits until the journal
   *   has doubled.
   */
  compactIfLarge(dump: () => StateDump): StoreError | undefined;
}

/**
 * Keeps a namespace in a file: a readable snapshot (lowdb) and a journal of the changes after it. Safe against
 * kill -9 at any moment; with `fsync` against power loss (contract, section 10).
 *
 * @throws StoreError from `load` when the folder is missing, another process has the file, or it is damaged;
 *   `append` and `replace` throw what the disk said, and nothing has happened then
 */
export function fileStore(options: FileStoreOptions): FileStore {
  const { fsync = false, compactAtBytes = DEFAULT_COMPACT_AT_BYTES, onNotice = () => {} } = options;
  const io: StoreIo = { ...nodeIo, ...options.io };
  const file = realFile(options.file);
  const snapshot = snapshotFile(file, io);
  let open: Open | undefined;
  let lastSeq = 0;
  let retryCompactionAtBytes = 0;
  let lookAtMs = 0;

  const openOrThrow = (): Open => {
    if (open === undefined) throw new StoreError(`${file}: the store is not open.`);
    return open;
  };

  const look = ({ journal, lock }: Open): void => {
    const beginMs = monotonicMs();
    journal.checkPlace();
    lock.check();
    const endMs = monotonicMs();
    const pauseMs = LOOK_MS.perMsOfLooking * (endMs - beginMs);
    lookAtMs = endMs + Math.min(Math.max(LOOK_MS.min, pauseMs), LOOK_MS.max);
  };

  const lookIfDue = (opened: Open): void => {
    if (monotonicMs() >= lookAtMs) look(opened);
  };

  const wholeState = (dump: () => StateDump): StateDump => {
    const state = dump();
    // A dump that lacks the last change would lose it together with its line in the journal.
    if (state.seq !== lastSeq) {
      throw new StoreError(`${file}: the dump is at change ${state.seq}, the journal at ${lastSeq}.`);
    }
    return state;
  };

  const compact = (opened: Open, state: StateDump): void => {
    snapshot.write(state, () => look(opened));
    opened.journal.clear();
  };

  const read = (opened: Open): ReturnType<Store["load"]> => {
    const state = snapshot.read();
    const changes = opened.journal.read(state?.seq ?? 0, () => lookIfDue(opened));
    look(opened);
    const tornBytes = opened.journal.dropTornLine();
    if (tornBytes > 0) {
      onNotice(
        `${file}.journal: dropped its last ${tornBytes} bytes, a change that was never finished when the process ended`,
      );
    }
    lastSeq = changes.at(-1)?.seq ?? state?.seq ?? 0;
    return state === undefined && changes.length === 0 ? undefined : { snapshot: state, changes };
  };

  return {
    load() {
      if (open !== undefined) throw new StoreError(`${file}: the store is open already.`);
      checkFolder(file);
      let lock: Lock | undefined;
      let journal: Journal | undefined;
      try {
        lock = takeLock(file, onNotice);
        checkWritable(file);
        journal = openJournal({ file, fsync, io });
        const opened = { journal, lock };
        const loaded = read(opened);
        open = opened;
        return loaded;
      } catch (error) {
        journal?.close();
        lock?.release();
        throw asStoreError(error, `Cannot open ${file}`);
      }
    },

    append(change) {
      const opened = openOrThrow();
      // A bug, and refused here: written down, the file could not be loaded again.
      if (change.seq !== lastSeq + 1) {
        throw new StoreError(`${file}: change ${change.seq} cannot follow change ${lastSeq}.`);
      }
      lookIfDue(opened);
      try {
        opened.journal.append(change);
      } catch (error) {
        throw asStoreError(error, `Cannot write ${file}.journal`);
      }
      lastSeq = change.seq;
    },

    replace(state) {
      const opened = openOrThrow();
      // Lines above the snapshot's number would be replayed on top of it after a crash.
      if (state.seq < lastSeq) {
        throw new StoreError(`${file}: a state at change ${state.seq} cannot replace one at ${lastSeq}.`);
      }
      try {
        compact(opened, state);
      } catch (error) {
        throw asStoreError(error, `Cannot write ${file}`);
      }
      lastSeq = state.seq;
    },

    compactIfLarge(dump) {
      const opened = openOrThrow();
      const { journal } = opened;
      if (journal.bytes <= Math.max(compactAtBytes, 2 * snapshot.bytes, retryCompactionAtBytes))
        return undefined;
      const state = wholeState(dump);
      try {
        compact(opened, state);
        return undefined;
      } catch (error) {
        return asStoreError(error, `Cannot compact ${file}`);
      } finally {
        // Nothing is left of the journal unless the disk refused.
        retryCompactionAtBytes = 2 * journal.bytes;
      }
    },

    close(dump) {
      if (open === undefined) return;
      const opened = open;
      open = undefined;
      try {
        if (dump !== undefined && opened.journal.bytes > 0) compact(opened, wholeState(dump));
      } finally {
        letGo(opened);
      }
    },

    unusable(cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      return damaged(file, file, `not a state of this program (${reason})`);
    },
  };
}

interface Open {
  readonly journal: Journal;
  readonly lock: Lock;
}

function letGo({ journal, lock }: Open): void {
  try {
    journal.close();
  } finally {
    lock.release();
  }
}
