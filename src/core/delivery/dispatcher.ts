/*
 * Webhook delivery: signing, sending over HTTP or in process, mailboxes, held endpoints.
 * Called by the scheduler when an attempt is due, and by `namespace`.
 * An attempt `Task` flows through: dispatcher → sender → `AttemptResult` → engine.
 * Never here: retry times, which the engine decides.
 */

import { type AttemptResult, dropDelivery, recordAttempt } from "../engine/commands/delivery-commands.js";
import type { Delivery, Task } from "../engine/records.js";
import { NOTHING_LISTENS } from "../schema/receiver-url.js";
import { formatCount } from "../schema/text-format.js";
import type { DeliveryAttempts, Scheduler } from "../time/scheduler.js";
import { HeldEndpoints } from "./held-endpoints.js";
import { Mailboxes } from "./mailbox-deliveries.js";
import type { DeliveryJob, Sender } from "./sender.js";

/** Cause of a delivery's wait, other than the due time. */
export interface DeliveryHold {
  readonly since: string;
  readonly reason: string;
}

/** Sends due attempts, puts them into mailboxes, or holds them. Drops outcomes from before a reset. */
export class Dispatcher implements DeliveryAttempts {
  readonly mailboxes: Mailboxes;
  readonly #held: HeldEndpoints;
  readonly #scheduler: Scheduler;
  readonly #sender: Sender;
  readonly #onNotice: (notice: string) => void;
  readonly #inFlight = new InFlightAttempts();
  #due: Task[] = [];
  #isAtGate = false;

  constructor(scheduler: Scheduler, sender: Sender, onNotice: (notice: string) => void = () => {}) {
    this.#scheduler = scheduler;
    this.#sender = sender;
    this.#onNotice = onNotice;
    this.#held = new HeldEndpoints(
      scheduler.wall,
      (webhookId, target) =>
        onNotice(`waiting for ${target}, ${this.#countHeld(webhookId)} held: nothing listens there`),
      (...held) => scheduler.runGuarded(() => this.#probe(...held)),
    );
    this.mailboxes = new Mailboxes({
      scheduler,
      acknowledgeTimeoutMs: sender.timeoutMs,
      prepare: (task) => this.#prepareOrDrop(task),
      recordOutcome: (task, outcome) => {
        this.#inFlight.addOutcome(this.#inFlight.begin(task), outcome);
        scheduler.noteOutcome();
      },
    });
    const { engine } = scheduler;
    engine.events.on("stored", ({ puts }) => {
      // Begins all waiting mailbox attempts again. An attempt is dropped if its endpoint was removed or disabled.
      if (puts.some(([collection]) => collection === "endpoints"))
        this.#resume(this.mailboxes.removeWaiting());
    });
  }

  get hasPendingWork(): boolean {
    return this.#due.length > 0 || this.#nextOutcome() !== undefined;
  }

  get hasOpenAttempts(): boolean {
    return this.#inFlight.size > 0 || this.#due.length > 0;
  }

  enqueue(task: Task): void {
    this.#due.push(task);
  }

  begin(): void {
    if (this.#due.length === 0) return;
    const { engine } = this.#scheduler;
    // Webhooks may report only changes that are safe.
    if (!engine.gate.isOpen) {
      if (this.#isAtGate) return;
      this.#isAtGate = true;
      engine.gate.pass((failure) => this.#passGate(failure === undefined));
      return;
    }
    const due = this.#due;
    this.#due = [];
    for (const [index, task] of due.entries()) {
      try {
        this.#begin(task);
      } catch (error) {
        this.#due = [...due.slice(index), ...this.#due];
        throw error;
      }
    }
  }

  #passGate(isSafe: boolean): void {
    this.#isAtGate = false;
    if (!isSafe) return;
    this.#scheduler.runGuarded(() => this.begin());
    this.#scheduler.notifyWaiters();
  }

  #begin(task: Task): void {
    const job = this.#prepareOrDrop(task);
    if (job === undefined) return;
    const { webhookId, target, mailbox } = job;
    if (mailbox !== null) this.mailboxes.post(mailbox, task);
    else if (this.#mayHold(job) && this.#held.targetOf(webhookId) !== undefined)
      this.#held.hold(webhookId, target, task);
    else {
      const { engine, clock, advance } = this.#scheduler;
      advance?.loops.noteAttempt(engine.state.get("deliveries", task.ref), clock.nowMs());
      this.#send(task, job, (outcome) => {
        if (outcome !== undefined) return;
        this.#held.hold(webhookId, target, task);
        const delivery = engine.state.get("deliveries", task.ref);
        if (delivery !== undefined) engine.events.emit("held", delivery);
      });
    }
  }

