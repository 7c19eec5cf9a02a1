/*
 * Time of a namespace: clock, scheduler, advances, timers, leases. Only this folder reads wall time or sets timers.
 * Called by `namespace` and `delivery`.
 * A `Task` flows through: clock or advance → scheduler → engine command, or dispatcher for deliveries.
 * Never here: charge rules, network, files.
 */

import type { Engine } from "../engine/engine.js";
import type { Task } from "../engine/records.js";
import { commandOf } from "../engine/task-commands.js";
import type { Command } from "../engine/transaction.js";
import type { ClockSetting } from "../schema/options.js";
import type { Advance } from "./advance.js";
import type { Clock } from "./clock.js";
import { soon } from "./timers.js";
import type { Wall } from "./wall.js";

/** The event loop runs after this many tasks, so that a long advance does not block the server. */
export const TASKS_PER_TURN = 256;
const RETRY_AFTER_ERROR_MS = 1_000;

/** Delivery attempts as the scheduler sees them. Implemented by the dispatcher. */
export interface Attempts {
  /** Queues a due attempt for the next `begin`. */
  add(task: Task): void;
  /** Begins queued attempts. Throws if a resulting change cannot be stored; the rest stay queued. */
  begin(): void;
  /** Records outcomes in order. Throws if one cannot be stored; it stays pending. */
  keepOutcomes(): void;
  /** True if attempts are queued, or an outcome could not be stored. */
  readonly wantTurn: boolean;
  /** True if attempts are queued, in flight, or have an outcome that is not stored. */
  readonly areOpen: boolean;
  /** Called when the clock setting has changed. */
  followClock(): void;
  /** Returns later tasks to the queue after an advance failed, and ignores their outcomes. */
  fallBack(nowMs: number): void;
  /** Cancels all attempts: the state was replaced. */
  callOff(): void;
  close(): void;
}

export interface SchedulerOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly wall: Wall;
  /** Receives errors that no caller can receive. */
  readonly onError: (error: unknown) => void;
}

/**
 * Runs each due task at its own time through the engine: by timer on a running clock, at full speed in an advance.
 * Delivery attempts are passed to the dispatcher.
 */
export class Scheduler<Performer extends Attempts = Attempts> {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly wall: Wall;
  readonly attempts: Performer;
  readonly #onError: (error: unknown) => void;
  #advance: Advance | undefined;
  #cancelTimer: (() => void) | undefined;
  #isTickPlanned = false;
  /** After a failed write, no task runs before the retry timer fires. */
  #isBackingOff = false;
  #closed = false;
  readonly #waiters: (() => void)[] = [];
  #onWake: () => void = () => {};

  constructor(
    { engine, clock, wall, onError }: SchedulerOptions,
    createAttempts: (scheduler: Scheduler<Performer>) => Performer,
  ) {
    this.engine = engine;
    this.clock = clock;
    this.wall = wall;
    this.#onError = onError;
    this.attempts = createAttempts(this);
    engine.onKept(() => {
      this.#isBackingOff = false;
      this.#planNext();
    });
    engine.onUndone(({ error }, isReported) => this.#onUndone(error, isReported));
    this.#planNext();
  }

  get advance(): Advance | undefined {
    return this.#advance;
  }

  /** True if the clock runs and no advance is under way. */
  get timePasses(): boolean {
    return this.clock.runs && this.#advance === undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Executes an external call's command after all due tasks. */
  execute<Result>(command: Command<Result>): Result {
    const advance = this.#advance;
    if (advance === undefined) return this.run(command);
    advance.noteCall();
    // Tasks due anyway are not caused by this call.
    this.settle();
    const stop = this.engine.onCommit((change) => advance.loops.notePlanned(change));
    try {
      return this.run(command);
    } finally {
      stop();
    }
  }

  /**
   * Runs due tasks first: engine time never goes back, so they would run late.
   *
   * @param undo see `Engine.execute`
   */
  run<Result>(command: Command<Result>, undo?: () => void): Result {
    const nowMs = this.clock.nowMs();
    this.#runDue(nowMs);
    return this.engine.execute(command, nowMs, undo);
  }

  /** Runs all due tasks. */
  settle(): void {
    this.#runDue(this.clock.nowMs());
  }

  #runDue(untilMs: number, limit = Number.POSITIVE_INFINITY): number {
    let count = 0;
    for (; count < limit; count++) {
      const task = this.engine.takeDue(untilMs);
      if (task === undefined) break;
      this.#advance?.noteFired(task, Math.max(task.due_ms, this.engine.state.at));
      if (task.kind === "attempt") {
        this.attempts.add(task);
        this.planPump();
      } else this.#runTask(task);
    }
    return count;
  }

  /** A task whose change fails stays due. */
  #runTask(task: Task): void {
    const { engine } = this;
    const putBack = (): void => engine.state.tasks.putBack(task);
    try {
      engine.execute(commandOf(task), task.due_ms, putBack);
    } catch (error) {
      putBack();
      throw error;
    }
  }

