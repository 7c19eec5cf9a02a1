import { Dispatcher } from "../delivery/dispatcher.js";
import type { InProcessReceiver, InProcessReceivers } from "../delivery/in-process.js";
import { Sender } from "../delivery/sender.js";
import type { Catalogue } from "../domain/catalogue.js";
import type { Charge } from "../domain/charge.js";
import { repeatableRunId } from "../domain/run-id.js";
import { storeScenario } from "../engine/commands/scenarios.js";
import { deleteEndpoint, registerEndpoint } from "../engine/commands/webhooks.js";
import { carryEndpoint, keepClock } from "../engine/commands/world.js";
import { Engine } from "../engine/engine.js";
import type { FrozenState } from "../engine/frozen-state.js";
import type { Change, Endpoint, Store, StoredScenario, WorldRecord } from "../engine/records.js";
import type { State } from "../engine/state.js";
import type { Command } from "../engine/transaction.js";
import type { ChargeStatus, Mode } from "../schema/common.js";
import { isRefusal, type Refusal } from "../schema/errors.js";
import type { KeyFixture } from "../schema/fixtures.js";
import { lazily } from "../schema/lazily.js";
import type { ClockSetting } from "../schema/options.js";
import type { Scenario } from "../schema/scenario.js";
import type { Settings } from "../schema/settings.js";
import { iso } from "../schema/time.js";
import { UserError } from "../schema/user-error.js";
import type { Signature } from "../schema/webhooks.js";
import { SizeNotice } from "../store/size-notice.js";
import type { Snapshots } from "../store/storage.js";
import { Clock } from "../time/clock.js";
import { ClockControl } from "../time/clock-control.js";
import { Reader } from "../time/reader.js";
import { runAhead } from "../time/run-ahead.js";
import { Scheduler } from "../time/scheduler.js";
import type { Wall } from "../time/wall.js";
import { Counters } from "./counters.js";
import { FaultInjector } from "./faults.js";
import type { Patience, Watch, WatchEnd } from "./news.js";
import { type Observer, Observers } from "./observers.js";
import { RateLimiter } from "./rates.js";
import { RequestJournal } from "./request-journal.js";
import { SavedStates } from "./saved-states.js";
import { Watchers } from "./watchers.js";

export interface WebhookOption {
  readonly url?: string | undefined;
  readonly mailbox?: string | undefined;
  readonly unreachable?: "hold" | "fail" | undefined;
  readonly mode?: Mode | undefined;
  readonly events?: readonly string[] | undefined;
  readonly secret?: string | undefined;
  readonly signature?: Signature | undefined;
}

export interface NamespaceOptions {
  readonly name: string;
  /** Undefined: whatever the data says, else made up. */
  readonly seed: string | undefined;
  readonly defaultSeed: string;
  readonly clock: ClockSetting | undefined;
  readonly startMs: number | undefined;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly scenarios: readonly Scenario[];
  /** Names of scenarios active from the start, the last one asked first. */
  readonly activeScenarios: readonly string[];
  readonly webhooks: readonly WebhookOption[];
  readonly webhookSecret: string;
  /** Requests a minute and key; undefined is no limit. */
  readonly rateLimit: number | undefined;
  readonly publicUrl?: string | undefined;
  readonly webhookTimeoutMs: number;
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly store: Store;
  /** Throws when the state that the store had cannot be gone on from; without it nothing is checked. */
  readonly audit?: ((state: State) => void) | undefined;
  /** Where snapshots are kept; asked for once the store is open. */
  readonly snapshots: () => Snapshots;
  readonly wall: Wall;
  readonly version: string;
  readonly onError: (error: unknown) => void;
  /** Told what a person at the terminal wants to know while it runs. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

const REAL_CLOCK: ClockSetting = { mode: "real", speed: 1 };

/** What the options say that the data of an earlier run says otherwise. */
function contradictionOf({ seed, startMs }: NamespaceOptions, world: WorldRecord): string | undefined {
  if (seed !== undefined && seed !== world.seed)
    return `--seed ${seed} contradicts the data, whose seed is "${world.seed}"`;
  if (startMs !== undefined && startMs !== (world.asked_start_ms ?? world.start_ms))
    return `--start-time contradicts the data, which starts at ${iso(world.start_ms)}`;
  return undefined;
}

/** The keys and the secret a person needs to use a namespace. */
export interface NamespaceInfo {
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly webhookSecret: string;
  readonly seed: string;
}

export interface ResetRequest {
  readonly keep: readonly ("webhooks" | "keys" | "scenarios")[];
  readonly repeatIds: boolean;
}

/** One namespace: its engine, clock, deliveries and stores are wired together here and nowhere else. */
export class Namespace {
  readonly name: string;
  readonly engine: Engine;
  readonly info: NamespaceInfo;
  readonly rates: RateLimiter | undefined;
  readonly publicUrl: string | undefined;
  readonly faults: FaultInjector;
  readonly journal: RequestJournal;
  readonly clock: ClockControl;
  readonly snapshots: SavedStates;
  readonly #scheduler: Scheduler<Dispatcher>;
  readonly #reader: Reader;
  readonly #receivers: InProcessReceivers;
  readonly #clock: Clock;
  readonly counters = new Counters();
  readonly #observers: Observers;
  #runs = 0;
  readonly #watchers: Watchers;
  readonly #ownKeys: readonly KeyFixture[];
  readonly #options: NamespaceOptions;
  readonly #initialSetting: ClockSetting;
  #closed = false;
  /** How to break off each wait of a call that a fault delays. */
  readonly #sleepers = new Set<() => void>();

