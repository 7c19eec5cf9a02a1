import { constants } from "node:buffer";
import type { FrozenState } from "../engine/frozen-state.js";
import type { RecordTable } from "../engine/record-table.js";

type MeasuredTables = Readonly<
  Record<keyof FrozenState["collections"], Pick<RecordTable<unknown>, "oldest" | "size">>
>;

/** A state must fit into one string to be read back from a file or an import. */
const LARGEST_BYTES = constants.MAX_STRING_LENGTH;
const THRESHOLD_BYTES = 0.75 * LARGEST_BYTES;
/** Assumed size of a change. The next check comes when changes of this size could reach the threshold. */
const MAX_CHANGE_BYTES = 20_000;
const MIN_CHECK_INTERVAL = 1_024;
const MAX_CHECK_INTERVAL = 16_384;
/** Number of records measured per collection. */
const SAMPLE = 8;

/** Warns once, in time, that a namespace is about to become too large to be read back. */
export class SizeMonitor {
  readonly #name: string;
  readonly #onNotice: (notice: string) => void;
  readonly #thresholdBytes: number;
  #changesLeft = 1;
  #isReported = false;

  constructor(name: string, onNotice: (notice: string) => void, thresholdBytes = THRESHOLD_BYTES) {
    this.#name = name;
    this.#onNotice = onNotice;
    this.#thresholdBytes = thresholdBytes;
  }

  /** Called after each change; checks the tables occasionally. */
  note(tables: () => MeasuredTables): void {
    if (--this.#changesLeft > 0) return;
    const bytes = estimateBytes(tables());
    const changesLeft = Math.abs(this.#thresholdBytes - bytes) / MAX_CHANGE_BYTES;
    this.#changesLeft = Math.min(Math.max(changesLeft, MIN_CHECK_INTERVAL), MAX_CHECK_INTERVAL);
    if (bytes < this.#thresholdBytes) {
      this.#isReported = false;
      return;
    }
    if (this.#isReported) return;
    this.#isReported = true;
    this.#onNotice(
      `the namespace "${this.#name}" holds about ${inMB(bytes)}. Above ${inMB(LARGEST_BYTES)} it cannot be imported or saved as a snapshot file, and with --data its journal grows without end: reset it in time, or use another namespace`,
    );
  }
}

/** Estimated JSON length of the state, from the oldest records of each collection. */
export function estimateBytes(tables: MeasuredTables): number {
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
