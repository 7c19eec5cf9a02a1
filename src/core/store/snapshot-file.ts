import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { LowSync } from "lowdb";
import type { FrozenState, StateDump } from "../engine/records.js";
import { isJsonObject } from "../schema/json-objects.js";
import { hasValidChecksum, writeChecksummedFile } from "./checksummed-file.js";
import { checkWritable, syncParentFolder } from "./file-paths.js";
import { encodeState } from "./state-text.js";
import { damagedFileError, readIfExists, StoreError } from "./store-error.js";
import type { StoreIo } from "./store-io.js";
import { isStateDump } from "./stored-shapes.js";

/**
 * The readable snapshot, a lowdb file. lowdb's own adapters rewrite the file without fsync, so a power loss could
 * destroy both the old and the new state. This adapter syncs a copy, then renames the copy over the file.
 */
export class SnapshotFile {
  readonly #file: string;
  readonly #io: StoreIo;
  readonly #maxBytes: number | undefined;
  readonly #db: LowSync<StateDump | null>;
  #check = (): void => {};
  #bytes = 0;
  #writtenBytes = 0;

  /** @param maxBytes longest readable content; default: the longest string of this Node */
  constructor(file: string, io: StoreIo, maxBytes?: number) {
    this.#file = file;
    this.#io = io;
    this.#maxBytes = maxBytes;
    const adapter = {
      read: () => this.#parse(),
      write: (state: StateDump | null) => this.#replaceWith(state),
    };
    this.#db = new LowSync<StateDump | null>(adapter, null);
  }

  /** Size of the snapshot last read or written; 0 if there is none. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns undefined for a missing or empty file. */
  read(): StateDump | undefined {
    this.#db.read();
    const state = this.#db.data ?? undefined;
    this.#db.data = null;
    return state;
  }

  /**
   * Atomic: if it throws, the previous snapshot is intact.
   *
   * @param check called before, during and after writing; throws if the file must not be replaced
   */
  write(state: StateDump, check: () => void): void {
    this.#db.data = state;
    this.#check = check;
    try {
      this.#db.write();
    } finally {
      // The engine owns the state; a second reference would keep its dead records alive.
      this.#db.data = null;
    }
  }

  #parse(): StateDump | null {
    const content = readIfExists(() => readFileSync(this.#file)) ?? Buffer.alloc(0);
    this.#bytes = content.length;
    return content.length === 0 ? null : parse(this.#file, content);
  }

  #replaceWith(state: StateDump | null): void {
    if (state === null) return;
    for (const _ of this.begin(state, { check: this.#check, fsync: true }));
    this.publish(this.#check);
  }

  /**
   * Writes the next snapshot to a temporary file, piece by piece. If interrupted, removes the file.
   *
   * @param fsync true to sync the file at the end; otherwise call `sync` before `publish`
   */
  *begin(
    state: FrozenState,
    { check, fsync }: { readonly check: () => void; readonly fsync: boolean },
  ): Generator<void, void> {
    const file = this.#file;
    check();
    checkWritable(file);
    const tooLong = (maxBytes: number) =>
      `${file}: the state is larger than ${maxBytes} bytes, which a snapshot cannot hold; nothing is lost, the changes stay in ${file}.journal.`;
    const options = { fsync, io: this.#io, maxBytes: this.#maxBytes };
    for (this.#writtenBytes of writeChecksummedFile(this.#temporary, encodeState(state), options, tooLong)) {
      check();
      yield;
    }
  }

  async sync(): Promise<void> {
    const fd = openSync(this.#temporary, "r+");
    try {
      await this.#io.fsync(fd);
    } finally {
      closeSync(fd);
    }
  }

  syncNow(): void {
    const fd = openSync(this.#temporary, "r+");
    try {
      this.#io.fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** Renames the temporary file over the snapshot. */
  publish(check: () => void): void {
    try {
      check();
      this.#io.renameSync(this.#temporary, this.#file);
    } catch (error) {
      this.drop();
      throw error;
    }
    syncParentFolder(this.#file, this.#io);
    this.#bytes = this.#writtenBytes;
  }

  /** Discards the temporary file. */
  drop(): void {
    rmSync(this.#temporary, { force: true });
  }

  get #temporary(): string {
    return `${this.#file}.tmp`;
  }
}

function parse(file: string, content: Buffer): StateDump {
  let value: unknown;
  try {
    if (!isUtf8(content)) throw new SyntaxError("not UTF-8");
    value = JSON.parse(content.toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw damagedFileError(file, file, "not JSON, so it is damaged or not a snapshot of this program");
  }
  // Users who edit the file remove the checksum, as `checksumError` tells them.
  const { checksum, ...state } = isJsonObject(value) ? value : {};
  if (checksum !== undefined && !hasValidChecksum(content)) throw checksumError(file);
  if (Number.isSafeInteger(state.version) && state.version !== 1) {
    throw damagedFileError(file, file, `has version ${state.version}, and this program reads version 1`);
  }
  if (!isStateDump(state)) throw damagedFileError(file, file, "JSON, but not a snapshot of this program");
  return state;
}

function checksumError(file: string): StoreError {
  return new StoreError(
    `${file}: its checksum does not match: it is damaged or was edited. Restore ${file} and ${file}.journal from a backup, or keep the edit by removing "checksum" from the file.`,
  );
}
