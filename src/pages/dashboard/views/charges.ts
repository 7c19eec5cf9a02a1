import type { Charge } from "../../../core/domain/charge.js";
import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { html, type Markup } from "../../html.js";
import { button } from "../parts.js";
import { isShown, PAGE_ROWS, type Scene } from "../scene.js";
import { listing } from "./listing.js";
import { usualMoves } from "./moves.js";
import { chargeRow } from "./rows.js";

export function chargesView(scene: Scene): Markup {
  const { state } = scene.namespace.engine;
  return html`<h1>Charges</h1>
${listing<Charge>(scene, "charges", {
  choices: { status: CHARGE_STATUSES },
  find: ({ q = "", status }, offset) => {
    const isMeant = (one: Charge) => isShown(scene, one) && (status === "" || one.status === status);
    return q === ""
      ? state.found("charges", isMeant, offset, PAGE_ROWS)
      : state.chargesWithWords(q.slice(0, 255)).filter(isMeant);
  },
  row: (charge) => chargeRow(scene, charge, { at: charge.created_at, acts: usualMoves(charge) }),
  none: (_isFiltered, { q }) =>
    q === ""
      ? html`None yet. ${button({ does: "make", label: "Make one for me" })}`
      : `No charge has “${q}” in its id, e-mail, name, reference or metadata.`,
})}`;
}
