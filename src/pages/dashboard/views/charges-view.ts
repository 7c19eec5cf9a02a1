import type { Charge } from "../../../core/domain/charge-transition.js";
import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../../core/schema/statuses.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, ROWS_PER_PAGE } from "../page-context.js";
import { filteredList } from "./filtered-list.js";
import { chargeMoves, moveButton } from "./payment-moves.js";
import { chargeRow } from "./record-rows.js";

export function chargesView(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  return html`<h1>Charges</h1>
${filteredList<Charge>(context, "charges", {
  choices: { status: CHARGE_STATUSES },
  find: ({ q = "", status }, offset) => {
    const matches = (charge: Charge) =>
      isInMode(context, charge) && (status === "" || charge.status === status);
    return q === ""
      ? state.pageOfKinds("charges", matches, offset, ROWS_PER_PAGE)
      : state.chargesWithWords(q.slice(0, 255)).filter(matches);
  },
  row: (charge) => chargeRow(context, charge, { at: charge.created_at, rowButtons: commonMoves(charge) }),
  none: (_isFiltered, { q }) =>
    q === ""
      ? html`None yet. ${ui.button({ does: ["make"], label: "Make one for me" })}`
      : `No charge has “${q}” in its id, e-mail, name, reference, amounts or metadata.`,
})}`;
}

/** Statuses with a button in list rows. Each has a fixed slot, so buttons do not move when the status changes. */
const COMMON_STATUSES = CHARGE_STATUSES.filter((status) => CHARGE_STATUS_TABLE[status].hasRowButton === true);

function commonMoves(charge: Charge): Markup | false {
  const moves = chargeMoves(charge);
  if (!moves.some(({ to }) => COMMON_STATUSES.some((status) => status === to))) return false;
  return html`<span class="slots">${COMMON_STATUSES.map((status) => {
    const move = moves.find(({ to }) => to === status);
    return html`<span>${move !== undefined && moveButton(move, ui.shortIdText(charge.charge_id))}</span>`;
  })}</span>`;
}