  /** Returns why a pending delivery waits; null if the delivery waits only for its due time. */
  findHold({ status, task, webhook_id, created_at, next_attempt_at }: Delivery): DeliveryHold | null {
    if (status !== "pending") return null;
    const { engine, clock } = this.#scheduler;
    const since = next_attempt_at ?? created_at;
    if (Date.parse(since) > clock.nowMs()) return null;
    const target = this.#held.targetOf(webhook_id);
    if (target !== undefined) return { since, reason: `${NOTHING_LISTENS} on ${target}` };
    if (task === null) return { since, reason: "waits for the delivery before it" };
    const mailbox = engine.state.get("endpoints", webhook_id)?.mailbox ?? null;
    return mailbox === null ? null : { since, reason: `waits in mailbox ${mailbox} to be taken` };
  }

  #prepare(task: Task): DeliveryJob | undefined {
    const { engine, clock } = this.#scheduler;
    return this.#sender.prepare(engine.state, task.ref, clock.nowMs());
  }

  #prepareOrDrop(task: Task): DeliveryJob | undefined {
    const job = this.#prepare(task);
    if (job === undefined) this.#scheduler.run(dropDelivery(task));
    return job;
  }

  /**
   * Sends an attempt and notes its outcome. Ignores the outcome of an attempt that was cancelled meanwhile.
   *
   * @param onOutcome receives the outcome; undefined if the attempt is held and does not count
   */
  #send(task: Task, job: DeliveryJob, onOutcome: (outcome: AttemptResult | undefined) => void): void {
    const attempt = this.#inFlight.begin(task);
    void job.send().then((outcome) => {
      if (!this.#inFlight.has(attempt)) return;
      if (outcome.isUnreachable && this.#mayHold(job)) {
        this.#inFlight.end(attempt);
        onOutcome(undefined);
      } else {
        this.#inFlight.addOutcome(attempt, outcome);
        onOutcome(outcome);
      }
      this.#scheduler.noteOutcome();
    });
  }

  /** Returns true if the attempt may wait for an unreachable receiver. On a stopped clock the wait would never end. */
  #mayHold(job: DeliveryJob): boolean {
    return job.canBeHeld && this.#scheduler.isTimePassing;
  }

  /** Sends one held attempt. Unless this attempt is held again, releases the endpoint's held attempts. */
  #probe(webhookId: string, target: string, task: Task): void {
    const job = this.#prepare(task);
    if (job === undefined) {
      this.#due.unshift(task, ...this.#held.release(webhookId));
      this.#scheduler.planTick();
      return;
    }
    this.#send(task, job, (outcome) => {
      if (outcome === undefined) {
        this.#held.holdAfterProbe(webhookId, target, task);
        return;
      }
      if (!outcome.isUnreachable)
        this.#onNotice(`${target} is up; sending ${formatCount(this.#countHeld(webhookId), "held webhook")}`);
      const released = this.#held.release(webhookId);
      this.#resume(released);
    });
  }

  #countHeld(webhookId: string): number {
    const deliveries = [...this.#scheduler.engine.state.tables.deliveries.values()];
    return deliveries.filter((one) => one.webhook_id === webhookId && this.findHold(one) !== null).length;
  }

  #resume(tasks: readonly Task[]): void {
    if (tasks.length === 0) return;
    this.#due.push(...tasks);
    this.#scheduler.planTick();
  }

  /**
   * Records outcomes in order of arrival while time passes. On a stopped clock or during an advance, records outcomes
   * in the order in which the attempts began. The order then does not depend on response times.
   */
  recordOutcomes(limit: number): number {
    const scheduler = this.#scheduler;
    for (let count = 0; count < limit; count++) {
      const attempt = this.#nextOutcome();
      if (attempt === undefined) return count;
      scheduler.run(recordAttempt(attempt.task, attempt.outcome));
      this.#inFlight.end(attempt);
      if (!scheduler.isTimePassing) {
        scheduler.runDueTasks();
        this.begin();
      }
    }
    return limit;
  }

  #nextOutcome() {
    return this.#inFlight.nextOutcome(!this.#scheduler.isTimePassing);
  }

  /** Sends held attempts when the clock has stopped; they fail if their receiver is still unreachable. */
  onClockChange(): void {
    if (!this.#scheduler.clock.isTimeRunning) this.#resume(this.#held.releaseAll());
  }

  rollBack(nowMs: number): void {
    const isLater = (task: Task) => task.due_ms > nowMs;
    const later = [
      ...this.#due.filter(isLater),
      ...this.#inFlight.endAfter(nowMs),
      ...this.mailboxes.removeAfter(nowMs),
    ];
    this.#due = this.#due.filter((task) => !isLater(task));
    for (const task of later) this.#scheduler.engine.state.tasks.putBack(task);
  }

  cancelAll(): void {
    this.#dropAll();
    this.#sender.abortAll();
  }

  close(): void {
    this.#dropAll();
    this.#sender.close();
  }

  #dropAll(): void {
    this.#inFlight.clear();
    this.#due = [];
    this.#held.releaseAll();
    this.mailboxes.clear();
  }
}

