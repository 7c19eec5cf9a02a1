import type { Marking } from "./core/schema/books.js";
import type { ChargeStatus, Mode, WithdrawalStatus } from "./core/schema/common.js";
import type { CollectionName } from "./core/schema/records/names.js";
import type { Signature } from "./core/schema/webhooks.js";
import type { StepReport } from "./tools/scenario/running/report.js";

/**
 * What the library's methods take and return, as in its declarations. Durations are text such as
 * `"500ms"`, `"30s"`, `"10m"`, `"2h"` or `"1h30m"`; instants are ISO 8601, in UTC. A value that makes no sense is
 * thrown as a `UserError` that names the option.
 */

/** A receiver of webhooks: a URL or a mailbox. */
export interface WebhookOption {
  /** Where webhooks are sent, by POST; a missing scheme means http. */
  url?: string;
  /** Instead of a URL: deliveries wait there to be collected over the control API. */
  mailbox?: string;
  /** The mode it receives events of; default `"test"`. */
  mode?: Mode;
  /** Event types to receive, as globs such as `"charge.*"`; default: all. One that matches no known type needs `force`. */
  events?: string[];
  /** Allows event types of your own. */
  force?: boolean;
  /** The signing secret of its webhooks; default: `webhookSecret`. */
  secret?: string;
  /** How its webhooks are signed; default: the sandbox's. */
  signature?: Signature;
  /** What happens to attempts while nothing listens there; default: the sandbox's. */
  unreachable?: "hold" | "fail";
}

/** Options of `createSandbox`: those of `start`, in camelCase. */
export interface SandboxOptions {
  /** How time passes: `"real"` (default), `"manual"`, or a speed such as `"60x"`. */
  clock?: string;
  /** Sandbox time at the start, an instant; default: now. */
  startTime?: string;
  /** The same seed and the same calls give the same bytes; at most 200 characters. Default: a fixed one. */
  seed?: string;
  /** Receivers of webhooks; a text is a URL. Default: none. */
  webhooks?: (string | WebhookOption)[];
  /** The secret webhooks are signed with; default: a documented constant. */
  webhookSecret?: string;
  /** How webhooks are signed: a preset's name or a scheme of your own; default `"standard"`. */
  signature?: Signature;
  /** Wall time a receiver has to respond, a duration; default `"15s"`. */
  webhookTimeout?: string;
  /** The longest a fault's `hold` or `drop: hang` delays a response, in wall time, a duration; default `"30s"`. */
  holdLimit?: string;
  /** A scenario's name or file, or several; the last is tried first. Default: only the shipped default one. */
  scenario?: string | string[];
  /** A fixtures file, or its content, merged over the shipped ones; default: only those. */
  fixtures?: string | { readonly [list: string]: readonly object[] };
  /** Keep the state in this file; default: in memory. */
  data?: string;
  /** With `data`: safe against power loss too; default false. */
  fsync?: boolean;
  /** Requests per minute and key; default `"off"`. */
  rateLimit?: number | "off";
  /** The port `listen()` opens; default 0, any free one. */
  port?: number;
  /** The address `listen()` listens on; default `"127.0.0.1"`. */
  host?: string;
  /** The address in checkout links; default: the URL of the request. */
  publicUrl?: string;
  /** Hosts that requests over the port may name, besides this machine's own names; default: none. */
  allowedHosts?: string[];
  /** `listen()` serves HTTPS, with a certificate authority created for it; default false. */
  tls?: boolean;
  /** `listen()` serves HTTPS with the certificate in this file (PEM, its chain with it); needs `tlsKey`. */
  tlsCert?: string;
  /** A file with the private key of `tlsCert`. */
  tlsKey?: string;
  /** The token the control API needs beyond loopback, `"generate"` or `"off"`; default: closed there. */
  controlToken?: string;
  /** The key `sk_test_ns_NAME` creates the namespace NAME on first use; default false. */
  autoNamespaces?: boolean;
  /** Operation ID → path, parameters in braces. This and the following are as in a config file, including names inside. */
  paths?: Record<string, string>;
  /** Event type → the name it is sent under; default: its own. */
  eventNames?: Record<string, string>;
  /** Error code → the text sent instead; default: the code itself. */
  errorCodes?: Record<string, string>;
  /** How long each retry of a delivery waits after the previous attempt: durations of sandbox time. */
  retrySchedule?: string[];
  /** What happens to webhooks while nothing listens at their URL; default `"hold"`. */
  unreachable?: "hold" | "fail";
  /** Method ID → percentages of the settlement amount, as decimal strings; default: the fixtures'. */
  fees?: Record<string, { platform_percent?: string; gateway_percent?: string }>;
  /** Currency → units per US dollar, as decimal strings; default: the fixtures'. */
  rates?: Record<string, string>;
  /** How long quotes (durations) and checkouts (minutes) are valid; default 30s, 10m, 60. */
  limits?: { quote_valid?: string; quote_locked?: string; checkout_default_minutes?: number };
  /** What a hosted charge costs until a method is picked; default `base`: no fees. */
  amounts?: { before_method?: "base" | "cheapest" | "dearest" };
  /** How many requests and events are kept; default 1,000 and 10,000. */
  retention?: { requests?: number; events?: number };
}

