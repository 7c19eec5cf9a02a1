import type { ClockSetting, WebhookOption } from "../schema/option-schemas.js";
/*
 * A namespace: engine, clock, deliveries, store, faults, rate limits, logs and advice, wired together.
 * Called by the server, pages and the library.
 * A `Command` flows through: caller → due tasks → engine → stored `Change` → events.
 * Never here: HTTP, charge rules.
 */

import { channel } from "node:diagnostics_channel";
import { type DeliveryHold, Dispatcher } from "../delivery/dispatcher.js";
import type { InProcessReceiver } from "../delivery/in-process-receivers.js";
import { MailboxExpiry, type Mailboxes } from "../delivery/mailbox-deliveries.js";
import { Sender } from "../delivery/sender.js";
import type { Charge } from "../domain/charge-transition.js";
import { repeatableRunId } from "../domain/repeatable-run-id.js";
import { ApiKeys } from "../engine/access-changes.js";
import { deleteEndpoint } from "../engine/commands/endpoint-commands.js";
import { putClock } from "../engine/commands/namespace-setup.js";
import { Emitter } from "../engine/emitter.js";
import type { Engine } from "../engine/engine.js";
import type { Change, Delivery } from "../engine/records.js";
import { runChargeUntil } from "../engine/task-commands.js";
import type { Command } from "../engine/transaction.js";
import type { ChargeStatus } from "../schema/common.js";
import type { ResetRequest } from "../schema/engine-requests.js";
import { type Refusal, StorageUnavailableError } from "../schema/refusals.js";
import { AppActivity } from "../time/app-activity.js";
import { Clock } from "../time/clock.js";
import { ClockControl } from "../time/clock-control.js";
import { ReadGate } from "../time/read-gate.js";
import { Scheduler } from "../time/scheduler.js";
import { createAbortController, type Deadline, onDeadline } from "../time/wall-clock.js";
import { type AppTraffic, findAdvice } from "./advice.js";
import { CoverageCounters } from "./counters.js";
import { FaultInjector } from "./fault-injector.js";
import { addContentAfterReset, openEngineAndClock, registerWebhook } from "./initial-state.js";
import type { NamespaceOptions } from "./namespace-options.js";
import { RateLimiter } from "./rate-limiter.js";
import {
  type ArrivalTime,
  type NamespaceEmitter,
  type NamespaceEvents,
  type RequestEntry,
  RequestJournal,
} from "./request-journal.js";
import { ResponseHolds } from "./response-holds.js";
import { RunLease } from "./run-lease.js";
import { SavedStates } from "./saved-states.js";
import { PendingWaits, type WaitCondition, type WaitEndReason } from "./watchers.js";

export interface NamespaceInfo {
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly webhookSecret: string;
  readonly seed: string;
}

/** Publishes each commit to tests, which check its records against the schemas. */
const commits = channel("payments-sandbox:commit");

/** One namespace. Its parts are constructed and connected only here. */
export class Namespace {
  readonly name: string;
  readonly events: NamespaceEmitter;
  readonly engine: Engine;
  readonly info: NamespaceInfo;
  readonly keys: ApiKeys;
  readonly rateLimiter: RateLimiter | undefined;
  readonly publicUrl: string | undefined;
  readonly faults: FaultInjector;
  readonly holds: ResponseHolds;
  readonly journal: RequestJournal;
  readonly clock: ClockControl;
  readonly snapshots: SavedStates;
  readonly counters: CoverageCounters;
  readonly lease: RunLease;
  readonly mailboxExpiry: MailboxExpiry;
  readonly #options: NamespaceOptions;
  readonly #sender: Sender;
  readonly #scheduler: Scheduler<Dispatcher>;
  readonly #reader: ReadGate;
  readonly #activity: AppActivity;
  readonly #watchers: PendingWaits;
  readonly #initialSetting: ClockSetting;
  readonly #closing = createAbortController();
  #runCount = 0;

