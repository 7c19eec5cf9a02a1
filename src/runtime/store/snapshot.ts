import { constants, isUtf8 } from "node:buffer";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { LowSync, type SyncAdapter } from "lowdb";
import type { StateDump } from "../../engine/records.js";
import { codeOf, damaged, StoreError } from "./error.js";
import { type StoreIo, writeAll } from "./io.js";

/** Text is handed to the disk in pieces of about this many characters. */
const PIECE_CHARS = 1 << 20;

/** The readable snapshot: the lowdb file. */
export interface SnapshotFile {
  /** Size of the snapshot last read or written; 0 when there is none. */
  readonly bytes: number;
  /** Undefined when there is no file, or an empty one. */
  read(): StateDump | undefined;
  /** All or nothing: when it throws, the snapshot before it is still there. */
  write(state: StateDump): void;
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
  const adapter: SyncAdapter<StateDump | null> = {
    read() {
      const content = readIfThere(file);
      bytes = content.length;
      return bytes === 0 ? null : parse(file, content);
    },
    write(state) {
      if (state !== null) bytes = writeAtomically(file, state, io, maxBytes);
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
    write(state) {
      db.data = state;
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
  const { version, seq, at, counters, collections } = (value ?? {}) as Record<string, unknown>;
  if (Number.isSafeInteger(version) && version !== 1) {
    throw damaged(file, file, `has version ${version}, and this program reads version 1`);
  }
  const isOurs =
    version === 1 &&
    Number.isSafeInteger(seq) &&
    typeof at === "number" &&
    isObject(counters) &&
    isObject(collections) &&
    Object.values(collections).every(Array.isArray);
  if (!isOurs) throw damaged(file, file, "JSON, but not a snapshot of this program");
  return value as StateDump;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function writeAtomically(file: string, state: StateDump, io: StoreIo, maxBytes: number): number {
  const temporary = `${file}.tmp`;
  // A leftover of a crash is removed rather than overwritten: it may have other permissions.
  rmSync(temporary, { force: true });
  const fd = openSync(temporary, "wx", 0o600);
  let bytes = 0;
  try {
    try {
      for (const piece of piecesOf(state)) {
        const buffer = Buffer.from(piece, "utf8");
        if (bytes + buffer.length > maxBytes) {
          throw new StoreError(
            `${file}: the state is larger than ${maxBytes} bytes, which a snapshot cannot hold; nothing is lost, the changes stay in ${file}.journal.`,
          );
        }
        writeAll(io, fd, buffer, bytes);
        bytes += buffer.length;
      }
      io.fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    io.renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolderOf(file, io);
  return bytes;
}

/** Makes a rename or a new file in the folder survive a power loss. */
export function syncFolderOf(file: string, io: StoreIo): void {
  try {
    const fd = openSync(dirname(file), "r");
    try {
      io.fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Windows and some network file systems cannot sync a folder. The rename is done and visible by now, so
    // to report a failure would say that nothing has happened when it has.
  }
}

/** The JSON text, a record a line: readable and fit for diff, and never one string as long as the file. */
export function* piecesOf(state: StateDump): Generator<string> {
  let piece = "";
  for (const part of partsOf(state)) {
    piece += part;
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

function* partsOf({ collections, ...head }: StateDump): Generator<string> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "collections": {`;
  let nameSeparator = "\n";
  for (const [name, entries] of Object.entries(collections)) {
    yield `${nameSeparator}    ${JSON.stringify(name)}: [`;
    let separator = "\n";
    for (const entry of entries) {
      yield `${separator}      ${JSON.stringify(entry)}`;
      separator = ",\n";
    }
    yield entries.length === 0 ? "]" : "\n    ]";
    nameSeparator = ",\n";
  }
  yield "\n  }\n}\n";
}
