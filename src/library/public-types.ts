import type { ChargeStatus, Mode, WithdrawalStatus } from "../core/schema/common.js";
import type { OperationId } from "../core/schema/operation-ids.js";
import type { Marking } from "../core/schema/reconciliation.js";
import type { CollectionName } from "../core/schema/records/collection-names.js";
import type { ErrorCode } from "../core/schema/refusals.js";
import type { Signature } from "../core/schema/signature-schemes.js";
import type { StepReport } from "../tools/scenario/running/run-report.js";

/**
 * Arguments and results of the library's methods. Durations are texts such as `"500ms"`, `"30s"`, `"10m"`, `"2h"` or
 * `"1h30m"`; instants are ISO 8601, in UTC. An invalid value throws a `UserError` that names the option.
 */

/** A receiver of webhooks: a URL or a mailbox. */
export interface WebhookOption {
  /** URL that webhooks are sent to; a missing scheme means http. */
  url?: string;
  /** Instead of a URL: name of a mailbox, where deliveries wait to be collected over the control API. */
  mailbox?: string;
  /** Receives the events of this mode; default `"test"`. */
  mode?: Mode;
  /** Event types as globs, such as `"charge.*"`; default: all. A glob that matches no known type needs `force`. */
  events?: string[];
  /** Allows globs that match no known event type. */
  force?: boolean;
  /** The signing secret of the receiver's webhooks; default: `webhookSecret`. */
  secret?: string;
  /** Signature scheme of the receiver's webhooks; default: the sandbox's. */
  signature?: Signature;
  /** Hold or fail attempts while nothing listens at the URL; default: the sandbox's. */
  unreachable?: "hold" | "fail";
}

/** Options of `createSandbox`: those of `start`, in camelCase. Nested keys keep underscores, such as `quote_valid`. */
export interface SandboxOptions {
  /** `"real"` (default), `"manual"`, or a speed such as `"60x"`. */
  clock?: "real" | "manual" | `${number}x`;
  /** Sandbox time at the start, an instant; default: now. */
  startTime?: string;
  /** Source of IDs and random outcomes, at most 200 characters: same seed, same calls, same bytes. Default: fixed. */
  seed?: string;
  /** Receivers of webhooks; a string is a URL. Default: none. */
  webhooks?: (string | WebhookOption)[];
  /** The secret webhooks are signed with; default: a documented constant. */
  webhookSecret?: string;
  /** Signature scheme of webhooks: a preset's name or a custom scheme; default `"standard"`. */
  signature?: Signature;
  /** Maximum wall time for a receiver's response, a duration; default `"15s"`. */
  webhookTimeout?: string;
  /** Maximum wall time that a fault with `hold` or `drop: hang` delays a response; default `"30s"`. */
  holdLimit?: string;
  /** Scenario names or files; a later one takes precedence. The shipped scenario `default` applies after all others. */
  scenario?: string | string[];
  /** A fixtures file or its content, merged into the shipped fixtures. Default: only the shipped ones. */
  fixtures?: string | { readonly [list: string]: readonly object[] };
  /** Path of the file that stores the state, or the URL of a PostgreSQL database; default: in memory only. */
  data?: string;
  /** With a PostgreSQL database: URL of this process for the other processes that use the database. */
  advertiseUrl?: string;
  /** With `data`: sync each change to the disk, to survive power loss; default false. */
  fsync?: boolean;
  /** Requests per minute and key; default `"off"`. */
  rateLimit?: number | "off";
  /** Port of `listen()`; default 0: any free port. */
  port?: number;
  /** Address of `listen()`; default `"127.0.0.1"`. */
  host?: string;
  /** Base URL of checkout links; default: that of the request. */
  publicUrl?: string;
  /** Hosts that requests over the port may name, besides those of this machine; default: none. */
  allowedHosts?: string[];
  /** Serve HTTPS with a generated certificate authority; default false. */
  /** Serve HTTPS with the certificate chain in this PEM file; needs `tlsKey`. */
  tlsCert?: string;
  /** PEM file with the private key of `tlsCert`. */
  tlsKey?: string;
  /** Token of the control API beyond loopback. `"generate"`: a random token; `"off"`: open. Default: closed. */
  controlToken?: string;
  /** The key `sk_test_ns_NAME` creates the namespace NAME on first use; default false. */
  autoNamespaces?: boolean;
  /** Operation ID → path, with parameters in braces; default: the service's paths. */
  paths?: Partial<Record<OperationId, string>>;
  /** Event type → name in webhooks; default: the type. */
  eventNames?: Record<string, string>;
  /** Error code → code in responses; default: unchanged. */
  errorCodes?: Partial<Record<ErrorCode, string>>;
  /** Delay of each retry after the previous attempt, durations of sandbox time. */
  retrySchedule?: string[];
  /** Hold or fail webhooks while nothing listens at their URL; default `"hold"`. */
  unreachable?: "hold" | "fail";
  /** Method ID → percentages of the settlement amount, as decimal strings; default: the fixtures'. */
  fees?: Record<string, { platform_percent?: string; gateway_percent?: string }>;
  /** Currency → units per US dollar, as decimal strings; default: the fixtures'. */
  rates?: Record<string, string>;
  /** Periods of validity. Defaults: quote `"30s"`, locked quote `"10m"`, checkout 60 minutes. */
  limits?: {
    quote_valid?: string;
    quote_locked?: string;
    checkout_default_minutes?: number;
    charges?: number;
  };
  /** Fees in a hosted charge's amount until a method is picked; default `"base"`: no fees. */
  amounts?: { before_method?: "base" | "cheapest" | "dearest" };
  /** Number of requests and events that are kept; default 1,000 and 10,000. */
  retention?: { requests?: number; events?: number };
}