  constructor(options: NamespaceOptions) {
    this.name = options.name;
    this.publicUrl = options.publicUrl;
    this.#options = options;
    const wallNowMs = options.wall.nowMs();
    this.engine = new Engine({
      name: options.name,
      seed: options.seed ?? options.defaultSeed,
      startMs: options.startMs ?? wallNowMs,
      startIsAsked: options.startMs !== undefined,
      catalogue: options.catalogue,
      settings: options.settings,
      store: options.store,
      audit: options.audit,
      furnish: (tx) => {
        this.#furnishScenarios(tx);
        for (const webhook of options.webhooks) this.#register(webhook)(tx);
      },
    });
    const { world } = this.engine;
    const contradiction = contradictionOf(options, world);
    if (contradiction !== undefined) {
      this.engine.close();
      throw new UserError(`${contradiction}; leave it out, or use another --data file`);
    }
    const kept = this.engine.state.get("clock", "clock");
    this.#clock =
      kept === undefined
        ? new Clock(options.wall, options.clock ?? REAL_CLOCK, Math.max(world.start_ms, this.engine.state.at))
        : Clock.resumed(options.wall, kept, this.engine.state.at);
    if (kept !== undefined && options.clock !== undefined)
      this.#clock.set(this.#clock.nowMs(), options.clock);
    this.#initialSetting = options.clock ?? this.#clock.setting;
    // Data of an earlier run gets the endpoints and scenarios of this one: those it knows are brought up to date.
    // That is done where it stood, for what fell due since then has yet to happen, each thing at its own time.
    if (kept !== undefined)
      this.engine.execute((tx) => {
        this.#furnishScenarios(tx);
        for (const webhook of options.webhooks) this.#register(webhook)(tx);
      }, this.engine.state.at);

    this.snapshots = new SavedStates(
      {
        nowMs: () => this.nowMs(),
        freeze: () => this.#freeze(),
        replace: (state) => this.#restore(state),
        takeIn: (dump) => this.#takeIn(dump),
      },
      options.snapshots(),
    );

    const { wall } = options;
    const sender = new Sender({
      timeoutMs: options.webhookTimeoutMs,
      wall,
      userAgent: `payments-sandbox/${options.version}`,
    });
    this.#receivers = sender.receivers;
    const observers = new Observers(options.onError);
    this.#observers = observers;
    const onNotice = shielded(observers, options.onNotice);
    const { engine } = this;
    const clock = this.#clock;
    this.#scheduler = new Scheduler(
      { engine, clock, wall, onError: options.onError },
      (scheduler) => new Dispatcher(scheduler, sender, onNotice),
    );
    try {
      this.#scheduler.run(keepClock(clock.record()));
    } catch (error) {
      this.#scheduler.close();
      throw error;
    }
    this.#reader = new Reader(this.#scheduler, options.onError);
    this.engine.onCommit(() => {
      const failure = options.store.compactIfLarge(() => this.engine.dump());
      if (failure !== undefined) options.onError(failure);
    });
    this.faults = new FaultInjector(this.engine);
    this.#watchers = new Watchers(wall);
    this.#scheduler.onWake(() => this.#watchers.onWake());
    if (onNotice !== undefined) {
      const size = new SizeNotice(options.name, onNotice);
      observers.add({ onChange: () => size.note(() => this.engine.state.tables) });
    }
    observers.add(this.counters);
    observers.add(this.#watchers);
    this.engine.onCommit((change) => observers.tellChange(change));
    this.journal = new RequestJournal(options.settings.retention.requests, observers);
    this.rates =
      options.rateLimit === undefined
        ? undefined
        : new RateLimiter(options.rateLimit, {
            isRunning: () => this.#clock.runs,
            wallNowMs: () => wall.nowMs(),
          });
    // A namespace's own keys are those of the first organization, with every permission.
    const holder = options.catalogue.fixtures.organizations[0]?.organization_id ?? "";
    this.#ownKeys = [options.apiKey, options.liveApiKey]
      .filter((key) => options.catalogue.key(key) === undefined)
      .map((key) => ({ key, organization_id: holder, permission: "full" }));
    this.info = {
      apiKey: options.apiKey,
      liveApiKey: options.liveApiKey,
      webhookSecret: options.webhookSecret,
      seed: world.seed,
    };
    this.clock = new ClockControl(this.#scheduler);
  }

  #furnishScenarios(tx: Parameters<Command<void>>[0]): void {
    const { scenarios, activeScenarios } = this.#options;
    for (const scenario of scenarios) storeScenario(scenario, activeScenarios.includes(scenario.name))(tx);
  }

