import type { Charge } from "../domain/charge.js";
import type { Subject } from "../domain/scenario.js";
import type { Engine } from "../engine/engine.js";
import type { Patience, Watch, WatchEnd } from "../engine/news.js";
import type { Change } from "../engine/records.js";
import type { Command } from "../engine/transaction.js";
import type { ChargeStatus, Mode } from "../schema/common.js";
import type { Refusal } from "../schema/errors.js";
import type { KeyFixture } from "../schema/fixtures.js";
import type { ClockSetting } from "../schema/options.js";
import type { FaultRule, Scenario } from "../schema/scenario.js";
import type { Signature } from "../schema/webhooks.js";

/** What the HTTP layer needs of a namespace. The composition root wires it to the runtime. */
export interface World {
  readonly name: string;
  /** For reading; writes go through `execute`. */
  readonly engine: Engine;
  nowMs(): number;
  /** The key as this namespace knows it. */
  findKey(key: string): KeyFixture | undefined;
  keys(): readonly KeyFixture[];
  /** What is due by now happens first, then the command, at this moment. */
  execute<Result>(command: Command<Result>): Result;
  /** Likewise for a read that writes something down; it answers where that cannot be kept, too. */
  read<Result>(command: Command<Result>): Result;
  /** What is due by now happens now: called before every read. */
  settle(): void;
  /** What links carry, without a slash at the end; undefined: the address a request came to. */
  readonly publicUrl: string | undefined;
  /** Undefined when there is no limit. */
  readonly rates: RatePort | undefined;
  readonly faults: FaultPort;
  readonly journal: JournalPort;
  readonly mailboxes: MailboxPort;
  readonly snapshots: SnapshotPort;
  readonly tally: TallyPort;
  /** Hears of each change and each request from now on; returns how to stop. */
  subscribe(subscriber: Subscriber): () => void;
  /** Runs a charge's own tasks until it has that status; the clock stays. */
  advanceCharge(chargeId: string, until: ChargeStatus): Charge | Refusal;
  /** Whether nothing is due and no delivery is under way. */
  isIdle(): boolean;
  /** Resolves as soon as it is so, looked at after each burst of changes, or with the reason why it waits no longer. */
  until(watch: Watch<JournalEntry>, patience: Patience): Promise<WatchEnd>;
  /** So much wall time passes; false when the namespace went first. */
  sleep(delayMs: number): Promise<boolean>;
  readonly clock: ClockPort;
  readonly info: WorldInfo;
  reset(request: ResetRequest): Refusal | undefined;
  /** How many scenarios have been run here before this one. */
  nextRun(): number;
}

export interface PickedFault {
  readonly rule: FaultRule;
  /** The scenario's name, or the id of a fault set by the control API. */
  readonly source: string;
}

export interface FaultPort {
  /** Whether any active scenario or fault has something in store; named scenarios are asked all the same. */
  isArmed(): boolean;
  /** How often a fault has been applied. */
  applied(faultId: string): number;
  /** Counting starts over, for one fault, for a scenario's rules by its name, or for all. */
  forget(id?: string): void;
  /** The first fault that is left and matches; it is counted as met. */
  pick(scenario: string | null, subject: () => Subject): PickedFault | undefined;
}

export interface Subscriber {
  onChange(change: Change): void;
  onRequest(entry: JournalEntry): void;
}

/** How often the app has met each thing, by name. */
export interface TallyPort {
  readonly operations: ReadonlyMap<string, number>;
  readonly statuses: ReadonlyMap<string, number>;
  readonly events: ReadonlyMap<string, number>;
  readonly errorCodes: ReadonlyMap<string, number>;
}

/** What came of a delivery taken from a mailbox: the receiver's answer, or why there was none. */
export interface MailboxAnswer {
  readonly status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
}

export interface MailboxPort {
  /** How long whoever takes a delivery has to answer, in wall time. */
  readonly answerWithinMs: number;
  takeFromMailbox(
    mailbox: string,
    max: number,
  ): {
    readonly deliveryId: string;
    readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  }[];
  /** False when nobody waits for that delivery's answer. */
  acknowledge(deliveryId: string, answer: MailboxAnswer): boolean;
}

/** One call of the service as it came and as it was answered. */
export interface ServedRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly operation: string | null;
  /** Null when there was no answer: the connection was cut, or the client had gone. */
  readonly status: number | null;
  /** The client hung up before it was answered. */
  readonly clientGone: boolean;
  readonly apiKey: string | null;
  readonly requestBody: string | null;
  readonly responseBody: string | null;
  /** The code of an error that was answered, as the sandbox calls it. */
  readonly errorCode: string | null;
  readonly idempotencyKey: string | null;
  /** The scenario run that sent it, when it was not the app (header `Sandbox-Runner`). */
  readonly runner?: string | null;
  readonly scenario: string | null;
  readonly fault: string | null;
}

