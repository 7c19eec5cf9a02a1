import type * as z from "zod/mini";
import { type ErrorDetails, invalid, type Refusal } from "../schema/errors.js";
import type { CurrencyFixture, MethodFixture, OrganizationFixture, RailFixture } from "../schema/fixtures.js";
import { check, issueMessage, issuePath } from "../schema/issues.js";
import {
  type CheckoutBody,
  checkoutRequestSchema,
  type DestinationBody,
  destinationRequestSchema,
  type MethodChoice,
  methodChoiceSchema,
  type QuoteBody,
  quoteRequestSchema,
  type WhitelabelBody,
  type WithdrawalBody,
  whitelabelRequestSchema,
  withdrawalRequestSchema,
} from "../schema/requests.js";
import type { Catalogue } from "./catalogue.js";
import { compare, decimalsOf, isZero, toCanonical } from "./money.js";
import type { Pricing } from "./pricing.js";

/**
 * Collects what is wrong with a body, field by field: first what its schema says, then what the fixtures say
 * about the fields the schema found right, so that one answer names every fault.
 */
export class BodyCheck<Body> {
  readonly #details = new Map<string, string>();
  readonly #raw: Record<string, unknown>;

  constructor(schema: z.ZodMiniType<Body>, body: unknown, faults: ErrorDetails = {}) {
    this.#raw = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    const checked = check(schema, body);
    if (!checked.ok) for (const issue of checked.issues) this.fault(issuePath(issue), issueMessage(issue));
    // A record's schema passes over the key __proto__: its value would go in unchecked.
    const { metadata } = this.#raw;
    if (typeof metadata === "object" && metadata !== null && Object.hasOwn(metadata, "__proto__"))
      this.fault("metadata", "must not have a key __proto__");
    for (const [path, message] of Object.entries(faults)) this.fault(path, message);
  }

  fault(path: string, message: string): void {
    if (!this.#details.has(path)) this.#details.set(path, message);
  }

  isRight(path: string): boolean {
    return !this.#details.has(path);
  }

  /** The value at a top-level field, if the schema had nothing against it. */
  field<Name extends keyof Body & string>(name: Name): Body[Name] | undefined {
    return this.isRight(name) ? (this.#raw[name] as Body[Name] | undefined) : undefined;
  }

  get refusal(): Refusal | undefined {
    return this.#details.size === 0 ? undefined : invalid(Object.fromEntries(this.#details));
  }
}

function oneOf(values: readonly string[]): string {
  return values.length === 0 ? "is not available" : `must be one of ${values.join(", ")}`;
}

/** Checks an amount against its currency, and gives it back with exactly the currency's decimals. */
function checkAmount<Body>(
  body: BodyCheck<Body>,
  path: string,
  amount: unknown,
  currency: CurrencyFixture,
): string | undefined {
  if (!body.isRight(path) || typeof amount !== "string") return undefined;
  if (decimalsOf(amount) > currency.decimals)
    body.fault(path, `must have at most ${currency.decimals} decimals in ${currency.code}`);
  else if (isZero(amount)) body.fault(path, "must be more than 0");
  else return toCanonical(amount, currency.decimals);
  return undefined;
}

/** The pricing object, canonical; undefined when something about it is wrong. */
export function checkPricing<Body extends { pricing: QuoteBody["pricing"] }>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
): Pricing | undefined {
  const pricing = body.field("pricing") as Partial<QuoteBody["pricing"]> | undefined;
  if (typeof pricing !== "object" || pricing === null) return undefined;
  const known = (code: string, path: string): CurrencyFixture | undefined => {
    const currency = catalogue.currency(code);
    if (currency === undefined)
      body.fault(path, oneOf(catalogue.fixtures.currencies.map((one) => one.code).sort()));
    return currency;
  };
  const base =
    body.isRight("pricing.base_currency") && typeof pricing.base_currency === "string"
      ? known(pricing.base_currency, "pricing.base_currency")
      : undefined;
  const amount = base && checkAmount(body, "pricing.amount", pricing.amount, base);
  const local = body.isRight("pricing.local_pricing") ? pricing.local_pricing : undefined;
  let localPricing: Record<string, string> | undefined;
  let localIsRight = true;
  if (typeof local === "object" && local !== null) {
    if (base !== undefined && base.code !== "USD")
      body.fault("pricing.local_pricing", "is allowed only when base_currency is USD");
    localPricing = {};
    for (const [code, localAmount] of Object.entries(local)) {
      const path = `pricing.local_pricing.${code}`;
      const currency = known(code, path);
      const canonical = currency && checkAmount(body, path, localAmount, currency);
      if (canonical === undefined) localIsRight = false;
      else localPricing[code] = canonical;
    }
  }
  if (base === undefined || amount === undefined || !localIsRight) return undefined;
  return {
    base_currency: base.code,
    amount,
    ...(localPricing === undefined || Object.keys(localPricing).length === 0
      ? {}
      : { local_pricing: localPricing }),
  };
}

function checkMethod<Body extends { payment_method: string }>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
  organization: OrganizationFixture,
): MethodFixture | undefined {
  const id = body.field("payment_method");
  if (typeof id !== "string") return undefined;
  const method = catalogue.enabledMethod(organization, id);
  if (method === undefined)
    body.fault("payment_method", oneOf(catalogue.enabledMethods(organization).map((one) => one.id)));
  return method;
}

