import * as z from "zod/mini";
import { charactersAtMost, MAX_LENGTHS } from "./schema-checks.js";

/** Test and live data are separate; the prefix of the API key selects one (specification: Authentication). */
export const MODES = ["test", "live"] as const;
/** Test or live; their data is separate. */
export type Mode = (typeof MODES)[number];
export const modeSchema = z.enum(MODES);

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
export type Actor = (typeof ACTORS)[number];

/** Every status of a withdrawal. The list is an assumption about the service. */
export const WITHDRAWAL_STATUSES = ["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"] as const;
/** Status of a withdrawal, as in response bodies. */
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];
export const withdrawalStatusSchema = z.enum(WITHDRAWAL_STATUSES);

export const deliveryStatusSchema = z.enum(["pending", "delivered", "failed", "dropped"]);

/**
 * Accounts of an organization in one mode and currency. `outside` stands for customers and banks, so the five accounts
 * always sum to zero.
 */
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

export const metadataSchema = z.record(z.string(), z.string()).check(
  z.refine((metadata) => Object.keys(metadata).length <= METADATA_MAX_KEYS, {
    error: `must have at most ${METADATA_MAX_KEYS} keys`,
    abort: true,
  }),
  z.refine(
    (metadata) => {
      let bytes = 0;
      for (const key in metadata) bytes += Buffer.byteLength(key) + Buffer.byteLength(metadata[key]!);
      return bytes <= METADATA_MAX_BYTES;
    },
    { error: `must hold at most ${METADATA_MAX_BYTES} bytes in all` },
  ),
);

export const httpUrlSchema = z.string().check(
  charactersAtMost(MAX_LENGTHS.url),
  z.refine(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    "must be an absolute http or https URL",
  ),
);

/** E.164: a plus, the country code, up to 15 digits in all. */
export const phoneSchema = z
  .string()
  .check(z.regex(/^\+[1-9]\d{6,14}$/, "must be a phone number with country code, such as +254700000001"));

/** A dot-atom of RFC 5322 at a domain with a top level. Zod's own pattern refuses `&`, `/`, `=` and other valid characters. */
const EMAIL =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
export const emailSchema = z
  .email({ pattern: EMAIL, error: "must be an e-mail address" })
  .check(charactersAtMost(MAX_LENGTHS.email));