/** How a function of this process receives webhooks. */
export interface WebhookHandlerOptions {
  /** Event types to receive, as globs; default: all. One that matches no known type needs `force`. */
  events?: string[];
  /** Allows event types of your own. */
  force?: boolean;
  /** The mode it receives events of; default `"test"`. */
  mode?: Mode;
  /** The signing secret of its webhooks; default: the sandbox's. */
  secret?: string;
  /** How its webhooks are signed; default: the sandbox's. */
  signature?: Signature;
  /** The URL of its requests, for an app that routes by it; default `http://localhost/webhooks`. */
  url?: string;
}

/** Unregisters it, when called or at the end of a `using` block. */
export interface WebhookSubscription {
  (): void;
  [Symbol.dispose](): void;
}

/** How a scenario file is run. */
export interface RunFileOptions {
  /** Variables, instead of the file's own. */
  readonly vars?: Readonly<Record<string, string>>;
  /** What `${env.NAME}` reads; default: this process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The base URL of the app under test, for `app` steps; a file that has some cannot be run without it. */
  readonly app?: string | undefined;
  /** Called for `manual` steps; resolves when it is done. Default: they count as done. */
  readonly manual?: (text: string) => Promise<void>;
  /** Ends the run early; what it changed is restored. */
  readonly signal?: AbortSignal;
  /** Called before each step, which is number `number` of `of`, from 1. */
  readonly onStepBegin?: (title: string, number: number, of: number) => void;
  /** Called after each of `of` steps, including those that were not run. */
  readonly onStep?: (step: StepReport, of: number) => void;
}

/** How a flow is explored. */
export interface ExploreFlowOptions extends Pick<RunFileOptions, "vars" | "environment" | "signal"> {
  /** The base URL of the app. */
  readonly app: string;
  /** Maximum number of deviations at once; default 2. */
  readonly depth?: number;
  /** Maximum number of runs in parallel, where they cannot interfere; default 4. The findings are the same with any number. */
  readonly lanes?: number;
  /** A limit of wall time, such as `"30s"`; default: none. */
  readonly budget?: string;
  /** The folder to write a scenario file of each finding to; default: none is written. */
  readonly save?: string;
  /** Called after each run with the number of runs and findings so far. */
  readonly onRun?: (runs: number, findings: number) => void;
}

/** Where `listen` listens. */
export interface ListenOptions {
  /** Default: that of the options, else 0, any free one. */
  port?: number;
  /** Default: that of the options, else `"127.0.0.1"`. */
  host?: string;
}

/** What a reset keeps, and how IDs continue. */
export interface ResetOptions {
  /** Default: webhooks and keys. */
  keep?: ("webhooks" | "keys" | "scenarios")[];
  /** Issues the same IDs again, byte for byte; by default they continue. */
  ids?: "repeat";
}

/** How the rows of an app's books are read. */
export interface ReconcileOptions {
  /** Where a field is in a row, as a dotted path: `{ status: "state", "metadata.order_id": "id" }`. Default: its name. */
  readonly map?: Readonly<Record<string, string>>;
  /** The app's own words for a status. The usual ones are built in. */
  readonly statuses?: Readonly<Record<string, Marking>>;
  /** The rows are only part of the app's orders: a paid charge without a row is not a finding. Default false. */
  readonly partial?: boolean;
  /** An instant: charges created earlier are checked only if a row refers to them. Default: all are checked. */
  readonly since?: string;
  /** The mode of the charges; default `"test"`. */
  readonly mode?: Mode;
}

