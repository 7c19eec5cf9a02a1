import type { StepReport } from "./scenario/running/report.js";
import type { Marking } from "./schema/books.js";
import type { ChargeStatus, Mode, WithdrawalStatus } from "./schema/common.js";
import type { CollectionName } from "./schema/records/names.js";
import type { Signature } from "./schema/webhooks.js";

/**
 * What the library's methods are given and answer, as its declarations have it. Texts of durations are such as
 * `"500ms"`, `"30s"`, `"10m"`, `"2h"` or `"1h30m"`; instants are ISO 8601, in UTC. A value that makes no sense is
 * thrown back as a `UserError` that names the option.
 */

/** A receiver of webhooks: a URL or a mailbox. */
export interface WebhookOption {
  /** Where webhooks are sent, by POST; a missing scheme means http. */
  url?: string;
  /** Instead of a URL: deliveries wait there to be collected over the control API. */
  mailbox?: string;
  /** Whose events it hears; default `"test"`. */
  mode?: Mode;
  /** Types it hears, as globs such as `"charge.*"`; default: all. One that fits no type there is needs `force`. */
  events?: string[];
  /** It may hear types of your own. */
  force?: boolean;
  /** What its webhooks are signed with; default: `webhookSecret`. */
  secret?: string;
  /** How its webhooks are signed; default: the sandbox's. */
  signature?: Signature;
  /** What becomes of attempts while nobody listens there; default: the sandbox's. */
  unreachable?: "hold" | "fail";
}

/** Options of `createSandbox`: those of `start`, in camelCase. */
export interface SandboxOptions {
  /** How time goes: `"real"` (default), `"manual"`, or a speed such as `"60x"`. */
  clock?: string;
  /** Sandbox time at the start, an instant; default: the time it is. */
  startTime?: string;
  /** The same seed and the same calls give the same bytes; at most 200 characters. Default: a fixed one. */
  seed?: string;
  /** Receivers of webhooks; a text is a URL. Default: none. */
  webhooks?: (string | WebhookOption)[];
  /** What webhooks are signed with; default: a documented constant. */
  webhookSecret?: string;
  /** How webhooks are signed: a preset's name or a scheme of your own; default `"standard"`. */
  signature?: Signature;
  /** Wall time a receiver has to answer, a duration; default `"15s"`. */
  webhookTimeout?: string;
  /** The longest a fault's `hold` or `drop: hang` keeps an answer back, wall time, a duration; default `"30s"`. */
  holdLimit?: string;
  /** A scenario's name or file, or several; the last is asked first. Default: none but the shipped default one. */
  scenario?: string | string[];
  /** A fixtures file, or what one would hold, merged over the shipped ones; default: those alone. */
  fixtures?: string | { readonly [list: string]: readonly object[] };
  /** Keep the state in this file; default: in memory. */
  data?: string;
  /** With `data`: safe against power loss too; default false. */
  fsync?: boolean;
  /** Requests a minute and key; default `"off"`. */
  rateLimit?: number | "off";
  /** The port `listen()` opens; default 0, any free one. */
  port?: number;
  /** The address `listen()` listens on; default `"127.0.0.1"`. */
  host?: string;
  /** What checkout links carry; default: the URL a request came to. */
  publicUrl?: string;
  /** Hosts that requests over the port may be for besides this machine's own names; default: none. */
  allowedHosts?: string[];
  /** `listen()` serves HTTPS, with a certificate authority made for it; default false. */
  tls?: boolean;
  /** `listen()` serves HTTPS with the certificate in this file (PEM, its chain with it); needs `tlsKey`. */
  tlsCert?: string;
  /** A file with the private key of `tlsCert`. */
  tlsKey?: string;
  /** What the control API asks for beyond loopback, `"generate"` or `"off"`; default: it is closed there. */
  controlToken?: string;
  /** The key `sk_test_ns_NAME` makes the namespace NAME on first use; default false. */
  autoNamespaces?: boolean;
  /** Operation id → path, parameters in braces. This and what follows is as in a config file, names inside included. */
  paths?: Record<string, string>;
  /** Event type → the name it is sent under; default: its own. */
  eventNames?: Record<string, string>;
  /** Error code → the text that is sent in its place; default: itself. */
  errorCodes?: Record<string, string>;
  /** How long each retry of a delivery waits after the attempt before it: durations of sandbox time. */
  retrySchedule?: string[];
  /** What becomes of webhooks while nobody listens for them; default `"hold"`. */
  unreachable?: "hold" | "fail";
  /** Method id → percentages of the settlement amount, as decimal texts; default: the fixtures'. */
  fees?: Record<string, { platform_percent?: string; gateway_percent?: string }>;
  /** Currency → units for one US dollar, as decimal texts; default: the fixtures'. */
  rates?: Record<string, string>;
  /** How long quotes (durations) and checkouts (minutes) live; default 30s, 10m, 60. */
  limits?: { quote_valid?: string; quote_locked?: string; checkout_default_minutes?: number };
  /** How many requests and events are kept; default 1,000 and 10,000. */
  retention?: { requests?: number; events?: number };
}

