import * as z from "zod/mini";
import {
  httpUrlSchema,
  LEDGER_ACCOUNTS,
  modeSchema,
  RECORDED_ACTORS,
  timestampSchema,
  withdrawalStatusSchema,
} from "../common.js";
import { chargeTimelineEntrySchema, withdrawalTimelineEntrySchema } from "../scenario-rules.js";
import { minLength } from "../schema-checks.js";
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
} from "../service-responses.js";
import {
  boundedCountSchema,
  type DeepReadonly,
  durationMsSchema,
  instantMsSchema,
  jsonTextSchema,
  sequenceNumberSchema,
  signedMoneySchema,
  text,
  textList,
  textOrNull,
} from "./record-fields.js";

export const pricingRecordSchema = z.strictObject({
  base_currency: currencyCodeSchema,
  amount: moneySchema,
  local_pricing: z.optional(z.record(text, moneySchema)),
});
/** The pricing object of a request. Each amount has all decimals of its currency, such as `5.00` for `5`. */
export type Pricing = DeepReadonly<z.infer<typeof pricingRecordSchema>>;

const feesRecord = z.strictObject({
  ...feesSchema.shape,
  fee_breakdown: z.strictObject(feeBreakdownSchema.shape),
});
export type Fees = DeepReadonly<z.infer<typeof feesRecord>>;

const priceShape = {
  amount: moneySchema,
  currency: currencyCodeSchema,
  exchange_rate: exchangeRateSchema,
  fees: feesRecord,
  settlement_amount: moneySchema,
};

export const quoteRecordSchema = z.strictObject({
  quote_id: text,
  seq: sequenceNumberSchema,
  mode: modeSchema,
  organization_id: text,
  pricing: pricingRecordSchema,
  payment_method: text,
  payment_rail: textOrNull,
  ...priceShape,
  wallet_address: textOrNull,
  network: textOrNull,
  customer_email: textOrNull,
  created_at_ms: instantMsSchema,
  expires_at_ms: instantMsSchema,
  locked_until_ms: instantMsSchema,
});
export type Quote = DeepReadonly<z.infer<typeof quoteRecordSchema>>;

export const paymentNoteRecordSchema = z.strictObject({ at: timestampSchema, note: text });
export type PaymentNote = DeepReadonly<z.infer<typeof paymentNoteRecordSchema>>;
const statusChangeRecord = z.strictObject(statusChangeSchema.shape);
export type StatusChange = DeepReadonly<z.infer<typeof statusChangeRecord>>;
const actorRecord = z.enum(RECORDED_ACTORS);

const chargeTasksRecord = z.strictObject({
  expiry: z.optional(sequenceNumberSchema),
  timeline: z.optional(sequenceNumberSchema),
  settlement: z.optional(sequenceNumberSchema),
});
export type ChargeTasks = DeepReadonly<z.infer<typeof chargeTasksRecord>>;

const instructionsRecord = z.discriminatedUnion("type", [
  z.strictObject(bankTransferInstructionsSchema.shape),
  z.strictObject(mobileMoneyInstructionsSchema.shape),
  z.strictObject(cryptoInstructionsSchema.shape),
  z.strictObject(cardInstructionsSchema.shape),
]);
/** The fields depend on the type; no code reads a field by name. */
export type PaymentInstructions = Readonly<Record<string, string>> & { readonly type: string };

const { payment_provider: _provider, ...chargeWire } = chargeDetailSchema.shape;
/** The stored charge: wire fields first, then internal ones. */
export const chargeRecordSchema = z.strictObject({
  ...chargeWire,
  fees: z.nullable(feesRecord),
  payment_instructions: z.nullable(instructionsRecord),
  status_history: z.array(statusChangeRecord).check(minLength(1, "must not be empty")),

  /** Creation order in the namespace; lists sort by it, newest first. */
  seq: sequenceNumberSchema,
  mode: modeSchema,
  kind: z.enum(["whitelabel", "hosted"]),
  success_url: z.nullable(httpUrlSchema),
  cancel_url: z.nullable(httpUrlSchema),
  /** Hosted only: the methods to choose from, and the quote that sets the price. */
  offered_methods: textList,
  quote_id: textOrNull,
  pricing: pricingRecordSchema,
  phone_number: textOrNull,
  bank_account_number: textOrNull,
  expires_at_ms: instantMsSchema,
  /** Time from completion to settlement. If 0, the charge settles in the same commit. */
  settlement_delay_ms: durationMsSchema,
  /** The scenario requested by name, in the request or its metadata. */
  scenario_asked: textOrNull,
  /** The scenario whose rule matched, and a copy of the rule's timeline. */
  scenario: textOrNull,
  timeline: z.array(chargeTimelineEntrySchema),
  /** Index of the matched rule in `scenario.charges`. */
  rule: z.nullable(boundedCountSchema),
  /** Actor of each change in `status_history`. */
  actors: z.array(actorRecord),
  /** True if a manual change has cancelled the rest of the timeline, including entries after expiry. */
  overruled: z.boolean(),
  /** `traceparent` header of the request that created the charge, repeated in the charge's webhooks. */
  traceparent: textOrNull,
  tasks: chargeTasksRecord,
  /** Remarks beside the status changes, such as a timeline entry that came too late. */
  notes: z.array(paymentNoteRecordSchema),
});
export type Charge = Omit<DeepReadonly<z.infer<typeof chargeRecordSchema>>, "payment_instructions"> & {
  readonly payment_instructions: PaymentInstructions | null;
};

