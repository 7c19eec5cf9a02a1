import { type Outcome, recordAttempt } from "../engine/commands/deliveries.js";
import type { Task } from "../engine/records.js";
import type { Scheduler } from "../time/scheduler.js";
import { failure, outcomeOf, retryAfterMs, type SignedRequest } from "./outcomes.js";
import type { Job } from "./sender.js";

/** A delivery that somebody has taken from a mailbox and not answered yet. */
interface Taken {
  readonly task: Task;
  readonly request: SignedRequest;
  /** Calls off the limit its answer has to keep to. */
  readonly callOff: () => void;
}

/** What whoever took a delivery answers, or why there was no answer. */
type MailboxAnswer = Pick<Outcome, "status" | "response_body" | "error">;

export interface MailboxesOptions {
  readonly scheduler: Scheduler;
  /** How long whoever takes a delivery has to answer, in wall time: as long as any receiver. */
  readonly answerWithinMs: number;
  /** What to send; undefined, and the delivery dropped, when its endpoint is gone. */
  readonly prepare: (task: Task) => Job | undefined;
  /** Keeps the outcome of an attempt like that of one over HTTP. */
  readonly bringBack: (task: Task, outcome: Outcome) => void;
}

/**
 * Deliveries that wait to be taken, and those that were and wait for their acknowledgement. Their tasks stay in the
 * state, so that nothing is lost with this process.
 */
export class Mailboxes {
  readonly #options: MailboxesOptions;
  readonly #waiting = new Map<string, Task[]>();
  readonly #taken = new Map<string, Taken>();

  constructor(options: MailboxesOptions) {
    this.#options = options;
  }

  get answerWithinMs(): number {
    return this.#options.answerWithinMs;
  }

  post(mailbox: string, task: Task): void {
    const tasks = this.#waiting.get(mailbox);
    if (tasks === undefined) this.#waiting.set(mailbox, [task]);
    else tasks.push(task);
  }

  /** What waits in a mailbox, signed at this moment; each waits for its acknowledgement from then on. */
  takeFromMailbox(
    mailbox: string,
    max: number,
  ): { readonly deliveryId: string; readonly request: SignedRequest }[] {
    const { scheduler, prepare } = this.#options;
    scheduler.settle();
    scheduler.attempts.begin();
    const tasks = this.#waiting.get(mailbox)?.splice(0, max) ?? [];
    return tasks.flatMap((task) => {
      const job = prepare(task);
      if (job === undefined) return [];
      const request = job.sign();
      this.#await(task, request);
      return [{ deliveryId: task.ref, request }];
    });
  }

  #await(task: Task, request: SignedRequest): void {
    const { wall } = this.#options.scheduler;
    const callOff = wall.after(this.answerWithinMs, () => this.#missAnswer(task.ref));
    this.#taken.set(task.ref, { task, request, callOff });
  }

  /** The answer of whoever took a delivery, or why there was none; false when nobody waits for it. */
  acknowledge(deliveryId: string, given: MailboxAnswer, retryAfter: string | null): boolean {
    const taken = this.#taken.get(deliveryId);
    if (taken === undefined) return false;
    const { scheduler } = this.#options;
    const answer = { ...given, retryAfterMs: retryAfterMs(retryAfter, scheduler.wall.nowMs()) };
    const outcome = outcomeOf(taken.request, answer, scheduler.wall);
    scheduler.run(recordAttempt(taken.task, outcome), () => {
      if (!this.#taken.has(deliveryId)) this.#await(taken.task, taken.request);
    });
    void scheduler.engine.keep();
    taken.callOff();
    this.#taken.delete(deliveryId);
    return true;
  }

  /** Nobody has answered in time: the attempt has failed. */
  #missAnswer(deliveryId: string): void {
    const taken = this.#taken.get(deliveryId);
    if (taken === undefined) return;
    this.#taken.delete(deliveryId);
    const { scheduler, answerWithinMs, bringBack } = this.#options;
    const missed = failure(`not acknowledged within ${answerWithinMs / 1000} s`);
    bringBack(taken.task, outcomeOf(taken.request, missed, scheduler.wall));
  }

  /** What is due later than that is given up, taken or not: its tasks. */
  giveUpAfter(atMs: number): Task[] {
    const isLater = (task: Task) => task.due_ms > atMs;
    const waiting = [...this.#waiting.values()].flat().filter(isLater);
    for (const [mailbox, tasks] of this.#waiting) {
      const left = tasks.filter((task) => !isLater(task));
      this.#waiting.set(mailbox, left);
    }
    const taken = [...this.#taken.values()].filter(({ task }) => isLater(task));
    for (const { task, callOff } of taken) {
      callOff();
      this.#taken.delete(task.ref);
    }
    return [...waiting, ...taken.map(({ task }) => task)];
  }

  /** All that waits to be taken, each mailbox's in order. */
  empty(): Task[] {
    const tasks = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return tasks;
  }

  /** Nothing of what was taken is answered any more. */
  clear(): void {
    this.#waiting.clear();
    for (const { callOff } of this.#taken.values()) callOff();
    this.#taken.clear();
  }
}
