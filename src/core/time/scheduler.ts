import type { Engine } from "../engine/engine.js";
import type { Task } from "../engine/records.js";
import { commandOf } from "../engine/task-commands.js";
import type { Command } from "../engine/transaction.js";
import type { ClockSetting } from "../schema/options.js";
import type { Advance } from "./advance.js";
import type { Clock } from "./clock.js";
import { soon } from "./timers.js";
import type { Wall } from "./wall.js";

/** After so many tasks the event loop gets a turn, so that a long advance does not make the server deaf. */
export const TASKS_PER_TURN = 256;
const RETRY_AFTER_ERROR_MS = 1_000;

/** Attempts at deliveries, as the scheduler sees them: when their time has come, somebody else makes them. */
export interface Attempts {
  /** Its time has come: it begins with the next `begin`. */
  add(task: Task): void;
  /** Begins what is due. Throws when what comes of it at once cannot be kept; the rest is still due then. */
  begin(): void;
  /** Keeps the outcomes whose turn it is. Throws when one cannot be kept; it stays then. */
  keepOutcomes(): void;
  /** Whether something could go on at once: attempts that are due, or an outcome that could not be kept. */
  readonly wantTurn: boolean;
  /** Whether attempts are due, or under way, or back with an outcome that is not kept. */
  readonly areOpen: boolean;
  /** Time has been made to go another way. */
  followClock(): void;
  /** An advance could not be kept beyond this moment: what was due later is due again then, and nothing comes of it now. */
  fallBack(nowMs: number): void;
  /** The state they are of is replaced: nothing comes of them any more. */
  callOff(): void;
  close(): void;
}

export interface SchedulerOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly wall: Wall;
  /** Told what fails with nobody else to tell it to. */
  readonly onError: (error: unknown) => void;
}

/**
 * Takes the earliest task due and runs it at its own time, by way of the engine: on a clock that runs when the time
 * comes, in an advance as fast as it goes. Attempts at deliveries are handed to whoever makes them.
 */
export class Scheduler<Performer extends Attempts = Attempts> {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly wall: Wall;
  readonly attempts: Performer;
  readonly #onError: (error: unknown) => void;
  #advance: Advance | undefined;
  #cancelTimer: (() => void) | undefined;
  #pumpIsPlanned = false;
  /** A change could not be kept: nothing is pumped before the timer of the next try. */
  #isBackingOff = false;
  #closed = false;
  readonly #waiting: (() => void)[] = [];
  #onWake: () => void = () => {};

  constructor(
    { engine, clock, wall, onError }: SchedulerOptions,
    attemptsBy: (scheduler: Scheduler<Performer>) => Performer,
  ) {
    this.engine = engine;
    this.clock = clock;
    this.wall = wall;
    this.#onError = onError;
    this.attempts = attemptsBy(this);
    engine.onKept(() => {
      this.#isBackingOff = false;
      this.#poke();
    });
    engine.onUndone(({ error }, isHeard) => this.#goBack(error, isHeard));
    this.#poke();
  }

  /** The advance under way. */
  get advance(): Advance | undefined {
    return this.#advance;
  }

  /** Whether time passes by itself. */
  get timePasses(): boolean {
    return this.clock.runs && this.#advance === undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** A call from outside: what is due by now happens first, then the command. */
  execute<Result>(command: Command<Result>): Result {
    const advance = this.#advance;
    if (advance === undefined) return this.run(command);
    advance.noteCall();
    // What is due by itself is nobody's doing.
    this.settle();
    const stop = this.engine.onCommit((change) => advance.loops.notePlanned(change));
    try {
      return this.run(command);
    } finally {
      stop();
    }
  }

  /**
   * What was due earlier would otherwise be taken for due now: time in the engine never goes back.
   *
   * @param undo as `Engine.execute` has it
   */
  run<Result>(command: Command<Result>, undo?: () => void): Result {
    const nowMs = this.clock.nowMs();
    this.#runDue(nowMs);
    return this.engine.execute(command, nowMs, undo);
  }

  /** What is due by now happens now. */
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

  /** A task whose change could not be kept stays due. */
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

  /** Keeps the outcomes that are there, runs so many of the tasks due by then, begins their deliveries. */
  runTurn(untilMs: number): number {
    this.attempts.keepOutcomes();
    const ran = this.#runDue(untilMs, TASKS_PER_TURN);
    this.attempts.begin();
    return ran;
  }

  /** What was due in a turn that could not be kept is due still: it is tried again a little later. */
  #goBack(error: unknown, isHeard: boolean): void {
    if (!isHeard) this.#onError(error);
    if (this.#advance === undefined) this.#backOff();
  }

  #backOff(): void {
    if (this.#closed) return;
    this.#isBackingOff = true;
    this.#armTimer(RETRY_AFTER_ERROR_MS);
  }

  /** Something has happened: see to what it made due, or wait for what is due next. */
  #poke(): void {
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

  /** What fails with nobody to tell it to (a full disk, most likely) is reported, and tried again a little later. */
  guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onError(error);
      this.#backOff();
    }
  }

  planPump(): void {
    if (this.#pumpIsPlanned || this.#isBackingOff) return;
    this.#pumpIsPlanned = true;
    soon(() => {
      this.#pumpIsPlanned = false;
      if (this.#isBackingOff) return;
      this.guarded(() => this.pump());
    });
  }

  /** Runs what is due by now and starts its deliveries; answers nobody and waits for nothing. */
  pump(): void {
    if (this.#closed || this.#isHeldUp()) return;
    const ran = this.runTurn(this.clock.nowMs());
    void this.engine.keep();
    if (this.#isHeldUp()) return;
    if (ran === TASKS_PER_TURN) this.planPump();
    else this.#poke();
    this.wake();
  }

  /** While a store that answers later keeps something, nothing more is begun; it goes on then. */
  #isHeldUp(): boolean {
    if (!this.engine.isKeeping) return false;
    void this.engine.calm()?.then(() => this.planPump());
    return true;
  }

  /** An outcome is there. If it cannot be kept, an advance fails and says so; otherwise it is tried again. */
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

  /** An advance takes over: nothing happens by timer until time is let go. */
  beginAdvance(advance: Advance): void {
    this.#cancelTimer?.();
    this.#isBackingOff = false;
    this.#advance = advance;
    this.clock.hold(advance.nowMs);
  }

  /** Time is let go where the advance has come to. */
  endAdvance({ nowMs }: Advance, setting: ClockSetting): void {
    this.#advance = undefined;
    this.wake();
    if (!this.#closed) this.goOn(nowMs, setting);
  }

  /** From now on it is that time, and the clock goes as set. */
  goOn(nowMs: number, setting: ClockSetting): void {
    this.clock.set(nowMs, setting);
    this.#cancelTimer?.();
    this.attempts.followClock();
    this.#poke();
  }

  /** Whether nothing is due and no delivery is under way. */
  get isSettled(): boolean {
    if (this.attempts.areOpen || !this.engine.isKept) return false;
    const next = this.engine.nextTask();
    return next === undefined || next.due_ms > this.clock.nowMs();
  }

  /** Resolves when nothing is due and no delivery is under way. */
  async settled(): Promise<void> {
    this.pump();
    while (!this.#closed && !this.isSettled) await this.somethingHappened();
  }

  /** Whoever waits looks again at what it waits for. */
  wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
    this.#onWake();
  }

  /** Calls back when it may have come to rest: a delivery that goes to a mailbox, or is held, commits nothing. */
  onWake(callback: () => void): void {
    this.#onWake = callback;
  }

  somethingHappened(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.attempts.close();
    this.wake();
  }
}