  #register(webhook: WebhookOption): Command<unknown> {
    return registerEndpoint({
      url: webhook.url ?? null,
      mailbox: webhook.mailbox ?? null,
      ...(webhook.unreachable === undefined ? {} : { unreachable: webhook.unreachable }),
      mode: webhook.mode ?? "test",
      organizationId: null,
      events: webhook.events ?? ["*"],
      secret: webhook.secret ?? this.#options.webhookSecret,
      ...(webhook.signature === undefined ? {} : { signature: webhook.signature }),
    });
  }

  /** Webhooks go to a function of this process from now on; returns how to stop. */
  receive(receiver: InProcessReceiver, webhook: Omit<WebhookOption, "url" | "mailbox">): () => void {
    const url = this.#receivers.add(receiver);
    this.execute(this.#register({ ...webhook, url, unreachable: "fail" }));
    return () => {
      if (!this.#receivers.delete(url) || this.#closed) return;
      const endpoint = this.engine.state.endpoints().find((one) => one.url === url);
      if (endpoint !== undefined) this.execute(deleteEndpoint(undefined, endpoint.webhook_id));
    };
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  findKey(key: string): KeyFixture | undefined {
    return this.engine.catalogue.key(key) ?? this.#ownKeys.find((own) => own.key === key);
  }

  keys(): readonly KeyFixture[] {
    return [...this.#ownKeys, ...this.engine.catalogue.fixtures.keys];
  }

  execute<Result>(command: Command<Result>): Result {
    return this.#scheduler.execute(command);
  }

  read<Result>(command: Command<Result>): Result {
    return this.#reader.read(command);
  }

  /** Restoring puts time back too: it goes on from where the state stood, the way its clock went. */
  #restore(state: State): Refusal | undefined {
    const { at } = state;
    const kept = state.get("clock", "clock");
    const { mode, speed } = kept ?? this.#clock.setting;
    const nowMs = Math.max(at, kept?.sandbox_ms ?? at);
    const refusal = this.clock.replaceState((clock) => this.engine.load(state, clock), nowMs, {
      mode,
      speed,
    });
    if (refusal !== undefined) return refusal;
    // Requests and what was counted of them are no part of the state; how often its faults were met goes with them.
    this.faults.forget();
    this.#tellOfClock();
    this.#watchers.startOver();
    return undefined;
  }

  /** A world that was replaced is no change of the old one; that its clock is another is what there is to tell. */
  #tellOfClock(): void {
    const { state } = this.engine;
    const clock = state.get("clock", "clock")!;
    const puts: Change["puts"] = [["clock", "clock", clock]];
    this.#observers.tellChange({ seq: state.seq, at: state.at, puts, counters: {} });
  }

  /** A state from outside may be anything: all of it is looked at before it takes the place of this one. */
  async #takeIn(dump: unknown): Promise<Refusal | undefined> {
    const { readState } = await lazily(() => import("../engine/intake/read.js"));
    const state = readState(dump, this.engine);
    return isRefusal(state) ? state : this.#restore(state);
  }

  subscribe(observer: Observer): () => void {
    return this.#observers.add(observer);
  }

  clearRequests(): void {
    this.journal.clear();
    this.#watchers.startOver();
  }

  /** Runs a charge's own tasks now until it has that status; the clock stays. */
  advanceCharge(chargeId: string, until: ChargeStatus): Charge | Refusal {
    const nowMs = this.nowMs();
    this.#scheduler.settle();
    return runAhead(this.engine, chargeId, until, nowMs);
  }

  /** The state with its clock as it stands, which need not be kept for that: it can be read from a full disk. */
  #freeze(): FrozenState {
    this.settle();
    const state = this.engine.state.freeze();
    return { ...state, collections: { ...state.collections, clock: [["clock", this.#clock.record()]] } };
  }

  get mailboxes() {
    return this.#scheduler.attempts.mailboxes;
  }

  isIdle(): boolean {
    return this.#scheduler.isSettled && !this.clock.isAdvancing;
  }

  /** Resolves when nothing is due and no delivery is under way. */
  settled(): Promise<void> {
    return this.#scheduler.settled();
  }

  until(watch: Watch, patience: Patience): Promise<WatchEnd> {
    return this.#watchers.until(watch, patience);
  }

  sleep(delayMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = (isOver: boolean): void => {
        this.#sleepers.delete(breakOff);
        resolve(isOver);
      };
      const callOff = this.#options.wall.after(delayMs, () => wake(true), true);
      const breakOff = (): void => {
        callOff();
        wake(false);
      };
      if (this.#closed) breakOff();
      else this.#sleepers.add(breakOff);
    });
  }

  settle(): void {
    this.#reader.settle();
  }

  /** Back to the initial state; a manual clock goes back to where it started, a running one to wall time. */
  reset({ keep, repeatIds }: ResetRequest): Refusal | undefined {
    const setting = this.#initialSetting;
    const startMs = setting.mode === "manual" ? this.engine.world.start_ms : this.#options.wall.nowMs();
    const endpoints: readonly Endpoint[] = keep.includes("webhooks") ? this.engine.state.endpoints() : [];
    const scenarios: readonly StoredScenario[] = keep.includes("scenarios")
      ? [...this.engine.state.tables.scenarios.values()]
      : [];
    const refusal = this.clock.replaceState(
      (clock) =>
        this.engine.reset(startMs, repeatIds, (tx) => {
          keepClock(clock)(tx);
          this.#furnishScenarios(tx);
          for (const stored of scenarios) {
            tx.put("scenarios", stored.name, stored);
            tx.next("activation");
          }
          if (keep.includes("webhooks")) for (const endpoint of endpoints) carryEndpoint(endpoint)(tx);
          else for (const webhook of this.#options.webhooks) this.#register(webhook)(tx);
        }),
      startMs,
      setting,
    );
    if (refusal !== undefined) return refusal;
    this.rates?.clear();
    this.faults.forget();
    this.clearRequests();
    this.counters.clear();
    if (repeatIds) this.#runs = 0;
    this.#tellOfClock();
    return undefined;
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
  }

  #stop(): void {
    this.#closed = true;
    this.snapshots.close();
    this.#watchers.close();
    for (const breakOff of this.#sleepers) breakOff();
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
