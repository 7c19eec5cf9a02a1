import type { Attempt, Change, Delivery } from "../../engine/records.js";
import type { Observer } from "../observers.js";
import type { JournalEntry } from "../served-request.js";
import {
  type Example,
  type Habit,
  type Metadata,
  type Notes,
  type ReadingWatch,
  Recent,
  type Scene,
  type Watch,
} from "./habit.js";
import { Pauses } from "./pauses.js";
import { POLLING } from "./polling.js";
import { REQUESTS } from "./requests.js";
import { WEBHOOKS } from "./webhooks.js";

/** All there is to be advised of, in the order it is told. */
export const HABITS: readonly Habit[] = [...POLLING, ...REQUESTS, ...WEBHOOKS];

/** Most requests with advice have one piece of it: those share a list, for the journal keeps many requests. */
const JUST: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  HABITS.map(({ id }) => [id, [id]]),
);

/** What was found of each habit. */
export class AdviceLog {
  readonly #found = new Map<Habit, { times: number; example: Example }>();

  /** So many times more, or less; the example is that of the last. */
  note(habit: Habit, times: number, example?: Example): void {
    let found = this.#found.get(habit);
    if (found === undefined) this.#found.set(habit, (found = { times: 0, example: "" }));
    found.times += times;
    if (example !== undefined) found.example = example;
  }

  items() {
    return HABITS.flatMap((habit) => {
      const found = this.#found.get(habit);
      if (found === undefined || found.times <= 0) return [];
      const { id, advice, why, docs } = said(habit);
      const { times, example } = found;
      return [{ id, advice, why, times, example: typeof example === "string" ? example : example(), docs }];
    });
  }

  clear(): void {
    this.#found.clear();
  }
}

function said({ id, advice, why }: Habit) {
  return { id, advice, why, docs: `docs/advice.md#${id}` };
}

/** What is found of one habit, for each log that is to have it. */
class NotesOfHabit implements Notes {
  readonly #habit: Habit;
  readonly #logs: readonly AdviceLog[];
  readonly #onFound: (habit: Habit) => void;

  constructor(habit: Habit, logs: readonly AdviceLog[], onFound: (habit: Habit) => void) {
    this.#habit = habit;
    this.#logs = logs;
    this.#onFound = onFound;
  }

  found(example: Example): void {
    this.#onFound(this.#habit);
    for (const log of this.#logs) log.note(this.#habit, 1, example);
  }

  more(example: Example): void {
    for (const log of this.#logs) log.note(this.#habit, 0, example);
  }

  undo(times: number): void {
    for (const log of this.#logs) log.note(this.#habit, -times);
  }
}

/** What each habit does with what it looks on. */
interface Watches {
  readonly requests: readonly NonNullable<Watch["onRequest"]>[];
  readonly readings: readonly ReadingWatch[];
  /** Of each charge that was read what the habits of reading keep, one after another. */
  readonly charges: Recent<{ readonly pauses: Pauses; readonly kept: readonly object[] }>;
  readonly attempts: readonly NonNullable<Watch["onAttempt"]>[];
}

/** Calls that make something of their metadata. */
const WITH_METADATA: readonly (string | null)[] = ["createWhitelabel", "createCheckout", "createWithdrawal"];

/**
 * Looks on what an app does, as it happens, and notes what the service advises against. Counts in memory, over more
 * than the journal keeps.
 */
export class Advisor implements Observer {
  readonly log = new AdviceLog();
  readonly #logs: readonly AdviceLog[];
  readonly #scene: Scene;
  /** An attempt is one object in each record that has it. */
  #seen = new WeakSet<Attempt>();
  /** The request that is looked at, and the habits that are found with it. */
  #lookingAt: JournalEntry | undefined;
  /** Made for whoever does something: most namespaces of a suite are short-lived. */
  #watches: Watches | undefined;

  /** @param total where it is noted too, and stays when this one is cleared */
  constructor(scene: Scene, total: AdviceLog) {
    this.#scene = scene;
    this.#logs = [this.log, total];
  }

  #watching(): Watches {
    if (this.#watches !== undefined) return this.#watches;
    const all = HABITS.map((habit) =>
      habit.watch(new NotesOfHabit(habit, this.#logs, (found) => this.#noteFound(found)), this.#scene),
    );
    const readings = all.flatMap(({ reading }) => reading ?? []);
    return (this.#watches = {
      requests: all.flatMap(({ onRequest }) => onRequest ?? []),
      readings,
      charges: new Recent(() => ({ pauses: new Pauses(), kept: readings.map((one) => one.begin()) })),
      attempts: all.flatMap(({ onAttempt }) => onAttempt ?? []),
    });
  }

  #noteFound(habit: Habit): void {
    const entry = this.#lookingAt;
    if (entry === undefined) return;
    if (entry.habits === undefined) entry.habits = JUST[habit.id];
    else if (!entry.habits.includes(habit.id)) entry.habits = [...entry.habits, habit.id];
  }

  onRequest(entry: JournalEntry): void {
    const watches = this.#watching();
    this.#lookingAt = entry;
    if (entry.operation === "getCharge" || entry.operation === "getPayin") this.#onRead(entry, watches);
    const metadata = metadataOf(entry);
    for (const onRequest of watches.requests) onRequest(entry, metadata);
    this.#lookingAt = undefined;
  }

  #onRead(entry: JournalEntry, { readings, charges }: Watches): void {
    const id = entry.path.slice(entry.path.lastIndexOf("/") + 1);
    const { pauses, kept } = charges.of(id);
    const read = { id, entry, pause: pauses.next(entry, this.#scene) };
    for (let index = 0; index < readings.length; index++) readings[index]!.onRead(kept[index]!, read);
  }

  /** What there was to say of one request. */
  adviceOf({ habits = [] }: JournalEntry) {
    return HABITS.filter(({ id }) => habits.includes(id)).map(said);
  }

  onChange({ puts }: Change): void {
    for (const [name, , record] of puts) {
      if (name !== "deliveries" || record === null) continue;
      const delivery = record as Delivery;
      const attempt = delivery.attempts.at(-1);
      if (attempt === undefined || this.#seen.has(attempt)) continue;
      this.#seen.add(attempt);
      for (const onAttempt of this.#watching().attempts) onAttempt(attempt, delivery);
    }
  }

  clear(): void {
    this.log.clear();
    this.#watches = undefined;
  }
}

const NONE = {};

function metadataOf({ operation, metadata }: JournalEntry): Metadata {
  if (!WITH_METADATA.includes(operation)) return NONE;
  return typeof metadata === "object" && metadata !== null ? (metadata as Metadata) : NONE;
}
