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
import type { ClockSetting } from "../schema/option-schemas.js";
import type { Advance } from "./advance-state.js";
import type { Clock } from "./clock.js";
import { afterPendingIo } from "./timers.js";
import { type WallClock, yieldToEventLoop } from "./wall-clock.js";

/**
 * Work between two yields to the event loop, in records written. A limit in time would make the order of changes depend
 * on the machine.
 */
export const WORK_PER_BATCH = 1_500;
/** Work of a task or an outcome besides the records it writes. */
const OWN_WORK = 6;
const RETRY_AFTER_ERROR_MS = 1_000;

/** Delivery attempts as the scheduler sees them. Implemented by the dispatcher. */
export interface DeliveryAttempts {
  /** Queues a due attempt for the next `begin`. */
  enqueue(task: Task): void;
  /** Begins queued attempts. Throws if a resulting change cannot be stored; the rest stay queued. */
  begin(): void;
  /** Returns how many it recorded, at most `limit`. Throws if an outcome cannot be stored; it stays pending. */
  recordOutcomes(limit: number): number;
  /** True if attempts are queued, or an outcome can be recorded. */
  readonly hasPendingWork: boolean;
  /** True if attempts are queued, in flight, or have an outcome that is not stored. */
  readonly hasOpenAttempts: boolean;
  onClockChange(): void;
  /** After a failed advance, returns tasks due after `nowMs` to the queue and ignores their attempts' outcomes. */
  rollBack(nowMs: number): void;
  cancelAll(): void;
  close(): void;
}

interface SchedulerOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly wall: WallClock;
  /** Receives errors of timer callbacks, which have no caller that could catch them. */
  readonly onError: (error: unknown) => void;
}

/** Runs each due task at its own time: by timer on a running clock, at full speed in an advance. */
export class Scheduler<Attempts extends DeliveryAttempts = DeliveryAttempts> {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly attempts: Attempts;
  readonly #onError: (error: unknown) => void;
  #advance: Advance | undefined;
  #cancelTimer: (() => void) | undefined;
  #isTickPlanned = false;
  /** After a failed write, no task runs before the retry timer fires. */
  #isBackingOff = false;
  #closed = false;
  readonly #waiters: (() => void)[] = [];
  #written = 0;

  constructor(
    { engine, clock, wall, onError }: SchedulerOptions,
    createAttempts: (scheduler: Scheduler<Attempts>) => Attempts,
  ) {
    this.engine = engine;
    this.clock = clock;
    this.wall = wall;
    this.#onError = onError;
    this.attempts = createAttempts(this);
    engine.events.on("changed", ({ puts }) => {
      this.#written += puts.length;
    });
    engine.events.on("stored", () => {
      this.#isBackingOff = false;
      this.#planNext();
    });
    engine.events.on("failed", ({ error }) => this.#noteFailure(error));
    this.#planNext();
  }

  get advance(): Advance | undefined {
    return this.#advance;
  }

  /** True if the clock runs and no advance is under way. */
  get isTimePassing(): boolean {
    return this.clock.isTimeRunning && this.#advance === undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Executes an API call's command after due tasks. An advance counts the call and the tasks planned by the call. */
  execute<Result>(command: Command<Result>): Result {
    const advance = this.#advance;
    if (advance === undefined) return this.run(command);
    advance.noteCall();
    // Runs due tasks first, so that `notePlanned` gets only the changes of this call.
    this.runDueTasks();
    const stop = this.engine.events.on("changed", (change) => advance.loops.notePlanned(change));
    try {
      return this.run(command);
    } finally {
      stop();
    }
  }

  /** Runs due tasks before the command, because the command moves engine time past the due times. */
  run<Result>(command: Command<Result>): Result {
    const nowMs = this.clock.nowMs();
    this.#runDue(nowMs);
    return this.engine.execute(command, nowMs);
  }

  runDueTasks(): void {
    this.#runDue(this.clock.nowMs());
  }

  /**
   * If more is due than a batch: resolves when all that is due now has run, with yields between the batches. Call it
   * before `execute`, which cannot yield.
   */
  catchUp(): Promise<void> | undefined {
    const untilMs = this.clock.nowMs();
    const work = this.#runDue(untilMs, WORK_PER_BATCH);
    return work < WORK_PER_BATCH ? undefined : this.#catchUpInBatches(untilMs);
  }

  async #catchUpInBatches(untilMs: number): Promise<void> {
    let work = WORK_PER_BATCH;
    while (work >= WORK_PER_BATCH && !this.#closed) {
      await yieldToEventLoop();
      // A reset may have set the clock back.
      work = this.#runDue(Math.min(untilMs, this.clock.nowMs()), WORK_PER_BATCH);
    }
  }

  #hasDueTask(untilMs: number): boolean {
    const next = this.engine.state.tasks.peek();
    return next !== undefined && next.due_ms <= untilMs;
  }

