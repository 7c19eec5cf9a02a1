import type { Change } from "../engine/records.js";

/** What of a request is counted. */
interface Answered {
  readonly operation: string | null;
  readonly errorCode: string | null;
  readonly clientGone: boolean;
}

/** What of the service an app has met: counts in memory, over more than the journal keeps. */
export class Counters {
  readonly operations = new Map<string, number>();
  readonly statuses = new Map<string, number>();
  readonly events = new Map<string, number>();
  readonly errorCodes = new Map<string, number>();

  onRequest({ operation, errorCode, clientGone }: Answered): void {
    if (clientGone) return;
    if (operation !== null) count(this.operations, operation);
    if (errorCode !== null) count(this.errorCodes, errorCode);
  }

  onChange(change: Change): void {
    for (const [name, , record] of change.puts) {
      if (record === null) continue;
      if (name === "events") count(this.events, (record as { type: string }).type);
      else if (name === "charges") count(this.statuses, (record as { status: string }).status);
    }
  }

  clear(): void {
    for (const counts of [this.operations, this.statuses, this.events, this.errorCodes]) counts.clear();
  }
}

/** Types of events and codes of errors are whatever somebody calls them. */
const MOST_NAMES = 1_000;

function count(counts: Map<string, number>, name: string): void {
  if (counts.size >= MOST_NAMES && !counts.has(name)) return;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
