import { add } from "../../../core/domain/money.js";
import { WITHDRAWAL_STATUS_RULES } from "../../../core/domain/withdrawal.js";
import { usdRateOf } from "../../../core/engine/market.js";
import { LEDGER_ACCOUNTS, type LedgerAccount } from "../../../core/schema/common.js";
import { groupDigits, sentenceCase } from "../../format.js";
import { html, type Markup } from "../../html.js";
import {
  actionForm,
  button,
  filterForm,
  input,
  listRow,
  modeMark,
  pager,
  rowList,
  section,
  selectField,
  shortId,
  timeTag,
  wideTable,
} from "../components.js";
import { isInMode, PAGE_ROWS, type PageContext, pageOffset, viewUrl } from "../page-context.js";
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
<td class="number"><strong>${groupDigits(balances.available)}</strong></td>
<td class="number">${groupDigits(balances.pending)}</td>
<td class="number">${groupDigits(balances.in_transit)}</td>
<td class="number">${groupDigits(balances.fees)}</td></tr>`,
          ),
        )
  }
${actionForm(
  context,
  html`${selectField(
    "currency",
    "Currency",
    currencies.map(({ code }) => code),
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
          `fee ${groupDigits(withdrawal.fee)}`,
          html`to ${shortId(withdrawal.destination_id)}`,
          withdrawal.scenario !== null && `scenario ${withdrawal.scenario}`,
        ],
        rowButtons: WITHDRAWAL_STATUS_RULES.statuses[withdrawal.status].next.map((to) =>
          button({
            command: `withdrawal ${withdrawal.withdrawal_id} ${to}`,
            label: verbs[to] ?? sentenceCase(to),
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
      listRow(context, {
        key: destination.destination_id,
        at: destination.created_at,
        title: html`${shortId(destination.destination_id)} ${destination.fields.type} ${modeMark(destination.mode)}`,
        subtitle: html`<bdi>${Object.entries(destination.fields)
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
  body: actionForm(
    context,
    html`${selectField(
      "currency",
      "Currency",
      currencies.map((currency) => [currency.code, `${currency.code} ${usdRateOf(state, currency)}`]),
      currencies[0]?.code ?? "",
    )}${input({ name: "rate", label: "New rate", required: true })}<button name="do" value="rate">Set the rate</button>`,
    "Set a rate",
  ),
})}`;
}

/** Ledger entries, newest first, with the balance before and after. */
function ledgerSection(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  const accounts = [...state.tables.holdings.values()]
    .filter((holding) => isInMode(context, holding))
    .slice(0, 200);
  const account = accounts.find(({ key }) => key === context.query.get("account"))?.key;
  const rows = state.statement({ mode: context.mode, account }, pageOffset(context), PAGE_ROWS);
  const options = accounts.map(({ key, organization_id, mode, currency }): [string, string] => [
    key,
    `${currency}, ${organization_id}, ${mode}`,
  ]);
  return section({
    id: "ledger",
    title: `Ledger: ${rows.total}`,
    body: html`${filterForm(context, selectField("account", "Account", [["", "all"], ...options], account ?? ""))}
${
  rows.items.length === 0
    ? html`<p class="soft">No money has moved.</p>`
    : wideTable(
        "Ledger",
        [
          ["When"],
          ["For"],
          ["Currency"],
          ...LEDGER_ACCOUNTS.map((name) => [ACCOUNT_NAMES[name], "number"] as const),
          ["Sum", "number"],
          ["Available before → after", "number"],
        ],
        rows.items.map(
          ({ entry, before, after }) =>
            html`<tr data-key="${entry.entry_id}"><td>${timeTag(context, entry.at)}</td>
<td>${entry.kind.replaceAll("_", " ")} ${aboutLink(context, entry.object_id)} ${modeMark(entry.mode)}</td>
<td>${entry.currency}</td>
${LEDGER_ACCOUNTS.map((name) => html`<td class="number">${cell(entry.postings, name)}</td>`)}
<td class="number soft">${sum(entry.postings.map(({ amount }) => amount))}</td>
<td class="number">${groupDigits(before.available ?? "0")} → <strong>${groupDigits(after.available ?? "0")}</strong></td></tr>`,
        ),
      )
}${pager(context, rows.total)}`,
  });
}

function cell(postings: readonly { account: LedgerAccount; amount: string }[], name: LedgerAccount): string {
  const amounts = postings.filter(({ account }) => account === name).map(({ amount }) => amount);
  return amounts.length === 0 ? "" : signed(sum(amounts));
}

/** Links the charge of an entry; other objects have no page. */
function aboutLink(context: PageContext, id: string): Markup {
  if (id.startsWith("ch_")) return html`<a href="${viewUrl(context, "charges", id)}">${shortId(id)}</a>`;
  return shortId(id);
}

const ACCOUNT_NAMES = {
  outside: "Customers and banks",
  pending: "Pending",
  available: "Available",
  in_transit: "In transit",
  fees: "Fees",
} as const;

/** Postings of a charge or withdrawal; each row sums to zero. */
export function postingsTable(context: PageContext, objectId: string): Markup {
  const entries = context.namespace.engine.state.entriesOf(objectId);
  if (entries.length === 0) return html`<p class="soft">No money has moved.</p>`;
  const amounts = (account: string, of = entries) =>
    of.flatMap(({ postings }) =>
      postings.filter((posting) => posting.account === account).map(({ amount }) => amount),
    );
  const accounts = LEDGER_ACCOUNTS.filter((account) => amounts(account).length > 0);
  const cell = (list: string[]) => (list.length === 0 ? "" : signed(sum(list)));
  return html`<div class="wide" tabindex="0" role="region" aria-label="Postings"><table><thead><tr><th scope="col">When</th><th scope="col">For</th>${accounts.map((account) => html`<th scope="col" class="number">${ACCOUNT_NAMES[account]}</th>`)}<th scope="col" class="number">Sum</th></tr></thead>
<tbody>${entries.map(
    (entry) =>
      html`<tr data-key="${entry.entry_id}"><td>${timeTag(context, entry.at)}</td><td>${entry.kind}, ${entry.currency}</td>${accounts.map((account) => html`<td class="number">${cell(amounts(account, [entry]))}</td>`)}<td class="number soft">${sum(entry.postings.map(({ amount }) => amount))}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row" colspan="2">Total</th>${accounts.map((account) => html`<td class="number">${cell(amounts(account))}</td>`)}<td class="number">${sum(entries.flatMap(({ postings }) => postings.map(({ amount }) => amount)))}</td></tr></tfoot></table></div>`;
}

/** An amount with an explicit sign. */
function signed(amount: string): string {
  return amount.startsWith("-") ? `−${groupDigits(amount.slice(1))}` : `+${groupDigits(amount)}`;
}

function sum([first = "0", ...others]: readonly string[]): string {
  return others.reduce(add, first);
}