export interface QuoteRequest {
  readonly pricing: Pricing;
  readonly method: MethodFixture;
  readonly currency: CurrencyFixture;
  readonly rail: RailFixture | undefined;
  readonly customerEmail: string | null;
}

/** A quote request, checked and canonical, or every fault it has (specification: Create quote). */
export function readQuoteRequest(
  catalogue: Catalogue,
  organization: OrganizationFixture,
  raw: unknown,
  faults: ErrorDetails,
): QuoteRequest | Refusal {
  const body = new BodyCheck(quoteRequestSchema, raw, faults);
  const pricing = checkPricing(body, catalogue);
  const method = checkMethod(body, catalogue, organization);
  const asked = body.field("to_currency");
  const code = asked ?? pricing?.base_currency;
  let currency: CurrencyFixture | undefined;
  let rail: RailFixture | undefined;
  if (method !== undefined && typeof code === "string") {
    if (method.currencies.includes(code)) currency = catalogue.currency(code);
    else body.fault("to_currency", `must be one of ${method.currencies.join(", ")} for ${method.id}`);
    const rails = catalogue.rails(method.id, code);
    const railId = body.field("payment_rail");
    rail = railId === undefined ? rails[0] : rails.find((one) => one.id === railId);
    if (currency !== undefined && railId !== undefined && rail === undefined)
      body.fault("payment_rail", oneOf(rails.map((one) => one.id)));
  }
  const { refusal } = body;
  if (refusal !== undefined) return refusal;
  return {
    pricing: pricing!,
    method: method!,
    currency: currency!,
    rail,
    customerEmail: body.field("customer_email") ?? null,
  };
}

export interface WhitelabelRequest {
  readonly pricing: Pricing;
  readonly method: MethodFixture;
  readonly body: WhitelabelBody;
}

/**
 * A whitelabel request, checked and canonical, or every fault it has (specification: POST whitelabel).
 * `faults` are what the caller found wrong outside the body and wants reported with the rest.
 */
export function readWhitelabelRequest(
  catalogue: Catalogue,
  organization: OrganizationFixture,
  raw: unknown,
  faults: ErrorDetails,
): WhitelabelRequest | Refusal {
  const body = new BodyCheck(whitelabelRequestSchema, raw, faults);
  const pricing = checkPricing(body, catalogue);
  const method = checkMethod(body, catalogue, organization);
  if (method?.kind === "mobile_money" && (raw as WhitelabelBody).phone_number === undefined)
    body.fault("phone_number", `is required for ${method.id}`);
  if (method?.kind === "bank_transfer" && (raw as WhitelabelBody).bank_account_number === undefined)
    body.fault("bank_account_number", `is required for ${method.id}`);
  const { refusal } = body;
  if (refusal !== undefined) return refusal;
  return { pricing: pricing!, method: method!, body: raw as WhitelabelBody };
}

export interface CheckoutRequest {
  readonly pricing: Pricing;
  /** The methods the customer may choose from: the request's filter, or all that are enabled. */
  readonly methods: readonly string[];
  readonly body: CheckoutBody;
}

/** A standard checkout request, checked and canonical, or every fault it has. */
export function readCheckoutRequest(
  catalogue: Catalogue,
  organization: OrganizationFixture,
  raw: unknown,
  faults: ErrorDetails,
): CheckoutRequest | Refusal {
  const body = new BodyCheck(checkoutRequestSchema, raw, faults);
  const pricing = checkPricing(body, catalogue);
  const enabled = catalogue.enabledMethods(organization).map((method) => method.id);
  const asked = body.field("payment_methods");
  if (Array.isArray(asked))
    for (const [index, id] of asked.entries())
      if (typeof id === "string" && !enabled.includes(id))
        body.fault(`payment_methods.${index}`, oneOf(enabled));
  const { refusal } = body;
  if (refusal !== undefined) return refusal;
  // Named twice is offered once.
  return { pricing: pricing!, methods: [...new Set(asked ?? enabled)], body: raw as CheckoutBody };
}

export interface ChosenMethod {
  readonly method: MethodFixture;
  readonly currency: CurrencyFixture;
  readonly rail: RailFixture | undefined;
  readonly phoneNumber: string | null;
  readonly bankAccountNumber: string | null;
}