  constructor(options: NamespaceOptions) {
    const { wall, apiKey, liveApiKey, webhookSecret } = options;
    const onError = (error: unknown) => error instanceof StorageUnavailableError || options.onError(error);
    const events = new Emitter<NamespaceEvents>(onError);
    const { engine, clock } = openEngineAndClock(options, events);
    const snapshots = options.snapshots();
    const { onNotice } = options;
    const notice = onNotice && ((text: string) => events.runSafely(onNotice, () => onNotice(text)));
    const sender = new Sender({
      wire: options.settings.wire,
      timeoutMs: options.webhookTimeoutMs,
      aroundAttempt: options.aroundAttempt,
      wall,
      userAgent: `payments-sandbox/${options.version}`,
    });
    const scheduler = new Scheduler<Dispatcher>(
      { engine, clock, wall, onError },
      (self) => new Dispatcher(self, sender, notice),
    );
    try {
      scheduler.run(putClock(clock.record()));
    } catch (error) {
      scheduler.close();
      throw error;
    }
    if (commits.hasSubscribers) events.on("changed", (change) => commits.publish(change));
    events.on("stored", () => {
      // A compacted state has only changes that are safe.
      if (engine.gate.isOpen)
        options.store
          .compactIfLarge(() => engine.state.freeze())
          ?.then((failure) => failure !== undefined && onError(failure));
    });

    this.name = options.name;
    this.publicUrl = options.publicUrl;
    this.info = { apiKey, liveApiKey, webhookSecret, seed: engine.namespace.seed };
    this.events = events;
    this.engine = engine;
    this.keys = new ApiKeys(engine, [apiKey, liveApiKey]);
    this.#options = options;
    this.#sender = sender;
    this.#scheduler = scheduler;
    this.#reader = new ReadGate(scheduler, onError);
    this.#initialSetting = clock.setting;
    const activity = new AppActivity(wall);
    this.#activity = activity;
    this.clock = new ClockControl(scheduler, activity);
    this.snapshots = new SavedStates({
      scheduler,
      reader: this.#reader,
      clock: this.clock,
      snapshots,
      memory: options.memory,
      onReplaced: () => this.#startOver(),
    });
    this.lease = new RunLease(this, wall, onError);
    this.faults = new FaultInjector(engine);
    this.holds = new ResponseHolds({
      engine,
      wall,
      limitMs: options.holdLimitMs,
      activity,
      closing: this.#closing.signal,
    });
    this.rateLimiter =
      options.rateLimit === undefined ? undefined : new RateLimiter(options.rateLimit, clock, wall);
    this.#watchers = new PendingWaits(wall);
    this.journal = new RequestJournal(options.settings.retention, events, options.memory);
    this.counters = new CoverageCounters(options.totalCounters);
    events.on("answered", (request) => this.counters.noteRequest(request));
    events.on("stored", (change) => this.counters.noteChange(change, engine.state));
    events.on("arrived", (call) => call.runner === null && activity.noteArrival(call));
    events.on("answered", (call) => call.runner === null && activity.noteEnd(call));
    events.on("stored", (change) => hasRefusedWebhook(change) && activity.noteRefusedWebhook());
    events.on("arrived", (call) => this.#watchers.onRequest(call));
    events.on("answered", (call) => this.#watchers.onRequest(call));
    events.on("stored", (change) => this.#watchers.onChange(change));
    events.on("woke", () => this.#watchers.onWake());
    this.mailboxExpiry = new MailboxExpiry({
      engine,
      mailboxes: this.mailboxes,
      wall,
      execute: (command) => this.execute(command),
      onError,
    });
    events.on("stored", (change) => this.mailboxExpiry.noteChange(change));
  }

  nowMs(): number {
    return this.#scheduler.clock.nowMs();
  }

  get isTimeRunning(): boolean {
    return this.#scheduler.clock.isTimeRunning;
  }

  arrival(): ArrivalTime {
    return { atMs: this.nowMs(), wallMs: this.#options.wall.nowMs() };
  }

  get traffic(): AppTraffic {
    return {
      requests: this.journal
        .entries()
        .filter(({ inFlight }) => !inFlight)
        .reverse(),
      deliveries: this.engine.state.tables.deliveries.values(),
      keys: this.keys,
      clock: this.#scheduler.clock,
    };
  }

  /** Runs due tasks, then the command. @throws LimitReachedError if the command needs more memory than is left */
  execute<Result>(command: Command<Result>): Result {
    return this.#scheduler.execute(this.#options.memory.guard(command));
  }

  /** Undefined if all changes so far are safe; else resolves when they are, and rejects if one of them is lost. */
  passGate(): Promise<void> | undefined {
    return this.engine.gate.passed();
  }

  /** Executes a command for a read. If the changes cannot be stored, returns the result without storing them. */
  read<Result>(command: Command<Result>): Result {
    return this.#reader.read(command);
  }

  /** Call before a call is handled: undefined, or resolves when what is due has run, with yields to the event loop. */
  catchUp(): Promise<void> | undefined {
    return this.#reader.catchUp();
  }

  /** Call before a read: runs due tasks, if their changes can be stored. */
  runDueTasks(): void {
    this.#reader.runDueTasks();
  }

  /** Runs a charge's own tasks until it has the status; the clock does not move. */
  advanceCharge(chargeId: string, until: ChargeStatus): Charge | Refusal {
    const nowMs = this.nowMs();
    this.#scheduler.runDueTasks();
    return runChargeUntil(this.engine, chargeId, until, nowMs);
  }

  /** Returns why a pending delivery waits; null if the delivery waits only for its due time. */
  findHold(delivery: Delivery): DeliveryHold | null {
    return this.#scheduler.attempts.findHold(delivery);
  }

  get mailboxes(): Mailboxes {
    return this.#scheduler.attempts.mailboxes;
  }

  /** Registers a function of this process as a webhook receiver. @returns a function that unregisters it */
  registerReceiver(receiver: InProcessReceiver, webhook: Omit<WebhookOption, "url" | "mailbox">): () => void {
    const { receivers } = this.#sender;
    const url = receivers.add(receiver);
    const { webhookSecret } = this.info;
    this.execute(registerWebhook({ ...webhook, url, unreachable: "fail" }, webhookSecret));
    return () => {
      if (!receivers.delete(url) || this.#closing.signal.aborted) return;
      const endpoint = this.engine.state.endpoints().find((candidate) => candidate.url === url);
      if (endpoint !== undefined) this.execute(deleteEndpoint(undefined, endpoint.webhook_id));
    };
  }

  isIdle(): boolean {
    return this.#scheduler.isIdle && !this.clock.isAdvancing;
  }

  whenIdle(): Promise<void> {
    return this.#scheduler.whenIdle();
  }

  waitFor(watch: WaitCondition, patience: Deadline): Promise<WaitEndReason> {
    return this.#watchers.waitFor(watch, patience);
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Waits in wall time; resolves to false if the namespace closes first. */
  sleep(delayMs: number): Promise<boolean> {
    const { signal } = this.#closing;
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      onDeadline(this.#options.wall, { timeoutMs: delayMs, signal }, (reason) => resolve(reason === "late"));
    });
  }

  clearRequests(): void {
    this.#options.keepAdvice(findAdvice({ ...this.traffic, deliveries: [] }));
    this.journal.clear();
    this.#activity.clear();
    this.#watchers.startOver();
  }

  removeRequests(matches: (entry: RequestEntry) => boolean): void {
    this.journal.remove(matches);
    this.#watchers.startOver();
  }

  /** Restores the initial state. A manual clock returns to its start time, any other clock to wall time. */
  reset({ keep, ids }: ResetRequest): Refusal | undefined {
    const { engine } = this;
    const repeatIds = ids === "repeat";
    const setting = this.#initialSetting;
    const startMs = setting.mode === "manual" ? engine.namespace.start_ms : this.#options.wall.nowMs();
    const begin = addContentAfterReset(this.#options, engine.state, keep);
    const advice = findAdvice(this.traffic);
    const refusal = this.clock.replaceState(
      (clock) =>
        engine.reset(startMs, repeatIds, (tx) => {
          putClock(clock)(tx);
          begin(tx);
        }),
      startMs,
      setting,
    );
    if (refusal !== undefined) return refusal;
    this.rateLimiter?.clear();
    this.journal.clear();
    this.#activity.clear();
    this.counters.clear();
    this.#options.keepAdvice(advice);
    if (repeatIds) this.#runCount = 0;
    this.#startOver();
    return undefined;
  }

  /**
   * Reads the state and its clock from the store again after the store has lost a change. All that is not part of the
   * state stays: request journal, fault counts, streams, handlers.
   */
  async reopen(): Promise<void> {
    while (this.clock.isAdvancing) await this.#scheduler.nextEvent();
    const { engine } = this;
    engine.reopen();
    const record = engine.state.get("clock", "clock") ?? this.#scheduler.clock.record();
    const clock = Clock.resume(this.#options.wall, record, engine.state.at);
    this.clock.replaceState(() => {}, clock.nowMs(), clock.setting);
    this.#showNewState();
  }

  /** Called after a reset or a restore. Clears the counts of faults and keeps the request journal. */
  #startOver(): void {
    this.faults.clearCounts();
    this.#showNewState();
  }

  /** Notifies observers of the new clock. */
  #showNewState(): void {
    this.mailboxExpiry.renewAll();
    const { state } = this.engine;
    const puts: Change["puts"] = [["clock", "clock", state.get("clock", "clock")!]];
    const { seq, at } = state;
    this.engine.gate.pass(
      (failure) => failure ?? this.events.emit("stored", { seq, at, puts, counters: {} }),
    );
    this.#watchers.startOver();
  }

  /** Derives the id from the seed and the number of earlier runs, so the id is repeatable. */
  nextRunId(scenario: string): string {
    return repeatableRunId(this.info.seed, scenario, this.#runCount++);
  }

  close(): void {
    this.#stop();
    this.engine.close();
  }

  /** Closes without writing. Called if the namespace is deleted or another process may have it. */
  discard(): void {
    this.#options.keepAdvice(findAdvice(this.traffic));
    this.#stop();
    this.engine.discard();
  }

  #stop(): void {
    this.lease.close();
    this.journal.clear();
    this.mailboxExpiry.close();
    this.snapshots.close();
    this.#watchers.close();
    this.#closing.abort();
    this.#scheduler.close();
  }
}

function hasRefusedWebhook({ puts }: Change): boolean {
  return puts.some(
    ([name, , record]) =>
      name === "deliveries" && ((record as Delivery | null)?.attempts.at(-1)?.status ?? 0) >= 400,
  );
}
