import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { StateDump, Store } from "../../engine/records.js";
import { asStoreError, codeOf, StoreError } from "./error.js";
import { nodeIo, type StoreIo } from "./io.js";
import { type Journal, openJournal } from "./journal.js";
import { takeLock } from "./lock.js";
import { realFile } from "./real-file.js";
import { snapshotFile } from "./snapshot.js";

export { StoreError } from "./error.js";

const DEFAULT_COMPACT_AT_BYTES = 64 * 1024 * 1024;

export interface FileStoreOptions {
  /** The lowdb file; FILE.journal and FILE.lock are next to it. Its folder must exist. */
  readonly file: string;
  /** Sync every change to the disk: safe against power loss too, at the cost of a disk flush a change. */
  readonly fsync?: boolean;
  /** Below this size of the journal `compactIfLarge` does nothing. Default 64 MiB. */
  readonly compactAtBytes?: number;
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
  const { fsync = false, compactAtBytes = DEFAULT_COMPACT_AT_BYTES } = options;
  const io: StoreIo = { ...nodeIo, ...options.io };
  const file = realFile(options.file);
  const snapshot = snapshotFile(file, io);
  let open: { readonly journal: Journal; readonly unlock: () => void } | undefined;
  let lastSeq = 0;
  let retryCompactionAtBytes = 0;

  const openJournalOrThrow = (): Journal => {
    if (open === undefined) throw new StoreError(`${file}: the store is not open.`);
    return open.journal;
  };

  const wholeState = (dump: () => StateDump): StateDump => {
    const state = dump();
    // A dump that lacks the last change would lose it together with its line in the journal.
    if (state.seq !== lastSeq) {
      throw new StoreError(`${file}: the dump is at change ${state.seq}, the journal at ${lastSeq}.`);
    }
    return state;
  };

  const compact = (journal: Journal, state: StateDump): void => {
    snapshot.write(state);
    journal.clear();
  };

  return {
    load() {
      if (open !== undefined) throw new StoreError(`${file}: the store is open already.`);
      checkFolder(file);
      let journal: Journal | undefined;
      let unlock: (() => void) | undefined;
      try {
        unlock = takeLock(file);
        const state = snapshot.read();
        journal = openJournal({ file, fsync, io });
        const changes = journal.read(state?.seq ?? 0);
        lastSeq = changes.at(-1)?.seq ?? state?.seq ?? 0;
        open = { journal, unlock };
        return state === undefined && changes.length === 0 ? undefined : { snapshot: state, changes };
      } catch (error) {
        journal?.close();
        unlock?.();
        throw asStoreError(error, `Cannot open ${file}`);
      }
    },

    append(change) {
      const journal = openJournalOrThrow();
      // A bug, and refused here: written down, the file could not be loaded again.
      if (change.seq !== lastSeq + 1) {
        throw new StoreError(`${file}: change ${change.seq} cannot follow change ${lastSeq}.`);
      }
      journal.append(change);
      lastSeq = change.seq;
    },

    replace(state) {
      const journal = openJournalOrThrow();
      // Lines above the snapshot's number would be replayed on top of it after a crash.
      if (state.seq < lastSeq) {
        throw new StoreError(`${file}: a state at change ${state.seq} cannot replace one at ${lastSeq}.`);
      }
      compact(journal, state);
      lastSeq = state.seq;
    },

    compactIfLarge(dump) {
      const journal = openJournalOrThrow();
      if (journal.bytes <= Math.max(compactAtBytes, 2 * snapshot.bytes, retryCompactionAtBytes))
        return undefined;
      const state = wholeState(dump);
      try {
        compact(journal, state);
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
      const { journal, unlock } = open;
      open = undefined;
      try {
        if (dump !== undefined && journal.bytes > 0) compact(journal, wholeState(dump));
      } finally {
        try {
          journal.close();
        } finally {
          unlock();
        }
      }
    },
  };
}

function checkFolder(file: string): void {
  const folder = dirname(file);
  try {
    if (statSync(folder).isDirectory()) return;
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR")
      throw asStoreError(error, `Cannot open ${file}`);
  }
  throw new StoreError(`Cannot open ${file}: the folder ${folder} does not exist. Create it first.`);
}