/** The stored withdrawal: wire fields first. */
export const withdrawalRecordSchema = z.strictObject({
  ...withdrawalSchema.shape,
  seq: sequenceNumberSchema,
  mode: modeSchema,
  /** The scenario requested by name, and the one whose rule matched. */
  scenario_asked: textOrNull,
  scenario: textOrNull,
  timeline: z.array(withdrawalTimelineEntrySchema),
  status_history: z.array(z.strictObject({ ...statusChangeSchema.shape, status: withdrawalStatusSchema })),
  /** Actor of each change in `status_history`. */
  actors: z.array(actorRecord),
  /** Index of the matched rule in `scenario.withdrawals`. */
  rule: z.nullable(boundedCountSchema),
  timeline_task: z.nullable(sequenceNumberSchema),
  notes: z.array(paymentNoteRecordSchema),
});
export type Withdrawal = DeepReadonly<z.infer<typeof withdrawalRecordSchema>>;

const { destination_id: _id, created_at: _at, ...bankAccount } = bankAccountDestinationSchema.shape;
const { destination_id: _id2, created_at: _at2, ...mobileMoney } = mobileMoneyDestinationSchema.shape;
const { destination_id: _id3, created_at: _at3, ...cryptoWallet } = cryptoWalletDestinationSchema.shape;

/** A payout destination; its fields depend on the type. */
export const destinationRecordSchema = z.strictObject({
  destination_id: text,
  seq: sequenceNumberSchema,
  mode: modeSchema,
  organization_id: text,
  created_at: timestampSchema,
  fields: z.discriminatedUnion("type", [
    z.strictObject(bankAccount),
    z.strictObject(mobileMoney),
    z.strictObject(cryptoWallet),
  ]),
});
export type Destination = Omit<DeepReadonly<z.infer<typeof destinationRecordSchema>>, "fields"> & {
  readonly fields: Readonly<Record<string, string | null>> & {
    readonly type: string;
    readonly currency: string;
  };
};

/** The stored response to a request with an Idempotency-Key. `body` is compared with a repeated request. */
export const idempotencyRecordSchema = z.strictObject({
  seq: sequenceNumberSchema,
  body: text,
  json: jsonTextSchema(() => true, "must be JSON"),
  at_ms: instantMsSchema,
});
export type IdempotentResponse = DeepReadonly<z.infer<typeof idempotencyRecordSchema>>;

/** Balances of an organization in one mode and currency. The five accounts always sum to zero. */
export const holdingsRecordSchema = z.strictObject({
  key: text,
  mode: modeSchema,
  organization_id: text,
  currency: currencyCodeSchema,
  seq: sequenceNumberSchema,
  decimals: z.int().check(z.gte(0), z.lte(18)),
  balances: z.strictObject({
    available: moneySchema,
    pending: moneySchema,
    in_transit: moneySchema,
    fees: moneySchema,
    outside: signedMoneySchema,
  }),
});
export type Holdings = DeepReadonly<z.infer<typeof holdingsRecordSchema>>;

const postingRecord = z.strictObject({ account: z.enum(LEDGER_ACCOUNTS), amount: signedMoneySchema });
export type Posting = DeepReadonly<z.infer<typeof postingRecord>>;

export const ledgerEntryRecordSchema = z.strictObject({
  entry_id: text,
  seq: sequenceNumberSchema,
  at: timestampSchema,
  kind: text,
  mode: modeSchema,
  organization_id: text,
  currency: currencyCodeSchema,
  /** ID of the charge, withdrawal or fixture that caused the entry. */
  object_id: text,
  postings: z.array(postingRecord).check(z.minLength(1), z.maxLength(9)),
});
export type LedgerEntry = DeepReadonly<z.infer<typeof ledgerEntryRecordSchema>>;
