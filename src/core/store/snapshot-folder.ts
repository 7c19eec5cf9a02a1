import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FrozenState } from "../engine/records.js";
import { snapshotFileSchema, snapshotNameSchema } from "../schema/control-requests.js";
import { safeParse } from "../schema/issues.js";
import { withYields } from "../time/wall-clock.js";
import {
  type ChecksummedFileOptions,
  publishFile,
  readChecksummedFile,
  readChecksummedJson,
  UNPUBLISHED_SUFFIX,
  writeUnpublishedFile,
} from "./checksummed-file.js";
import { syncParentFolder } from "./file-system.js";
import { encodeState } from "./state-format.js";
import type { SavedState, Snapshot, Snapshots } from "./storage.js";
import { asStoreError, StoreError, systemErrorCode } from "./store-error.js";

const SUFFIX = ".json";
/** Members before the state; a list of snapshots needs only these. */
const HEAD = /^\{"checksum":"[^"]*","name":"[^"]*","at":"([^"]*)","dump":/;

/** Snapshots of a namespace, one file each. Damaged files are reported and omitted. */
export class SnapshotFolder implements Snapshots {
  readonly #folder: string;
  readonly #options: ChecksummedFileOptions;
  readonly #snapshots: Map<string, Snapshot>;
  #isClosed = false;
  /** Unreadable snapshots by name. */
  readonly #damaged = new Map<string, StoreError>();
  /** Settles after the last save. Saves run in sequence, because two saves of one name would write the same file. */
  #saved: Promise<void> = Promise.resolve();

  constructor(folder: string, options: ChecksummedFileOptions, report: (damage: StoreError) => void) {
    this.#folder = folder;
    this.#options = options;
    this.#snapshots = new Map(this.#readFolder(report).map((snapshot) => [snapshot.name, snapshot]));
  }

  save(snapshot: Snapshot, state: FrozenState): Promise<void> {
    const saved = this.#saved.then(() => this.#write(snapshot, state));
    this.#saved = saved.catch(() => {});
    return saved;
  }

  async #write(snapshot: Snapshot, state: FrozenState): Promise<void> {
    this.#checkOpen();
    if (mkdirSync(this.#folder, { recursive: true, mode: 0o700 }) !== undefined && this.#options.fsync)
      syncParentFolder(this.#folder, this.#options.io);
    const file = this.#file(snapshot.name);
    for await (const _ of withYields(
      writeUnpublishedFile(file, encodeSnapshot(snapshot, state), this.#options),
    ));
    try {
      this.#checkOpen();
      publishFile(file, this.#options);
    } catch (error) {
      rmSync(file + UNPUBLISHED_SUFFIX, { force: true });
      throw error;
    }
    this.#damaged.delete(snapshot.name);
    this.#snapshots.delete(snapshot.name);
    this.#snapshots.set(snapshot.name, snapshot);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StoreError(`${this.#folder}: closed before the snapshot was written.`);
  }

  close(): void {
    this.#isClosed = true;
  }

  list(): Snapshot[] {
    return [...this.#snapshots.values()].reverse();
  }

  read(name: string): SavedState | undefined {
    const damage = this.#damaged.get(name);
    if (damage !== undefined) throw damage;
    if (!this.#snapshots.has(name)) return undefined;
    const file = this.#file(name);
    try {
      const { dump } = readChecksummedJson(file, snapshotFileSchema);
      return { dump, isFromOutside: true };
    } catch (error) {
      throw asStoreError(error, `Cannot read ${file}`);
    }
  }

  delete(name: string): boolean {
    if (!this.#snapshots.has(name) && !this.#damaged.has(name)) return false;
    rmSync(this.#file(name), { force: true });
    if (this.#options.fsync) syncParentFolder(this.#file(name), this.#options.io);
    this.#damaged.delete(name);
    this.#snapshots.delete(name);
    return true;
  }

  #file(name: string): string {
    if (!safeParse(snapshotNameSchema, name).ok)
      throw new StoreError(`${JSON.stringify(name)} is not a valid snapshot name.`);
    return join(this.#folder, name + SUFFIX);
  }

  /** Returns snapshots, oldest first. Removes unfinished files that a killed process left. */
  #readFolder(report: (damage: StoreError) => void): Snapshot[] {
    const snapshots: { readonly snapshot: Snapshot; readonly writtenNs: bigint }[] = [];
    for (const entry of this.#entries(report)) {
      const file = join(this.#folder, entry.name);
      const ending = [SUFFIX, SUFFIX + UNPUBLISHED_SUFFIX].find((suffix) => entry.name.endsWith(suffix));
      // Takes the snapshot name from the file name, not from the content, because `read` finds the file by name.
      const name = entry.name.slice(0, -(ending?.length ?? 0));
      if (ending === undefined || !safeParse(snapshotNameSchema, name).ok) continue;
      if (ending !== SUFFIX) {
        if (entry.isFile()) rmSync(file);
        continue;
      }
      try {
        snapshots.push({
          snapshot: { name, at: readTime(file) },
          writtenNs: statSync(file, { bigint: true }).mtimeNs,
        });
      } catch (error) {
        const damage = asStoreError(error, `${file} cannot be read`);
        if (!entry.isDirectory()) this.#damaged.set(name, damage);
        report(new StoreError(`The snapshot "${name}" was skipped. ${damage.message}`));
      }
    }
    return snapshots.sort((a, b) => Number(a.writtenNs - b.writtenNs)).map(({ snapshot }) => snapshot);
  }

  #entries(report: (damage: StoreError) => void) {
    try {
      return readdirSync(this.#folder, { withFileTypes: true });
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") report(asStoreError(error, "No snapshots can be read"));
      return [];
    }
  }
}

function* encodeSnapshot({ name, at }: Snapshot, state: FrozenState): Generator<string> {
  yield `${JSON.stringify({ name, at }).slice(0, -1)},"dump":`;
  yield* encodeState(state);
  yield "}\n";
}

function readTime(file: string): string {
  const at = HEAD.exec(readChecksummedFile(file))?.[1];
  if (at === undefined) throw new StoreError(`${file}: not a snapshot.`);
  return at;
}
