import { channel } from "node:diagnostics_channel";
import { Dispatcher } from "../delivery/dispatcher.js";
import type { InProcessReceiver } from "../delivery/in-process.js";
import type { Mailboxes } from "../delivery/mailboxes.js";
import { Sender } from "../delivery/sender.js";
import type { Charge } from "../domain/charge.js";
import { repeatableRunId } from "../domain/run-id.js";
import { deleteEndpoint } from "../engine/commands/webhooks.js";
import { keepClock } from "../engine/commands/world.js";
import type { Engine } from "../engine/engine.js";
import type { Hold } from "../engine/log-views.js";
import type { Change, Delivery } from "../engine/records.js";
import type { Command } from "../engine/transaction.js";
import type { ChargeStatus } from "../schema/common.js";
import type { Refusal } from "../schema/errors.js";
import { NoRoom } from "../schema/no-room.js";
import type { ClockSetting } from "../schema/options.js";
import { SizeNotice } from "../store/size-notice.js";
import type { Clock } from "../time/clock.js";
import { ClockControl } from "../time/clock-control.js";
import { aborter, type Patience, whenOver } from "../time/patience.js";
import { Reader } from "../time/reader.js";
import { runAhead } from "../time/run-ahead.js";
import { Scheduler } from "../time/scheduler.js";
import { type AdviceContext, Advisor } from "./advice/advisor.js";
import { AnswerHolds } from "./answer-holds.js";
import { type KeptByReset, openState, registerWebhook, seededAgain } from "./beginning.js";
import { Counters } from "./counters.js";
import { FaultInjector } from "./faults.js";
import { Keys } from "./keys.js";
import { MailboxLeases } from "./mailbox-leases.js";
import type { Watch, WatchEnd } from "./news.js";
import { type Observer, Observers } from "./observers.js";
import type { NamespaceOptions, WebhookOption } from "./options.js";
import { RateLimiter } from "./rates.js";
import { RequestJournal } from "./request-journal.js";
import { RunLease } from "./run-lease.js";
import { SavedStates } from "./saved-states.js";
import type { Arrival } from "./served-request.js";
import { Watchers } from "./watchers.js";

/** The keys and the secret a person needs to use a namespace. */
export interface NamespaceInfo {
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly webhookSecret: string;
  readonly seed: string;
}

export interface ResetRequest {
  readonly keep: readonly KeptByReset[];
  readonly repeatIds: boolean;
}

/** Each commit, for the tests: they check every record against its schema. */
const commits = channel("payments-sandbox:commit");

/** One namespace: its engine, clock, deliveries and stores are wired together here and nowhere else. */
export class Namespace {
  readonly name: string;
  readonly engine: Engine;
  readonly info: NamespaceInfo;
  readonly keys: Keys;
  readonly rates: RateLimiter | undefined;
  readonly publicUrl: string | undefined;
  readonly faults: FaultInjector;
  readonly holds: AnswerHolds;
  readonly journal: RequestJournal;
  readonly clock: ClockControl;
  readonly snapshots: SavedStates;
  readonly counters: Counters;
  readonly lease: RunLease;
  readonly mailboxLeases: MailboxLeases;
  readonly advisor: Advisor;
  readonly #options: NamespaceOptions;
  readonly #sender: Sender;
  readonly #scheduler: Scheduler<Dispatcher>;
  readonly #reader: Reader;
  readonly #observers: Observers;
  readonly #watchers: Watchers;
  readonly #initialSetting: ClockSetting;
  readonly #closing = aborter();
  #runs = 0;

