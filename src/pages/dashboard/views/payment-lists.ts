import type { Charge } from "../../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../../core/domain/withdrawal.js";
import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, ROWS_PER_PAGE } from "../page-context.js";
import type { Listing } from "./filtered-list.js";
import { chargeMoves, type Move, moveButton, payoutMoves } from "./payment-moves.js";
import { chargeRow, withdrawalRow } from "./record-rows.js";

export function chargeListing(context: PageContext): Listing<Charge> {
  const { state } = context.namespace.engine;
  return {
    choices: { status: CHARGE_STATUSES },
    find: ({ q = "", status }, offset) => {
      const matches = (charge: Charge) =>
        isInMode(context, charge) && (status === "" || charge.status === status);
      return q === ""
        ? state.pageOfKinds("charges", matches, offset, ROWS_PER_PAGE)
        : state.chargesWithWords(q.slice(0, 255)).filter(matches);
    },
    get: (id) => state.get("charges", id),
    row: (charge, isBeside) =>
      chargeRow(context, charge, {
        rowButtons: !isBeside && commonMoves(chargeMoves(context, charge), charge.charge_id),
      }),
    none: () => html`None yet. ${ui.button({ does: ["make"], label: "Make one for me" })}`,
  };
}

export function payoutListing(context: PageContext): Listing<Withdrawal> {
  const { state } = context.namespace.engine;
  return {
    find: (_values, offset) =>
      state.pageOfKinds("withdrawals", (payout) => isInMode(context, payout), offset, ROWS_PER_PAGE),
    get: (id) => state.get("withdrawals", id),
    row: (payout, isBeside) =>
      withdrawalRow(context, payout, {
        rowButtons: !isBeside && commonMoves(payoutMoves(payout), payout.withdrawal_id),
      }),
    none: () => "None: your app makes them with POST /payouts/withdrawals.",
  };
}

/** Statuses of each button's place in a row. A press brings no other button under the pointer. */
const PLACES = [["COMPLETED"], ["FAILED", "REFUNDED"]];

function commonMoves(moves: readonly Move[], id: string): Markup | false {
  const places = PLACES.map((statuses) => moves.find(({ to }) => statuses.includes(to)));
  return (
    places.some((move) => move !== undefined) &&
    html`<span class="slots">${places.map((move) => html`<span>${move !== undefined && moveButton(move, ui.shortIdText(id))}</span>`)}</span>`
  );
}
