import type { Holdings } from "../../../core/domain/ledger-postings.js";
import { add, isZero } from "../../../core/domain/money.js";
import { LEDGER_ACCOUNTS, type LedgerAccount } from "../../../core/schema/common.js";
import { groupDigits } from "../../format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, pageOffset, ROWS_PER_PAGE } from "../page-context.js";
import { filteredList } from "./filtered-list.js";
import { payoutListing } from "./payment-lists.js";
import { objectUrl } from "./record-rows.js";

const MAX_HOLDINGS = 200;

/** Balances, withdrawals, ledger and destinations. */
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
      ? html`<p class="soft">None yet: the first payment in a currency opens its account. You can also add money.</p>`
      : ui.table(
          "Balances",
          hasOrganizations ? ["Currency", "Organization"] : ["Currency"],
          ["Available", "Pending", "In transit", "Fees paid"],
          newest.map(({ key, organization_id, mode, currency, balances }) => ({
            key,
            cells: [
              html`${currency} ${ui.liveModeTag(mode)}`,
              ...(hasOrganizations ? [organization_id] : []),
              html`<strong>${groupDigits(balances.available)}</strong>`,
              ...[balances.pending, balances.in_transit].map(
                (amount) => html`<span${isZero(amount) && html` class="zero"`}>${groupDigits(amount)}</span>`,
              ),
              groupDigits(balances.fees),
            ],
          })),
        )
  }
${ui.actionForm(
  context,
  html`${ui.selectField(
    "currency",
    "Currency",
    currencies.map(({ code }) => code).sort(),
    "KES",
  )}${ui.input({ name: "amount", label: "Amount", value: "1000.00", required: true })}${ui.submitButton({
    does: ["fundBalance", { mode: context.mode ?? "test" }],
    label: "Add money",
  })}`,
  "Add money",
)}`,
})}
${filteredList(context, "withdrawals", payoutListing(context))}
${ledgerSection(context, holdings.slice(0, MAX_HOLDINGS), hasOrganizations)}
${ui.section({
  id: "destinations",
  title: "Payout destinations",
  body: ui.rowList(
    "Payout destinations",
    destinations.map((destination) =>
      ui.listRow(context, {
        key: destination.destination_id,
        at: destination.created_at,
        title: html`${ui.shortIdMarkup(
          destination.destination_id,
        )} ${destination.fields.type} ${ui.liveModeTag(destination.mode)}`,
        subtitle: html`<bdi>${Object.entries(destination.fields)
          .filter(([name]) => name !== "type")
          .map(([name, value]) => `${name} ${value}`)
          .join(" · ")}</bdi>`,
      }),
    ),
    "None: your app makes them with POST /payouts/destinations.",
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
    body: html`${ui.filterForm(
      context,
      ui.selectField(
        "account",
        html`<span
class="unseen">Account</span>`,
        [["", "Any account"], ...options],
        account ?? "",
      ),
    )}
${
  rows.items.length === 0
    ? html`<p class="soft">No money has moved. Complete a charge, or add money above.</p>`
    : ui.table(
        "Ledger",
        ["When", "For", "Currency"],
        [...LEDGER_ACCOUNTS.map((name) => ACCOUNT_NAMES[name]), "Available before → after"],
        rows.items.map(({ entry, before, after }) => ({
          key: entry.entry_id,
          cells: [
            ui.timeTag(context, entry.at),
            html`${entry.kind.replaceAll("_", " ")} ${
              entry.object_id !== entry.kind && aboutLink(context, entry.object_id)
            } ${ui.liveModeTag(entry.mode)}${
              hasOrganizations && html` <span class="soft">${entry.organization_id}</span>`
            }`,
            entry.currency,
            ...LEDGER_ACCOUNTS.map((name) => amountText(entry.postings, name)),
            html`${groupDigits(
              before.available ?? "0",
            )}\u00a0→ <strong>${groupDigits(after.available ?? "0")}</strong>`,
          ],
        })),
      )
}${ui.pager(context, rows.total, "ledger")}`,
  });
}

type Postings = readonly { readonly account: LedgerAccount; readonly amount: string }[];

/** Signed sum of an account's postings; false without one. */
function amountText(postings: Postings, name: LedgerAccount): string | false {
  const own = postings.filter(({ account }) => account === name);
  const amount = own.map((posting) => posting.amount).reduce(add, "0");
  const isNegative = amount.startsWith("-");
  return own.length > 0 && `${isNegative ? "−" : "+"}${groupDigits(isNegative ? amount.slice(1) : amount)}`;
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
