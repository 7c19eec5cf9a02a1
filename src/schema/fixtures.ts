import * as z from "zod";
import { amountSchema, metadataSchema, modeSchema } from "./common.js";
import { durationSchema } from "./duration.js";

/**
 * The shape of a fixtures file: everything about the emulated service that a user may want to change.
 * A user's file merges over the shipped one by id (see `mergeFixtures`), so every list is a list of
 * records with an id of their own.
 */
const codeSchema = z.string().regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)?$/, "must be an upper-case currency code");
const percentSchema = z.string().regex(/^\d{1,3}(\.\d{1,10})?$/, 'must be a percentage such as "1.5"');
export const rateSchema = z
  .string()
  .regex(/^(0|[1-9]\d{0,29})(\.\d{1,30})?$/, "must be a decimal string")
  .refine((text) => /[1-9]/.test(text), "must be more than 0");

export const currencyFixtureSchema = z.strictObject({
  code: codeSchema,
  type: z.enum(["fiat", "crypto"]),
  name: z.string().min(1),
  decimals: z.int().min(0).max(18),
  /** Units of this currency for one US dollar. */
  rate: rateSchema,
  /** The network customers are told to use; crypto only. */
  network: z.string().min(1).optional(),
  /** The asset code without its network; crypto only. */
  asset: z.string().min(1).optional(),
  /** Stated minimum of a withdrawal; a currency without one is not offered for payouts. */
  minimum_withdrawal: amountSchema.optional(),
  withdrawal_fee: amountSchema.optional(),
  /** How long a completed payment stays pending. */
  settlement_delay: durationSchema.optional(),
  /** Settlement of crypto: so many confirmations, one each interval. */
  confirmations: z.strictObject({ count: z.int().min(0).max(1000), interval: durationSchema }).optional(),
});

export const methodFixtureSchema = z.strictObject({
  id: z.string().min(1),
  display_name: z.string().min(1),
  icon: z.string(),
  description: z.string(),
  type: z.enum(["fiat", "crypto"]),
  enabled_by_default: z.boolean(),
  currencies: z.array(codeSchema),
  /** Which customer fields and instructions the method has. */
  kind: z.enum(["bank_transfer", "mobile_money", "card", "crypto"]),
  fees: z.strictObject({ platform_percent: percentSchema, gateway_percent: percentSchema }),
});

export const railFixtureSchema = z.strictObject({
  id: z.string().min(1),
  display_name: z.string().min(1),
  payment_method: z.string().min(1),
  currency: codeSchema,
  country: z.string().length(2).nullable(),
  min_amount: amountSchema,
  max_amount: amountSchema.nullable(),
  /** The fictional bank or operator named in the instructions. */
  institution: z.string().min(1).optional(),
});

export const organizationFixtureSchema = z.strictObject({
  organization_id: z.string().min(1),
  name: z.string().min(1),
  country: z.string().length(2),
  status: z.enum(["active", "deactivated"]),
  verified: z.boolean(),
  enabled_payment_methods: z.array(z.string()),
});

export const keyFixtureSchema = z.strictObject({
  key: z.string().regex(/^sk_(test|live)_[A-Za-z0-9_-]+$/, "must start with sk_test_ or sk_live_"),
  organization_id: z.string().min(1),
  permission: z.enum(["full", "read_only"]),
});

export const countryFixtureSchema = z.strictObject({
  code: z.string().length(2),
  currency: codeSchema,
  dialling_code: z.string().regex(/^\+\d{1,3}$/),
});

export const balanceFixtureSchema = z.strictObject({
  id: z.string().min(1),
  organization_id: z.string().min(1),
  mode: modeSchema,
  currency: codeSchema,
  available_balance: amountSchema,
});

export const chargeFixtureSchema = z.strictObject({
  id: z.string().min(1),
  organization_id: z.string().min(1),
  mode: modeSchema,
  currency: codeSchema,
  amount: amountSchema,
  payment_method: z.string().min(1),
  customer_email: z.string().min(1),
  customer_name: z.string().min(1).optional(),
  phone_number: z.string().min(1).optional(),
  bank_account_number: z.string().min(1).optional(),
  metadata: metadataSchema.optional(),
  status: z.enum(["PENDING", "AWAITING_PAYMENT", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]),
});

/** A whole fixtures file, as shipped. */
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
export type KeyFixture = Fixtures["keys"][number];

/** The field that names a record in each list: what a user's file is merged by. */
export const FIXTURE_IDS = {
  currencies: "code",
  methods: "id",
  rails: "id",
  countries: "code",
  organizations: "organization_id",
  keys: "key",
  balances: "id",
  charges: "id",
} as const satisfies Record<keyof Fixtures, string>;

/** A user's fixtures file: any of the lists, and of each record its id and what should differ. */
export const fixturesPatchSchema = z.strictObject({
  currencies: z.array(currencyFixtureSchema.partial().required({ code: true })).optional(),
  methods: z.array(methodFixtureSchema.partial().required({ id: true })).optional(),
  rails: z.array(railFixtureSchema.partial().required({ id: true })).optional(),
  countries: z.array(countryFixtureSchema.partial().required({ code: true })).optional(),
  organizations: z.array(organizationFixtureSchema.partial().required({ organization_id: true })).optional(),
  keys: z.array(keyFixtureSchema.partial().required({ key: true })).optional(),
  balances: z.array(balanceFixtureSchema.partial().required({ id: true })).optional(),
  charges: z.array(chargeFixtureSchema.partial().required({ id: true })).optional(),
});
export type FixturesPatch = z.infer<typeof fixturesPatchSchema>;
