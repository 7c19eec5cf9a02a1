import { WITHDRAWAL_RULES } from "../../../core/domain/withdrawal.js";
import { rateOf } from "../../../core/engine/market.js";
import { grouped, sentence } from "../../format.js";
import { html, type Markup } from "../../html.js";
import {
  button,
  form,
  input,
  modeMark,
  pager,
  row,
  rowList,
  section,
  select,
  shortId,
  wideTable,
} from "../components.js";
import { isInMode, PAGE_ROWS, type PageContext, pageOffset } from "../page-context.js";
import { ledgerSection } from "./ledger-view.js";
import { withdrawalRow } from "./record-rows.js";

/** Balances, ledger, withdrawals, destinations and rates. */
export function moneyView(context: PageContext): Markup {
  const { state, catalogue } = context.namespace.engine;
  const holdings = [...state.tables.holdings.values()]
    .filter((holding) => isInMode(context, holding))
    .sort((a, b) => b.seq - a.seq)
    .slice(0, 200);
  const { currencies } = catalogue.fixtures;
  const withdrawals = state.pageOfKinds(
    "withdrawals",
    (withdrawal) => isInMode(context, withdrawal),
    pageOffset(context, "withdrawals"),
    PAGE_ROWS,
  );
  const destinations = state
    .page("destinations", "destinations", 0, PAGE_ROWS)
    .filter((destination) => isInMode(context, destination));
  const verbs: Readonly<Record<string, string>> = {
    PROCESSING: "Process",
    COMPLETED: "Complete",
    FAILED: "Fail",
    CANCELLED: "Cancel",
  };
  return html`<h1>Money</h1>
${section({
  id: "balances",
  title: "Balances",
  body: html`${
    holdings.length === 0
      ? html`<p class="soft">No account yet: it is opened by the first payment in its currency.</p>`
      : wideTable(
          "Balances",
          [
            ["Organization"],
            ["Currency"],
            ["Available", "number"],
            ["Pending", "number"],
            ["In transit", "number"],
            ["Fees paid", "number"],
          ],
          holdings.map(
            ({ key, organization_id, mode, currency, balances }) =>
              html`<tr data-key="${key}"><td>${organization_id} ${modeMark(mode)}</td><td>${currency}</td>
<td class="number"><strong>${grouped(balances.available)}</strong></td>
<td class="number">${grouped(balances.pending)}</td>
<td class="number">${grouped(balances.in_transit)}</td>
<td class="number">${grouped(balances.fees)}</td></tr>`,
          ),
        )
  }
${form(
  context,
  html`${select(
    "currency",
    "Currency",
    currencies.map(({ code }): [string, string] => [code, code]),
    "KES",
  )}${input({ name: "amount", label: "Amount", value: "1000.00", required: true })}<button name="do" value="fund ${context.mode ?? "test"}">Add money</button>`,
  "Add money",
)}`,
})}
${ledgerSection(context)}
${section({
  id: "withdrawals",
  title: `Withdrawals: ${withdrawals.total}`,
  body: html`${rowList(
    "Withdrawals",
    withdrawals.items.map((withdrawal) =>
      withdrawalRow(context, withdrawal, {
        to: undefined,
        about: [
          withdrawal.failure_reason,
          `fee ${grouped(withdrawal.fee)}`,
          html`to ${shortId(withdrawal.destination_id)}`,
          withdrawal.scenario !== null && `scenario ${withdrawal.scenario}`,
        ],
        acts: WITHDRAWAL_RULES.statuses[withdrawal.status].next.map((to) =>
          button({
            does: `withdrawal ${withdrawal.withdrawal_id} ${to}`,
            label: verbs[to] ?? sentence(to),
            to: withdrawal.withdrawal_id,
          }),
        ),
      }),
    ),
    "None: your app makes them with POST /payouts/withdrawals.",
  )}${pager(context, withdrawals.total, "withdrawals")}`,
})}
${section({
  id: "destinations",
  title: `Payout destinations`,
  body: rowList(
    "Payout destinations",
    destinations.map((destination) =>
      row(context, {
        key: destination.destination_id,
        at: destination.created_at,
        title: html`${shortId(destination.destination_id)} ${destination.fields.type} ${modeMark(destination.mode)}`,
        sub: html`<bdi>${Object.entries(destination.fields)
          .filter(([name]) => name !== "type")
          .map(([name, value]) => `${name} ${value}`)
          .join(" · ")}</bdi>`,
      }),
    ),
    "None.",
  ),
})}
${section({
  id: "rates",
  title: "Rates: units for one US dollar",
  body: form(
    context,
    html`${select(
      "currency",
      "Currency",
      currencies.map((currency): [string, string] => [
        currency.code,
        `${currency.code} ${rateOf(state, currency)}`,
      ]),
      currencies[0]?.code ?? "",
    )}${input({ name: "rate", label: "New rate", required: true })}<button name="do" value="rate">Set the rate</button>`,
    "Set a rate",
  ),
})}`;
}
