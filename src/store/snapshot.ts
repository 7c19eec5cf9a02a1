import { constants, isUtf8 } from "node:buffer";
import { readFileSync, rmSync } from "node:fs";
import { LowSync, type SyncAdapter } from "lowdb";
import type { StateDump } from "../engine/records.js";
import { codeOf, damaged, StoreError } from "./error.js";
import { checkWritable, syncFolderOf } from "./files.js";
import type { StoreIo } from "./io.js";
import { isObject, isStateDump } from "./shape.js";
import { sealIn, writeSealed } from "./side-file.js";
import { piecesOf } from "./state-text.js";

/** The readable snapshot: the lowdb file. */
export interface SnapshotFile {
  /** Size of the snapshot last read or written; 0 when there is none. */
  readonly bytes: number;
  /** Undefined when there is no file, or an empty one. */
  read(): StateDump | undefined;
  /**
   * All or nothing: when it throws, the snapshot before it is still there.
   *
   * @param check called before, while it is written and before it takes the place of the other; throws if it must not
   */
  write(state: StateDump, check: () => void): void;
}

/**
 * Opens the lowdb file. lowdb's own adapters rewrite the file without an fsync, so a power loss could leave
 * neither the old state nor the new one; the adapter here renames a finished and synced copy over it.
 *
 * @param maxBytes what can be read back: a longer text does not fit a string of this Node
 */
export function snapshotFile(
  file: string,
  io: StoreIo,
  maxBytes: number = constants.MAX_STRING_LENGTH,
): SnapshotFile {
  let bytes = 0;
  let check = (): void => {};
  const adapter: SyncAdapter<StateDump | null> = {
    read() {
      const content = readIfThere(file);
      bytes = content.length;
      return bytes === 0 ? null : parse(file, content);
    },
    write(state) {
      if (state !== null) bytes = writeAtomically({ file, state, io, maxBytes, check });
    },
  };
  const db = new LowSync<StateDump | null>(adapter, null);
  return {
    get bytes() {
      return bytes;
    },
    read() {
      db.read();
      const state = db.data ?? undefined;
      db.data = null;
      return state;
    },
    write(state, checkMeanwhile) {
      db.data = state;
      check = checkMeanwhile;
      try {
        db.write();
      } finally {
        // The engine owns the state; a second reference here would keep its dead records alive.
        db.data = null;
      }
    },
  };
}

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

function parse(file: string, content: Buffer): StateDump {
  let value: unknown;
  try {
    if (!isUtf8(content)) throw new SyntaxError("not UTF-8");
    value = JSON.parse(content.toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw damaged(file, file, "not JSON, so it is damaged or not a snapshot of this program");
  }
  // Earlier versions wrote no checksum.
  const { checksum, ...state } = isObject(value) ? value : {};
  if (checksum !== undefined && sealIn(content) !== "right") throw changed(file);
  if (Number.isSafeInteger(state.version) && state.version !== 1) {
    throw damaged(file, file, `has version ${state.version}, and this program reads version 1`);
  }
  if (!isStateDump(state)) throw damaged(file, file, "JSON, but not a snapshot of this program");
  return state;
}

function changed(file: string): StoreError {
  return new StoreError(
    `${file}: its checksum is another, so it is damaged or was changed by hand. Restore ${file} and ${file}.journal from a backup; if the change is meant, take "checksum" out of the file.`,
  );
}

interface Written {
  readonly file: string;
  readonly state: StateDump;
  readonly io: StoreIo;
  readonly maxBytes: number;
  readonly check: () => void;
}

function writeAtomically({ file, state, io, maxBytes, check }: Written): number {
  check();
  checkWritable(file);
  const temporary = `${file}.tmp`;
  const tooLong = `${file}: the state is larger than ${maxBytes} bytes, which a snapshot cannot hold; nothing is lost, the changes stay in ${file}.journal.`;
  const pieces = checked(piecesOf(state), check);
  const bytes = writeSealed(temporary, pieces, { fsync: true, io, maxBytes, tooLong });
  try {
    check();
    io.renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolderOf(file, io);
  return bytes;
}

function* checked(pieces: Iterable<string>, check: () => void): Generator<string> {
  for (const piece of pieces) {
    check();
    yield piece;
  }
}
