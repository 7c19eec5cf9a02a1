import { closeSync, type Dirent, existsSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Store } from "../engine/store.js";
import { type NamespaceIdentity, namespaceIdentitySchema } from "../schema/control-requests.js";
import { safeParse } from "../schema/issues.js";
import { DEFAULT_NAMESPACE, namespaceNameSchema } from "../schema/option-schemas.js";
import {
  publishFile,
  readChecksummedJson,
  UNPUBLISHED_SUFFIX,
  writeUnpublishedFile,
} from "./checksummed-file.js";
import { FileStore } from "./file-store.js";
import { nodeIo, resolveSymlinks, type StoreIo, syncParentFolder } from "./file-system.js";
import { takeLock } from "./lock.js";
import { SnapshotFolder } from "./snapshot-folder.js";
import type { Snapshots, Storage } from "./storage.js";
import { asStoreError, OutOfHandlesError, StoreError, systemErrorCode } from "./store-error.js";

/** Suffixes after DATA.ns-NAME, the file of a namespace's state. A name has no dot, so file names are unambiguous. */
const FILE_SUFFIX = {
  journal: ".journal",
  lock: ".lock",
  snapshots: ".snapshots",
  identity: ".identity",
  /** Marks a namespace under construction; renamed to `identity` when finished. */
  unfinished: `.identity${UNPUBLISHED_SUFFIX}`,
  /** State of a deleted namespace. */
  deleted: ".deleted",
} as const;

/** Suffixes of marker files. A folder with such a suffix belongs to another program. */
const MARKER_SUFFIXES: ReadonlySet<string> = new Set([FILE_SUFFIX.unfinished, FILE_SUFFIX.deleted]);

/** Suffix of a file that a killed process left: an unfinished state, or a stale lock set aside. */
const TEMPORARY = /^\.(tmp|lock\.\d+)$/;

/** File handles left free for resets, snapshots and connections. */
const SPARE_HANDLES = 16;

export interface FileStorageOptions {
  /** The default namespace's file. */
  readonly data: string;
  /** Syncs the changes of each tick to the disk, which makes them safe against power loss. */
  readonly fsync?: boolean | undefined;
  /** Receives messages about a successful opening. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Receives failures to read or remove files; removal is retried at the next start. */
  readonly onError: (failure: Error) => void;
  /** Replacements of system calls, for tests of failures. */
  readonly io?: Partial<StoreIo>;
}

/** Stores each namespace in files beside the default namespace's file. */
export class FileStorage implements Storage {
  readonly #data: string;
  readonly #writeOptions: { readonly fsync: boolean; readonly io: StoreIo };
  readonly #onNotice: (notice: string) => void;
  readonly #onError: (failure: Error) => void;

  constructor({ data, fsync = false, onNotice = () => {}, onError, io }: FileStorageOptions) {
    this.#data = resolveSymlinks(data);
    this.#writeOptions = { fsync, io: { ...nodeIo, ...io } };
    this.#onNotice = onNotice;
    this.#onError = onError;
  }

