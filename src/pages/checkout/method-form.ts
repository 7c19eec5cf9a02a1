import { METHOD_KINDS } from "../../core/domain/method-kinds.js";
import type { ControlCheckout } from "../../core/schema/control-checkout-responses.js";
import { readBody } from "../../server/http/body.js";
import { moneyMarkup } from "../format.js";
import { html, type Markup } from "../html.js";
import {
  type CheckoutPage,
  currencyName,
  displayUnit,
  type MethodOffer,
  methodOf,
  type OfferPrice,
} from "./page-model.js";
import { rateText } from "./payment-summary.js";

/** One radio button per method; the selected one shows its currencies and fields. */
export function methodRadioButtons(page: CheckoutPage): Markup {
  const { offers, errors } = page;
  const error = errors.payment_method;
  const selected = selectedMethod(page);
  return html`<fieldset${error !== undefined && html` aria-describedby="method-fault"`}>
<legend>How would you like to pay?</legend>
${error !== undefined && html`<p class="fault" id="method-fault">${error}</p>`}
<div class="methods">${offers.map((offer, index) => methodChoice(page, offer, `m${index}`, selected))}</div>
</fieldset>`;
}

/** The submitted method, else the first that takes the base currency. */
function selectedMethod({ checkout, offers, submitted }: CheckoutPage): string | undefined {
  const ids = offers.map(({ method }) => method.id);
  const preferred = ids.find((id) => id === submitted?.get("payment_method"));
  const matching = offers.find(({ prices }) =>
    prices.some(({ currency }) => currency.code === checkout.pricing.base_currency),
  );
  return preferred ?? matching?.method.id ?? ids[0];
}

/** The price in the submitted currency, else in the method's default, which is listed first. */
function chosenPrice({ submitted }: CheckoutPage, { method, prices }: MethodOffer): OfferPrice | undefined {
  const sent = submitted && readMethodField(submitted, "currency", method.id);
  return prices.find(({ currency }) => currency.code === sent) ?? prices[0];
}

export function selectedPrice(page: CheckoutPage): OfferPrice | undefined {
  const offer = page.offers.find(({ method }) => method.id === selectedMethod(page));
  return offer && chosenPrice(page, offer);
}

/** Element ids begin with `prefix`, not with the method's id: a method's id may contain any character. */
function methodChoice(
  page: CheckoutPage,
  offer: MethodOffer,
  prefix: string,
  selectedId: string | undefined,
): Markup {
  const { method } = offer;
  const isSelected = method.id === selectedId;
  const { customerField } = METHOD_KINDS[method.kind];
  const error = page.errors.payment_method;
  return html`<div class="method">
<label class="pick"><input type="radio" name="payment_method"
value="${method.id}"${isSelected && html` checked`}${isSelected && error !== undefined && html` autofocus`}>
<strong><bdi>${method.display_name}</bdi></strong> <span
class="small soft"><bdi>${method.description}</bdi></span></label>
<div class="detail">
${customerField === "phone_number" && phoneField(page, offer, prefix, isSelected)}
${currencyChoices(page, offer, prefix, isSelected)}
${customerField === "bank_account_number" && accountField(page, offer, prefix)}
</div>
</div>`;
}

/** The chosen currency, above the others in a closed list. */
function currencyChoices(
  page: CheckoutPage,
  offer: MethodOffer,
  prefix: string,
  isSelected: boolean,
): Markup {
  const { method, prices } = offer;
  const chosen = chosenPrice(page, offer);
  const error = isSelected ? page.errors.currency : undefined;
  const choice = ({ currency, price }: OfferPrice) => {
    const unit = displayUnit(page, currency.code);
    const isBase = currency.code === page.checkout.pricing.base_currency;
    const isChosen = currency === chosen?.currency;
    return html`<label class="offer"><input type="radio" name="${methodFieldName("currency", method.id)}"
value="${currency.code}"${isChosen && html` checked`}${isChosen && error !== undefined && html` autofocus`}>
<span><span><bdi>${currencyName(currency)}</bdi></span> <strong>${moneyMarkup(price.amount, unit)}</strong></span>
<small><span>fees <span class="fees">${moneyMarkup(price.fees.total_fee, unit)}</span></span> ${
      !isBase && html`<span>${rateText(page, currency.code, price.exchange_rate)}</span>`
    }</small></label>`;
  };
  const { hasWallet } = METHOD_KINDS[method.kind];
  const others = prices.filter((price) => price !== chosen);
  return html`<fieldset${error !== undefined && html` aria-describedby="${prefix}-fault"`}>
<legend>${hasWallet ? "Asset and network" : "Currency"} for <bdi>${method.display_name}</bdi></legend>
${error !== undefined && html`<p class="fault" id="${prefix}-fault">${error}</p>`}
${chosen && choice(chosen)}
${
  others.length > 0 &&
  html`<details><summary>Other ${
    hasWallet ? "assets" : "currencies"
  } (${others.length})</summary>${others.map(choice)}</details>`
}
</fieldset>`;
}

