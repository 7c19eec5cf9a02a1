import type { Charge } from "../domain/charge.js";
import { dropDelivery, type Outcome, recordAttempt } from "../engine/commands/deliveries.js";
import { keepClock } from "../engine/commands/world.js";
import type { Engine } from "../engine/engine.js";
import type { ClockRecord, StateDump, Task } from "../engine/records.js";
import { commandOf } from "../engine/task-commands.js";
import type { Command } from "../engine/transaction.js";
import type { ChargeStatus } from "../schema/common.js";
import type { Refusal } from "../schema/errors.js";
import type { ClockSetting } from "../schema/options.js";
import { iso, MAX_INSTANT_MS } from "../schema/time.js";
import {
  type AdvanceReport,
  type AdvanceTarget,
  beyondTime,
  clockBusy,
  type Fired,
  LONGEST_CHAIN,
  neverIdle,
  neverPast,
} from "../time/advance.js";
import type { Clock } from "../time/clock.js";
import { Chain } from "../time/loop-detector.js";
import { runAhead } from "../time/run-ahead.js";
import { soon } from "../time/timers.js";
import { type Wall, yieldToOthers } from "../time/wall.js";
import { type Flight, Flights } from "./in-flight.js";
import { Parking, type Taken } from "./parking.js";
import type { Job, Sender, SignedRequest } from "./sender.js";

const RETRY_AFTER_ERROR_MS = 1_000;
/** How often an endpoint nobody listens on is tried again, in wall time. */
const PROBE_EVERY_MS = 1_000;

/** An advance under way. */
interface Advancing {
  readonly fromMs: number;
  readonly fired: Fired[];
  total: number;
  /** How often it was called from outside at the instant it has come to. */
  calls: number;
  readonly chain: Chain;
  /** The disk refused something meanwhile. */
  failure: { readonly error: unknown } | undefined;
}

/** How many of the things fired an advance reports one by one. */
const FIRED_LIMIT = 1_000;
/** After so many tasks the event loop gets a turn, so that a long advance does not make the server deaf. */
const TASKS_PER_TURN = 256;
/** An instant in which receivers call back so many times will never end. */
const CALLS_PER_INSTANT = 10_000;

/**
 * Carries out what is due, in order, by way of the engine: on a clock that runs when the time comes, in an
 * advance as fast as it goes. Deliveries are sent from here and their outcomes brought back; an outcome that
 * comes from before a reset is dropped (each reset is a new epoch).
 */
export class Runner {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #sender: Sender;
  readonly #wall: Wall;
  readonly #onError: (error: unknown) => void;
  readonly #onNotice: (notice: string) => void;
  readonly #parking = new Parking();
  #epoch = 0;
  readonly #flights = new Flights();
  #ready: Task[] = [];
  #advance: Advancing | undefined;
  /** The disk refused the outcome of an attempt: it is kept in flight until the disk takes it. */
  #owesOutcomes = false;
  #cancelTimer: (() => void) | undefined;
  #pumpIsPlanned = false;
  #closed = false;
  #saidToReaders: string | undefined;
  readonly #waiting: (() => void)[] = [];
  #onWake: () => void = () => {};
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(
    engine: Engine,
    clock: Clock,
    sender: Sender,
    wall: Wall,
    onError: (error: unknown) => void,
    onNotice: (notice: string) => void = () => {},
  ) {
    this.#onError = onError;
    this.#onNotice = onNotice;
    this.#engine = engine;
    this.#clock = clock;
    this.#sender = sender;
    this.#wall = wall;
    engine.onCommit(({ puts }) => {
      if (puts.some(([collection]) => collection === "endpoints")) this.#lookIntoMailboxes();
      this.#poke();
    });
    this.#poke();
  }

  get isAdvancing(): boolean {
    return this.#advance !== undefined;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /** What is due by now happens first; then the command. */
  execute<Result>(command: Command<Result>): Result {
    const advancing = this.#advance;
    if (advancing === undefined) return this.#executeNow(command);
    advancing.calls++;
    // What is due by itself is nobody's doing.
    this.settle();
    const stop = this.#engine.onCommit((change) => advancing.chain.notePlanned(change));
    try {
      return this.#executeNow(command);
    } finally {
      stop();
    }
  }

  /** What was due earlier would otherwise be taken for due now: time in the engine never goes back. */
  #executeNow<Result>(command: Command<Result>): Result {
    const nowMs = this.#clock.nowMs();
    this.#runDue(nowMs);
    return this.#engine.execute(command, nowMs);
  }

