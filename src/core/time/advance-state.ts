import type { Change, Delivery, Task } from "../engine/records.js";
import type { AdvanceReport } from "../schema/control-insight-responses.js";
import { type Refusal, refuse } from "../schema/refusals.js";
import { iso, MAX_INSTANT_MS } from "../schema/time.js";
import type { QuietReport, RetryReport } from "./app-activity.js";

/** End of an advance: an instant, a duration, the next due task, or no task left. */
export type AdvanceTarget =
  | { readonly toMs: number }
  | { readonly byMs: number }
  | { readonly until: "next" | "idle" };

/** How far time was moved, and the tasks that ran. */
export type AdvanceProgress = Omit<AdvanceReport, "counts" | "first" | "failures">;

/** Maximum number of tasks that a report lists. */
const FIRED_LIMIT = 1_000;
/** Maximum length of a chain of webhooks and calls in an advance to idle; a longer chain counts as endless. */
const LONGEST_LOOP = 1_000;
/** Maximum number of API calls at one instant; more count as an endless loop. */
const CALLS_PER_INSTANT = 10_000;

/** State of one advance: its target, its current instant and the tasks that ran. */
export class Advance {
  readonly loops = new LoopDetector();
  failure: { readonly error: unknown } | undefined;
  /** True at the start and after webhooks were sent: the app may still make calls. */
  isUnsettled = true;
  quiet: QuietReport | undefined;
  retry: RetryReport | undefined;
  readonly fromMs: number;
  /** Target instant; undefined for `until`. */
  readonly #toMs: number | undefined;
  readonly #until: "next" | "idle" | undefined;
  readonly #clockRuns: boolean;
  readonly #fired: AdvanceReport["fired"][number][] = [];
  #firedTotal = 0;
  /** API calls at the current instant. */
  #calls = 0;
  #reachedNext = false;
  #nowMs: number;

  private constructor(target: AdvanceTarget, fromMs: number, toMs: number | undefined, clockRuns: boolean) {
    this.fromMs = fromMs;
    this.#nowMs = fromMs;
    this.#toMs = toMs;
    this.#until = "until" in target ? target.until : undefined;
    this.#clockRuns = clockRuns;
  }

  /** Returns a refusal if the target is beyond the year 9999. */
  static from(fromMs: number, target: AdvanceTarget, clockRuns: boolean): Advance | Refusal {
    const toMs = "byMs" in target ? fromMs + target.byMs : "toMs" in target ? target.toMs : undefined;
    if (toMs === undefined || toMs <= MAX_INSTANT_MS) return new Advance(target, fromMs, toMs, clockRuns);
    return refuse("VALIDATION_ERROR", "Sandbox time ends with the year 9999.", {
      ["byMs" in target ? "by" : "to"]: "goes beyond the year 9999",
    });
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Counts a task. Leaves out tasks due at the start on a stopped clock, because they needed no advance. */
  noteFired(task: Task, atMs: number): void {
    if (!this.#clockRuns && atMs <= this.fromMs) return;
    this.#firedTotal++;
    if (this.#fired.length < FIRED_LIMIT) this.#fired.push({ at: iso(atMs), task: task.kind, ref: task.ref });
  }

  noteCall(): void {
    this.#calls++;
  }

  endlessRefusal(): Refusal | undefined {
    if (this.#until !== "idle" || this.loops.longest <= LONGEST_LOOP) return undefined;
    return refuse(
      "VALIDATION_ERROR",
      `It never comes to rest: by ${iso(this.#nowMs)} webhooks have led to calls, and those to webhooks, ${LONGEST_LOOP} times in a row. Advance by a duration or to an instant instead.`,
      { until: "what is planned never ends" },
    );
  }

  /** Returns a refusal if the calls at the current instant exceed the limit, because the instant would never end. */
  stuckRefusal(): Refusal | undefined {
    if (this.#calls <= CALLS_PER_INSTANT) return undefined;
    return refuse(
      "VALIDATION_ERROR",
      `Time does not get past ${iso(this.#nowMs)}: each webhook gives rise to another.`,
      { by: "what happens at one instant never ends" },
    );
  }

  /** Moves on to the next due task; returns false at the target. */
  moveToNext(next: Task | undefined): boolean {
    if (this.#toMs !== undefined) {
      if (next === undefined || next.due_ms > this.#toMs) {
        this.#nowMs = Math.max(this.#nowMs, this.#toMs);
        return false;
      }
    } else {
      if (next === undefined || (this.#until === "next" && this.#reachedNext)) return false;
      this.#reachedNext = true;
    }
    if (next.due_ms > this.#nowMs) {
      this.#calls = 0;
      this.#nowMs = next.due_ms;
    }
    return true;
  }

  /** Moves time back to the last stored change after a failed write. */
  rollBack(storedMs: number): void {
    this.#nowMs = Math.max(this.fromMs, storedMs);
  }

  /** Tasks that have run, and these with the ones that are still to run before the target. */
  underWay(queued: Iterable<Task>): { readonly done: number; readonly due: number } {
    let due = this.#firedTotal;
    for (const { due_ms } of queued) {
      const isLast = this.#until === "next" ? due_ms > this.#nowMs : due_ms > (this.#toMs ?? due_ms);
      if (isLast) break;
      due++;
    }
    return { done: this.#firedTotal, due };
  }

  report(): AdvanceProgress {
    return {
      from: iso(this.fromMs),
      to: iso(this.#nowMs),
      fired: this.#fired,
      fired_total: this.#firedTotal,
      ...(this.quiet === undefined ? {} : { quiet: this.quiet }),
      ...(this.retry === undefined ? {} : { retry: this.retry }),
    };
  }
}

/**
 * Finds endless chains in an advance: webhook → call → planned task → next webhook. Chains inside the engine always
 * end. A chain through the app can be endless.
 *
 * A call does not name the webhook that caused the call. The detector therefore adds the call to the longest chain
 * among the webhooks of the current instant.
 */
class LoopDetector {
  /** Chain length by charge or withdrawal ID; by delivery ID for a delivery without an object. */
  readonly #lengths = new Map<string, number>();
  #longest = 0;
  #instantMs = Number.NEGATIVE_INFINITY;
  #current = 0;

  get longest(): number {
    return this.#longest;
  }

  /** Notes an attempt that later calls of the same instant may be attributed to. */
  noteAttempt(delivery: Delivery | undefined, atMs: number): void {
    if (atMs !== this.#instantMs) {
      this.#instantMs = atMs;
      this.#current = 0;
    }
    const length = delivery === undefined ? 0 : (this.#lengths.get(deliverySubject(delivery)) ?? 0);
    this.#current = Math.max(this.#current, length);
  }

  /** Extends the current chain by the tasks and deliveries that a call of the app planned. */
  notePlanned(change: Change): void {
    for (const [name, , record] of change.puts) {
      if (record === null) continue;
      if (name === "deliveries") this.#lengthen(deliverySubject(record as Delivery));
      else if (name === "tasks" && (record as Task).kind !== "attempt") this.#lengthen((record as Task).ref);
    }
  }

  #lengthen(subject: string): void {
    const length = Math.max(this.#lengths.get(subject) ?? 0, this.#current + 1);
    this.#lengths.set(subject, length);
    this.#longest = Math.max(this.#longest, length);
  }
}

function deliverySubject(delivery: Delivery): string {
  return delivery.object_id ?? delivery.delivery_id;
}
