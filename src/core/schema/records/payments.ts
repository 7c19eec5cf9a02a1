import * as z from "zod/mini";
import { ACTORS, httpUrlSchema, LEDGER_ACCOUNTS, modeSchema, timestampSchema } from "../common.js";
import { minLength } from "../lengths.js";
import {
  bankAccountDestinationSchema,
  bankTransferInstructionsSchema,
  cardInstructionsSchema,
  chargeDetailSchema,
  cryptoInstructionsSchema,
  cryptoWalletDestinationSchema,
  currencyCodeSchema,
  exchangeRateSchema,
  feeBreakdownSchema,
  feesSchema,
  mobileMoneyDestinationSchema,
  mobileMoneyInstructionsSchema,
  moneySchema,
  statusChangeSchema,
  withdrawalSchema,
} from "../responses.js";
import { chargeEntrySchema, withdrawalEntrySchema } from "../scenario.js";
import {
  count,
  instantMs,
  jsonText,
  type Kept,
  ordinal,
  signedMoney,
  spanMs,
  text,
  textOrNull,
  texts,
} from "./parts.js";

export const pricingRecord = z.strictObject({
  base_currency: currencyCodeSchema,
  amount: moneySchema,
  local_pricing: z.optional(z.record(text, moneySchema)),
});
/** The pricing object of a request, canonical: every amount with its currency's decimals. */
export type Pricing = Kept<z.infer<typeof pricingRecord>>;

const feesRecord = z.strictObject({
  ...feesSchema.shape,
  fee_breakdown: z.strictObject(feeBreakdownSchema.shape),
});
export type Fees = Kept<z.infer<typeof feesRecord>>;

const priceShape = {
  amount: moneySchema,
  currency: currencyCodeSchema,
  exchange_rate: exchangeRateSchema,
  fees: feesRecord,
  settlement_amount: moneySchema,
};

export const quoteRecord = z.strictObject({
  quote_id: text,
  seq: ordinal,
  mode: modeSchema,
  organization_id: text,
  pricing: pricingRecord,
  payment_method: text,
  payment_rail: textOrNull,
  ...priceShape,
  wallet_address: textOrNull,
  network: textOrNull,
  customer_email: textOrNull,
  created_at_ms: instantMs,
  expires_at_ms: instantMs,
  locked_until_ms: instantMs,
});
export type Quote = Kept<z.infer<typeof quoteRecord>>;

export const noteRecord = z.strictObject({ at: timestampSchema, note: text });
export type ChargeNote = Kept<z.infer<typeof noteRecord>>;
const statusChangeRecord = z.strictObject(statusChangeSchema.shape);
export type StatusChange = Kept<z.infer<typeof statusChangeRecord>>;

/** Ids of the tasks that wait for a charge. */
const chargeTasksRecord = z.strictObject({
  expiry: z.optional(ordinal),
  timeline: z.optional(ordinal),
  settlement: z.optional(ordinal),
});
export type ChargeTasks = Kept<z.infer<typeof chargeTasksRecord>>;

const instructionsRecord = z.discriminatedUnion("type", [
  z.strictObject(bankTransferInstructionsSchema.shape),
  z.strictObject(mobileMoneyInstructionsSchema.shape),
  z.strictObject(cryptoInstructionsSchema.shape),
  z.strictObject(cardInstructionsSchema.shape),
]);
/** Which of the fields there are depends on the type; nothing asks for one by its name. */
export type PaymentInstructions = Readonly<Record<string, string>> & { readonly type: string };

/** Instructions that are written when somebody asks for them. */
export interface InstructionsWrittenLater {
  toJSON(): PaymentInstructions;
}

