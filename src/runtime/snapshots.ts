import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StateDump } from "../engine/records.js";
import { snapshotNameSchema } from "../schema/control.js";
import { check } from "../schema/issues.js";

const ENDING = ".json";

export interface Snapshot {
  readonly name: string;
  /** Sandbox time it was taken at. */
  readonly at: string;
  readonly dump: StateDump;
}

/** Snapshots of one namespace, under names. With a folder they are files of their own in it, and outlive the process. */
export class Snapshots {
  readonly #folder: string | undefined;
  readonly #kept = new Map<string, Snapshot>();

  constructor(folder: string | undefined) {
    this.#folder = folder;
    if (folder === undefined) return;
    for (const file of namesIn(folder)) {
      // The file's name counts, not what it says it is called: the one leads to this file, the other anywhere.
      const name = file.slice(0, -ENDING.length);
      if (!check(snapshotNameSchema, name).ok) continue;
      const snapshot = JSON.parse(readFileSync(join(folder, file), "utf8")) as Snapshot;
      this.#kept.set(name, { ...snapshot, name });
    }
  }

  save(snapshot: Snapshot): void {
    if (this.#folder !== undefined) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const file = this.#file(snapshot.name);
      writeFileSync(`${file}.new`, JSON.stringify(snapshot), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    }
    this.#kept.delete(snapshot.name);
    this.#kept.set(snapshot.name, snapshot);
  }

  get(name: string): Snapshot | undefined {
    return this.#kept.get(name);
  }

  /** Newest first. */
  list(): Snapshot[] {
    return [...this.#kept.values()].reverse();
  }

  /** A name that is none of a snapshot's does not come near the disk: it may come from anywhere. */
  delete(name: string): boolean {
    if (!this.#kept.has(name)) return false;
    if (this.#folder !== undefined) rmSync(this.#file(name), { force: true });
    return this.#kept.delete(name);
  }

  #file(name: string): string {
    return join(this.#folder!, `${name}${ENDING}`);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith(ENDING));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
