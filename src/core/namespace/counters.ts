import type { Change } from "../engine/records.js";
import type { State } from "../engine/state.js";
import { findMishaps } from "./mishaps.js";

interface CountedRequest {
  readonly operation: string | null;
  readonly errorCode: string | null;
  readonly clientGone: boolean;
  readonly isAnswerLost?: boolean | undefined;
}

type CounterKind = "operations" | "statuses" | "events" | "error_codes" | "mishaps";

type CountsByKind = { [Name in CounterKind]?: Map<string, { times: number }> };

/** CountsByKind what an app has met of the service, in memory and beyond the journal's limit. */
export class Counters {
  /** Count objects save a second map lookup per increment. */
  #counts: CountsByKind = {};
  readonly #total: Counters | undefined;

  /** @param total counts everything too */
  constructor(total?: Counters) {
    this.#total = total;
  }

  counts(kind: CounterKind): ReadonlyMap<string, number> {
    return new Map([...(this.#counts[kind] ?? [])].map(([name, { times }]) => [name, times]));
  }

  noteRequest({ operation, errorCode, clientGone, isAnswerLost }: CountedRequest): void {
    if (clientGone) return;
    if (operation !== null) this.#count("operations", operation);
    if (errorCode !== null) this.#count("error_codes", errorCode);
    if (isAnswerLost === true) this.#count("mishaps", "lost_answer");
  }

  /** @param state after the change */
  noteChange(change: Change, state: State): void {
    for (const [name, , record] of change.puts) {
      if (record === null) continue;
      if (name === "events") this.#count("events", (record as { type: string }).type);
      else if (name === "charges") this.#count("statuses", (record as { status: string }).status);
    }
    for (const kind of findMishaps(change, state)) this.#count("mishaps", kind);
  }

  clear(): void {
    this.#counts = {};
  }

  #count(kind: CounterKind, name: string): void {
    if (this.#total !== undefined) this.#total.#count(kind, name);
    const counts = (this.#counts[kind] ??= new Map());
    const count = counts.get(name);
    if (count !== undefined) count.times++;
    else if (counts.size < MAX_NAMES) counts.set(name, { times: 1 });
  }
}

/** Limits names that users choose: event types and error codes. */
const MAX_NAMES = 1_000;
