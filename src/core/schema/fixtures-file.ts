import * as z from "zod/mini";
import {
  amountSchema,
  CURRENCY_CODE_PATTERN,
  countrySchema,
  metadataSchema,
  modeSchema,
  percentSchema,
  rateSchema,
} from "./common.js";
import { MAX_LENGTHS, nonEmptyText } from "./schema-checks.js";
import { durationSchema } from "./time.js";

/* A user's fixtures are merged over the shipped ones by the ID of each record (`mergeFixtures`). */

const nameSchema = nonEmptyText(MAX_LENGTHS.name);
const codeSchema = z.string().check(z.regex(CURRENCY_CODE_PATTERN, "must be an upper-case currency code"));
export const currencyFixtureSchema = z.strictObject({
  code: codeSchema,
  type: z.enum(["fiat", "crypto"]),
  name: nameSchema,
  decimals: z.int().check(z.gte(0), z.lte(18)),
  /** Units of the currency per US dollar. */
  rate: rateSchema,
  /** The network in payment instructions; crypto only. */
  network: z.optional(nameSchema),
  /** The asset code without its network; crypto only. */
  asset: z.optional(nameSchema),
  /** Minimum amount of a withdrawal; a currency without a minimum has no payouts. */
  minimum_withdrawal: z.optional(amountSchema),
  withdrawal_fee: z.optional(amountSchema),
  /** Time from completion to settlement. */
  settlement_delay: z.optional(durationSchema),
  /** Settlement of crypto: `count` confirmations, one per `interval`. */
  confirmations: z.optional(
    z.strictObject({ count: z.int().check(z.gte(0), z.lte(1000)), interval: durationSchema }),
  ),
});

export const methodFixtureSchema = z.strictObject({
  id: nameSchema,
  display_name: nameSchema,
  icon: z.string(),
  description: z.string(),
  type: z.enum(["fiat", "crypto"]),
  enabled_by_default: z.boolean(),
  currencies: z.array(codeSchema),
  /** Determines the required customer fields and the payment instructions. */
  kind: z.enum(["bank_transfer", "mobile_money", "card", "crypto"]),
  fees: z.strictObject({ platform_percent: percentSchema, gateway_percent: percentSchema }),
});

export const railFixtureSchema = z.strictObject({
  id: nameSchema,
  display_name: nameSchema,
  payment_method: nameSchema,
  currency: codeSchema,
  country: z.nullable(countrySchema),
  min_amount: amountSchema,
  max_amount: z.nullable(amountSchema),
  /** The fictional bank or operator named in the instructions. */
  institution: z.optional(nameSchema),
});

export const organizationFixtureSchema = z.strictObject({
  organization_id: nameSchema,
  name: nameSchema,
  country: countrySchema,
  status: z.enum(["active", "deactivated"]),
  verified: z.boolean(),
  enabled_payment_methods: z.array(z.string()),
});

/** Keys from fixtures start as active. */
export const keyStatusSchema = z.enum(["active", "revoked"]);

export const keyFixtureSchema = z.strictObject({
  key: z.string().check(z.regex(/^sk_(test|live)_[A-Za-z0-9_-]+$/, "must start with sk_test_ or sk_live_")),
  organization_id: nameSchema,
  permission: z.enum(["full", "read_only"]),
  /** Requests per minute, instead of the server's limit. */
  rate_limit: z.optional(z.int("must be a whole number").check(z.gte(1, "must be at least 1"))),
});

export const countryFixtureSchema = z.strictObject({
  code: countrySchema,
  currency: codeSchema,
  dialling_code: z.string().check(z.regex(/^\+\d{1,3}$/, "must be a plus and up to three digits")),
});

export const balanceFixtureSchema = z.strictObject({
  id: nameSchema,
  organization_id: nameSchema,
  mode: modeSchema,
  currency: codeSchema,
  available_balance: amountSchema,
});

export const chargeFixtureSchema = z.strictObject({
  /** Name by which fixtures files merge; the charge gets a generated `charge_id`. */
  id: nameSchema,
  organization_id: nameSchema,
  mode: modeSchema,
  currency: codeSchema,
  /** Base amount in that currency, without fees. */
  amount: amountSchema,
  payment_method: nameSchema,
  customer_email: nameSchema,
  customer_name: z.optional(nameSchema),
  phone_number: z.optional(nameSchema),
  bank_account_number: z.optional(nameSchema),
  metadata: z.optional(metadataSchema),
  /** PENDING, or a status that a new charge can reach in one step. Not EXPIRED: a charge of the fixtures is new. */
  status: z.enum(["PENDING", "AWAITING_PAYMENT", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]),
});

export const fixturesSchema = z.strictObject({
  currencies: z.array(currencyFixtureSchema),
  methods: z.array(methodFixtureSchema),
  rails: z.array(railFixtureSchema),
  countries: z.array(countryFixtureSchema),
  organizations: z.array(organizationFixtureSchema),
  keys: z.array(keyFixtureSchema),
  balances: z.array(balanceFixtureSchema),
  charges: z.array(chargeFixtureSchema),
});
export type Fixtures = z.infer<typeof fixturesSchema>;
export type CurrencyFixture = Fixtures["currencies"][number];
export type MethodFixture = Fixtures["methods"][number];
export type RailFixture = Fixtures["rails"][number];
export type OrganizationFixture = Fixtures["organizations"][number];
export type ChargeFixture = Fixtures["charges"][number];
export type KeyFixture = Fixtures["keys"][number];

/** The ID field of the records in each list, for merging. */
export const FIXTURE_ID_FIELDS = {
  currencies: "code",
  methods: "id",
  rails: "id",
  countries: "code",
  organizations: "organization_id",
  keys: "key",
  balances: "id",
  charges: "id",
} as const satisfies Record<keyof Fixtures, string>;

/** A user's fixtures file: any of the lists; each record has its ID and the fields to override. */
export const fixturesPatchSchema = z.strictObject({
  currencies: z.optional(z.array(z.required(z.partial(currencyFixtureSchema), { code: true }))),
  methods: z.optional(z.array(z.required(z.partial(methodFixtureSchema), { id: true }))),
  rails: z.optional(z.array(z.required(z.partial(railFixtureSchema), { id: true }))),
  countries: z.optional(z.array(z.required(z.partial(countryFixtureSchema), { code: true }))),
  organizations: z.optional(
    z.array(z.required(z.partial(organizationFixtureSchema), { organization_id: true })),
  ),
  keys: z.optional(z.array(z.required(z.partial(keyFixtureSchema), { key: true }))),
  balances: z.optional(z.array(z.required(z.partial(balanceFixtureSchema), { id: true }))),
  charges: z.optional(z.array(z.required(z.partial(chargeFixtureSchema), { id: true }))),
});