const { payment_provider: _hidden, ...chargeWire } = chargeDetailSchema.shape;
/** A charge as the engine keeps it: the wire fields first, then what only the sandbox knows. */
export const chargeRecord = z.strictObject({
  ...chargeWire,
  fees: z.nullable(feesRecord),
  payment_instructions: z.nullable(instructionsRecord),
  status_history: z.array(statusChangeRecord).check(minLength(1, "must not be empty")),

  /** Place in creation order over all charges of the namespace; lists are newest first by it. */
  seq: ordinal,
  mode: modeSchema,
  kind: z.enum(["whitelabel", "hosted"]),
  /** Where the customer goes back to. */
  success_url: z.nullable(httpUrlSchema),
  cancel_url: z.nullable(httpUrlSchema),
  /** Hosted only: the methods the customer may choose from, and the quote whose price is held for them. */
  offered_methods: texts,
  quote_id: textOrNull,
  pricing: pricingRecord,
  phone_number: textOrNull,
  bank_account_number: textOrNull,
  expires_at_ms: instantMs,
  /** Settlement waits so long after COMPLETED; 0 settles in the same commit. */
  settlement_delay_ms: spanMs,
  /** The scenario asked for by name in the request or its metadata, if any. */
  scenario_asked: textOrNull,
  /** The scenario whose rule matched, and its timeline, frozen when it matched. */
  scenario: textOrNull,
  timeline: z.array(chargeEntrySchema),
  /** Position of the matched rule among the scenario's rules for charges. */
  rule: z.nullable(count),
  /** Who caused each change of `status_history`. */
  actors: z.array(z.enum(ACTORS)),
  /** Somebody has moved it by hand: nothing more of the timeline happens, after its expiry neither. */
  overruled: z.boolean(),
  /** `traceparent` header of the request that created it, for its webhooks. */
  traceparent: textOrNull,
  tasks: chargeTasksRecord,
  /** What happened to it that no status shows: entries that came too late, names that matched nothing. */
  notes: z.array(noteRecord),
});
export type Charge = Omit<Kept<z.infer<typeof chargeRecord>>, "payment_instructions"> & {
  readonly payment_instructions: PaymentInstructions | InstructionsWrittenLater | null;
};

/** A withdrawal as the engine keeps it: the wire fields first. */
export const withdrawalRecord = z.strictObject({
  ...withdrawalSchema.shape,
  seq: ordinal,
  mode: modeSchema,
  /** The scenario asked for by name, and the one whose rule matched. */
  scenario_asked: textOrNull,
  scenario: textOrNull,
  timeline: z.array(withdrawalEntrySchema),
  /** Position of the matched rule among the scenario's rules for withdrawals. */
  rule: z.nullable(count),
  /** The task that carries on the timeline, if it goes on. */
  timeline_task: z.nullable(ordinal),
  /** Entries that came too late, names that matched nothing. */
  notes: z.array(noteRecord),
});
export type Withdrawal = Kept<z.infer<typeof withdrawalRecord>>;

const { destination_id: _id, created_at: _at, ...bankAccount } = bankAccountDestinationSchema.shape;
const { destination_id: _id2, created_at: _at2, ...mobileMoney } = mobileMoneyDestinationSchema.shape;
const { destination_id: _id3, created_at: _at3, ...cryptoWallet } = cryptoWalletDestinationSchema.shape;

/** Where withdrawals go; which of the fields there are depends on the type. */
export const destinationRecord = z.strictObject({
  destination_id: text,
  seq: ordinal,
  mode: modeSchema,
  organization_id: text,
  created_at: timestampSchema,
  fields: z.discriminatedUnion("type", [
    z.strictObject(bankAccount),
    z.strictObject(mobileMoney),
    z.strictObject(cryptoWallet),
  ]),
});
export type Destination = Omit<Kept<z.infer<typeof destinationRecord>>, "fields"> & {
  readonly fields: Readonly<Record<string, string | null>> & {
    readonly type: string;
    readonly currency: string;
  };
};

/** The answer to a request that carried an Idempotency-Key, kept with the request's body to compare by. */
export const idempotencyRecord = z.strictObject({
  seq: ordinal,
  body: text,
  json: jsonText(() => true, "must be JSON"),
  at_ms: instantMs,
});
export type IdempotentAnswer = Kept<z.infer<typeof idempotencyRecord>>;

/** What an organization has in one mode and currency. The five accounts always sum to zero. */
export const holdingsRecord = z.strictObject({
  key: text,
  mode: modeSchema,
  organization_id: text,
  currency: currencyCodeSchema,
  seq: ordinal,
  decimals: z.int().check(z.gte(0), z.lte(18)),
  balances: z.strictObject({
    available: moneySchema,
    pending: moneySchema,
    in_transit: moneySchema,
    fees: moneySchema,
    outside: signedMoney,
  }),
});
export type Holdings = Kept<z.infer<typeof holdingsRecord>>;

const postingRecord = z.strictObject({ account: z.enum(LEDGER_ACCOUNTS), amount: signedMoney });
export type Posting = Kept<z.infer<typeof postingRecord>>;

export const entryRecord = z.strictObject({
  entry_id: text,
  seq: ordinal,
  at: timestampSchema,
  kind: text,
  mode: modeSchema,
  organization_id: text,
  currency: currencyCodeSchema,
  /** The charge, withdrawal or fixture it was posted for. */
  object_id: text,
  postings: z.array(postingRecord).check(z.minLength(1), z.maxLength(9)),
});
export type LedgerEntry = Kept<z.infer<typeof entryRecord>>;
