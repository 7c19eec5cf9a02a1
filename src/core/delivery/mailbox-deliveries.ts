import { type AttemptResult, recordAttempt } from "../engine/commands/delivery-commands.js";
import { deleteEndpoint } from "../engine/commands/endpoint-commands.js";
import type { Engine } from "../engine/engine.js";
import type { Change, Endpoint, Task } from "../engine/records.js";
import type { Command } from "../engine/transaction.js";
import { PAGE_CHARS_MAX } from "../schema/service-requests.js";
import type { Scheduler } from "../time/scheduler.js";
import type { WallClock } from "../time/wall-clock.js";
import { buildAttemptResult, failedResult, parseRetryAfter, type SignedRequest } from "./outcomes.js";
import type { DeliveryJob } from "./sender.js";

interface TakenDelivery {
  readonly task: Task;
  readonly request: SignedRequest;
  readonly cancelTimer: () => void;
}

type MailboxAnswer = Pick<AttemptResult, "status" | "response_body" | "error">;

interface MailboxesOptions {
  readonly scheduler: Scheduler;
  /** Wall time for an acknowledgement, equal to the response timeout of HTTP receivers. */
  readonly acknowledgeTimeoutMs: number;
  /** Returns undefined and drops the delivery if the endpoint is gone. */
  readonly prepare: (task: Task) => DeliveryJob | undefined;
  readonly recordOutcome: (task: Task, outcome: AttemptResult) => void;
}

/** Deliveries that wait in mailboxes or are taken. Their tasks stay in the state and survive a restart. */
export class Mailboxes {
  readonly #options: MailboxesOptions;
  readonly #waiting = new Map<string, Task[]>();
  readonly #taken = new Map<string, TakenDelivery>();

  constructor(options: MailboxesOptions) {
    this.#options = options;
  }

  get acknowledgeTimeoutMs(): number {
    return this.#options.acknowledgeTimeoutMs;
  }

  post(mailbox: string, task: Task): void {
    const tasks = this.#waiting.get(mailbox);
    if (tasks === undefined) this.#waiting.set(mailbox, [task]);
    else tasks.push(task);
  }

  /** Takes and signs waiting deliveries; each must be acknowledged in time. */
  takeFromMailbox(
    mailbox: string,
    max: number,
  ): { readonly deliveryId: string; readonly request: SignedRequest }[] {
    const { scheduler, prepare } = this.#options;
    scheduler.runDueTasks();
    scheduler.attempts.begin();
    const waiting = this.#waiting.get(mailbox) ?? [];
    const taken: { readonly deliveryId: string; readonly request: SignedRequest }[] = [];
    let chars = 0;
    while (taken.length < max && waiting.length > 0 && chars < PAGE_CHARS_MAX) {
      const task = waiting.shift()!;
      const request = prepare(task)?.sign();
      if (request === undefined) continue;
      this.#awaitAnswer(task, request);
      taken.push({ deliveryId: task.ref, request });
      chars += request.body.length;
    }
    return taken;
  }

  #awaitAnswer(task: Task, request: SignedRequest): void {
    const { wall } = this.#options.scheduler;
    const cancelTimer = wall.after(this.acknowledgeTimeoutMs, () => this.#missAnswer(task.ref));
    this.#taken.set(task.ref, { task, request, cancelTimer });
  }

  /** Records an acknowledgement. Returns false if the delivery is not waiting to be acknowledged. */
  acknowledge(deliveryId: string, response: MailboxAnswer, retryAfter: string | null): boolean {
    const taken = this.#taken.get(deliveryId);
    if (taken === undefined) return false;
    const { scheduler } = this.#options;
    const answer = { ...response, retryAfterMs: parseRetryAfter(retryAfter, scheduler.wall.nowMs()) };
    const outcome = buildAttemptResult(taken.request, answer, scheduler.wall);
    scheduler.run(recordAttempt(taken.task, outcome));
    taken.cancelTimer();
    this.#taken.delete(deliveryId);
    return true;
  }

  /** Records a failed attempt after the acknowledgement timeout. */
  #missAnswer(deliveryId: string): void {
    const taken = this.#taken.get(deliveryId);
    if (taken === undefined) return;
    this.#taken.delete(deliveryId);
    const { scheduler, acknowledgeTimeoutMs, recordOutcome } = this.#options;
    const missed = failedResult(`not acknowledged within ${acknowledgeTimeoutMs / 1000} s`);
    recordOutcome(taken.task, buildAttemptResult(taken.request, missed, scheduler.wall));
  }

  /** Removes deliveries due after the instant, taken or not, and returns their tasks. */
  removeAfter(atMs: number): Task[] {
    const isLater = (task: Task) => task.due_ms > atMs;
    const waiting = [...this.#waiting.values()].flat().filter(isLater);
    for (const [mailbox, tasks] of this.#waiting) {
      const remaining = tasks.filter((task) => !isLater(task));
      this.#waiting.set(mailbox, remaining);
    }
    const taken = [...this.#taken.values()].filter(({ task }) => isLater(task));
    for (const { task, cancelTimer } of taken) {
      cancelTimer();
      this.#taken.delete(task.ref);
    }
    return [...waiting, ...taken.map(({ task }) => task)];
  }

  /** Removes all waiting deliveries and returns their tasks, in order per mailbox. */
  removeWaiting(): Task[] {
    const tasks = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return tasks;
  }

  clear(): void {
    this.#waiting.clear();
    for (const { cancelTimer } of this.#taken.values()) cancelTimer();
    this.#taken.clear();
  }
}

interface MailboxExpiryOptions {
  readonly engine: Engine;
  readonly mailboxes: Mailboxes;
  readonly wall: WallClock;
  readonly execute: (command: Command<unknown>) => void;
  readonly onError: (error: unknown) => void;
}

/** Deletes mailboxes that were not read within their lease (wall time): the reader has probably ended. */
export class MailboxExpiry {
  readonly #options: MailboxExpiryOptions;
  readonly #cancels = new Map<string, () => void>();

  constructor(options: MailboxExpiryOptions) {
    this.#options = options;
    this.renewAll();
  }

  renewAll(): void {
    this.close();
    for (const endpoint of this.#options.engine.state.endpoints()) this.#renew(endpoint);
  }

  noteChange({ puts }: Change): void {
    for (const [name, key, record] of puts) {
      if (name !== "endpoints") continue;
      if (record === null) this.#cancel(String(key));
      else this.#renew(record as Endpoint);
    }
  }

  /** Renews a mailbox after a read. If `hasTaken`, its time is longer by the acknowledgement timeout. */
  renew(mailbox: string, hasTaken: boolean): void {
    const { engine, mailboxes } = this.#options;
    const extraMs = hasTaken ? mailboxes.acknowledgeTimeoutMs : 0;
    for (const endpoint of engine.state.endpoints())
      if (endpoint.mailbox === mailbox) this.#renew(endpoint, extraMs);
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }

  #renew({ webhook_id, lease_ms }: Endpoint, extraMs = 0): void {
    this.#cancel(webhook_id);
    if (lease_ms === undefined) return;
    const cancel = this.#options.wall.after(lease_ms + extraMs, () => this.#end(webhook_id));
    this.#cancels.set(webhook_id, cancel);
  }

  #cancel(webhookId: string): void {
    this.#cancels.get(webhookId)?.();
    this.#cancels.delete(webhookId);
  }

  #end(webhookId: string): void {
    const { execute, onError } = this.#options;
    try {
      execute(deleteEndpoint(undefined, webhookId));
    } catch (error) {
      onError(error);
    }
  }
}
