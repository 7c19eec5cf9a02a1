import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../engine/records.js";
import { type NamespaceIdentity, namespaceIdentitySchema } from "../schema/control.js";
import { asStoreError, codeOf, OutOfHandles, StoreError } from "./error.js";
import { fileStore } from "./file.js";
import { syncFolderOf } from "./files.js";
import { nodeIo, type StoreIo } from "./io.js";
import { takeLock } from "./lock.js";
import { ENDING, findNamespaces, namespaceFile, sizeOf } from "./namespace-files.js";
import { realFile } from "./real-file.js";
import { parseSideFile, publishSideFile, readSideFile, stageSideFile } from "./side-file.js";
import { SnapshotFolder } from "./snapshot-folder.js";
import type { Snapshots } from "./snapshots.js";

/** Where the namespaces of a server are kept. */
export interface NamespaceStorage {
  /**
   * Finishes or undoes what a killed run left half done, and tells the names of the namespaces that an earlier run
   * kept. To be called when the default namespace is open: its lock stands for them all. What cannot be cleared away
   * is reported.
   */
  recover(report: Report): string[];
  open(name: string): Store;
  /** To be called when the namespace is open. What of them cannot be read is reported. */
  snapshots(name: string, report: Report): Snapshots;
  /** What a namespace was made with, for it to be made with again; throws when that cannot be read. */
  identity(name: string): NamespaceIdentity;
  /** From here to `finish`, the next run would undo all that there is of the new namespace. */
  begin(name: string, identity: NamespaceIdentity): void;
  finish(name: string): void;
  /** Takes back what `begin` and the opening made. What cannot go is reported, and goes later. */
  undo(name: string, report: Report): void;
  /** Deletes an open namespace in one step: it is none any more for the next run. When it throws, it still is. */
  bury(name: string): void;
  /** Clears away all that is left of it, once it is closed. What cannot go is reported, and goes later. */
  clear(name: string, report: Report): void;
  /** Deletes one that could not be opened; throws when that is because another process has it. */
  removeClosed(name: string, report: Report): void;
}

type Report = (failure: Error) => void;

/** No namespace is opened that would take one of the last: a reset, a snapshot and connections need some too. */
const SPARE_HANDLES = 16;

export interface DiskStorageOptions {
  /** The default namespace's file. */
  readonly data: string;
  readonly defaultName: string;
  readonly fsync: boolean;
  /** Told what a person wants to know about an opening that went well. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** For tests: system calls that fail. */
  readonly io?: Partial<StoreIo>;
}

/** Each namespace in files of its own beside the default one's. */
export class DiskStorage implements NamespaceStorage {
  readonly #data: string;
  readonly #defaultName: string;
  readonly #options: { readonly fsync: boolean; readonly io: StoreIo };
  readonly #onNotice: (notice: string) => void;

  constructor({ data, defaultName, fsync, onNotice = () => {}, io }: DiskStorageOptions) {
    this.#data = realFile(data);
    this.#defaultName = defaultName;
    this.#options = { fsync, io: { ...nodeIo, ...io } };
    this.#onNotice = onNotice;
  }

  #file(name: string): string {
    return name === this.#defaultName ? this.#data : namespaceFile(this.#data, name);
  }

  recover(report: Report): string[] {
    const { found, leftovers } = findNamespaces(this.#data);
    const clearAway = (what: string, work: () => void): void => {
      try {
        work();
      } catch (error) {
        report(asStoreError(error, `Cannot clear away ${what}`));
      }
    };
    for (const file of leftovers) clearAway(file, () => rmSync(file, { force: true }));
    const names: string[] = [];
    for (const [name, endings] of found) {
      if (name === this.#defaultName) continue;
      const file = this.#file(name);
      if (endings.has(ENDING.unfinished)) clearAway(file, () => this.#undo(name));
      else if (endings.has("")) names.push(name);
      else if (endings.has(ENDING.deleted)) clearAway(file, () => this.#clear(name));
      // Changes without the state they follow are no leftover: it is for the user to say what becomes of them.
      else if (sizeOf(file + ENDING.journal) > 0) names.push(name);
    }
    return names.sort();
  }

  open(name: string): Store {
    this.#spareHandles();
    return fileStore({ file: this.#file(name), onNotice: this.#onNotice, ...this.#options });
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

  snapshots(name: string, report: Report): Snapshots {
    return new SnapshotFolder(this.#file(name) + ENDING.snapshots, this.#options, report);
  }

  identity(name: string): NamespaceIdentity {
    this.#spareHandles();
    const file = this.#file(name) + ENDING.identity;
    if (!existsSync(file)) return {};
    try {
      return parseSideFile(file, readSideFile(file), namespaceIdentitySchema);
    } catch (error) {
      throw asStoreError(error, `Cannot read ${file}`);
    }
  }

  begin(name: string, { api_key, webhook_secret, clock }: NamespaceIdentity): void {
    const file = this.#file(name);
    if (existsSync(file + ENDING.deleted)) this.#clear(name);
    if (existsSync(file + ENDING.unfinished)) this.#undo(name);
    if (existsSync(file) || sizeOf(file + ENDING.journal) > 0)
      throw new StoreError(`${file} is there already. Restart to open it, or move it away with its journal.`);
    const text = JSON.stringify({ name, api_key, webhook_secret, clock });
    stageSideFile(file + ENDING.identity, [text], this.#options);
    this.#sync();
  }

  finish(name: string): void {
    publishSideFile(this.#file(name) + ENDING.identity, this.#options);
  }

  undo(name: string, report: Report): void {
    try {
      this.#undo(name);
    } catch (error) {
      report(
        asStoreError(error, `The namespace "${name}" was not made, and part of its files stays for now`),
      );
    }
  }

  bury(name: string): void {
    const file = this.#file(name);
    const state = existsSync(file) ? file : file + ENDING.journal;
    if (existsSync(state)) this.#options.io.renameSync(state, file + ENDING.deleted);
    this.#sync();
  }

  clear(name: string, report: Report): void {
    try {
      this.#clear(name);
    } catch (error) {
      report(asStoreError(error, `The namespace "${name}" is deleted, and part of its files stays for now`));
    }
  }

  removeClosed(name: string, report: Report): void {
    const lock = takeLock(this.#file(name), this.#onNotice);
    try {
      this.bury(name);
      this.clear(name, report);
    } finally {
      lock.release();
    }
  }

  /** All of a namespace that was not finished, which had no time for snapshots of its own; the mark goes last. */
  #undo(name: string): void {
    for (const ending of ["", ".tmp", ENDING.journal, ENDING.lock, ENDING.unfinished])
      rmSync(this.#file(name) + ending, { force: true });
  }

  /** All that is left of a namespace; what says that it was deleted goes last. */
  #clear(name: string): void {
    const { journal, lock, snapshots, identity, deleted } = ENDING;
    for (const ending of [".tmp", journal, lock, snapshots, identity, deleted])
      rmSync(this.#file(name) + ending, { force: true, recursive: ending === snapshots });
  }

  #sync(): void {
    if (this.#options.fsync) syncFolderOf(this.#data, this.#options.io);
  }
}

function outOfHandles(cause: unknown): OutOfHandles {
  return new OutOfHandles(
    "Too many open files: with --data each namespace keeps one open. Raise the limit (ulimit -n), or delete namespaces that are not needed any more.",
    { cause },
  );
}
