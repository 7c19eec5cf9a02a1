import type { ErrorDetails, Refusal } from "../../schema/errors.js";
import type {
  CurrencyFixture,
  MethodFixture,
  OrganizationFixture,
  RailFixture,
} from "../../schema/fixtures.js";
import {
  type CheckoutBody,
  checkoutRequestSchema,
  type MethodChoice,
  methodChoiceSchema,
  quoteRequestSchema,
  type WhitelabelBody,
  whitelabelRequestSchema,
} from "../../schema/requests.js";
import type { Catalogue } from "../catalogue.js";
import { METHOD_KINDS } from "../method-kinds.js";
import type { Pricing } from "../pricing.js";
import { BodyCheck, oneOf } from "./body-check.js";
import { checkPricing } from "./pricing.js";

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
  return (
    body.refusal ?? {
      pricing: pricing!,
      method: method!,
      currency: currency!,
      rail,
      customerEmail: body.field("customer_email") ?? null,
    }
  );
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
  const field = method && METHOD_KINDS[method.kind].field;
  if (field !== undefined && (raw as WhitelabelBody)[field] === undefined)
    body.fault(field, `is required for ${method!.id}`);
  return body.refusal ?? { pricing: pricing!, method: method!, body: raw as WhitelabelBody };
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
  // Named twice is offered once.
  return (
    body.refusal ?? { pricing: pricing!, methods: [...new Set(asked ?? enabled)], body: raw as CheckoutBody }
  );
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
    const { field, isRequiredOnPage } = METHOD_KINDS[method.kind];
    if (field !== undefined && isRequiredOnPage && (raw as MethodChoice)[field] === undefined)
      body.fault(field, `is required for ${method.id}`);
  }
  return (
    body.refusal ?? {
      method: method!,
      currency: currency!,
      rail: catalogue.rails(method!.id, currency!.code)[0],
      phoneNumber: body.field("phone_number") ?? null,
      bankAccountNumber: body.field("bank_account_number") ?? null,
    }
  );
}
