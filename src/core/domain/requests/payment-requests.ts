import type {
  CurrencyFixture,
  MethodFixture,
  OrganizationFixture,
  RailFixture,
} from "../../schema/fixtures-file.js";
import { didYouMean } from "../../schema/nearest.js";
import type { ErrorDetails, Refusal } from "../../schema/refusals.js";
import {
  type CheckoutBody,
  checkoutRequestSchema,
  type MethodChoice,
  methodChoiceSchema,
  type QuoteBody,
  quoteRequestSchema,
  type WhitelabelBody,
  whitelabelRequestSchema,
} from "../../schema/service-requests.js";
import type { Catalogue } from "../catalogue.js";
import { METHOD_KINDS } from "../method-kinds.js";
import type { Pricing } from "../pricing.js";
import { BodyCheck, checkAmount, checkPhone, oneOfMessage } from "./body-check.js";

function findCurrency<Body>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
  code: string,
  path: string,
): CurrencyFixture | undefined {
  const currency = catalogue.currency(code);
  if (currency === undefined)
    body.reportFault(path, oneOfMessage(code, catalogue.fixtures.currencies.map(({ code }) => code).sort()));
  return currency;
}

/** Returns the canonical pricing object; undefined if it is invalid. */
function checkPricing<Body extends { pricing: QuoteBody["pricing"] }>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
): Pricing | undefined {
  const pricing = body.validField("pricing") as Partial<QuoteBody["pricing"]> | undefined;
  if (typeof pricing !== "object" || pricing === null) return undefined;
  const base =
    body.isValid("pricing.base_currency") && typeof pricing.base_currency === "string"
      ? findCurrency(body, catalogue, pricing.base_currency, "pricing.base_currency")
      : undefined;
  const amount = base && checkAmount(body, "pricing.amount", pricing.amount, base);
  const local = body.isValid("pricing.local_pricing") ? pricing.local_pricing : undefined;
  const localPricing: Record<string, string> = {};
  let isLocalValid = true;
  if (typeof local === "object" && local !== null) {
    if (base !== undefined && base.code !== "USD")
      body.reportFault("pricing.local_pricing", "is allowed only when base_currency is USD");
    for (const [code, localAmount] of Object.entries(local)) {
      const path = `pricing.local_pricing.${code}`;
      const currency = findCurrency(body, catalogue, code, path);
      const canonical = currency && checkAmount(body, path, localAmount, currency);
      if (canonical === undefined) isLocalValid = false;
      else localPricing[code] = canonical;
    }
  }
  if (base === undefined || amount === undefined || !isLocalValid) return undefined;
  return {
    base_currency: base.code,
    amount,
    ...(Object.keys(localPricing).length === 0 ? {} : { local_pricing: localPricing }),
  };
}

function checkMethod<Body extends { payment_method: string }>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
  organization: OrganizationFixture,
): MethodFixture | undefined {
  const id = body.validField("payment_method");
  if (typeof id !== "string") return undefined;
  const method = catalogue.enabledMethod(organization, id);
  if (method === undefined)
    body.reportFault(
      "payment_method",
      oneOfMessage(
        id,
        catalogue.enabledMethods(organization).map(({ id }) => id),
      ),
    );
  return method;
}

/** Checks a quote request (specification: Create quote); returns it in canonical form, or all its faults. */
export function readQuoteRequest(
  catalogue: Catalogue,
  organization: OrganizationFixture,
  raw: unknown,
  faults: ErrorDetails,
) {
  const body = new BodyCheck(quoteRequestSchema, raw, faults);
  const pricing = checkPricing(body, catalogue);
  const method = checkMethod(body, catalogue, organization);
  const code = body.validField("to_currency") ?? pricing?.base_currency;
  let currency: CurrencyFixture | undefined;
  let rail: RailFixture | undefined;
  if (method === undefined && typeof code === "string") findCurrency(body, catalogue, code, "to_currency");
  else if (method !== undefined && typeof code === "string") {
    if (method.currencies.includes(code)) currency = catalogue.currency(code);
    else
      body.reportFault(
        "to_currency",
        `must be one of ${method.currencies.join(", ")} for ${method.id}${didYouMean(code, method.currencies)}`,
      );
    const rails = catalogue.rails(method.id, code);
    const railId = body.validField("payment_rail") ?? undefined;
    rail = railId === undefined ? rails[0] : rails.find(({ id }) => id === railId);
    if (currency !== undefined && railId !== undefined && rail === undefined)
      body.reportFault(
        "payment_rail",
        oneOfMessage(
          railId,
          rails.map(({ id }) => id),
        ),
      );
  }
  return (
    body.refusal ?? {
      pricing: pricing!,
      method: method!,
      currency: currency!,
      rail,
      customerEmail: body.validField("customer_email") ?? null,
    }
  );
}

