import { constants } from "node:buffer";
import type { FrozenState } from "../engine/frozen-state.js";
import type { Table } from "../engine/table.js";

type Tables = Readonly<Record<keyof FrozenState["collections"], Pick<Table<unknown>, "oldest" | "size">>>;

/** A state must fit into one string to be read back from a file or an import. */
const LARGEST_BYTES = constants.MAX_STRING_LENGTH;
const TELL_AT_BYTES = 0.75 * LARGEST_BYTES;
/** Next check after as many changes of this size as could reach the threshold, within bounds. */
const CHANGE_BYTES = 20_000;
const LEAST_BETWEEN_LOOKS = 1_024;
const MOST_BETWEEN_LOOKS = 16_384;
/** Number of records measured per collection. */
const SAMPLE = 8;

/** Warns once, in time, that a namespace is about to become too large to be read back. */
export class SizeNotice {
  readonly #name: string;
  readonly #tell: (notice: string) => void;
  readonly #tellAtBytes: number;
  #changesLeft = 1;
  #isTold = false;

  constructor(name: string, tell: (notice: string) => void, tellAtBytes = TELL_AT_BYTES) {
    this.#name = name;
    this.#tell = tell;
    this.#tellAtBytes = tellAtBytes;
  }

  /** Called after each change; checks the tables occasionally. */
  note(tables: () => Tables): void {
    if (--this.#changesLeft > 0) return;
    const bytes = aboutBytes(tables());
    const changesToIt = Math.abs(this.#tellAtBytes - bytes) / CHANGE_BYTES;
    this.#changesLeft = Math.min(Math.max(changesToIt, LEAST_BETWEEN_LOOKS), MOST_BETWEEN_LOOKS);
    if (bytes < this.#tellAtBytes) {
      this.#isTold = false;
      return;
    }
    if (this.#isTold) return;
    this.#isTold = true;
    this.#tell(
      `the namespace "${this.#name}" holds about ${inMB(bytes)}. Above ${inMB(LARGEST_BYTES)} it cannot be imported or saved as a snapshot file, and with --data its journal grows without end: reset it in time, or begin another`,
    );
  }
}

/** Estimated JSON length of the state, from the oldest records of each collection. */
export function aboutBytes(tables: Tables): number {
  let total = 0;
  for (const table of Object.values(tables)) {
    const sample = table.oldest(SAMPLE);
    const bytes = sample.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
    if (sample.length > 0) total += (bytes / sample.length) * table.size;
  }
  return total;
}

function inMB(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
