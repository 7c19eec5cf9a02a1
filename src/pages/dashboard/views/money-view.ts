import type { Holdings } from "../../../core/domain/ledger-postings.js";
import { add } from "../../../core/domain/money.js";
import { usdRateOf } from "../../../core/engine/market.js";
import { LEDGER_ACCOUNTS, type LedgerAccount } from "../../../core/schema/common.js";
import { groupDigits } from "../../format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, pageOffset, ROWS_PER_PAGE } from "../page-context.js";
import { filteredList } from "./filtered-list.js";
import { payoutListing } from "./payment-lists.js";
import { objectUrl } from "./record-rows.js";

const MAX_HOLDINGS = 200;

/** Balances, withdrawals, ledger, destinations and rates. */
export function moneyView(context: PageContext): Markup {
  const { state, catalogue } = context.namespace.engine;
  const holdings = [...state.tables.holdings.values()].filter((holding) => isInMode(context, holding));
  const newest = holdings.toSorted((a, b) => b.seq - a.seq).slice(0, MAX_HOLDINGS);
  const { currencies } = catalogue.fixtures;
  const hasOrganizations = new Set(holdings.map(({ organization_id }) => organization_id)).size > 1;
  const destinations = state
    .page("destinations", "destinations", 0, ROWS_PER_PAGE)
    .filter((destination) => isInMode(context, destination));
  return html`<h1>Money</h1>
${ui.section({
  id: "balances",
  title: "Balances",
  body: html`${
    holdings.length === 0
      ? html`<p class="soft">No account yet: it is opened by the first payment in its currency.</p>`
      : ui.scrollableTable(
          "Balances",
          hasOrganizations ? ["Organization", "Currency"] : ["Currency"],
          ["Available", "Pending", "In transit", "Fees paid"],
          newest.map(
            ({ key, organization_id, mode, currency, balances }) =>
              html`<tr data-key="${key}">${hasOrganizations && html`<td>${organization_id}</td>`}<td>${currency} ${ui.liveModeTag(mode)}</td>
<td class="number"><strong>${groupDigits(balances.available)}</strong></td>
<td class="number">${groupDigits(balances.pending)}</td>
<td class="number">${groupDigits(balances.in_transit)}</td>
<td class="number">${groupDigits(balances.fees)}</td></tr>`,
          ),
        )
  }
${ui.actionForm(
  context,
  html`${ui.selectField(
    "currency",
    "Currency",
    currencies.map(({ code }) => code),
    "KES",
  )}${ui.input({ name: "amount", label: "Amount", value: "1000.00", required: true })}${ui.submitButton({ does: ["fundBalance", { mode: context.mode ?? "test" }], label: "Add money" })}`,
  "Add money",
)}`,
})}
${filteredList(context, "withdrawals", payoutListing(context))}
${ledgerSection(context, holdings.slice(0, MAX_HOLDINGS), hasOrganizations)}
${ui.section({
  id: "destinations",
  title: `Payout destinations`,
  body: ui.rowList(
    "Payout destinations",
    destinations.map((destination) =>
      ui.listRow(context, {
        key: destination.destination_id,
        at: destination.created_at,
        title: html`${ui.shortIdMarkup(destination.destination_id)} ${destination.fields.type} ${ui.liveModeTag(destination.mode)}`,
        subtitle: html`<bdi>${Object.entries(destination.fields)
          .filter(([name]) => name !== "type")
          .map(([name, value]) => `${name} ${value}`)
          .join(" · ")}</bdi>`,
      }),
    ),
    "None.",
  ),
})}
${ui.section({
  id: "rates",
  title: "Rates: units for one US dollar",
  body: ui.actionForm(
    context,
    html`${ui.selectField(
      "currency",
      "Currency",
      currencies.map((currency) => [currency.code, `${currency.code} ${usdRateOf(state, currency)}`]),
      currencies[0]?.code ?? "",
    )}${ui.input({ name: "rate", label: "New rate", required: true })}${ui.submitButton({ does: ["setRates"], label: "Set the rate" })}`,
    "Set a rate",
  ),
})}`;
}

/** Ledger entries, newest first, with the balance before and after. */
function ledgerSection(
  context: PageContext,
  accounts: readonly Holdings[],
  hasOrganizations: boolean,
): Markup {
  const { state } = context.namespace.engine;
  const account = accounts.find(({ key }) => key === context.query.get("account"))?.key;
  const rows = state.statement({ mode: context.mode, account }, pageOffset(context, "ledger"), ROWS_PER_PAGE);
  const options = accounts.map(({ key, organization_id, mode, currency }): [string, string] => [
    key,
    `${currency}, ${organization_id}, ${mode}`,
  ]);
  return ui.section({
    id: "ledger",
    title: `Ledger: ${rows.total}`,
    body: html`${ui.filterForm(context, ui.selectField("account", "Account", [["", "all"], ...options], account ?? ""))}
${
  rows.items.length === 0
    ? html`<p class="soft">No money has moved.</p>`
    : ui.scrollableTable(
        "Ledger",
        ["When", "For", "Currency"],
        [...LEDGER_ACCOUNTS.map((name) => ACCOUNT_NAMES[name]), "Available before → after"],
        rows.items.map(
          ({ entry, before, after }) =>
            html`<tr data-key="${entry.entry_id}"><td>${ui.timeTag(context, entry.at)}</td>
<td>${entry.kind.replaceAll("_", " ")} ${aboutLink(context, entry.object_id)} ${ui.liveModeTag(entry.mode)}${hasOrganizations && html` <span class="soft">${entry.organization_id}</span>`}</td>
<td>${entry.currency}</td>
${amountCells(entry.postings, LEDGER_ACCOUNTS)}
<td class="number">${groupDigits(before.available ?? "0")} → <strong>${groupDigits(after.available ?? "0")}</strong></td></tr>`,
        ),
      )
}${ui.pager(context, rows.total, "ledger")}`,
  });
}

type Postings = readonly { readonly account: LedgerAccount; readonly amount: string }[];

/** One cell per account: the signed sum of the account's postings; empty for an account without postings. */
function amountCells(postings: Postings, accounts: readonly LedgerAccount[]): Markup[] {
  return accounts.map((name) => {
    const own = postings.filter(({ account }) => account === name);
    const [first = "0", ...others] = own.map((posting) => posting.amount);
    const amount = others.reduce(add, first);
    const isNegative = amount.startsWith("-");
    const text = `${isNegative ? "−" : "+"}${groupDigits(isNegative ? amount.slice(1) : amount)}`;
    return html`<td class="number">${own.length > 0 && text}</td>`;
  });
}

/** The charge or payout of an entry, as a link; a fixture's entry has neither. */
function aboutLink(context: PageContext, id: string): Markup {
  const url = objectUrl(context, id);
  return url === undefined ? ui.shortIdMarkup(id) : html`<a href="${url}">${ui.shortIdMarkup(id)}</a>`;
}

const ACCOUNT_NAMES = {
  outside: "Customers and banks",
  pending: "Pending",
  available: "Available",
  in_transit: "In transit",
  fees: "Fees",
} as const;