export interface JournalEntry extends ServedRequest {
  readonly id: number;
  /** Sandbox time. */
  readonly at: string;
  /** How long a body was of which only the beginning is kept. */
  readonly requestBytes?: number;
  readonly responseBytes?: number;
}

export interface JournalPort {
  add(request: ServedRequest, arrivedMs: number): void;
  /** Newest first. */
  entries(): JournalEntry[];
  clear(): void;
}

/** The keys and the secret a person needs to use a namespace. */
export interface WorldInfo {
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly webhookSecret: string;
  readonly seed: string;
}

export interface RatePort {
  hit(
    key: string,
    nowMs: number,
  ): {
    readonly limited: boolean;
    readonly limit: number;
    readonly remaining: number;
    readonly resetSeconds: number;
  };
}

export interface ClockView {
  readonly mode: string;
  readonly speed: number;
  readonly now: string;
  readonly next_due: string | null;
  readonly advancing: boolean;
}

export interface ClockRequest {
  readonly setting: ClockSetting | undefined;
  /** Leap to this time first. */
  readonly nowMs: number | undefined;
}

export type AdvanceRequest =
  | { readonly toMs: number }
  | { readonly byMs: number }
  | { readonly until: "next" | "idle" };

export interface AdvanceReply {
  readonly from: string;
  readonly to: string;
  readonly fired: readonly unknown[];
  readonly fired_total: number;
}

export interface ClockPort {
  view(): ClockView;
  set(request: ClockRequest): Promise<Refusal | undefined>;
  advance(request: AdvanceRequest): Promise<AdvanceReply | Refusal>;
  /** Resolves when no advance is under way, or when so much wall time has passed. */
  idle(timeoutMs: number): Promise<void>;
}

export interface ResetRequest {
  readonly keep: readonly ("webhooks" | "keys" | "scenarios")[];
  readonly repeatIds: boolean;
}

/** What a namespace is made with; all of it may be left out. */
export interface NewNamespace {
  readonly name?: string | undefined;
  readonly seed?: string | undefined;
  readonly clock?: string | undefined;
  readonly start_time?: string | undefined;
  readonly api_key?: string | undefined;
  readonly webhook_secret?: string | undefined;
  readonly webhooks?:
    | readonly {
        readonly url?: string | undefined;
        readonly mailbox?: string | undefined;
        readonly mode?: Mode | undefined;
        readonly events?: readonly string[] | undefined;
        readonly secret?: string | undefined;
        readonly signature?: Signature | undefined;
        readonly unreachable?: "hold" | "fail" | undefined;
      }[]
    | undefined;
}

export interface NamespaceView {
  readonly name: string;
  readonly api_key: string;
  readonly live_api_key: string;
  readonly webhook_secret: string;
  readonly seed: string;
  readonly clock: ClockView;
  readonly charges: number;
}

export interface SnapshotPort {
  /** Of this moment, whatever happens until it is written. Refused when it is too large to be read back. */
  save(name: string): Promise<{ readonly name: string; readonly at: string } | Refusal>;
  list(): { readonly name: string; readonly at: string }[];
  /** Refused while the clock is being advanced, or when there is no such snapshot, or none that can be gone on from. */
  restore(name: string): Promise<Refusal | undefined>;
  delete(name: string): boolean;
  /** The whole state of this moment as the pieces of a JSON text, and the whole state put in its place. */
  text(): AsyncIterable<string>;
  /** Refused while the clock is being advanced, or when it is no state that can be gone on from. */
  load(dump: unknown): Promise<Refusal | undefined>;
}

export interface ScenarioRun {
  readonly source: Readonly<Record<string, unknown>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly app: string | undefined;
  /** Calls of this very server. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** All namespaces of a server, and which one a request means. */
export interface Worlds {
  readonly version: string;
  /** The default namespace's time, for answers that concern none. */
  nowMs(): number;
  /** By the `Sandbox-Namespace` header, else by the API key, else the default one. */
  find(header: string | null, apiKey: string | null): World | undefined;
  /** What to answer where `find` found none: there is none, or it could not be opened. */
  whyNone(header: string | null, apiKey: string | null): Refusal;
  list(): NamespaceView[];
  create(wanted: NewNamespace): NamespaceView | Refusal;
  ensure(name: string, wanted: NewNamespace): NamespaceView | Refusal;
  delete(name: string): Refusal | undefined;
  /** A scenario as a person writes it, its variables filled in; the control API sees no environment. */
  readScenario(world: World, source: Readonly<Record<string, unknown>>): Promise<Scenario | Refusal>;
  /** Carries out the steps of a scenario in a namespace; the report, whatever came of it. */
  runScenario(world: World, run: ScenarioRun): Promise<object | Refusal>;
  /** The namespace a checkout is in: no id comes twice, and whoever follows a link names no namespace. */
  findCheckout(checkoutId: string): { readonly world: World } | undefined;
}
