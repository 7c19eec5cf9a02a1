import { AppStillness } from "../../../core/time/app-stillness.js";
import { AppTimers } from "../../../core/time/app-timers.js";
import { monotonicMs, pause } from "../../../core/time/timers.js";
import type { Stop } from "../course.js";
import type { LocalSandbox } from "./local-sandbox.js";

/** Wall time for which nothing happens, after which a run ends. */
const MAX_IDLE_MS = 5_000;
/** A timer that is due later than this is a time limit, for which an app with a held response does not wait. */
const SOON_MS = 1_000;
/**
 * Number of timers that fire in one advance beyond those that wait when it begins. An advance of days would fire an
 * interval of seconds for ever.
 */
const MAX_FIRED = 100;
/** Number of timers that fire at one moment of sandbox time beyond those that wait for it. */
const MAX_FIRED_AT_ONCE = 1_000;
/** Number of timers for which an app may wait before it has a held response. */
const MAX_FIRED_HELD = 200;
/** Number of timers that fire while one step of a run waits for the app. */
const MAX_FIRED_IN_WAIT = 2_000;
/** Number of times that a run ends holds which hinder it. */
const MAX_RELEASES = 50;

/** Thrown if an app waits for something that this process does not show. */
export class IdleError extends Error {}

interface Wait {
  /** Resolves when the wait is over for the flow too, which may be after the app's response. */
  done?: Promise<unknown>;
}

/**
 * Lets an app of this process work until it is still, and moves sandbox time when the app waits for it. Timers of the app
 * fire at their sandbox times.
 */
export class Driver {
  readonly #sandbox: LocalSandbox;
  readonly #stillness: AppStillness;
  readonly #timers: AppTimers;
  readonly #stopListening: () => void;
  /** Waits under way, the innermost last. Only the innermost drives the app. */
  readonly #waits: Wait[] = [];
  #stops: readonly Stop[] = [];
  #startMs = 0;
  /** Sandbox time that passes once, as soon as a response is held. */
  #passingMs: number | undefined;
  #releases = 0;
  #hasPostponed = false;

  /** Takes the timers of the process until `close`. */
  constructor(sandbox: LocalSandbox) {
    this.#sandbox = sandbox;
    this.#timers = new AppTimers(() => sandbox.nowMs());
    this.#stillness = new AppStillness();
    this.#stopListening = sandbox.onActivity(() => this.#stillness.note());
  }

  close(): void {
    this.#stopListening();
    this.#stillness.restore();
    this.#timers.restore();
  }

  /** Work of this app that a run cannot see, and timers that were cut short. */
  get limits(): string[] {
    const { outside, hasGivenUp } = this.#stillness;
    return [
      ...(outside.length === 0
        ? []
        : [
            `this app works outside of its process (${outside.join(", ")}): a run waits for it, 100 ms at most each time`,
          ]),
      ...(hasGivenUp
        ? ["this app has work of the system that does not end: what follows from it is not seen"]
        : []),
      ...(this.#hasPostponed
        ? [
            `a timer of this app fires again and again: ${MAX_FIRED} times while sandbox time passes, then once at the end`,
          ]
        : []),
    ];
  }

  /** Equal runs of the app are alike: it has waited for nothing outside of this process. */
  get isRepeatable(): boolean {
    return !this.#stillness.hasWaited;
  }

  /** False if the flow has replaced the timers, as fake timers do. */
  get hasTimers(): boolean {
    return this.#timers.isInstalled;
  }

  beginRun(stops: readonly Stop[], startMs: number, passingMs: number | undefined): void {
    this.#stops = stops;
    this.#startMs = startMs;
    this.#passingMs = passingMs;
    this.#releases = 0;
  }

