import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { REVERSALS } from "../../../core/schema/event-types.js";
import { groupDigits } from "../../format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { filteredList, type Listing } from "../lists.js";
import { linkTo, type PageContext } from "../page-context.js";
import { chargeCopies } from "../payment/copies.js";
import { repeatMenu } from "../payment/moves.js";
import { metadataFacts, paymentPage } from "../payment/page.js";
import { chargeRow, nameOf } from "../rows.js";
import type { View } from "../view.js";

export const CHARGES: View = {
  name: "charges",
  title: "Charges",
  listId: "charges",
  searches: "id, e-mail, order, amount",
  list: (context) => filteredList(context, listing(context), html`<h1>Charges</h1>`),
  listing,
  record: ["charge", chargePage],
  count: async ({ ask, mode }) => [(await ask("listCharges", { mode, limit: 1 })).total, "charges", ""],
};

const REVERSED = Object.values(REVERSALS).flatMap(({ of, status }) => (of === "charge" ? status : []));

function listing(context: PageContext): Listing<"charges"> {
  return {
    name: "charges",
    choices: { status: [...CHARGE_STATUSES, ...REVERSED] },
    headings: ["Created", "Status", "Amount", "Customer", "Order, method", "Id"],
    get: (charge_id) => context.ask("getCharge", { charge_id }),
    idOf: ({ charge_id }) => charge_id,
    row: (charge) => chargeRow(context, charge),
    none: html`None yet. ${ui.button({ does: ["make"], label: "Make one for me" })}`,
  };
}

async function chargePage(context: PageContext, charge_id: string): Promise<Markup> {
  const charge = await context.ask("getCharge", { charge_id });
  const { customer_name, customer_email, fees, settlement_amount, kind, checkout_id } = charge;
  const { amount_paid, currency_paid, currency, settled_at, exchange_rate } = charge;
  const order = nameOf(charge);
  const checkoutLink =
    kind === "hosted" &&
    html`<a class="button" href="${linkTo(context, `/checkout/${checkout_id}`)}">Checkout page ↗</a>`;
  const price =
    settlement_amount !== null &&
    fees !== null &&
    `${groupDigits(settlement_amount)} + ${groupDigits(fees.total_fee)} fees, rate ${exchange_rate ?? "–"}`;
  return paymentPage(context, charge, {
    list: "Charges",
    noun: "charge",
    about: [
      customer_email ?? customer_name ?? "no e-mail",
      order !== undefined && html`<span class="about">${order}</span>`,
      charge.payment_method?.replaceAll("_", " ") ?? "no method yet",
    ],
    copies: await chargeCopies(context, charge),
    extras: html`${await repeatMenu(context, charge)}${checkoutLink}`,
    facts: [
      ["Customer", html`<bdi>${[customer_name, customer_email].filter(Boolean).join(", ") || "–"}</bdi>`],
      price !== false && ["Price", price],
      amount_paid !== undefined && ["Paid", ui.amountMarkup(amount_paid, currency_paid ?? currency)],
      ["Reference", html`<code>${charge.provider_reference}</code>`],
      ["Created", ui.timeTag(context, charge.created_at)],
      ["Expires", ui.timeTag(context, charge.expires_at)],
      ["Settled", settled_at === null ? "–" : ui.timeTag(context, settled_at)],
      ...metadataFacts(charge),
    ],
  });
}