  /** Runs due tasks until as much work is done. @returns the work */
  #runDue(untilMs: number, maxWork = Number.POSITIVE_INFINITY): number {
    const writtenBefore = this.#written;
    let work = 0;
    for (let count = 1; work < maxWork; count++) {
      const task = this.engine.state.tasks.takeDue(untilMs);
      if (task === undefined) break;
      this.#advance?.noteFired(task, Math.max(task.due_ms, this.engine.state.at));
      if (task.kind === "attempt") {
        this.attempts.enqueue(task);
        this.planTick();
      } else this.#runTask(task);
      // A pattern may take milliseconds.
      work = this.engine.state.hasPatternRules
        ? count * WORK_PER_BATCH
        : this.#written - writtenBefore + count * OWN_WORK;
    }
    return work;
  }

  /** Runs a task, which stays due if its change cannot be stored. */
  #runTask(task: Task): void {
    const { engine } = this;
    try {
      engine.execute(commandOf(task), task.due_ms);
    } catch (error) {
      engine.state.tasks.putBack(task);
      throw error;
    }
  }

  /** Records outcomes and runs due tasks, up to `WORK_PER_BATCH`, and begins attempts. @returns the work */
  runBatch(untilMs: number): number {
    const work = this.#recordOutcomes(untilMs);
    const taskWork = this.#runDue(untilMs, WORK_PER_BATCH - work);
    this.attempts.begin();
    return work + taskWork;
  }

  /**
   * Outcomes wait for all tasks of their instant, however many batches these take: a command runs after what is due
   * before it, and cannot yield.
   */
  #recordOutcomes(untilMs: number): number {
    if (this.#hasDueTask(untilMs)) return 0;
    return OWN_WORK * this.attempts.recordOutcomes(WORK_PER_BATCH / OWN_WORK);
  }

  /** The store has lost a change: reports it, fails the advance under way, or retries later. */
  #noteFailure(error: unknown): void {
    this.#onError(error);
    if (this.#advance === undefined) this.#backOff();
    else this.#advance.failure = { error };
    this.notifyWaiters();
  }

  #backOff(): void {
    if (this.#closed) return;
    this.#isBackingOff = true;
    this.#armTimer(RETRY_AFTER_ERROR_MS);
  }

  /** Plans a tick for due tasks, or a timer for the next task. */
  #planNext(): void {
    if (this.#closed || this.#advance !== undefined) return;
    if (this.attempts.hasPendingWork) this.planTick();
    const next = this.engine.state.tasks.peek();
    if (next === undefined) return;
    if (next.due_ms <= this.clock.nowMs()) this.planTick();
    else if (this.clock.isTimeRunning) this.#armTimer(this.clock.wallDelayMs(next.due_ms));
  }

  #armTimer(delayMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.wall.after(delayMs, () => {
      this.#isBackingOff = false;
      this.runGuarded(() => this.runTick());
    });
  }

  /** Runs `work`; if it throws, as with a full disk, reports the error and plans a retry. */
  runGuarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onError(error);
      this.#backOff();
    }
  }

  planTick(): void {
    if (this.#isTickPlanned || this.#isBackingOff) return;
    this.#isTickPlanned = true;
    afterPendingIo(() => {
      this.#isTickPlanned = false;
      if (this.#isBackingOff) return;
      this.runGuarded(() => this.runTick());
    });
  }

  /** Runs due tasks and begins their attempts without waiting for them. */
  runTick(): void {
    if (this.#closed) return;
    this.runBatch(this.clock.nowMs());
    this.#planNext();
    this.notifyWaiters();
  }

  /** Records new outcomes. A failed write fails the advance under way. Without an advance, the write is retried. */
  noteOutcome(): void {
    const advance = this.#advance;
    if (advance === undefined) {
      if (!this.#isBackingOff) this.runGuarded(() => this.runTick());
      return;
    }
    try {
      this.#recordOutcomes(advance.nowMs);
    } catch (error) {
      advance.failure = { error };
    }
    this.notifyWaiters();
  }

  beginAdvance(advance: Advance): void {
    this.#cancelTimer?.();
    this.#isBackingOff = false;
    this.#advance = advance;
    this.clock.holdAt(advance.nowMs);
  }

  endAdvance({ nowMs }: Advance, setting: ClockSetting): void {
    this.#advance = undefined;
    this.notifyWaiters();
    if (!this.#closed) this.resume(nowMs, setting);
  }

  resume(nowMs: number, setting: ClockSetting): void {
    this.clock.set(nowMs, setting);
    this.#cancelTimer?.();
    this.attempts.onClockChange();
    this.#planNext();
  }

  get isIdle(): boolean {
    if (this.attempts.hasOpenAttempts || !this.engine.gate.isOpen) return false;
    const next = this.engine.state.tasks.peek();
    return next === undefined || next.due_ms > this.clock.nowMs();
  }

  /** Resolves when no task is due, no attempt is open and all changes are safe; rejects if a change was lost. */
  async whenIdle(): Promise<void> {
    this.runTick();
    while (!this.#closed && !this.isIdle) await (this.engine.gate.passed() ?? this.nextEvent());
  }

  notifyWaiters(): void {
    for (const wake of this.#waiters.splice(0)) wake();
    this.engine.events.emit("woke", undefined);
  }

  nextEvent(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.attempts.close();
    this.notifyWaiters();
  }
}