  #file(name: string): string {
    if (name === DEFAULT_NAMESPACE) return this.#data;
    if (!safeParse(namespaceNameSchema, name).ok)
      throw new StoreError(`${JSON.stringify(name)} is not a valid namespace name.`);
    return `${this.#data}.ns-${name}`;
  }

  recover(): string[] {
    const { namespaces, temporaryFiles } = findFiles(this.#data);
    for (const file of temporaryFiles)
      this.#tryRemove(`Cannot remove ${file}`, () => rmSync(file, { force: true }));
    const names: string[] = [];
    for (const [name, endings] of namespaces) {
      if (name === DEFAULT_NAMESPACE) continue;
      const file = this.#file(name);
      const isDeleted = !endings.has("") && endings.has(FILE_SUFFIX.deleted);
      if (endings.has(FILE_SUFFIX.unfinished))
        this.#tryRemove(`Cannot remove ${file}`, () => this.#removeUnfinished(name));
      else if (isDeleted) this.#tryRemove(`Cannot remove ${file}`, () => this.#removeDeleted(name));
      // A journal without its snapshot is not removed: the user decides.
      else if (endings.has("") || fileSize(file + FILE_SUFFIX.journal) > 0) names.push(name);
    }
    return names.sort();
  }

  open(name: string): Store {
    this.#checkHandles();
    return new FileStore({ file: this.#file(name), onNotice: this.#onNotice, ...this.#writeOptions });
  }

  #checkHandles(): void {
    const handles: number[] = [];
    try {
      while (handles.length < SPARE_HANDLES) handles.push(openSync(dirname(this.#data), "r"));
    } catch (error) {
      // Other errors are reported when the file is opened.
      if (systemErrorCode(error) === "EMFILE" || systemErrorCode(error) === "ENFILE")
        throw new OutOfHandlesError(
          "Too many open files: with --data each namespace keeps one open. Raise the limit (ulimit -n), or delete namespaces that are not needed any more.",
          { cause: error },
        );
    } finally {
      for (const handle of handles) closeSync(handle);
    }
  }

  snapshots(name: string): Snapshots {
    return new SnapshotFolder(this.#file(name) + FILE_SUFFIX.snapshots, this.#writeOptions, this.#onError);
  }

  identity(name: string): NamespaceIdentity {
    this.#checkHandles();
    const file = this.#file(name) + FILE_SUFFIX.identity;
    if (!existsSync(file)) return {};
    try {
      return readChecksummedJson(file, namespaceIdentitySchema);
    } catch (error) {
      throw asStoreError(error, `Cannot read ${file}`);
    }
  }

  begin(name: string, { api_key, webhook_secret, clock }: NamespaceIdentity): undefined {
    const file = this.#file(name);
    if (existsSync(file + FILE_SUFFIX.deleted)) this.#removeDeleted(name);
    if (existsSync(file + FILE_SUFFIX.unfinished)) this.#removeUnfinished(name);
    if (existsSync(file) || fileSize(file + FILE_SUFFIX.journal) > 0)
      throw new StoreError(`${file} already exists. Restart to open it, or move it away with its journal.`);
    const text = JSON.stringify({ name, api_key, webhook_secret, clock });
    for (const _ of writeUnpublishedFile(file + FILE_SUFFIX.identity, [text], this.#writeOptions));
    this.#syncFolder();
  }

  finish(name: string): void {
    publishFile(this.#file(name) + FILE_SUFFIX.identity, this.#writeOptions);
  }

  undo(name: string): void {
    this.#tryRemove(
      `The namespace "${name}" was not created, but some of its files could not be removed yet`,
      () => this.#removeUnfinished(name),
    );
  }

  remove(name: string, close?: () => void): void {
    const file = this.#file(name);
    const lock = close === undefined ? takeLock(file) : undefined;
    try {
      const state = existsSync(file) ? file : file + FILE_SUFFIX.journal;
      if (existsSync(state)) this.#writeOptions.io.renameSync(state, file + FILE_SUFFIX.deleted);
      this.#syncFolder();
      close?.();
      this.#tryRemove(
        `The namespace "${name}" is deleted, but some of its files could not be removed yet`,
        () => this.#removeDeleted(name),
      );
    } finally {
      lock?.release();
    }
  }

  /** Removes all files of an unfinished namespace, the marker last. Such a namespace has no snapshots. */
  #removeUnfinished(name: string): void {
    for (const ending of ["", ".tmp", FILE_SUFFIX.journal, FILE_SUFFIX.lock, FILE_SUFFIX.unfinished])
      rmSync(this.#file(name) + ending, { force: true });
  }

  /** Removes the files of a deleted namespace, the marker last. */
  #removeDeleted(name: string): void {
    const { journal, lock, snapshots, identity, deleted } = FILE_SUFFIX;
    for (const ending of [".tmp", journal, lock, snapshots, identity, deleted])
      rmSync(this.#file(name) + ending, { force: true, recursive: ending === snapshots });
  }

  /** Reports a failed removal; the next start retries it. */
  #tryRemove(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onError(asStoreError(error, what));
    }
  }

  #syncFolder(): void {
    if (this.#writeOptions.fsync) syncParentFolder(this.#data, this.#writeOptions.io);
  }
}

/** Lists file suffixes by namespace, and temporary files to remove. Ignores files of other programs. */
function findFiles(data: string) {
  const prefix = basename(data);
  const namespaces = new Map<string, Set<string>>();
  const temporaryFiles: string[] = [];
  for (const entry of readEntries(dirname(data))) {
    if (!entry.name.startsWith(`${prefix}.`)) continue;
    const path = join(dirname(data), entry.name);
    const rest = entry.name.slice(prefix.length);
    const [, name, ending] = /^\.ns-([^.]*)(.*)$/s.exec(rest) ?? [];
    if (name === undefined) {
      if (entry.isFile() && TEMPORARY.test(rest)) temporaryFiles.push(path);
    } else if (safeParse(namespaceNameSchema, name).ok) {
      if (entry.isFile() && TEMPORARY.test(ending!)) temporaryFiles.push(path);
      else if (entry.isFile() || !MARKER_SUFFIXES.has(ending!))
        namespaces.set(name, (namespaces.get(name) ?? new Set()).add(ending!));
    }
  }
  return { namespaces, temporaryFiles };
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw asStoreError(error, `Cannot tell which namespaces are in ${folder}`);
  }
}

/** Returns 0 if the file does not exist. */
function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