/** How a function of this process hears webhooks. */
export interface WebhookHandlerOptions {
  /** Types it hears, as globs; default: all. One that fits no type there is needs `force`. */
  events?: string[];
  /** It may hear types of your own. */
  force?: boolean;
  /** Whose events it hears; default `"test"`. */
  mode?: Mode;
  /** What its webhooks are signed with; default: the sandbox's. */
  secret?: string;
  /** How its webhooks are signed; default: the sandbox's. */
  signature?: Signature;
  /** The URL of the requests it gets, for an app that finds its route by it; default `http://localhost/webhooks`. */
  url?: string;
}

/** Ends it, when called or at the end of a `using` block. */
export interface WebhookSubscription {
  (): void;
  [Symbol.dispose](): void;
}

/** How a scenario file is run. */
export interface RunFileOptions {
  /** Variables, in the place of the file's own. */
  readonly vars?: Readonly<Record<string, string>>;
  /** What `${env.NAME}` reads; default: this process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The base URL of the app under test, for `app` steps; a file that has some cannot be run without it. */
  readonly app?: string | undefined;
  /** Called for `manual` steps; resolves when it is done. Default: they count as done. */
  readonly manual?: (text: string) => Promise<void>;
  /** Ends the run early; what it has changed is put back. */
  readonly signal?: AbortSignal;
  /** Called before each step, which is number `number` of `of`, from 1. */
  readonly onStepBegin?: (title: string, number: number, of: number) => void;
  /** Called after each of `of` steps, those that were not run included. */
  readonly onStep?: (step: StepReport, of: number) => void;
}

/** How a flow is explored. */
export interface ExploreFlowOptions extends Pick<RunFileOptions, "vars" | "environment" | "signal"> {
  /** The base URL of the app. */
  readonly app: string;
  /** So many deviations together, at most; default 2. */
  readonly depth?: number;
  /** So many runs side by side, where they cannot meet; default 4. What is found is the same with any number. */
  readonly lanes?: number;
  /** So much wall time, such as `"30s"`; default: as long as it takes. */
  readonly budget?: string;
  /** The folder for a scenario file of each finding; default: none is written. */
  readonly save?: string;
  /** Called after each run: how many there were, and what was found so far. */
  readonly onRun?: (runs: number, findings: number) => void;
}

/** Where `listen` is to listen. */
export interface ListenOptions {
  /** Default: that of the options, else 0, any free one. */
  port?: number;
  /** Default: that of the options, else `"127.0.0.1"`. */
  host?: string;
}

/** What a reset keeps, and how ids go on. */
export interface ResetOptions {
  /** Default: webhooks and keys. */
  keep?: ("webhooks" | "keys" | "scenarios")[];
  /** Starts the ids over, byte for byte; without it they go on. */
  ids?: "repeat";
}

/** How the rows of an app's books are read. */
export interface ReconcileOptions {
  /** Where a field stands in a row, as a dotted path: `{ status: "state", "metadata.order_id": "id" }`. Default: its name. */
  readonly map?: Readonly<Record<string, string>>;
  /** The app's own words for a status. Default: the usual ones are known. */
  readonly statuses?: Readonly<Record<string, Marking>>;
  /** The rows are some of the app's only: a paid charge that none speaks of is no finding. Default false. */
  readonly partial?: boolean;
  /** An instant: charges made before are looked at only where a row speaks of them. Default: all are. */
  readonly since?: string;
  /** Whose charges; default `"test"`. */
  readonly mode?: Mode;
}

/** How the customer pays: `type` says what else there is. */
export type PaymentInstructions = {
  /** What to quote when paying. */
  readonly reference: string;
  /** All of it in a sentence. */
  readonly instructions: string;
} & (
  | {
      readonly type: "bank_transfer";
      readonly bank_name: string;
      readonly account_number: string;
      readonly account_name: string;
    }
  | { readonly type: "mobile_money"; readonly provider: string; readonly phone_number: string }
  | {
      readonly type: "crypto";
      readonly network: string;
      readonly wallet_address: string;
      readonly amount: string;
      readonly currency: string;
    }
  | { readonly type: "card" }
);