/** What the customer chose on the hosted page; `currencyOf` tells in what a method is paid when no currency is named. */
export function readMethodChoice(
  catalogue: Catalogue,
  offered: readonly string[],
  currencyOf: (method: MethodFixture) => string | undefined,
  raw: unknown,
): ChosenMethod | Refusal {
  const body = new BodyCheck<MethodChoice>(methodChoiceSchema, raw);
  const id = body.field("payment_method");
  const method = typeof id === "string" && offered.includes(id) ? catalogue.method(id) : undefined;
  if (typeof id === "string" && method === undefined) body.fault("payment_method", oneOf(offered));
  let currency: CurrencyFixture | undefined;
  if (method !== undefined) {
    const code = body.field("currency") ?? currencyOf(method);
    if (code !== undefined && method.currencies.includes(code)) currency = catalogue.currency(code);
    else body.fault("currency", oneOf(method.currencies));
    if (method.kind === "mobile_money" && (raw as MethodChoice).phone_number === undefined)
      body.fault("phone_number", `is required for ${method.id}`);
  }
  const { refusal } = body;
  if (refusal !== undefined) return refusal;
  return {
    method: method!,
    currency: currency!,
    rail: catalogue.rails(method!.id, currency!.code)[0],
    phoneNumber: body.field("phone_number") ?? null,
    bankAccountNumber: body.field("bank_account_number") ?? null,
  };
}

/** A currency withdrawals can be made in is one with a stated minimum. */
export function payoutCurrencies(catalogue: Catalogue): CurrencyFixture[] {
  return catalogue.fixtures.currencies.filter((currency) => currency.minimum_withdrawal !== undefined);
}

function checkPayoutCurrency<Body extends { currency: string }>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
): CurrencyFixture | undefined {
  const code = body.field("currency");
  if (typeof code !== "string") return undefined;
  const payable = payoutCurrencies(catalogue);
  const currency = payable.find((one) => one.code === code);
  if (currency === undefined) body.fault("currency", oneOf(payable.map((one) => one.code)));
  return currency;
}

/** The fields each type of destination has, besides type, currency and country; all but `network` must be given. */
const DESTINATION_FIELDS = {
  bank_account: ["bank_code", "account_number", "account_name"],
  mobile_money: ["phone_number", "provider"],
  crypto_wallet: ["wallet_address", "network"],
} as const;

/** A payout destination's own fields, checked: only those of its type. */
export function readDestinationRequest(
  catalogue: Catalogue,
  organization: OrganizationFixture,
  raw: unknown,
): (Record<string, string | null> & { type: string; currency: string }) | Refusal {
  const body = new BodyCheck<DestinationBody>(destinationRequestSchema, raw);
  const currency = checkPayoutCurrency(body, catalogue);
  const type = body.field("type");
  const fields: Record<string, string | null> = {};
  if (type !== undefined && currency !== undefined) {
    if ((type === "crypto_wallet") !== (currency.type === "crypto"))
      body.fault("type", `does not suit ${currency.code}, which is a ${currency.type} currency`);
    for (const name of DESTINATION_FIELDS[type]) {
      const value = body.field(name);
      if (name === "network") {
        const network = currency.network ?? currency.code;
        if (value !== undefined && value !== network)
          body.fault("network", `must be ${network} for ${currency.code}`);
        fields.network = network;
      } else if ((raw as DestinationBody)[name] === undefined) body.fault(name, `is required for ${type}`);
      else fields[name] = value ?? null;
    }
  }
  const { refusal } = body;
  if (refusal !== undefined) return refusal;
  const country = body.field("country") ?? (type === "crypto_wallet" ? null : organization.country);
  return { type: type!, currency: currency!.code, country, ...fields };
}

export interface WithdrawalRequest {
  readonly currency: CurrencyFixture;
  readonly amount: string;
  readonly body: WithdrawalBody;
}

/**
 * A withdrawal request, checked and canonical, or every fault it has. `currencyOf` tells the currency of the
 * caller's destination of that id, if there is one.
 */
export function readWithdrawalRequest(
  catalogue: Catalogue,
  raw: unknown,
  currencyOf: (destinationId: string) => string | undefined,
  faults: ErrorDetails,
): WithdrawalRequest | Refusal {
  const body = new BodyCheck<WithdrawalBody>(withdrawalRequestSchema, raw, faults);
  const currency = checkPayoutCurrency(body, catalogue);
  const amount = currency && checkAmount(body, "amount", body.field("amount"), currency);
  const minimum = currency?.minimum_withdrawal;
  if (amount !== undefined && minimum !== undefined && compare(amount, minimum) < 0)
    body.fault("amount", `must be at least ${toCanonical(minimum, currency!.decimals)} ${currency!.code}`);
  const destinationId = body.field("destination_id");
  if (destinationId !== undefined) {
    const destined = currencyOf(destinationId);
    if (destined === undefined) body.fault("destination_id", "is not the id of a payout destination");
    else if (currency !== undefined && destined !== currency.code)
      body.fault("currency", `does not match the destination, which is in ${destined}`);
  }
  const { refusal } = body;
  if (refusal !== undefined) return refusal;
  return { currency: currency!, amount: amount!, body: raw as WithdrawalBody };
}
