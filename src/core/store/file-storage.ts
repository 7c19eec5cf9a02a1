import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../engine/store.js";
import { type NamespaceIdentity, namespaceIdentitySchema } from "../schema/control.js";
import { asStoreError, codeOf, OutOfHandles, StoreError } from "./error.js";
import { FileStore } from "./file-store.js";
import { nodeIo, type StoreIo } from "./io.js";
import { takeLock } from "./lock.js";
import { ENDING, findNamespaces, namespaceFile, sizeOf } from "./namespace-files.js";
import { syncFolderOf } from "./places.js";
import { realFile } from "./real-file.js";
import { parseSealed, publish, writeUnpublished } from "./sealed-file.js";
import { SnapshotFolder } from "./snapshot-folder.js";
import type { Snapshots, Storage } from "./storage.js";

/** No namespace is opened that would take one of the last: a reset, a snapshot and connections need some too. */
const SPARE_HANDLES = 16;

export interface FileStorageOptions {
  /** The default namespace's file. */
  readonly data: string;
  readonly defaultName: string;
  /** Sync every change to the disk: safe against power loss too, at the cost of a disk flush a change. */
  readonly fsync?: boolean | undefined;
  /** Told what a person wants to know about an opening that went well. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Told what cannot be read, or cleared away: that goes later. */
  readonly onError: (failure: Error) => void;
  /** For tests: system calls that fail. */
  readonly io?: Partial<StoreIo>;
}

/** Each namespace in files of its own beside the default one's. */
export class FileStorage implements Storage {
  readonly #data: string;
  readonly #defaultName: string;
  readonly #write: { readonly fsync: boolean; readonly io: StoreIo };
  readonly #onNotice: (notice: string) => void;
  readonly #onError: (failure: Error) => void;

  constructor({ data, defaultName, fsync = false, onNotice = () => {}, onError, io }: FileStorageOptions) {
    this.#data = realFile(data);
    this.#defaultName = defaultName;
    this.#write = { fsync, io: { ...nodeIo, ...io } };
    this.#onNotice = onNotice;
    this.#onError = onError;
  }

  #file(name: string): string {
    return name === this.#defaultName ? this.#data : namespaceFile(this.#data, name);
  }

  recover(): string[] {
    const { found, leftovers } = findNamespaces(this.#data);
    for (const file of leftovers)
      this.#tidy(`Cannot clear away ${file}`, () => rmSync(file, { force: true }));
    const names: string[] = [];
    for (const [name, endings] of found) {
      if (name === this.#defaultName) continue;
      const file = this.#file(name);
      const isDeleted = !endings.has("") && endings.has(ENDING.deleted);
      if (endings.has(ENDING.unfinished))
        this.#tidy(`Cannot clear away ${file}`, () => this.#removeUnfinished(name));
      else if (isDeleted) this.#tidy(`Cannot clear away ${file}`, () => this.#removeDeleted(name));
      // Changes without the state they follow are no leftover: it is for the user to say what becomes of them.
      else if (endings.has("") || sizeOf(file + ENDING.journal) > 0) names.push(name);
    }
    return names.sort();
  }

  open(name: string): Store {
    this.#spareHandles();
    return new FileStore({ file: this.#file(name), onNotice: this.#onNotice, ...this.#write });
  }

  #spareHandles(): void {
    const handles: number[] = [];
    try {
      while (handles.length < SPARE_HANDLES) handles.push(openSync(dirname(this.#data), "r"));
    } catch (error) {
      // Whatever else is wrong with the folder, whoever opens the file says it.
      if (codeOf(error) === "EMFILE" || codeOf(error) === "ENFILE") throw outOfHandles(error);
    } finally {
      for (const handle of handles) closeSync(handle);
    }
  }

  snapshots(name: string): Snapshots {
    return new SnapshotFolder(this.#file(name) + ENDING.snapshots, this.#write, this.#onError);
  }

  identity(name: string): NamespaceIdentity {
    this.#spareHandles();
    const file = this.#file(name) + ENDING.identity;
    if (!existsSync(file)) return {};
    try {
      return parseSealed(file, namespaceIdentitySchema);
    } catch (error) {
      throw asStoreError(error, `Cannot read ${file}`);
    }
  }

  begin(name: string, { api_key, webhook_secret, clock }: NamespaceIdentity): void {
    const file = this.#file(name);
    if (existsSync(file + ENDING.deleted)) this.#removeDeleted(name);
    if (existsSync(file + ENDING.unfinished)) this.#removeUnfinished(name);
    if (existsSync(file) || sizeOf(file + ENDING.journal) > 0)
      throw new StoreError(`${file} already exists. Restart to open it, or move it away with its journal.`);
    const text = JSON.stringify({ name, api_key, webhook_secret, clock });
    for (const _ of writeUnpublished(file + ENDING.identity, [text], this.#write));
    this.#sync();
  }

  finish(name: string): void {
    publish(this.#file(name) + ENDING.identity, this.#write);
  }

  undo(name: string): void {
    this.#tidy(`The namespace "${name}" was not made, and part of its files stays for now`, () =>
      this.#removeUnfinished(name),
    );
  }

  remove(name: string, close?: () => void): void {
    const file = this.#file(name);
    const lock = close === undefined ? takeLock(file, this.#onNotice) : undefined;
    try {
      const state = existsSync(file) ? file : file + ENDING.journal;
      if (existsSync(state)) this.#write.io.renameSync(state, file + ENDING.deleted);
      this.#sync();
      close?.();
      this.#tidy(`The namespace "${name}" is deleted, and part of its files stays for now`, () =>
        this.#removeDeleted(name),
      );
    } finally {
      lock?.release();
    }
  }

  /** All of a namespace that was not finished, which had no time for snapshots of its own; the mark goes last. */
  #removeUnfinished(name: string): void {
    for (const ending of ["", ".tmp", ENDING.journal, ENDING.lock, ENDING.unfinished])
      rmSync(this.#file(name) + ending, { force: true });
  }

  /** All that is left of a namespace; what says that it was deleted goes last. */
  #removeDeleted(name: string): void {
    const { journal, lock, snapshots, identity, deleted } = ENDING;
    for (const ending of [".tmp", journal, lock, snapshots, identity, deleted])
      rmSync(this.#file(name) + ending, { force: true, recursive: ending === snapshots });
  }

  /** What cannot be cleared away is told, and is left for the next start. */
  #tidy(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onError(asStoreError(error, what));
    }
  }

  #sync(): void {
    if (this.#write.fsync) syncFolderOf(this.#data, this.#write.io);
  }
}

function outOfHandles(cause: unknown): OutOfHandles {
  return new OutOfHandles(
    "Too many open files: with --data each namespace keeps one open. Raise the limit (ulimit -n), or delete namespaces that are not needed any more.",
    { cause },
  );
}
