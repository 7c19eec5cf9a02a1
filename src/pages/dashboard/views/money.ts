import { WITHDRAWAL_RULES } from "../../../core/domain/withdrawal.js";
import { rateOf } from "../../../core/engine/market.js";
import { grouped, sentence } from "../../format.js";
import { html, type Markup } from "../../html.js";
import { button, choice, form, input, modeMark, pager, part, row, rows, short, wideTable } from "../parts.js";
import { isShown, offsetOf, PAGE_ROWS, type Scene } from "../scene.js";
import { ledgerPart } from "./ledger.js";
import { withdrawalRow } from "./rows.js";

/** Balances, ledger, withdrawals, destinations and rates. */
export function moneyView(scene: Scene): Markup {
  const { state, catalogue } = scene.namespace.engine;
  const holdings = [...state.tables.holdings.values()]
    .filter((one) => isShown(scene, one))
    .sort((a, b) => b.seq - a.seq)
    .slice(0, 200);
  const { currencies } = catalogue.fixtures;
  const withdrawals = state.found(
    "withdrawals",
    (one) => isShown(scene, one),
    offsetOf(scene, "withdrawals"),
    PAGE_ROWS,
  );
  const destinations = state
    .page("destinations", "destinations", 0, PAGE_ROWS)
    .filter((one) => isShown(scene, one));
  const verbs: Readonly<Record<string, string>> = {
    PROCESSING: "Process",
    COMPLETED: "Complete",
    FAILED: "Fail",
    CANCELLED: "Cancel",
  };
  return html`<h1>Money</h1>
${part({
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
  scene,
  html`${choice(
    "currency",
    "Currency",
    currencies.map(({ code }): [string, string] => [code, code]),
    "KES",
  )}${input({ name: "amount", label: "Amount", value: "1000.00", required: true })}<button name="do" value="fund ${scene.mode ?? "test"}">Add money</button>`,
  "Add money",
)}`,
})}
${ledgerPart(scene)}
${part({
  id: "withdrawals",
  title: `Withdrawals: ${withdrawals.total}`,
  body: html`${rows(
    "Withdrawals",
    withdrawals.items.map((one) =>
      withdrawalRow(scene, one, {
        to: undefined,
        about: [
          one.failure_reason,
          `fee ${grouped(one.fee)}`,
          html`to ${short(one.destination_id)}`,
          one.scenario !== null && `scenario ${one.scenario}`,
        ],
        acts: WITHDRAWAL_RULES.statuses[one.status].next.map((to) =>
          button({
            does: `withdrawal ${one.withdrawal_id} ${to}`,
            label: verbs[to] ?? sentence(to),
            to: one.withdrawal_id,
          }),
        ),
      }),
    ),
    "None: your app makes them with POST /payouts/withdrawals.",
  )}${pager(scene, withdrawals.total, "withdrawals")}`,
})}
${part({
  id: "destinations",
  title: `Payout destinations`,
  body: rows(
    "Payout destinations",
    destinations.map((one) =>
      row(scene, {
        key: one.destination_id,
        at: one.created_at,
        title: html`${short(one.destination_id)} ${one.fields.type} ${modeMark(one.mode)}`,
        sub: html`<bdi>${Object.entries(one.fields)
          .filter(([name]) => name !== "type")
          .map(([name, value]) => `${name} ${value}`)
          .join(" · ")}</bdi>`,
      }),
    ),
    "None.",
  ),
})}
${part({
  id: "rates",
  title: "Rates: units for one US dollar",
  body: form(
    scene,
    html`${choice(
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