/** A charge as a read of the service answers it. Amounts are decimal texts; instants are ISO 8601, in UTC. */
export interface ChargeDetail {
  /** Begins with `ch_`. */
  readonly charge_id: string;
  /** Begins with `co_`. */
  readonly checkout_id: string;
  /** Whose it is. */
  readonly organization_id: string;
  /** What the customer pays, in `currency`. */
  readonly amount: string;
  /** What the customer pays in, such as `"KES"`. */
  readonly currency: string;
  /** Its status. */
  readonly status: ChargeStatus;
  /** There is none behind a sandbox. */
  readonly payment_provider: null;
  /** How the payment is called at the payment provider. */
  readonly provider_reference: string;
  /** When it was made. */
  readonly created_at: string;
  /** When its status changed last. */
  readonly updated_at: string;
  /** Null until the customer has chosen. */
  readonly payment_method: string | null;
  /** The network or provider of the method, where it has one. */
  readonly payment_rail: string | null;
  /** Null where it was not said. */
  readonly customer_email: string | null;
  /** Null where it was not said. */
  readonly customer_name: string | null;
  /** What the app has attached. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Null until the payment method is known, as `exchange_rate` and `settlement_amount` are. */
  readonly fees: {
    readonly total_fee: string;
    readonly fee_breakdown: { readonly platform_fee: string; readonly gateway_fee: string };
  } | null;
  /** Units of `currency` for one of the settlement currency. */
  readonly exchange_rate: string | null;
  /** What is credited, in the settlement currency. */
  readonly settlement_amount: string | null;
  /** Null until it is settled. */
  readonly settled_at: string | null;
  /** Null unless it has failed. */
  readonly failure_reason: string | null;
  /** How the customer pays; which fields there are depends on the type. */
  readonly payment_instructions: PaymentInstructions | null;
  /** When it becomes EXPIRED unless it is paid. */
  readonly expires_at: string;
  /** From first to last. */
  readonly status_history: readonly {
    readonly status: ChargeStatus;
    readonly at: string;
    readonly reason?: string | undefined;
  }[];
}

/** A withdrawal as a read of the service answers it. Amounts are decimal texts; instants are ISO 8601, in UTC. */
export interface WithdrawalDetail {
  /** Begins with `wd_`. */
  readonly withdrawal_id: string;
  /** Where it goes. */
  readonly destination_id: string;
  /** Whose it is. */
  readonly organization_id: string;
  /** What arrives, in `currency`. */
  readonly amount: string;
  /** What it costs on top. */
  readonly fee: string;
  /** Of both. */
  readonly currency: string;
  /** Its status. */
  readonly status: WithdrawalStatus;
  /** Null unless it has failed. */
  readonly failure_reason: string | null;
  /** The app's own name for it; null where it gave none. */
  readonly reference: string | null;
  /** What the app has attached. */
  readonly metadata: Readonly<Record<string, string>>;
  /** When it was made. */
  readonly created_at: string;
  /** When its status changed last. */
  readonly updated_at: string;
}

/** The body of a webhook of that type; `eventNames` gives types other names than these. */
interface EventOf<Type extends string, Data> {
  /** Begins with `evt_`; the same in every attempt at telling it. */
  readonly id: string;
  /** What happened. */
  readonly type: Type;
  /** When, in sandbox time. */
  readonly timestamp: string;
  /** That of the key the object was made with. */
  readonly mode: Mode;
  /** What a read of the object answered at that moment. */
  readonly data: Data;
}

/** The body of a webhook about a charge. */
export type ChargeEvent = EventOf<`charge.${Lowercase<Exclude<ChargeStatus, "PENDING">>}`, ChargeDetail>;

/** The body of a webhook about a withdrawal. */
export type WithdrawalEvent = EventOf<
  `withdrawal.${Lowercase<Exclude<WithdrawalStatus, "PENDING">>}`,
  WithdrawalDetail
>;

/** The body of any webhook of the service; `type` tells what its `data` is. */
export type WebhookEvent =
  | ChargeEvent
  | WithdrawalEvent
  | EventOf<"webhook.test", Readonly<Record<string, unknown>>>;

/**
 * The whole state of a namespace as plain JSON: what `snapshot()` answers and `restore()` takes, in this process or
 * another. What stands in a record is the sandbox's own affair, and may be another in another version.
 */
export interface SandboxState {
  /** Of the form of a state. */
  readonly version: 1;
  /** How many changes have led to it. */
  readonly seq: number;
  /** When it was taken: milliseconds of sandbox time since 1970. */
  readonly at: number;
  /** Kind of id → how many have been given. */
  readonly counters: Readonly<Record<string, number>>;
  /** Collection → its records by their keys. */
  readonly collections: Readonly<
    Record<
      CollectionName,
      readonly (readonly [key: string | number, record: Readonly<Record<string, unknown>>])[]
    >
  >;
}
