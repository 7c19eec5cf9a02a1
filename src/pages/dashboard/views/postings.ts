import { add } from "../../../core/domain/money.js";
import { LEDGER_ACCOUNTS } from "../../../core/schema/common.js";
import { grouped } from "../../format.js";
import { html, type Markup } from "../../html.js";
import { when } from "../parts.js";
import type { Scene } from "../scene.js";

/** The accounts, for people. */
export const ACCOUNT_NAMES = {
  outside: "Customers and banks",
  pending: "Pending",
  available: "Available",
  in_transit: "In transit",
  fees: "Fees",
} as const;

/** What a charge or a withdrawal moved: each row comes to zero, for what leaves one account enters another. */
export function moneyOf(scene: Scene, objectId: string): Markup {
  const entries = scene.namespace.engine.state.entriesOf(objectId);
  if (entries.length === 0) return html`<p class="soft">No money has moved.</p>`;
  const amounts = (account: string, of = entries) =>
    of.flatMap(({ postings }) =>
      postings.filter((one) => one.account === account).map(({ amount }) => amount),
    );
  const shown = LEDGER_ACCOUNTS.filter((account) => amounts(account).length > 0);
  const cell = (list: string[]) => (list.length === 0 ? "" : signed(total(list)));
  return html`<div class="wide" tabindex="0" role="region" aria-label="Postings"><table><thead><tr><th scope="col">When</th><th scope="col">For</th>${shown.map((account) => html`<th scope="col" class="number">${ACCOUNT_NAMES[account]}</th>`)}<th scope="col" class="number">Sum</th></tr></thead>
<tbody>${entries.map(
    (entry) =>
      html`<tr data-key="${entry.entry_id}"><td>${when(scene, entry.at)}</td><td>${entry.kind}, ${entry.currency}</td>${shown.map((account) => html`<td class="number">${cell(amounts(account, [entry]))}</td>`)}<td class="number soft">${total(entry.postings.map(({ amount }) => amount))}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row" colspan="2">In all</th>${shown.map((account) => html`<td class="number">${cell(amounts(account))}</td>`)}<td class="number">${total(entries.flatMap(({ postings }) => postings.map(({ amount }) => amount)))}</td></tr></tfoot></table></div>`;
}

/** With its sign, whichever it is. */
export function signed(amount: string): string {
  return amount.startsWith("-") ? `−${grouped(amount.slice(1))}` : `+${grouped(amount)}`;
}

/** What the amounts come to. */
export function total([first = "0", ...others]: readonly string[]): string {
  return others.reduce(add, first);
}