/** How the customer pays: the other fields depend on `type`. */
export type PaymentInstructions = {
  /** What to quote when paying. */
  readonly reference: string;
  /** Everything in one sentence. */
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

/** A charge as a read of the service returns it. Amounts are decimal strings; instants are ISO 8601, in UTC. */
export interface ChargeDetail {
  /** Begins with `ch_`. */
  readonly charge_id: string;
  /** Begins with `co_`. */
  readonly checkout_id: string;
  /** The organization it belongs to. */
  readonly organization_id: string;
  /** What the customer pays, in `currency`. */
  readonly amount: string;
  /** What the customer pays in, such as `"KES"`. */
  readonly currency: string;
  /** Its status. */
  readonly status: ChargeStatus;
  /** Always null in the sandbox. */
  readonly payment_provider: null;
  /** The provider's reference of the payment. */
  readonly provider_reference: string;
  /** When it was created. */
  readonly created_at: string;
  /** When its status last changed. */
  readonly updated_at: string;
  /** Null until the customer has chosen. */
  readonly payment_method: string | null;
  /** The network or provider of the method, if it has one. */
  readonly payment_rail: string | null;
  /** Null if not given. */
  readonly customer_email: string | null;
  /** Null if not given. */
  readonly customer_name: string | null;
  /** The app's own data. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Null until the payment method is known, as `exchange_rate` and `settlement_amount` are. */
  readonly fees: {
    readonly total_fee: string;
    readonly fee_breakdown: { readonly platform_fee: string; readonly gateway_fee: string };
  } | null;
  /** Units of `currency` per unit of the settlement currency. */
  readonly exchange_rate: string | null;
  /** What is credited, in the settlement currency. */
  readonly settlement_amount: string | null;
  /** Null until it is settled. */
  readonly settled_at: string | null;
  /** Null unless it has failed. */
  readonly failure_reason: string | null;
  /** How the customer pays; the fields depend on the type. */
  readonly payment_instructions: PaymentInstructions | null;
  /** When it becomes EXPIRED unless it is paid. */
  readonly expires_at: string;
  /** Oldest first. */
  readonly status_history: readonly {
    readonly status: ChargeStatus;
    readonly at: string;
    readonly reason?: string | undefined;
  }[];
}

/** A withdrawal as a read of the service returns it. Amounts are decimal strings; instants are ISO 8601, in UTC. */
export interface WithdrawalDetail {
  /** Begins with `wd_`. */
  readonly withdrawal_id: string;
  /** Where it goes. */
  readonly destination_id: string;
  /** The organization it belongs to. */
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
  /** The app's own reference; null if not given. */
  readonly reference: string | null;
  /** The app's own data. */
  readonly metadata: Readonly<Record<string, string>>;
  /** When it was created. */
  readonly created_at: string;
  /** When its status last changed. */
  readonly updated_at: string;
}

/** The body of a webhook of that type; `eventNames` gives types other names than these. */
interface EventOf<Type extends string, Data> {
  /** Begins with `evt_`; the same in every delivery attempt. */
  readonly id: string;
  /** What happened. */
  readonly type: Type;
  /** When, in sandbox time. */
  readonly timestamp: string;
  /** The mode of the key the object was created with. */
  readonly mode: Mode;
  /** The object as a read returned it at that moment. */
  readonly data: Data;
}

/** The body of a webhook about a charge. */
export type ChargeEvent = EventOf<`charge.${Lowercase<Exclude<ChargeStatus, "PENDING">>}`, ChargeDetail>;

/** The body of a webhook about a withdrawal. */
export type WithdrawalEvent = EventOf<
  `withdrawal.${Lowercase<Exclude<WithdrawalStatus, "PENDING">>}`,
  WithdrawalDetail
>;

/** The body of any webhook of the service; `data` depends on `type`. */
export type WebhookEvent =
  | ChargeEvent
  | WithdrawalEvent
  | EventOf<"webhook.test", Readonly<Record<string, unknown>>>;

/**
 * The whole state of a namespace as plain JSON: what `snapshot()` returns and `restore()` takes, in this process or
 * another. The records are internal and may differ between versions.
 */
export interface SandboxState {
  /** The version of the format. */
  readonly version: 1;
  /** The number of changes so far. */
  readonly seq: number;
  /** When it was taken: milliseconds of sandbox time since 1970. */
  readonly at: number;
  /** Kind of ID → how many have been issued. */
  readonly counters: Readonly<Record<string, number>>;
  /** Collection → its records by their keys. */
  readonly collections: Readonly<
    Record<
      CollectionName,
      readonly (readonly [key: string | number, record: Readonly<Record<string, unknown>>])[]
    >
  >;
}