/** Returns canonical form or all faults, also those that the caller has found (specification: POST whitelabel). */
export function readWhitelabelRequest(
  catalogue: Catalogue,
  organization: OrganizationFixture,
  raw: unknown,
  faults: ErrorDetails,
) {
  const body = new BodyCheck(whitelabelRequestSchema, raw, faults);
  const pricing = checkPricing(body, catalogue);
  const method = checkMethod(body, catalogue, organization);
  const phoneNumber = checkPhone(body, catalogue);
  const field = method && METHOD_KINDS[method.kind].customerField;
  if (field !== undefined && ((raw as WhitelabelBody)[field] ?? null) === null)
    body.reportFault(field, `is required for ${method!.id}`);
  return body.refusal ?? { pricing: pricing!, method: method!, phoneNumber, body: raw as WhitelabelBody };
}

/** Checks a checkout request; returns it in canonical form with the offered methods, or all its faults. */
export function readCheckoutRequest(
  catalogue: Catalogue,
  organization: OrganizationFixture,
  raw: unknown,
  faults: ErrorDetails,
) {
  const body = new BodyCheck(checkoutRequestSchema, raw, faults);
  const pricing = checkPricing(body, catalogue);
  const enabled = catalogue.enabledMethods(organization).map((method) => method.id);
  const requested = body.validField("payment_methods");
  if (Array.isArray(requested))
    for (const [index, id] of requested.entries())
      if (typeof id === "string" && !enabled.includes(id))
        body.reportFault(`payment_methods.${index}`, oneOfMessage(id, enabled));
  return (
    body.refusal ?? {
      pricing: pricing!,
      methods: [...new Set(requested ?? enabled)],
      body: raw as CheckoutBody,
    }
  );
}

export interface ChosenMethod {
  readonly method: MethodFixture;
  readonly currency: CurrencyFixture;
  readonly rail: RailFixture | undefined;
  readonly phoneNumber: string | null;
  readonly bankAccountNumber: string | null;
}

/** Checks the customer's choice on the hosted page; `currenciesOf` returns a method's currencies, the default first. */
export function readMethodChoice(
  catalogue: Catalogue,
  offered: readonly string[],
  currenciesOf: (method: MethodFixture) => readonly string[],
  raw: unknown,
): ChosenMethod | Refusal {
  const body = new BodyCheck<MethodChoice>(methodChoiceSchema, raw);
  const id = body.validField("payment_method");
  const method = typeof id === "string" && offered.includes(id) ? catalogue.method(id) : undefined;
  if (typeof id === "string" && method === undefined)
    body.reportFault("payment_method", oneOfMessage(id, offered));
  const phoneNumber = checkPhone(body, catalogue);
  let currency: CurrencyFixture | undefined;
  if (method !== undefined) {
    const currencies = currenciesOf(method);
    const code = body.validField("currency") ?? currencies[0];
    if (code !== undefined && currencies.includes(code)) currency = catalogue.currency(code);
    else body.reportFault("currency", oneOfMessage(code, currencies));
    const { customerField, isRequiredOnPage } = METHOD_KINDS[method.kind];
    if (customerField !== undefined && isRequiredOnPage && (raw as MethodChoice)[customerField] === undefined)
      body.reportFault(customerField, `is required for ${method.id}`);
  }
  return (
    body.refusal ?? {
      method: method!,
      currency: currency!,
      rail: catalogue.rails(method!.id, currency!.code)[0],
      phoneNumber,
      bankAccountNumber: body.validField("bank_account_number") ?? null,
    }
  );
}
