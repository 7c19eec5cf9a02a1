import { add, isZero } from "../../../core/domain/money.js";
import { LEDGER_ACCOUNTS, type LedgerAccount } from "../../../core/schema/common.js";
import { groupDigits, signedAmount } from "../../../core/schema/text-format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { filteredList, type Listing } from "../lists.js";
import { objectUrl, type PageContext, pageOffset, ROWS_PER_PAGE } from "../page-context.js";
import { metadataFacts, paymentPage } from "../payment/page.js";
import { destinationsOf, destinationText, LONGEST_PAGE, withdrawalRow } from "../rows.js";
import { cliCommand, controlCurl } from "../shell-commands.js";
import type { View } from "../view.js";

export const MONEY: View = {
  name: "money",
  title: "Money",
  listId: "withdrawals",
  list: moneyView,
  listing,
  record: ["withdrawal", payoutPage],
};

async function listing(context: PageContext): Promise<Listing<"withdrawals">> {
  const destinations = await destinationsOf(context);
  return {
    name: "withdrawals",
    headings: ["Created", "Status", "Amount", "Destination", "About"],
    get: (withdrawal_id) => context.ask("getControlWithdrawal", { withdrawal_id }),
    idOf: ({ withdrawal_id }) => withdrawal_id,
    row: (payout) => withdrawalRow(context, payout, destinations.get(payout.destination_id)),
    none: "None: your app makes them with POST /payouts/withdrawals.",
  };
}

async function payoutPage(context: PageContext, withdrawal_id: string): Promise<Markup> {
  const payout = await context.ask("getControlWithdrawal", { withdrawal_id });
  const { destination_id, reference, fee, currency, created_at } = payout;
  const destination = destinationText((await destinationsOf(context)).get(destination_id));
  return paymentPage(context, payout, {
    list: "Money",
    noun: "withdrawal",
    about: [reference ?? "withdrawal", destination],
    copies: [
      ui.snippet("curl", controlCurl(context, "getControlWithdrawal", { withdrawal_id })),
      ui.snippet("Command line", cliCommand(context, `withdrawal ${withdrawal_id}`)),
    ],
    facts: [
      ["Destination", html`${destination} · <code>${destination_id}</code>`],
      ["Fee", ui.amountMarkup(fee, currency)],
      ["Created", ui.timeTag(context, created_at)],
      ...metadataFacts(payout),
    ],
  });
}

/** Balances, withdrawals and ledger. */
async function moneyView(context: PageContext): Promise<Markup> {
  const { ask, mode } = context;
  const all = (await ask("listBalances", { limit: LONGEST_PAGE })).items;
  const accounts = all.filter((account) => mode === undefined || account.mode === mode);
  const hasOrganizations = new Set(accounts.map(({ organization_id }) => organization_id)).size > 1;
  const currencies = Object.keys((await ask("getRates")).rates).sort();
  const faint = (amount: string) =>
    html`<span${isZero(amount) && html` class="zero"`}>${groupDigits(amount)}</span>`;
  const table = ui.table(
    "Balances",
    hasOrganizations ? ["Currency", "Organization"] : ["Currency"],
    ["Available", "Pending", "In transit", "Fees paid"],
    accounts.map((one) => ({
      key: one.account,
      cells: [
        html`${one.currency} ${ui.liveModeTag(one.mode)}`,
        ...(hasOrganizations ? [one.organization_id] : []),
        html`<strong>${groupDigits(one.available_balance)}</strong>`,
        faint(one.pending_balance),
        faint(one.in_transit_balance),
        groupDigits(one.fees_paid),
      ],
    })),
  );
  const none = html`<p class="soft">None yet: the first payment in a currency opens its account. You can also add
money.</p>`;
  const fields = html`${ui.selectField("currency", "Currency", currencies, "KES")}${ui.input({
    name: "amount",
    label: "Amount",
    value: "1000.00",
    required: true,
  })}${ui.submitButton({ does: ["fundBalance", { mode: mode ?? "test" }], label: "Add money" })}`;
  return html`<h1>Money</h1>
${ui.section({
  id: "balances",
  title: "Balances",
  body: html`${accounts.length === 0 ? none : table}\n${ui.actionForm(context, fields, "Add money")}`,
})}
${await filteredList(context, await listing(context))}
${await ledgerSection(context, hasOrganizations)}`;
}

/** Ledger entries, newest first, with the balance before and after. */
async function ledgerSection(context: PageContext, hasOrganizations: boolean): Promise<Markup> {
  const { ask, mode } = context;
  const offset = pageOffset(context, "ledger");
  const { total, items } = await ask("listLedger", { mode, offset, limit: ROWS_PER_PAGE });
  const table = ui.table(
    "Ledger",
    ["When", "For", "Currency"],
    [...LEDGER_ACCOUNTS.map((name) => ACCOUNT_NAMES[name]), "Available before → after"],
    items.map((entry) => ({
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
        html`${groupDigits(entry.before)}\u00a0→ <strong>${groupDigits(entry.after)}</strong>`,
      ],
    })),
  );
  return ui.section({
    id: "ledger",
    title: `Ledger: ${total}`,
    body: html`${
      total === 0
        ? html`<p class="soft">No money has moved. Complete a charge, or add money above.</p>`
        : table
    }${ui.pager(context, total, "ledger")}`,
  });
}

type Postings = readonly { readonly account: LedgerAccount; readonly amount: string }[];

/** Signed sum of an account's postings; false without one. */
function amountText(postings: Postings, name: LedgerAccount): string | false {
  const own = postings.filter(({ account }) => account === name);
  const amount = own.map((posting) => posting.amount).reduce(add, "0");
  return own.length > 0 && signedAmount(amount);
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
