import type { StartOptions } from "./option-table.js";
import type { Signature } from "./signature-schemes.js";
import { durationToMs } from "./time.js";
import type { WireRule } from "./wire-rules.js";

export interface Limits {
  readonly quote_valid_ms: number;
  readonly quote_locked_ms: number;
  readonly checkout_default_minutes: number;
  readonly charges: number;
  /** Estimated bytes of all namespaces together; undefined: a share of Node's heap. */
  readonly bytes?: number | undefined;
}

interface Retention {
  readonly requests: number;
  /** Maximum number of events in the log. Removing an event removes its deliveries. */
  readonly events: number;
  /** Maximum size of each log, estimated. */
  readonly bytes: number;
}

/** The settings of a namespace, with defaults filled in. Durations are milliseconds. */
export interface Settings {
  readonly limits: Limits;
  readonly retention: Retention;
  /** Fees included in a hosted charge's amount before the customer picks a method: none, the lowest or the highest. */
  readonly amount_before_method: "base" | "cheapest" | "dearest";
  /** Delay of each retry after the previous attempt. */
  readonly retry_schedule_ms: readonly number[];
  readonly signature: Signature;
  /** Handling of attempts while nothing listens at the URL, on a running clock. */
  readonly unreachable: "hold" | "fail";
  /** Event type → name on the wire. */
  readonly event_names: Readonly<Record<string, string>>;
  /** Error code → code on the wire. */
  readonly error_codes: Readonly<Record<string, string>>;
  /** Form of responses and webhooks when they are sent; undefined leaves it. */
  readonly wire?: readonly WireRule[] | undefined;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const MEGABYTE = 1_000_000;

export const DEFAULT_SETTINGS: Settings = {
  limits: {
    quote_valid_ms: 30 * SECOND,
    quote_locked_ms: 10 * MINUTE,
    checkout_default_minutes: 60,
    charges: 200_000,
  },
  retention: { requests: 1_000, events: 10_000, bytes: 64 * MEGABYTE },
  amount_before_method: "base",
  retry_schedule_ms: [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  signature: "standard",
  unreachable: "hold",
  event_names: {},
  error_codes: {},
};

export function resolveSettings(options: StartOptions): Settings {
  const { limits, retention, retry_schedule, signature, event_names, error_codes } = options;
  const defaults = DEFAULT_SETTINGS;
  return {
    limits: {
      quote_valid_ms: msOr(limits?.quote_valid, defaults.limits.quote_valid_ms),
      quote_locked_ms: msOr(limits?.quote_locked, defaults.limits.quote_locked_ms),
      checkout_default_minutes: limits?.checkout_default_minutes ?? defaults.limits.checkout_default_minutes,
      charges: limits?.charges ?? defaults.limits.charges,
      bytes: limits?.bytes,
    },
    retention: {
      requests: retention?.requests ?? defaults.retention.requests,
      events: retention?.events ?? defaults.retention.events,
      bytes: retention?.bytes ?? defaults.retention.bytes,
    },
    amount_before_method: options.amounts?.before_method ?? defaults.amount_before_method,
    retry_schedule_ms: retry_schedule?.map(durationToMs) ?? defaults.retry_schedule_ms,
    signature: signature ?? defaults.signature,
    unreachable: options.unreachable ?? defaults.unreachable,
    event_names: event_names ?? defaults.event_names,
    error_codes: error_codes ?? defaults.error_codes,
    wire: options.wire?.length === 0 ? undefined : options.wire,
  };
}

function msOr(duration: string | undefined, defaultMs: number): number {
  return duration === undefined ? defaultMs : durationToMs(duration);
}