  /** Records outcomes, runs up to `TASKS_PER_TURN` due tasks and begins their attempts. */
  runTurn(untilMs: number): number {
    this.attempts.keepOutcomes();
    const tasksRun = this.#runDue(untilMs, TASKS_PER_TURN);
    this.attempts.begin();
    return tasksRun;
  }

  /** Retries after a micro-batch could not be stored; its tasks are due again. */
  #onUndone(error: unknown, isReported: boolean): void {
    if (!isReported) this.#onError(error);
    if (this.#advance === undefined) this.#backOff();
  }

  #backOff(): void {
    if (this.#closed) return;
    this.#isBackingOff = true;
    this.#armTimer(RETRY_AFTER_ERROR_MS);
  }

  /** Plans a run for due tasks, or a timer for the next one. */
  #planNext(): void {
    if (this.#closed || this.#advance !== undefined) return;
    if (this.attempts.wantTurn) this.planPump();
    const next = this.engine.nextTask();
    if (next === undefined) return;
    if (next.due_ms <= this.clock.nowMs()) this.planPump();
    else if (this.clock.runs) this.#armTimer(this.clock.wallDelayMs(next.due_ms));
  }

  #armTimer(delayMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.wall.after(delayMs, () => {
      this.#isBackingOff = false;
      this.guarded(() => this.pump());
    });
  }

  /** Reports errors that no caller can receive, such as a full disk, and plans a retry. */
  guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onError(error);
      this.#backOff();
    }
  }

  planPump(): void {
    if (this.#isTickPlanned || this.#isBackingOff) return;
    this.#isTickPlanned = true;
    soon(() => {
      this.#isTickPlanned = false;
      if (this.#isBackingOff) return;
      this.guarded(() => this.pump());
    });
  }

  /** Runs due tasks and begins their attempts without waiting for them. */
  pump(): void {
    if (this.#closed || this.#isStoring()) return;
    const tasksRun = this.runTurn(this.clock.nowMs());
    void this.engine.keep();
    if (this.#isStoring()) return;
    if (tasksRun === TASKS_PER_TURN) this.planPump();
    else this.#planNext();
    this.wake();
  }

  /** Pauses while an asynchronous store writes; continues afterwards. */
  #isStoring(): boolean {
    if (!this.engine.isKeeping) return false;
    void this.engine.calm()?.then(() => this.planPump());
    return true;
  }

  /** Records a new outcome. If that fails, an advance fails; otherwise it is retried. */
  noteOutcome(): void {
    const advance = this.#advance;
    if (advance === undefined) {
      if (!this.#isBackingOff) this.guarded(() => this.pump());
      return;
    }
    try {
      this.attempts.keepOutcomes();
    } catch (error) {
      advance.failure = { error };
    }
    this.wake();
  }

  /** Cancels the timer and holds the clock for an advance. */
  beginAdvance(advance: Advance): void {
    this.#cancelTimer?.();
    this.#isBackingOff = false;
    this.#advance = advance;
    this.clock.hold(advance.nowMs);
  }

  endAdvance({ nowMs }: Advance, setting: ClockSetting): void {
    this.#advance = undefined;
    this.wake();
    if (!this.#closed) this.goOn(nowMs, setting);
  }

  /** Sets the clock and plans the next run. */
  goOn(nowMs: number, setting: ClockSetting): void {
    this.clock.set(nowMs, setting);
    this.#cancelTimer?.();
    this.attempts.followClock();
    this.#planNext();
  }

  /** Returns true if no task is due and no attempt is open. */
  get isSettled(): boolean {
    if (this.attempts.areOpen || !this.engine.isKept) return false;
    const next = this.engine.nextTask();
    return next === undefined || next.due_ms > this.clock.nowMs();
  }

  /** Resolves when no task is due and no attempt is open. */
  async settled(): Promise<void> {
    this.pump();
    while (!this.#closed && !this.isSettled) await this.somethingHappened();
  }

  /** Wakes all waiters so that they check their conditions again. */
  wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
    this.#onWake();
  }

  /** Sets the callback for possible idle states: mailbox posts and held deliveries commit nothing. */
  onWake(callback: () => void): void {
    this.#onWake = callback;
  }

  somethingHappened(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.attempts.close();
    this.wake();
  }
}
