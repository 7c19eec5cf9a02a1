import type { Verdict } from "./judge.js";
import { blindRepeat } from "./manners.js";
import type { ExploreFinding, ExploreSingle } from "./report.js";
import { type Schedule, scheduleText } from "./schedule.js";
import type { Seen } from "./seen.js";
import { storyOf } from "./story.js";

/** Keeps what is worth telling of each run, whether or not it failed. */
export class Witness {
  /** Every single deviation that was tried, and what became of it. */
  readonly singles: ExploreSingle[] = [];
  #plain: readonly string[] = [];
  /** What is called again blindly, and in which run that was first seen. */
  readonly #blind = new Map<string, Schedule>();

  seePlain(seen: Seen): void {
    this.#plain = storyOf(seen);
  }

  see(schedule: Schedule, seen: Seen, verdict: Verdict | string | undefined): void {
    const [first] = schedule;
    const outcome = verdict === undefined ? "right" : typeof verdict === "object" ? "wrong" : "unknown";
    if (schedule.length === 1) this.singles.push({ kind: first!.kind, at: first!.at, outcome });
    const operation = blindRepeat(seen);
    if (operation !== undefined && !this.#blind.has(operation)) this.#blind.set(operation, schedule);
  }

  /** What happened in such a run, and in a plain one. */
  story(seen: Seen): NonNullable<ExploreFinding["story"]> {
    return { plain: this.#plain, failing: storyOf(seen) };
  }

  /** A line each on bad manners; where they have made the app pay twice, that has been told. */
  manners(findings: readonly ExploreFinding[]): string[] {
    if (findings.some(({ oracle }) => oracle === "money")) return [];
    return [...this.#blind].map(
      ([operation, schedule]) =>
        `manners: ${scheduleText(schedule)}: the app calls ${operation} again without checking the outcome of the first call`,
    );
  }
}
