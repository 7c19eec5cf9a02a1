import { isRefusal, LimitReachedError, type Refusal, refuse } from "../schema/refusals.js";
import type { Command } from "./transaction.js";

/** No change adds more: a body of 1 MiB, and a delivery of its event to a few thousand endpoints. */
const LARGEST_CHANGE_BYTES = 16 * 1024 * 1024;

/** Estimated bytes that the namespaces of a process hold: records, logs of requests, snapshots in memory. */
export class MemoryMeter {
  readonly #limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes = Number.POSITIVE_INFINITY) {
    this.#limitBytes = limitBytes;
  }

  add(bytes: number): void {
    this.#usedBytes += bytes;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#usedBytes + bytes <= this.#limitBytes;
  }

  /** Makes a command fail that would take more memory than is left; a command that frees memory runs. */
  guard<Result>(command: Command<Result>): Command<Result> {
    if (this.hasRoomFor(LARGEST_CHANGE_BYTES)) return command;
    return (tx) => {
      const result = command(tx);
      if (isRefusal(result)) return result;
      const bytes = tx.addedBytes();
      if (bytes > 0 && !this.hasRoomFor(bytes)) throw new LimitReachedError(this.refusal());
      return result;
    };
  }

  refusal(): Refusal {
    return memoryFull(this.#limitBytes);
  }
}

export function memoryFull(limitBytes: number): Refusal {
  return refuse(
    "LIMIT_REACHED",
    `The sandbox has no room for more: its namespaces may take ${Math.floor(limitBytes / 1_000_000)} MB together. Reset or delete one, or raise Node's --max-old-space-size or limits.bytes.`,
  );
}
