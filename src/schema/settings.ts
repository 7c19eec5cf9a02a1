import type { Signature } from "./webhooks.js";

/** Numbers of the emulated service that a user may change (contract section 9: limits, retention). */
export interface Limits {
  readonly quote_valid_ms: number;
  readonly quote_locked_ms: number;
  readonly checkout_default_minutes: number;
  readonly checkout_max_minutes: number;
}

export interface Retention {
  /** How many requests the journal keeps. */
  readonly requests: number;
  /** How many events, with their deliveries, the log keeps. */
  readonly events: number;
}

/** What a namespace is run with, all defaults filled in. Durations are milliseconds. */
export interface Settings {
  readonly limits: Limits;
  readonly retention: Retention;
  /** How long each retry of a delivery waits after the attempt before it. */
  readonly retry_schedule_ms: readonly number[];
  readonly signature: Signature;
  /** Event type → the name it is sent under. */
  readonly event_names: Readonly<Record<string, string>>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const DEFAULT_SETTINGS: Settings = {
  limits: {
    quote_valid_ms: 30 * SECOND,
    quote_locked_ms: 10 * MINUTE,
    checkout_default_minutes: 60,
    checkout_max_minutes: 1_440,
  },
  retention: { requests: 1_000, events: 10_000 },
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
  event_names: {},
};