interface InFlightAttempt {
  readonly task: Task;
  outcome: AttemptResult | undefined;
}

/** Attempts in flight, in the order they began. There may be thousands, so no frequent call iterates over them. */
class InFlightAttempts {
  readonly #inFlight = new Set<InFlightAttempt>();
  /** Attempts with an outcome, in order of arrival. */
  readonly #returned = new Set<InFlightAttempt>();

  get size(): number {
    return this.#inFlight.size;
  }

  has(attempt: InFlightAttempt): boolean {
    return this.#inFlight.has(attempt);
  }

  begin(task: Task): InFlightAttempt {
    const attempt: InFlightAttempt = { task, outcome: undefined };
    this.#inFlight.add(attempt);
    return attempt;
  }

  addOutcome(attempt: InFlightAttempt, outcome: AttemptResult): void {
    attempt.outcome = outcome;
    this.#returned.add(attempt);
  }

  /** Returns the attempt whose outcome arrived first; with `inOrder`, the oldest attempt if it has an outcome. */
  nextOutcome(inOrder: boolean): (InFlightAttempt & { readonly outcome: AttemptResult }) | undefined {
    const [attempt] = inOrder ? this.#inFlight : this.#returned;
    return attempt?.outcome === undefined
      ? undefined
      : (attempt as InFlightAttempt & { readonly outcome: AttemptResult });
  }

  end(attempt: InFlightAttempt): void {
    this.#inFlight.delete(attempt);
    this.#returned.delete(attempt);
  }

  /** Ends attempts due after the instant and returns their tasks. */
  endAfter(atMs: number): Task[] {
    const later = [...this.#inFlight].filter(({ task }) => task.due_ms > atMs);
    for (const attempt of later) this.end(attempt);
    return later.map(({ task }) => task);
  }

  clear(): void {
    this.#inFlight.clear();
    this.#returned.clear();
  }
}
