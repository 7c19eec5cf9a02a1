import type { Task } from "../engine/records.js";
import { type Refusal, refuse } from "../schema/errors.js";
import { iso, MAX_INSTANT_MS } from "../schema/time.js";
import { LoopDetector } from "./loop-detector.js";

/** A change of a charge's or withdrawal's plan, an attempt at a delivery, an expiry, a settlement. */
export type TaskKind = Task["kind"];

/** A task that ran. */
export interface Fired {
  /** Sandbox time, an ISO 8601 instant. */
  readonly at: string;
  /** What kind of thing it was. */
  readonly task: TaskKind;
  /** The id of what it happened to: a charge, a withdrawal or a delivery. */
  readonly ref: string;
}

/** How time was moved, and what happened on the way. */
export interface AdvanceReport {
  /** Sandbox time before, an ISO 8601 instant. */
  readonly from: string;
  /** Sandbox time after. */
  readonly to: string;
  /** In the order it happened; the first 1,000. */
  readonly fired: readonly Fired[];
  /** How many there were in all. */
  readonly fired_total: number;
}

/** Until when an advance goes: an instant, the next thing due, or until nothing is planned any more. */
export type AdvanceTarget =
  | { readonly toMs: number }
  | { readonly byMs: number }
  | { readonly until: "next" | "idle" };

/** How many of the things fired an advance reports one by one. */
const FIRED_LIMIT = 1_000;
/** Webhooks that lead to calls, and those to webhooks, so many times in a row will never come to rest. */
const LONGEST_LOOP = 1_000;
/** An instant in which receivers call back so many times will never end. */
const CALLS_PER_INSTANT = 10_000;

/** An advance under way: where it goes, where it has come to, what happened because of it. */
export class Advance {
  readonly loops = new LoopDetector();
  /** The disk refused something meanwhile. */
  failure: { readonly error: unknown } | undefined;
  readonly fromMs: number;
  /** Undefined when it is not an instant that it goes to. */
  readonly #toMs: number | undefined;
  readonly #until: "next" | "idle" | undefined;
  readonly #clockRuns: boolean;
  readonly #fired: Fired[] = [];
  #firedTotal = 0;
  /** How often it was called from outside at the instant it has come to. */
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

  /** Refused when it would go beyond the end of time. */
  static from(fromMs: number, target: AdvanceTarget, clockRuns: boolean): Advance | Refusal {
    const toMs = "byMs" in target ? fromMs + target.byMs : "toMs" in target ? target.toMs : undefined;
    if (toMs === undefined || toMs <= MAX_INSTANT_MS) return new Advance(target, fromMs, toMs, clockRuns);
    return refuse("VALIDATION_ERROR", "Sandbox time ends with the year 9999.", {
      ["byMs" in target ? "by" : "to"]: "goes beyond the year 9999",
    });
  }

  /** The instant it has come to. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** On a clock that stands, what is due at the instant an advance begins at happens without it too. */
  noteFired(task: Task, atMs: number): void {
    if (!this.#clockRuns && atMs <= this.fromMs) return;
    this.#firedTotal++;
    if (this.#fired.length < FIRED_LIMIT) this.#fired.push({ at: iso(atMs), task: task.kind, ref: task.ref });
  }

  noteCall(): void {
    this.#calls++;
  }

  /** Why it would never come to rest. */
  endless(): Refusal | undefined {
    if (this.#until !== "idle" || this.loops.longest <= LONGEST_LOOP) return undefined;
    return refuse(
      "VALIDATION_ERROR",
      `It never comes to rest: by ${iso(this.#nowMs)} webhooks have led to calls, and those to webhooks, ${LONGEST_LOOP} times in a row. Advance by a duration or to an instant instead.`,
      { until: "what is planned never ends" },
    );
  }

  /** Why the instant it has come to would never end, though there are answers to wait for. */
  stuck(): Refusal | undefined {
    if (this.#calls <= CALLS_PER_INSTANT) return undefined;
    return refuse(
      "VALIDATION_ERROR",
      `Time does not get past ${iso(this.#nowMs)}: each webhook gives rise to another.`,
      { by: "what happens at one instant never ends" },
    );
  }

  /** All is done at this instant: goes on to the next thing due, or to where it ends; then false. */
  goOn(next: Task | undefined): boolean {
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

  /** What could not be kept has not happened, so its time has not come either. */
  fallBack(keptMs: number): void {
    this.#nowMs = Math.max(this.fromMs, keptMs);
  }

  report(): AdvanceReport {
    return {
      from: iso(this.fromMs),
      to: iso(this.#nowMs),
      fired: this.#fired,
      fired_total: this.#firedTotal,
    };
  }
}
