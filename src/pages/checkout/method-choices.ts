import { METHOD_KINDS } from "../../core/domain/method-kinds.js";
import { fieldOf } from "../form.js";
import { money, moneyText } from "../format.js";
import { flag, html, type Markup } from "../html.js";
import { type Offer, type Page, unit } from "../model.js";
import { rateText } from "./parts.js";

/** One radio button per method; the selected one shows its currencies and fields. */
export function methodChoices(page: Page): Markup {
  const { offers, fields } = page;
  const fault = fields.faults.payment_method;
  const chosen = chosenMethod(page);
  return html`<fieldset${fault !== undefined && html` aria-describedby="method-fault"`}>
<legend>How would you like to pay?</legend>
${fault !== undefined && html`<p class="fault" id="method-fault">${fault}</p>`}
<div class="methods">${offers.map((offer, index) => methodChoice(page, offer, `m${index}`, chosen))}</div>
</fieldset>`;
}

/** The submitted method, else the quote's, else the first that takes the base currency. */
function chosenMethod({ charge, offers, fields, quoted }: Page): string | undefined {
  const ids = offers.map(({ method }) => method.id);
  const known = [fields.sent?.get("payment_method"), quoted?.method].find((id) => id && ids.includes(id));
  const suits = offers.find(({ prices }) =>
    prices.some(({ currency }) => currency.code === charge.pricing.base_currency),
  );
  return known ?? suits?.method.id ?? ids[0];
}

function chosenCurrency({ charge, fields, quoted }: Page, { method, prices }: Offer): string | undefined {
  const codes = prices.map(({ currency }) => currency.code);
  const sent = fields.sent?.get(fieldOf("currency", method.id)) ?? fields.sent?.get("currency");
  const wishes = [sent, quoted?.currency, charge.pricing.base_currency];
  return wishes.find((code) => code && codes.includes(code)) ?? codes[0];
}

/** The price of the preselected method and currency. */
export function chosenPrice(page: Page): Offer["prices"][number] | undefined {
  const chosenId = chosenMethod(page);
  const offer = page.offers.find(({ method }) => method.id === chosenId);
  const code = offer && chosenCurrency(page, offer);
  return offer?.prices.find(({ currency }) => currency.code === code);
}

/** @param prefix makes element ids unique; a method's id may be any text */
function methodChoice(page: Page, offer: Offer, place: string, chosenId: string | undefined): Markup {
  const { method } = offer;
  const isChosen = method.id === chosenId;
  const { field } = METHOD_KINDS[method.kind];
  const fault = page.fields.faults.payment_method;
  return html`<div class="method">
<label class="pick"><input type="radio" name="payment_method" value="${method.id}"${flag("checked", isChosen)}${flag("autofocus", isChosen && fault !== undefined)}>
<strong><bdi>${method.display_name}</bdi></strong> <span class="small soft"><bdi>${method.description}</bdi></span></label>
<div class="detail">
${currencyChoices(page, offer, place, isChosen)}
${field === "phone_number" && phoneField(page, offer, place, isChosen)}
${field === "bank_account_number" && accountField(page, offer, place)}
</div>
</div>`;
}

function currencyChoices(page: Page, offer: Offer, place: string, isChosen: boolean): Markup {
  const { method, prices } = offer;
  const chosen = chosenCurrency(page, offer);
  const fault = isChosen ? page.fields.faults.currency : undefined;
  return html`<fieldset${fault !== undefined && html` aria-describedby="${place}-fault"`}>
<legend>${METHOD_KINDS[method.kind].wallet ? "Asset and network" : "Currency"}<span class="unseen"> for <bdi>${method.display_name}</bdi></span></legend>
${fault !== undefined && html`<p class="fault" id="${place}-fault">${fault}</p>`}
${prices.map(({ currency, price }) => {
  const paid = unit(page.catalogue, currency.code);
  const isBase = currency.code === page.charge.pricing.base_currency;
  return html`<label class="offer"><input type="radio" name="${fieldOf("currency", method.id)}" value="${currency.code}"${flag("checked", currency.code === chosen)} data-total="${moneyText(price.amount, paid)}" data-fees="${moneyText(price.fees.total_fee, paid)}"${flag("autofocus", currency.code === chosen && fault !== undefined)}>
<span><span><bdi>${currency.name}</bdi></span> <strong>${money(price.amount, paid)}</strong></span>
<small><span>includes ${money(price.fees.total_fee, paid)} fees</span> ${!isBase && html`<span>${rateText(page, currency.code, price.exchange_rate)}</span>`}</small></label>`;
})}
</fieldset>`;
}

function phoneField({ fields }: Page, { method }: Offer, place: string, isChosen: boolean): Markup {
  const name = fieldOf("phone_number", method.id);
  const value = fields.sent?.get(name) ?? fields.sent?.get("phone_number") ?? "";
  const fault = isChosen ? fields.faults.phone_number : undefined;
  const described = fault === undefined ? `${place}-hint` : `${place}-hint ${place}-phone-fault`;
  return html`<div class="field">
<label for="${place}-phone">Phone number <span class="soft small">(required)</span></label>
<input id="${place}-phone" name="${name}" type="tel" autocomplete="tel" value="${value}" aria-required="true" aria-describedby="${described}"${fault !== undefined && html` aria-invalid="true"${flag("autofocus", true)}`}>
${fault !== undefined && html`<p class="fault" id="${place}-phone-fault">${fault}</p>`}
<p class="small soft" id="${place}-hint">The number of your mobile money wallet, with country code.</p>
</div>`;
}

function accountField({ fields }: Page, { method }: Offer, place: string): Markup {
  const name = fieldOf("bank_account_number", method.id);
  const value = fields.sent?.get(name) ?? fields.sent?.get("bank_account_number") ?? "";
  return html`<div class="field">
<label for="${place}-account">Bank account number <span class="soft small">(optional)</span></label>
<input id="${place}-account" name="${name}" autocomplete="off" value="${value}" aria-describedby="${place}-hint">
<p class="small soft" id="${place}-hint">The account you will pay from.</p>
</div>`;
}
