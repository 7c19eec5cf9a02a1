import type { Charge } from "../../../core/domain/charge-transition.js";
import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, ROWS_PER_PAGE } from "../page-context.js";
import type { Listing } from "./filtered-list.js";
import { chargeMoves, moveButton } from "./payment-moves.js";
import { chargeRow } from "./record-rows.js";

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
      chargeRow(context, charge, { rowButtons: !isBeside && commonMoves(context, charge) }),
    none: (_isFiltered, { q }) =>
      q === ""
        ? html`None yet. ${ui.button({ does: ["make"], label: "Make one for me" })}`
        : `No charge has “${q}” in its id, e-mail, name, reference, amounts or metadata.`,
  };
}

/** Statuses of each button's place in a row. A press brings no other button under the pointer. */
const PLACES = [["COMPLETED"], ["FAILED", "REFUNDED"]];

function commonMoves(context: PageContext, charge: Charge): Markup | false {
  const moves = chargeMoves(context, charge);
  const places = PLACES.map((statuses) => moves.find(({ to }) => statuses.includes(to)));
  return (
    places.some((move) => move !== undefined) &&
    html`<span class="slots">${places.map((move) => html`<span>${move !== undefined && moveButton(move, ui.shortIdText(charge.charge_id))}</span>`)}</span>`
  );
}
