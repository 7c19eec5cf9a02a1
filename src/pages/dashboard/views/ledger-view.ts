import { add } from "../../../core/domain/money.js";
import { LEDGER_ACCOUNTS, type LedgerAccount } from "../../../core/schema/common.js";
import { grouped } from "../../format.js";
import { html, type Markup } from "../../html.js";
import { filterForm, modeMark, pager, section, select, shortId, timeTag, wideTable } from "../components.js";
import { isInMode, PAGE_ROWS, type PageContext, pageOffset, viewUrl } from "../page-context.js";

/** Ledger entries, newest first, with the balance before and after. */
export function ledgerSection(context: PageContext): Markup {
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
    body: html`${filterForm(context, select("account", "Account", [["", "all"], ...options], account ?? ""))}
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
<td class="number">${grouped(before.available ?? "0")} → <strong>${grouped(after.available ?? "0")}</strong></td></tr>`,
        ),
      )
}${pager(context, rows.total)}`,
  });
}

function cell(postings: readonly { account: LedgerAccount; amount: string }[], name: LedgerAccount): string {
  const amounts = postings.filter(({ account }) => account === name).map(({ amount }) => amount);
  return amounts.length === 0 ? "" : signed(sum(amounts));
}

/** Links the object of an entry. An opening balance has no page. */
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
  return amount.startsWith("-") ? `−${grouped(amount.slice(1))}` : `+${grouped(amount)}`;
}

function sum([first = "0", ...others]: readonly string[]): string {
  return others.reduce(add, first);
}
