import { isZero } from "../../../core/domain/money.js";
import { groupDigits } from "../../../core/schema/text-format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { filteredList, type Listing } from "../lists.js";
import type { PageContext } from "../page-context.js";
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
    headings: ["Created", "Status", "Amount", "Destination", "About", "Id"],
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

/** Balances and withdrawals. */
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
  tools: ui.copyButton("Copy ledger as curl", controlCurl(context, "listLedger", { mode })),
  body: html`${accounts.length === 0 ? none : table}\n${ui.actionForm(context, fields, "Add money")}`,
})}
${await filteredList(context, await listing(context))}`;
}