/** Options of `onWebhook`. */
export interface WebhookHandlerOptions {
  /** Event types as globs; default: all. A glob that matches no known type needs `force`. */
  events?: string[];
  /** Allows globs that match no known event type. */
  force?: boolean;
  /** Receives the events of this mode; default `"test"`. */
  mode?: Mode;
  /** The signing secret of the handler's webhooks; default: the sandbox's. */
  secret?: string;
  /** Signature scheme of the handler's webhooks; default: the sandbox's. */
  signature?: Signature;
  /** URL of the requests to the handler, for an app that routes by URL; default `http://localhost/webhooks`. */
  url?: string;
}

/** Unregisters the webhook handler, when called or at the end of a `using` block. */
export interface WebhookSubscription {
  (): void;
  [Symbol.dispose](): void;
}

/** Options of `run`. */
export interface RunFileOptions {
  /** Values of variables; default: those in the file. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Environment for `${env.NAME}`; default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Base URL of the app under test; required for a file with `app` steps. */
  readonly app?: string | undefined;
  /** Called for each `manual` step; resolves when the step is done. Default: the step counts as done. */
  readonly manual?: (text: string) => Promise<void>;
  /** Ends the run early and restores what the run changed. */
  readonly signal?: AbortSignal;
  /** Called before each step; `number` counts from 1, `of` is the number of steps. */
  readonly onStepBegin?: (title: string, number: number, of: number) => void;
  /** Called after each step, even one that was not run; `of` is the number of steps. */
  readonly onStep?: (step: StepReport, of: number) => void;
}

/** Options of `explore`. */
export interface ExploreFlowOptions extends Pick<RunFileOptions, "vars" | "environment" | "signal"> {
  /** The base URL of the app. */
  readonly app: string;
  /** Maximum number of deviations at once; default 2. */
  readonly depth?: number;
  /** Maximum number of parallel runs; default 4. Always 1 if runs could interfere. Does not affect the findings. */
  readonly lanes?: number;
  /** Maximum wall time, a duration; default: none. */
  readonly budget?: string;
  /** Folder for a scenario file of each finding; default: none is written. */
  readonly save?: string;
  /** Adds to the report how long each part of the runs took; default false. */
  readonly profile?: boolean;
  /**
   * Notes to report as findings. `manners` stands for calls that the app repeated without a check of the first call.
   * A kind of deviation stands for the notes of that kind, and such deviations then always run.
   */
  readonly failOn?: readonly string[];
  /** Called after each run with the number of runs and findings so far. */
  readonly onRun?: (runs: number, findings: number) => void;
}

/** Options of `listen`. */
export interface ListenOptions {
  /** Default: that of `createSandbox`, else 0: any free port. */
  port?: number;
  /** Default: that of `createSandbox`, else `"127.0.0.1"`. */
  host?: string;
}

/** Options of `reset`. */
export interface ResetOptions {
  /** Kept data; default: webhooks and keys. */
  keep?: ("webhooks" | "keys" | "scenarios")[];
  /** `"repeat"` issues the same IDs again; default: IDs continue. */
  ids?: "repeat";
}

/** Options of `reconcile`. */
export interface ReconcileOptions {
  /** Field → its dotted path in a row: `{ status: "state", "metadata.order_id": "id" }`. Default: the field's name. */
  readonly map?: Readonly<Record<string, string>>;
  /** Status in the app → meaning: `{ shipped: "paid" }`. Common statuses, such as `succeeded`, are built in. */
  readonly statuses?: Readonly<Record<string, Marking>>;
  /** True if the rows are incomplete: paid charges without a row are then not reported. Default false. */
  readonly partial?: boolean;
  /** Charges created before this instant are checked only if a row refers to them. Default: all are checked. */
  readonly since?: string;
  /** The mode of the charges; default `"test"`. */
  readonly mode?: Mode;
}