  /** Resolves when the clock can be advanced. An app that has hung keeps it until its webhook times out. */
  async whenFree(): Promise<void> {
    while (this.#sandbox.isAdvancing()) await pause(1);
  }

  /** Called after the plain runs, whose acts do not overlap. */
  endLearning(): void {
    this.#stillness.endLearning();
  }

  whenStill(): Promise<void> {
    return this.#stillness.whenStill();
  }

  /** Keeps other waits from driving the app while `work` does. */
  async alone<Result>(work: (own: Wait) => Promise<Result>): Promise<Result> {
    const wait: Wait = {};
    this.#waits.push(wait);
    try {
      const result = work(wait);
      wait.done = result.catch(() => {});
      return await result;
    } finally {
      this.#waits.splice(this.#waits.indexOf(wait), 1);
      this.#stillness.note();
    }
  }

  /**
   * Drives the app until the promise is settled: fires timers, lets time pass while a response is held, ends holds that
   * nothing can end.
   *
   * @param onStuck called when nothing happens by itself any more; returns true if it has changed that
   */
  until<Result>(work: Promise<Result>, onStuck: () => boolean = () => false): Promise<Result> {
    return this.alone((own) => this.#drive(own, work, onStuck));
  }

  async #drive<Result>(own: Wait, work: Promise<Result>, onStuck: () => boolean): Promise<Result> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    const done = work.then(end, end);
    let idleMs = 0;
    for (let fired = 0; !isDone; ) {
      const inner = this.#waits.at(-1);
      if (inner !== own) {
        await Promise.race([inner?.done, done]);
        continue;
      }
      await this.whenStill();
      if (isDone || this.#waits.at(-1) !== own) continue;
      const step = this.#nextStep(fired, onStuck);
      if (step === undefined) {
        if (idleMs >= MAX_IDLE_MS)
          throw new IdleError(
            `nothing has happened for ${MAX_IDLE_MS / 1_000} s: the app waits for itself, or for something outside of this process`,
          );
        const sinceMs = monotonicMs();
        await Promise.race([done, pause(1)]);
        idleMs += monotonicMs() - sinceMs;
        continue;
      }
      idleMs = 0;
      if (++fired > MAX_FIRED_IN_WAIT) throw new IdleError("the app waits, and its timers fire without end");
      await step();
    }
    return work;
  }

  /** Returns the step that lets a waiting app go on; undefined if none does. */
  #nextStep(fired: number, onStuck: () => boolean): (() => Promise<void>) | undefined {
    const sandbox = this.#sandbox;
    const nowMs = sandbox.nowMs();
    const passingMs = this.#passingMs;
    if (passingMs !== undefined && sandbox.hasHeldCall() && !sandbox.isAdvancing()) {
      this.#passingMs = undefined;
      return () => this.advance(passingMs);
    }
    const dueMs = this.#timers.nextDueMs;
    const isSoon = dueMs !== undefined && dueMs <= nowMs + SOON_MS && fired < MAX_FIRED_HELD;
    if (!isSoon) {
      if (onStuck()) return async () => {};
      if (sandbox.hasHeldCall() && ++this.#releases <= MAX_RELEASES) return async () => sandbox.releaseHeld();
    }
    if (dueMs === undefined) return undefined;
    if (sandbox.isAdvancing() || dueMs <= nowMs) return async () => void this.#timers.fireNext();
    return () => this.advance(dueMs - nowMs);
  }

  /** Lets sandbox time pass, moment by moment, with the app's timers and the stops at their times. */
  advance(byMs: number): Promise<void> {
    return this.alone(() => this.#advance(byMs));
  }

  async #advance(byMs: number): Promise<void> {
    const sandbox = this.#sandbox;
    const targetMs = sandbox.nowMs() + byMs;
    const maxFired = MAX_FIRED + this.#timers.countDue(targetMs);
    for (let fired = 0; ; ) {
      await this.whenStill();
      const maxAtOnce = MAX_FIRED_AT_ONCE + this.#timers.countDue(sandbox.nowMs());
      for (let atOnce = 1; this.#timers.fireNext(sandbox.nowMs()); atOnce++) {
        if (atOnce > maxAtOnce) throw new IdleError("the app's timers fire without end at one moment");
        fired++;
        await this.whenStill();
      }
      const [stop, ...later] = this.#stops;
      const stopMs = stop === undefined ? Infinity : this.#startMs + stop.sinceMs;
      if (stop !== undefined && stopMs <= sandbox.nowMs()) {
        this.#stops = later;
        await stop.work();
        continue;
      }
      if (sandbox.nowMs() >= targetMs) return;
      if (fired >= maxFired && (this.#timers.nextDueMs ?? Infinity) < targetMs) {
        this.#hasPostponed = true;
        this.#timers.postpone(targetMs);
      }
      const nextMs = Math.max(sandbox.nextTaskMs(), sandbox.nowMs());
      const toMs = Math.min(targetMs, nextMs, this.#timers.nextDueMs ?? Infinity, stopMs);
      await this.until(sandbox.advanceTo(toMs));
    }
  }
}
