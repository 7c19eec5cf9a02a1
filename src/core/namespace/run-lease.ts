import { deleteEndpoint } from "../engine/commands/endpoint-commands.js";
import { copyRules, restoreRules } from "../engine/commands/scenario-commands.js";
import type { Engine } from "../engine/engine.js";
import type { Command } from "../engine/transaction.js";
import { parseClockSetting } from "../schema/option-schemas.js";
import { type Refusal, refuse } from "../schema/refusals.js";
import type { ClockControl } from "../time/clock-control.js";
import { onDeadline, type WallClock } from "../time/wall-clock.js";
import type { FaultInjector } from "./fault-injector.js";

/** Maximum wait for a running advance before the lease restores the namespace. */
const LONGEST_ADVANCE_MS = 600_000;

interface LeasedNamespace {
  readonly name: string;
  readonly engine: Engine;
  readonly clock: ClockControl;
  readonly faults: FaultInjector;
  execute<Result>(command: Command<Result>): Result;
}

/** One run's lease of a namespace. If the runner disappears, it restores clock, rules, faults and mailboxes. */
export class RunLease {
  readonly #namespace: LeasedNamespace;
  readonly #wall: WallClock;
  readonly #onError: (error: unknown) => void;
  #current: { readonly run: string; readonly heartbeat: ClientHeartbeat } | undefined;

  constructor(namespace: LeasedNamespace, wall: WallClock, onError: (error: unknown) => void) {
    this.#namespace = namespace;
    this.#wall = wall;
    this.#onError = onError;
  }

  /** @param onGone called if the runner has disappeared, after its changes are undone */
  take(run: string, onGone: () => Promise<void>): Refusal | undefined {
    if (this.#current?.run === run) return undefined;
    if (this.#current !== undefined)
      return refuse(
        "NAMESPACE_LEASED",
        `Run ${this.#current.run} has the namespace "${this.#namespace.name}" until it ends`,
      );
    const restore = this.#saveSettings();
    const heartbeat = new ClientHeartbeat(this.#wall, () => {
      restore()
        .then(onGone)
        .catch(this.#onError)
        .finally(() => {
          this.#current = undefined;
        });
    });
    this.#current = { run, heartbeat };
    return undefined;
  }

  /** Holds a heartbeat call; resolves to false when the lease is over. */
  hold(run: string, caller: AbortSignal): Promise<boolean> | Refusal {
    return this.#current?.run === run ? this.#current.heartbeat.hold(caller) : noLease(run);
  }

  /** Ends the lease. The runner has already restored the namespace. */
  release(run: string): Refusal | undefined {
    if (this.#current?.run !== run) return noLease(run);
    this.close();
    return undefined;
  }

  close(): void {
    this.#current?.heartbeat.end();
    this.#current = undefined;
  }

  /** @returns a function that restores clock, rules, faults and mailboxes */
  #saveSettings(): () => Promise<void> {
    const namespace = this.#namespace;
    const { clock } = namespace;
    const { mode } = clock.view();
    const rules = copyRules(namespace.engine.state);
    const mailboxes = new Set(this.#mailboxes());
    return async () => {
      await clock.whenIdle(LONGEST_ADVANCE_MS);
      namespace.execute(restoreRules(rules));
      namespace.faults.clearCounts();
      for (const id of this.#mailboxes())
        if (!mailboxes.has(id)) namespace.execute(deleteEndpoint(undefined, id));
      if (clock.view().mode !== mode) await clock.set({ setting: parseClockSetting(mode), nowMs: undefined });
    };
  }

  #mailboxes(): string[] {
    return this.#namespace.engine.state
      .endpoints()
      .filter(({ mailbox }) => mailbox !== null)
      .map(({ webhook_id }) => webhook_id);
  }
}

function noLease(run: string): Refusal {
  return refuse("NOT_FOUND", `Run ${run} has no lease here`);
}

/** Long-poll interval of the heartbeat. */
const LONG_POLL_MS = 10_000;
/** A client counts as gone after this time without a held call. */
const GONE_AFTER_MS = 30_000;

/**
 * Tells when a remote client, which polls, has gone: its held connection has closed, or no call
 * arrives within `GONE_AFTER_MS` of wall time.
 */
export class ClientHeartbeat {
  readonly #wall: WallClock;
  readonly #onGone: () => void;
  readonly #ended = new AbortController();
  #cancelTimer: () => void;

  constructor(wall: WallClock, onGone: () => void) {
    this.#wall = wall;
    this.#onGone = onGone;
    this.#cancelTimer = this.#startTimer();
  }

  #startTimer(): () => void {
    return this.#wall.after(GONE_AFTER_MS, () => this.#lose());
  }

  /** Holds a heartbeat call. Resolves to true if the client should call again. */
  hold(caller: AbortSignal): Promise<boolean> {
    this.#cancelTimer();
    if (caller.aborted) this.#lose();
    if (this.#ended.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const call = new AbortController();
      const signals = [caller, this.#ended.signal];
      const abort = (): void => call.abort();
      for (const signal of signals) signal.addEventListener("abort", abort);
      onDeadline(this.#wall, { timeoutMs: LONG_POLL_MS, signal: call.signal }, (reason) => {
        for (const signal of signals) signal.removeEventListener("abort", abort);
        if (reason === "late") this.#cancelTimer = this.#startTimer();
        else if (caller.aborted) this.#lose();
        resolve(reason === "late");
      });
    });
  }

  /** Ends without calling `onGone`. */
  end(): void {
    this.#cancelTimer();
    this.#ended.abort();
  }

  #lose(): void {
    if (this.#ended.signal.aborted) return;
    this.end();
    this.#onGone();
  }
}