  /** What is due by now happens now. */
  settle(): void {
    this.#runDue(this.#clock.nowMs());
  }

  /**
   * Reads come through here, so that they never see a moment that has passed. What cannot be kept has not happened:
   * they see the state without it, and it happens as of its own time once it can. The failure is said once.
   */
  settleForReading(): void {
    try {
      this.settle();
      this.#saidToReaders = undefined;
    } catch (error) {
      this.#sayToReaders(error);
    }
  }

  /** A read that writes something down besides. Where that cannot be kept, it answers what it would have answered. */
  read<Result>(command: Command<Result>): Result {
    try {
      return this.execute(command);
    } catch (error) {
      const result = this.#engine.preview(command, this.#clock.nowMs());
      this.#sayToReaders(error);
      return result;
    }
  }

  #sayToReaders(error: unknown): void {
    if (String(error) === this.#saidToReaders) return;
    this.#saidToReaders = String(error);
    this.#onError(error);
  }

  #runDue(untilMs: number, limit = Number.POSITIVE_INFINITY): number {
    let count = 0;
    for (; count < limit; count++) {
      const task = this.#engine.takeDue(untilMs);
      if (task === undefined) break;
      this.#noteFired(task, Math.max(task.due_ms, this.#engine.state.at));
      if (task.kind === "attempt") {
        this.#ready.push(task);
        this.#planPump();
      } else this.#runTask(task);
    }
    return count;
  }

  /** A task whose change could not be kept stays due. */
  #runTask(task: Task): void {
    try {
      this.#engine.execute(commandOf(task), task.due_ms);
    } catch (error) {
      this.#engine.state.tasks.push(task);
      throw error;
    }
  }

  /** On a clock that stands, what is due at the instant an advance begins at happens without it too. */
  #noteFired(task: Task, atMs: number): void {
    if (this.#advance === undefined || (!this.#clock.runs && atMs <= this.#advance.fromMs)) return;
    this.#advance.total++;
    if (this.#advance.fired.length < FIRED_LIMIT)
      this.#advance.fired.push({ at: iso(atMs), task: task.kind, ref: task.ref });
  }

  /** Something was committed: see to what it made due, or wait for what is due next. */
  #poke(): void {
    if (this.#closed || this.#advance !== undefined) return;
    if (this.#owesOutcomes) this.#planPump();
    const next = this.#engine.nextTask();
    if (next === undefined) return;
    const delayMs = next.due_ms - this.#clock.nowMs();
    if (delayMs <= 0) this.#planPump();
    else if (this.#clock.runs) this.#armTimer(this.#clock.wallDelayMs(next.due_ms));
  }

  #armTimer(delayMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#wall.after(delayMs, () => this.#guarded(() => this.#pump()));
  }

  /** What fails with nobody to tell it to (a full disk, most likely) is reported, and tried again a little later. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onError(error);
      if (!this.#closed) this.#armTimer(RETRY_AFTER_ERROR_MS);
    }
  }

  #planPump(): void {
    if (this.#pumpIsPlanned) return;
    this.#pumpIsPlanned = true;
    soon(() => {
      this.#pumpIsPlanned = false;
      this.#guarded(() => this.#pump());
    });
  }

  /** Runs what is due by now and starts its deliveries; answers nobody and waits for nothing. */
  #pump(): void {
    if (this.#closed) return;
    this.#commitOutcomes();
    const ran = this.#runDue(this.#clock.nowMs(), TASKS_PER_TURN);
    this.#startReady();
    if (ran === TASKS_PER_TURN) this.#planPump();
    else this.#poke();
    this.#wake();
  }

  #startReady(): void {
    const ready = this.#ready;
    if (ready.length === 0) return;
    this.#ready = [];
    for (const [index, task] of ready.entries()) {
      try {
        this.#begin(task);
      } catch (error) {
        this.#ready = [...ready.slice(index), ...this.#ready];
        throw error;
      }
    }
  }

  #begin(task: Task): void {
    const job = this.#sender.prepare(this.#engine.state, task.ref, this.#clock.nowMs());
    if (job === undefined) {
      this.#executeNow(dropDelivery(task));
      return;
    }
    if (job.mailbox !== null) {
      this.#parking.post(job.mailbox, task);
      return;
    }
    if (this.#holds(job) && this.#parking.isHeld(job.webhookId)) {
      this.#parking.hold(job.webhookId, task);
      return;
    }
    const delivery = this.#engine.state.get("deliveries", task.ref);
    this.#advance?.chain.noteAttempt(delivery, this.#clock.nowMs());
    const flight = this.#flights.begin(task, job);
    this.#send(flight, (outcome) => {
      if (outcome.isUnreachable && this.#holds(job)) this.#hold(flight);
      else this.#flights.land(flight, outcome);
    });
  }

  /** Sends, and brings the outcome back unless the world it is of has been replaced meanwhile. */
  #send(flight: Flight, bringBack: (outcome: Outcome) => void): void {
    const epoch = this.#epoch;
    void flight.job.send().then((outcome) => {
      if (this.#epoch !== epoch || this.#closed) return;
      bringBack(outcome);
      this.#guarded(() => this.#landed());
    });
  }

  /** Whether an attempt may wait for somebody to listen: time must pass by itself for that. */
  #holds(job: Job): boolean {
    return job.holds && this.#clock.runs && this.#advance === undefined;
  }

  /** Nobody listens: no attempt is spent, and the endpoint is probed until somebody does. */
  #hold(flight: Flight): void {
    this.#flights.end(flight);
    const { webhookId, target } = flight.job;
    if (this.#parking.hold(webhookId, flight.task) === 1) this.#planProbe(webhookId, target, true);
  }

  #planProbe(webhookId: string, target: string, isFirst: boolean): void {
    const epoch = this.#epoch;
    this.#wall.after(PROBE_EVERY_MS, () => {
      if (this.#epoch !== epoch || this.#closed || !this.#parking.isHeld(webhookId)) return;
      if (isFirst) this.#onNotice(`waiting for ${target}, ${this.#parking.heldCount(webhookId)} held`);
      this.#guarded(() => this.#probe(webhookId, target));
    });
  }

  /** Tries the delivery that has waited longest; if it gets through, whatever comes of it, the others follow. */
  #probe(webhookId: string, target: string): void {
    const task = this.#parking.shiftHeld(webhookId);
    const job = task && this.#sender.prepare(this.#engine.state, task.ref, this.#clock.nowMs());
    if (task === undefined || job === undefined) {
      this.#ready = [
        ...(task === undefined ? [] : [task]),
        ...this.#parking.release(webhookId),
        ...this.#ready,
      ];
      this.#planPump();
      return;
    }
    const flight = this.#flights.begin(task, job);
    this.#send(flight, (outcome) => {
      if (outcome.isUnreachable && this.#holds(job)) {
        this.#flights.end(flight);
        this.#parking.holdFirst(webhookId, task);
        this.#planProbe(webhookId, target, false);
        return;
      }
      this.#flights.land(flight, outcome);
      const released = this.#parking.release(webhookId);
      if (!outcome.isUnreachable) this.#onNotice(`${target} is there, ${released.length + 1} sent`);
      this.#ready.push(...released);
      this.#planPump();
    });
  }

  /** What waits in a mailbox that is gone or switched off is dropped: nobody will ever take it. */
  #lookIntoMailboxes(): void {
    const waiting = this.#parking.emptyMailboxes();
    if (waiting.length === 0) return;
    this.#ready.push(...waiting);
    this.#planPump();
  }

  /** How long whoever takes a delivery from a mailbox has to answer, in wall time: as long as any receiver. */
  get answerWithinMs(): number {
    return this.#sender.timeoutMs;
  }

  /** What waits in a mailbox, signed at this moment; each waits for its acknowledgement from then on. */
  takeFromMailbox(
    mailbox: string,
    max: number,
  ): { readonly deliveryId: string; readonly request: SignedRequest }[] {
    this.settle();
    this.#startReady();
    return this.#parking.collect(mailbox, max).flatMap((task) => {
      const job = this.#sender.prepare(this.#engine.state, task.ref, this.#clock.nowMs());
      if (job === undefined) {
        this.#executeNow(dropDelivery(task));
        return [];
      }
      const request = job.sign();
      const callOff = this.#wall.after(this.answerWithinMs, () => this.#missAnswer(task.ref));
      this.#parking.take(task.ref, { task, job, headers: request.headers, sentAt: request.sentAt, callOff });
      return [{ deliveryId: task.ref, request }];
    });
  }

  /** The answer of whoever took a delivery, or why there was none; false when nobody waits for it. */
  acknowledge(deliveryId: string, answer: Pick<Outcome, "status" | "response_body" | "error">): boolean {
    const taken = this.#parking.takenAs(deliveryId);
    if (taken === undefined) return false;
    this.#executeNow(recordAttempt(taken.task, this.#outcomeOf(taken, answer)));
    this.#parking.settleTaken(deliveryId);
    return true;
  }

  /** Nobody has answered in time: the attempt has failed like one over HTTP, and is kept the same way. */
  #missAnswer(deliveryId: string): void {
    const taken = this.#parking.takenAs(deliveryId);
    if (taken === undefined || this.#closed) return;
    this.#parking.settleTaken(deliveryId);
    const error = `not acknowledged within ${this.answerWithinMs / 1000} s`;
    const flight = this.#flights.begin(taken.task, taken.job);
    this.#flights.land(flight, this.#outcomeOf(taken, { status: null, response_body: null, error }));
    this.#guarded(() => this.#landed());
  }

  #outcomeOf(
    { headers, sentAt }: Taken,
    answer: Pick<Outcome, "status" | "response_body" | "error">,
  ): Outcome {
    return {
      sent_at: sentAt,
      duration_ms: Math.max(0, this.#wall.nowMs() - Date.parse(sentAt)),
      request_headers: headers,
      ...answer,
      retryAfterMs: null,
    };
  }

  /** An outcome is there. If it cannot be kept, an advance fails and says so; otherwise it is tried again. */
  #landed(): void {
    if (this.#advance === undefined) {
      this.#pump();
      return;
    }
    try {
      this.#commitOutcomes();
    } catch (error) {
      this.#advance.failure = { error };
    }
    this.#wake();
  }

  /**
   * On a clock that stands, and in an advance, outcomes are committed in the order their attempts began,
   * however fast each receiver answered: the same calls give the same order. What one of them makes due begins before
   * the next is committed, for the next may be there already or not. On a running clock nobody waits.
   */
  #commitOutcomes(): void {
    const inOrder = !this.#clock.runs || this.#advance !== undefined;
    for (;;) {
      const flight = this.#flights.nextLanded(inOrder);
      if (flight === undefined) break;
      try {
        this.#executeNow(recordAttempt(flight.task, flight.outcome));
      } catch (error) {
        this.#owesOutcomes = true;
        throw error;
      }
      this.#flights.end(flight);
      this.#owesOutcomes = false;
      if (inOrder) {
        this.settle();
        this.#startReady();
      }
    }
  }

  /** Whether nothing is due and no delivery is under way. */
  isSettled(): boolean {
    if (this.#flights.size > 0 || this.#ready.length > 0) return false;
    const next = this.#engine.nextTask();
    return next === undefined || next.due_ms > this.#clock.nowMs();
  }

  /** Whoever waits looks again at what it waits for. */
  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
    this.#onWake();
  }

  /** Calls back when it may have come to rest: a delivery that goes to a mailbox, or is held, commits nothing. */
  onWake(callback: () => void): void {
    this.#onWake = callback;
  }

  #somethingHappened(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Runs a charge's own tasks now until it has that status; the clock stays. */
  advanceCharge(chargeId: string, until: ChargeStatus): Charge | Refusal {
    const nowMs = this.#clock.nowMs();
    this.#runDue(nowMs);
    return runAhead(this.#engine, chargeId, until, nowMs);
  }

  /** Resolves when nothing is due and no delivery is under way. */
  async settled(): Promise<void> {
    this.#pump();
    while (!this.#closed && !this.isSettled()) await this.#somethingHappened();
  }

  /**
   * Leaps to a later time and runs everything that falls due on the way, each at its own time. All attempts
   * begun at an instant are awaited before time passes it.
   *
   * @param wanted how time goes from there on, unless it is refused
   */
  async advance(
    target: AdvanceTarget,
    wanted: ClockSetting = this.#clock.setting,
  ): Promise<AdvanceReport | Refusal> {
    if (this.isAdvancing) return clockBusy();
    const fromMs = this.#clock.nowMs();
    // A running clock is read once: the leap begins where it is said to, and is as long as it was asked to be.
    const toMs = "byMs" in target ? fromMs + target.byMs : "toMs" in target ? target.toMs : undefined;
    if (toMs !== undefined && toMs > MAX_INSTANT_MS) return beyondTime("byMs" in target ? "by" : "to");
    this.#cancelTimer?.();
    const report: Advancing = {
      fromMs,
      fired: [],
      total: 0,
      calls: 0,
      chain: new Chain(),
      failure: undefined,
    };
    this.#advance = report;
    this.#clock.hold(fromMs);
    const epoch = this.#epoch;
    let nowMs = fromMs;
    let sinceYield = 0;
    let reached = false;
    let refusal: Refusal | undefined;
    let { setting } = this.#clock;
    try {
      for (;;) {
        if (report.failure !== undefined) throw report.failure.error;
        this.#commitOutcomes();
        const ran = this.#runDue(nowMs, TASKS_PER_TURN);
        this.#startReady();
        sinceYield += ran;
        if (sinceYield >= TASKS_PER_TURN) {
          sinceYield = 0;
          await yieldToOthers();
        }
        if (this.#closed || this.#epoch !== epoch) break;
        if ("until" in target && target.until === "idle" && report.chain.longest > LONGEST_CHAIN) {
          refusal = neverIdle(nowMs);
          break;
        }
        if (ran > 0) continue;
        if (this.#flights.size > 0) {
          if (report.calls > CALLS_PER_INSTANT) {
            refusal = neverPast(nowMs);
            break;
          }
          await this.#somethingHappened();
          continue;
        }
        const next = this.#engine.nextTask();
        if (toMs !== undefined) {
          if (next === undefined || next.due_ms > toMs) {
            nowMs = Math.max(nowMs, toMs);
            break;
          }
        } else {
          if (next === undefined || ("until" in target && target.until === "next" && reached)) break;
          reached = true;
        }
        if (next.due_ms > nowMs) {
          report.calls = 0;
          nowMs = next.due_ms;
          this.#clock.hold(nowMs);
        }
      }
      if (!this.#closed && this.#epoch === epoch) {
        const next = refusal === undefined ? wanted : setting;
        this.#engine.execute(keepClock(this.#clock.recordOf(nowMs, next)), nowMs);
        setting = next;
      }
    } catch (error) {
      // What could not be kept has not happened, so its time has not come either.
      nowMs = Math.max(fromMs, this.#engine.state.at);
      throw error;
    } finally {
      this.#advance = undefined;
      this.#wake();
      if (this.#epoch === epoch) this.#goOn(nowMs, setting);
      else this.#poke();
    }
    return refusal ?? { from: iso(fromMs), to: iso(nowMs), fired: report.fired, fired_total: report.total };
  }

  /** Sets how time goes. What is due first happens. */
  setClock(setting: ClockSetting): Refusal | undefined {
    if (this.isAdvancing) return clockBusy();
    this.settle();
    const nowMs = this.#clock.nowMs();
    // Kept first: a disk that refuses leaves the clock as it was.
    this.#engine.execute(keepClock(this.#clock.recordOf(nowMs, setting)), nowMs);
    this.#goOn(nowMs, setting);
    return undefined;
  }

  #goOn(nowMs: number, setting: ClockSetting): void {
    this.#clock.set(nowMs, setting);
    this.#cancelTimer?.();
    // On a clock that stands nobody would ever come to listen: what was held fails like anything else.
    if (!this.#clock.runs)
      for (const webhookId of this.#parking.heldEndpoints())
        this.#ready.push(...this.#parking.release(webhookId));
    if (this.#ready.length > 0) this.#planPump();
    this.#poke();
  }

  keepClock(): void {
    this.#executeNow(keepClock(this.#clock.record()));
  }

  /**
   * A new epoch: the world is replaced, and nothing under way for the old one arrives in it.
   *
   * @param replace keeps the new world with the clock it is given in it; when it throws, the old one goes on
   */
  replaceWorld(
    replace: (clock: ClockRecord) => void,
    nowMs: number,
    setting: ClockSetting,
  ): Refusal | undefined {
    if (this.isAdvancing) return clockBusy();
    replace(this.#clock.recordOf(nowMs, setting));
    this.#epoch++;
    this.#flights.clear();
    this.#ready = [];
    this.#parking.clear();
    this.#owesOutcomes = false;
    this.#sender.abortAll();
    this.#cancelTimer?.();
    this.#clock.set(nowMs, setting);
    this.#poke();
    this.#wake();
    return undefined;
  }

  /** Resolves when no advance is under way, or when so much wall time has passed. */
  async untilIdle(timeoutMs: number): Promise<void> {
    let isOver = false;
    const callOff = this.#wall.after(timeoutMs, () => {
      isOver = true;
      this.#wake();
    });
    while (this.isAdvancing && !isOver && !this.#closed) {
      await this.#somethingHappened();
      if (!this.isAdvancing) await this.#turn();
    }
    callOff();
  }

  /** Those who waited go on one at a time: each may begin an advance that the next has to wait for. */
  #turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(yieldToOthers);
    return this.#lastTurn;
  }

  dump(): StateDump {
    return this.#engine.dump();
  }

  close(): void {
    this.#closed = true;
    this.#epoch++;
    this.#cancelTimer?.();
    this.#sender.close();
    this.#wake();
  }
}
