import * as z from "zod/mini";
import { isJsonObject } from "./json-objects.js";
import { charactersAtMost, MAX_LENGTHS } from "./schema-checks.js";

/** Test and live data are separate; the prefix of the API key selects one (specification: Authentication). */
export const MODES = ["test", "live"] as const;
/** Test or live; their data is separate. */
export type Mode = (typeof MODES)[number];
export const modeSchema = z.enum(MODES);

/** Lifetime of an Idempotency-Key in sandbox time. */
export const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Every status a charge can have, in the order of the specification's States table. */
export const CHARGE_STATUSES = [
  "PENDING",
  "AWAITING_PAYMENT",
  "PROCESSING",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "EXPIRED",
  "REFUNDED",
] as const;
/** Status of a charge, as in response bodies. */
export type ChargeStatus = (typeof CHARGE_STATUSES)[number];
export const chargeStatusSchema = z.enum(CHARGE_STATUSES);

/** Actors of status changes. A change by `control` or `customer` cancels the rest of a scenario's timeline. */
export const ACTORS = ["api", "scenario", "clock", "customer", "control"] as const;
/** Actors in records, which name the door of a change by hand: the control API, the dashboard or the checkout's bar. */
export const RECORDED_ACTORS = [...ACTORS, "dashboard", "checkout"] as const;
export type Actor = (typeof RECORDED_ACTORS)[number];

export function isByHand(actor: Actor): actor is "control" | "dashboard" | "checkout" {
  return actor === "control" || actor === "dashboard" || actor === "checkout";
}

/** Every status of a withdrawal. The list is an assumption about the service. */
export const WITHDRAWAL_STATUSES = ["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"] as const;
/** Status of a withdrawal, as in response bodies. */
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];
export const withdrawalStatusSchema = z.enum(WITHDRAWAL_STATUSES);

export const DELIVERY_STATES = [
  "queued",
  "delivered",
  "failing",
  "held",
  "given_up",
  "off",
  "dropped",
] as const;

export const deliveryStatusSchema = z.enum(["pending", "delivered", "failed", "dropped"]);

/** Accounts in one mode and currency. They sum to zero: `outside` stands for customers and banks. */
export const LEDGER_ACCOUNTS = ["available", "pending", "in_transit", "fees", "outside"] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

/**
 * A decimal string without sign, exponent or leading zeros, at most 30 digits before the point. The currency limits the
 * number of decimals; `domain/requests` checks it.
 */
export const AMOUNT_PATTERN = /^(0|[1-9]\d{0,29})(\.\d+)?$/;
export const amountSchema = z
  .string()
  .check(z.regex(AMOUNT_PATTERN, 'must be a decimal string such as "100.00"'));

/** Format of a currency code. The fixtures define the known codes. */
export const CURRENCY_CODE_PATTERN = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)?$/;
export const countrySchema = z.string().check(z.regex(/^[A-Z]{2}$/, "must be a two-letter country code"));

export const percentSchema = z
  .string()
  .check(z.regex(/^\d{1,3}(\.\d{1,10})?$/, 'must be a percentage such as "1.5"'));

/** Units of a currency for one US dollar. */
export const rateSchema = z.string().check(
  z.regex(/^(0|[1-9]\d{0,29})(\.\d{1,30})?$/, { error: "must be a decimal string", abort: true }),
  z.refine((text) => /[1-9]/.test(text), "must be more than 0"),
);

/** ISO 8601 with milliseconds and Z. */
export const timestampSchema = z.iso.datetime({ precision: 3 });

/** Limits of the Metadata object (specification: Metadata). The byte limit covers all keys and values together. */
export const METADATA_MAX_KEYS = 20;
export const METADATA_MAX_BYTES = 10_240;

interface MetadataFault {
  /** Undefined for a fault of the whole object. */
  readonly key?: string;
  readonly message: string;
}

function metadataFaults(value: unknown): readonly MetadataFault[] {
  if (!isJsonObject(value)) return [{ message: "must be an object" }];
  const keys = Object.keys(value);
  if (keys.length > METADATA_MAX_KEYS) return [{ message: `must have at most ${METADATA_MAX_KEYS} keys` }];
  const faults: MetadataFault[] = [];
  let bytes = 0;
  for (const key of keys) {
    const text = value[key];
    if (typeof text === "string") bytes += Buffer.byteLength(key) + Buffer.byteLength(text);
    else faults.push({ key, message: "must be a string" });
  }
  if (bytes > METADATA_MAX_BYTES)
    faults.push({ message: `must hold at most ${METADATA_MAX_BYTES} bytes in all` });
  return faults;
}

/** Not a `z.record`, which skips the key `__proto__`. */
export const metadataSchema = z.unknown().check(({ value, issues }) => {
  for (const { key, message } of metadataFaults(value))
    issues.push({ code: "custom", path: key === undefined ? [] : [key], message, input: value });
}) as z.ZodMiniType<Record<string, string>>;

export const httpUrlSchema = z.string().check(
  charactersAtMost(MAX_LENGTHS.url),
  z.refine(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    "must be an absolute http or https URL",
  ),
);

export const PHONE_MESSAGE = "must be a phone number with country code, such as +254700000001";
/** E.164, with or without its plus. `domain/requests` checks the country code of a number without. */
export const phoneSchema = z.string().check(z.regex(/^\+?[1-9]\d{6,14}$/, PHONE_MESSAGE));

/** A dot-atom of RFC 5322 at a domain with a top level. Zod's own pattern refuses `&`, `/`, `=` and other valid characters. */
const EMAIL =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
export const emailSchema = z
  .email({ pattern: EMAIL, error: "must be an e-mail address" })
  .check(charactersAtMost(MAX_LENGTHS.email));
