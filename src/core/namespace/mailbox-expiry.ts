import type { Mailboxes } from "../delivery/mailbox-deliveries.js";
import { deleteEndpoint } from "../engine/commands/endpoint-commands.js";
import type { Engine } from "../engine/engine.js";
import type { Change, Endpoint } from "../engine/records.js";
import type { Command } from "../engine/transaction.js";
import type { WallClock } from "../time/wall-clock.js";

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

  /** Renews all mailboxes after the state was replaced. */
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