/** Tells the customer how to pay; `type` determines the other fields. */
export type PaymentInstructions = {
  /** Reference that the customer gives with the payment. */
  readonly reference: string;
  /** These instructions as text for the customer. */
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

/** A charge, as the service returns it. Amounts are decimal strings; instants are ISO 8601, in UTC. */
export interface ChargeDetail {
  /** Begins with `ch_`. */
  readonly charge_id: string;
  /** Begins with `co_`. */
  readonly checkout_id: string;
  /** Organization that owns the charge. */
  readonly organization_id: string;
  /** Amount that the customer is to pay, in `currency`. */
  readonly amount: string;
  /** The customer's currency, such as `"KES"`. */
  readonly currency: string;
  /** Current status. */
  readonly status: ChargeStatus;
  /** Always null in the sandbox. */
  readonly payment_provider: null;
  /** Reference of the charge at the payment provider. */
  readonly provider_reference: string;
  /** Instant of creation. */
  readonly created_at: string;
  /** Instant of the last status change. */
  readonly updated_at: string;
  /** Null until the customer has chosen a method. */
  readonly payment_method: string | null;
  /** Network or provider of the method; null if it has none. */
  readonly payment_rail: string | null;
  /** Null if not given. */
  readonly customer_email: string | null;
  /** Null if not given. */
  readonly customer_name: string | null;
  /** The app's own data. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Fees, `exchange_rate` and `settlement_amount` are null until the charge is priced. */
  readonly fees: {
    readonly total_fee: string;
    readonly fee_breakdown: { readonly platform_fee: string; readonly gateway_fee: string };
  } | null;
  /** Units of `currency` per unit of the base currency. */
  readonly exchange_rate: string | null;
  /** Amount that the merchant receives, in `currency`; with `amount_paid`, in `currency_paid`. */
  readonly settlement_amount: string | null;
  /** Null until settlement. */
  readonly settled_at: string | null;
  /** Null unless the charge has failed. */
  readonly failure_reason: string | null;
  /** Tells the customer how to pay. */
  readonly payment_instructions: PaymentInstructions | null;
  /** An unpaid charge becomes EXPIRED at this instant. */
  readonly expires_at: string;
  /** Oldest first. */
  readonly status_history: readonly {
    readonly status: ChargeStatus;
    readonly at: string;
    readonly reason?: string | undefined;
  }[];
  /** Amount that the customer paid; present only if a scenario makes it differ from `amount`. */
  readonly amount_paid?: string | undefined;
  /** Currency of `amount_paid`; undefined without `amount_paid`. */
  readonly currency_paid?: string | undefined;
}

/** A withdrawal, as the service returns it. Amounts are decimal strings; instants are ISO 8601, in UTC. */
export interface WithdrawalDetail {
  /** Begins with `wd_`. */
  readonly withdrawal_id: string;
  /** ID of the payout destination. */
  readonly destination_id: string;
  /** Organization that owns the withdrawal. */
  readonly organization_id: string;
  /** Amount paid out, in `currency`. */
  readonly amount: string;
  /** Charged in addition to `amount`. */
  readonly fee: string;
  /** Currency of `amount` and `fee`. */
  readonly currency: string;
  /** Current status. */
  readonly status: WithdrawalStatus;
  /** Null unless the withdrawal has failed. */
  readonly failure_reason: string | null;
  /** The app's own reference; null if not given. */
  readonly reference: string | null;
  /** The app's own data. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Instant of creation. */
  readonly created_at: string;
  /** Instant of the last status change. */
  readonly updated_at: string;
}

/** Body of a webhook; the option `eventNames` can rename its `type`. */
interface EventOf<Type extends string, Data> {
  /** Begins with `evt_`; the same in every delivery attempt. */
  readonly id: string;
  /** Event type, such as `"charge.completed"`. */
  readonly type: Type;
  /** Sandbox time of the event. */
  readonly timestamp: string;
  /** The mode of the key that created the object. */
  readonly mode: Mode;
  /** The object's state at `timestamp`, in the form of a GET response. */
  readonly data: Data;
}

/** Body of a webhook about a charge. */
export type ChargeEvent = EventOf<`charge.${Lowercase<Exclude<ChargeStatus, "PENDING">>}`, ChargeDetail>;

/** Body of a webhook about a withdrawal. */
export type WithdrawalEvent = EventOf<
  `withdrawal.${Lowercase<Exclude<WithdrawalStatus, "PENDING">>}`,
  WithdrawalDetail
>;

/** Body of any webhook of the service; `data` depends on `type`. */
export type WebhookEvent =
  | ChargeEvent
  | WithdrawalEvent
  | EventOf<"webhook.test", Readonly<Record<string, unknown>>>;

/**
 * State of a namespace as plain JSON. `restore()` accepts a state that another process took with `snapshot()`. The
 * records in a state are internal and may change between versions.
 */
export interface SandboxState {
  /** Version of the format. */
  readonly version: 1;
  /** Number of changes so far. */
  readonly seq: number;
  /** Sandbox time of the snapshot, in ms since 1970. */
  readonly at: number;
  /** Kind of ID → number of IDs issued. */
  readonly counters: Readonly<Record<string, number>>;
  /** Collection → its records by their keys. */
  readonly collections: Readonly<
    Record<
      CollectionName,
      readonly (readonly [key: string | number, record: Readonly<Record<string, unknown>>])[]
    >
  >;
}