  constructor(options: NamespaceOptions) {
    const { wall, apiKey, liveApiKey, webhookSecret } = options;
    // Of what there is no memory for its caller hears, and the guard has said so once.
    const onError = (error: unknown) => error instanceof NoRoom || options.onError(error);
    const { engine, clock } = openState(options);
    const snapshots = options.snapshots();
    const observers = new Observers(onError);
    const onNotice = shielded(observers, options.onNotice);
    const sender = new Sender({
      timeoutMs: options.webhookTimeoutMs,
      wall,
      userAgent: `payments-sandbox/${options.version}`,
    });
    const scheduler = new Scheduler<Dispatcher>(
      { engine, clock, wall, onError },
      (made) => new Dispatcher(made, sender, onNotice),
    );
    try {
      scheduler.run(keepClock(clock.record()));
      void engine.keep();
    } catch (error) {
      scheduler.close();
      throw error;
    }
    if (commits.hasSubscribers) engine.onCommit((change) => commits.publish(change));
    engine.onKept(() => {
      // The state must be as it is kept: nothing may have come on top.
      if (engine.isKept)
        options.store
          .compactIfLarge(() => engine.state.freeze())
          ?.then((failure) => failure !== undefined && onError(failure));
    });

    this.name = options.name;
    this.publicUrl = options.publicUrl;
    this.info = { apiKey, liveApiKey, webhookSecret, seed: engine.world.seed };
    this.engine = engine;
    this.keys = new Keys(engine, [apiKey, liveApiKey]);
    this.#options = options;
    this.#sender = sender;
    this.#scheduler = scheduler;
    this.#reader = new Reader(scheduler, onError);
    this.#initialSetting = clock.setting;
    this.clock = new ClockControl(scheduler);
    this.snapshots = new SavedStates({
      scheduler,
      reader: this.#reader,
      clock: this.clock,
      snapshots,
      onReplaced: () => this.#startOver(),
    });
    this.lease = new RunLease(this, wall, onError);
    this.faults = new FaultInjector(engine);
    this.holds = new AnswerHolds({
      engine,
      wall,
      limitMs: options.holdLimitMs,
      closing: this.#closing.signal,
    });
    this.rates =
      options.rateLimit === undefined ? undefined : new RateLimiter(options.rateLimit, clock, wall);
    this.#observers = observers;
    this.#watchers = new Watchers(wall);
    this.journal = new RequestJournal(options.settings.retention.requests, observers);
    if (onNotice !== undefined) {
      const size = new SizeNotice(options.name, onNotice);
      observers.add({ onChange: () => size.note(() => engine.state.tables) });
    }
    this.counters = new Counters(options.met);
    observers.add({
      onRequest: (request) => this.counters.noteRequest(request),
      onChange: (change) => this.counters.noteChange(change, engine.state),
    });
    this.advisor = new Advisor(this.#adviceContext(clock), options.advice);
    observers.add(this.advisor);
    observers.add(this.#watchers);
    this.mailboxLeases = new MailboxLeases({
      engine,
      mailboxes: this.mailboxes,
      wall,
      execute: (command) => this.execute(command),
      onError,
    });
    engine.onKept((change) => this.mailboxLeases.note(change));
    engine.onKept((change) => observers.tellChange(change));
    scheduler.onWake(() => this.#watchers.onWake());
  }

  nowMs(): number {
    return this.#scheduler.clock.nowMs();
  }

  /** Of a call that comes now. */
  arrival(): Arrival {
    return { atMs: this.nowMs(), wallMs: this.#options.wall.nowMs() };
  }

  #adviceContext(clock: Clock): AdviceContext {
    const { clock: control } = this;
    return {
      clock: {
        get runs() {
          return clock.runs;
        },
        get leaptMs() {
          return control.leaptMs;
        },
      },
      accountOf: (apiKey) => {
        const key = apiKey === null ? undefined : this.keys.find(apiKey);
        return key && `${key.organization_id} ${key.key.startsWith("sk_live_") ? "live" : "test"}`;
      },
    };
  }

  /** A call from outside: what is due by now happens first, then the command. */
  execute<Result>(command: Command<Result>): Result {
    const result = this.#scheduler.execute(command);
    void this.engine.keep();
    return result;
  }

  /** The same, kept together with whatever else happens in this turn: its caller waits for that (`whenKept`). */
  executeInTurn<Result>(command: Command<Result>): Result {
    return this.#scheduler.execute(command);
  }

  /** Resolves when all that has happened so far is kept, and may be seen; rejects when it has not happened after all. */
  whenKept(): Promise<void> | undefined {
    if (this.engine.isKept) return undefined;
    return new Promise((resolve, reject) => {
      this.engine.whenKept((failure) => (failure === undefined ? resolve() : reject(failure.error)));
    });
  }

  /**
   * To be waited for before what looks at the state: others may have put into it what is not kept yet. Undefined when it
   * has only what is kept by then.
   */
  calm(): Promise<void> | undefined {
    return this.engine.calm()?.then(() => this.calm());
  }

  /** To be waited for before what changes the state, with a store that answers later. */
  get keeping(): Promise<void> | undefined {
    return this.engine.isKeeping ? this.calm() : undefined;
  }

  /** A read that writes something down besides. Where that cannot be kept, it answers what it would have answered. */
  read<Result>(command: Command<Result>): Result {
    return this.#reader.read(command);
  }

  /** To be called before a read: what is due by now happens now, if it can be kept. */
  settle(): void {
    this.#reader.settle();
  }

  /** Runs a charge's own tasks now until it has that status; the clock stays. */
  advanceCharge(chargeId: string, until: ChargeStatus): Charge | Refusal {
    const nowMs = this.nowMs();
    this.#scheduler.settle();
    const charge = runAhead(this.engine, chargeId, until, nowMs);
    void this.engine.keep();
    return charge;
  }

  /** What keeps a delivery waiting besides time, if something does. */
  holdOf(delivery: Delivery): Hold | null {
    return this.#scheduler.attempts.holdOf(delivery);
  }

  get mailboxes(): Mailboxes {
    return this.#scheduler.attempts.mailboxes;
  }

  /** Webhooks go to a function of this process from now on; returns how to stop. */
  receive(receiver: InProcessReceiver, webhook: Omit<WebhookOption, "url" | "mailbox">): () => void {
    const { receivers } = this.#sender;
    const url = receivers.add(receiver);
    const { webhookSecret } = this.info;
    this.execute(registerWebhook({ ...webhook, url, unreachable: "fail" }, webhookSecret));
    return () => {
      if (!receivers.delete(url) || this.#closing.signal.aborted) return;
      const endpoint = this.engine.state.endpoints().find((one) => one.url === url);
      if (endpoint !== undefined) this.execute(deleteEndpoint(undefined, endpoint.webhook_id));
    };
  }

  subscribe(observer: Observer): () => void {
    return this.#observers.add(observer);
  }

  /** Whoever looks on hears that a report for people has got further; it is no part of the state. */
  tellReport(name: string): void {
    this.#observers.tellReport(name);
  }

  isIdle(): boolean {
    return this.#scheduler.isSettled && !this.clock.isAdvancing;
  }

  /** Resolves when nothing is due and no delivery is under way. */
  settled(): Promise<void> {
    return this.#scheduler.settled();
  }

  /** Resolves when what is watched for is so, or with the reason why nobody waits for it any longer. */
  until(watch: Watch, patience: Patience): Promise<WatchEnd> {
    return this.#watchers.until(watch, patience);
  }

  /** Nothing more is done in it, or kept of it. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** So much wall time passes for a call that a fault delays; false when the namespace is closed before. */
  sleep(delayMs: number): Promise<boolean> {
    const { signal } = this.#closing;
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      whenOver(this.#options.wall, { timeoutMs: delayMs, signal }, (how) => resolve(how === "late"));
    });
  }

  clearRequests(): void {
    this.journal.clear();
    this.advisor.clear();
    this.#watchers.startOver();
    this.#options.room.noteFreed();
  }

  /** Back to the initial state; a manual clock goes back to where it started, a running one to wall time. */
  reset({ keep, repeatIds }: ResetRequest): Refusal | undefined {
    const { engine } = this;
    const setting = this.#initialSetting;
    const startMs = setting.mode === "manual" ? engine.world.start_ms : this.#options.wall.nowMs();
    const begin = seededAgain(this.#options, engine.state, keep);
    const refusal = this.clock.replaceState(
      (clock) =>
        engine.reset(startMs, repeatIds, (tx) => {
          keepClock(clock)(tx);
          begin(tx);
        }),
      startMs,
      setting,
    );
    if (refusal !== undefined) return refusal;
    this.rates?.clear();
    this.journal.clear();
    this.counters.clear();
    this.advisor.clear();
    if (repeatIds) this.#runs = 0;
    this.#startOver();
    return undefined;
  }

  /**
   * Another state is in place. Requests and what was counted of them are no part of it; how often its faults were met
   * goes with it. It is no change of the old one; that its clock is another is what there is to tell.
   */
  #startOver(): void {
    this.faults.forget();
    this.#options.room.noteFreed();
    this.mailboxLeases.startOver();
    const { state } = this.engine;
    const puts: Change["puts"] = [["clock", "clock", state.get("clock", "clock")!]];
    this.#observers.tellChange({ seq: state.seq, at: state.at, puts, counters: {} });
    this.#watchers.startOver();
  }

  /** The id of a run of that scenario: it follows from the seed and how many runs there were before. */
  nextRunId(scenario: string): string {
    return repeatableRunId(this.info.seed, scenario, this.#runs++);
  }

  close(): void {
    this.#stop();
    this.engine.close();
  }

  /** Closes what is about to be deleted: nothing more is written. */
  discard(): void {
    this.#stop();
    this.engine.discard();
    this.#options.room.noteFreed();
  }

  #stop(): void {
    this.lease.close();
    this.mailboxLeases.close();
    this.snapshots.close();
    this.#watchers.close();
    this.#closing.abort();
    this.#scheduler.close();
  }
}

/** What a person at the terminal is told must not fail what it is told of either. */
function shielded(
  observers: Observers,
  tell: ((notice: string) => void) | undefined,
): ((notice: string) => void) | undefined {
  return tell && ((notice) => observers.shield(tell, () => tell(notice)));
}