function phoneField(
  page: CheckoutPage,
  { method }: MethodOffer,
  prefix: string,
  isSelected: boolean,
): Markup {
  const { submitted, errors } = page;
  const error = isSelected ? errors.phone_number : undefined;
  return html`<div class="field">
<label for="${prefix}-phone">Phone number <span class="soft small">(required)</span></label>
<input id="${prefix}-phone" name="${methodFieldName("phone_number", method.id)}" type="tel" autocomplete="tel"
value="${
    submitted && readMethodField(submitted, "phone_number", method.id)
  }" aria-required="true" aria-describedby="${prefix}-hint"${
    error !== undefined && html` aria-invalid="true" autofocus`
  }>
<p class="${error === undefined ? "small soft" : "fault"}"
id="${prefix}-hint">${error ?? "The number of your mobile money wallet, with country code."}</p>
</div>`;
}

function accountField({ submitted }: CheckoutPage, { method }: MethodOffer, prefix: string): Markup {
  return html`<div class="field">
<label for="${prefix}-account">Your bank account number <span class="soft small">(optional)</span></label>
<input id="${prefix}-account" name="${methodFieldName("bank_account_number", method.id)}" autocomplete="off"
value="${submitted && readMethodField(submitted, "bank_account_number", method.id)}">
</div>`;
}

const MAX_FORM_BYTES = 64 * 1024;

type FormResult = { readonly form: URLSearchParams } | { readonly status: 400 | 413; readonly why: string };

export async function readForm(request: Request): Promise<FormResult> {
  const raw = await readBody(request);
  if ("torn" in raw) return { status: 400, why: "The form ended before it was complete." };
  if ("tooLarge" in raw || Buffer.byteLength(raw.text) > MAX_FORM_BYTES)
    return { status: 413, why: "The form is larger than 64 KiB." };
  const type = request.headers.get("content-type");
  if (raw.text !== "" && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? ""))
    return { status: 400, why: "The form must be sent as application/x-www-form-urlencoded." };
  return { form: new URLSearchParams(raw.text) };
}

/** Name of a field that belongs to one method, such as `currency.mobile_money`. */
function methodFieldName(name: string, methodId: string): string {
  return `${name}.${methodId}`;
}

/** Reads a field of one method. Scripts may post the field without the method's suffix. */
function readMethodField(form: URLSearchParams, name: string, methodId: string): string | null {
  return form.get(methodFieldName(name, methodId)) ?? form.get(name);
}

/** The input of `payCheckout`. Ignores empty fields and fields that the method does not use. */
export function readMethodForm(form: URLSearchParams, checkout: ControlCheckout): object {
  const id = form.get("payment_method");
  if (id === null) return {};
  const fields: Record<string, string> = { payment_method: id };
  const kind = checkout.offered_methods.includes(id) ? methodOf(checkout, id)?.kind : undefined;
  for (const name of ["currency", kind && METHOD_KINDS[kind].customerField]) {
    const value = name && readMethodField(form, name, id)?.trim();
    if (value) fields[name] = name === "phone_number" ? plainPhone(value) : value;
  }
  return fields;
}

/** Normalizes a phone number: `00254 (700) 000-001` → `+254700000001`. */
function plainPhone(text: string): string {
  return text.replace(/[\s().\u2010-\u2015-]/g, "").replace(/^00/, "+");
}
