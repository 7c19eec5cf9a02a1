import type { Charge } from "../../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../../core/domain/withdrawal.js";
import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { html } from "../../html.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, ROWS_PER_PAGE } from "../page-context.js";
import type { Listing } from "./filtered-list.js";
import { chargeRow, withdrawalRow } from "./record-rows.js";

export function chargeListing(context: PageContext): Listing<Charge> {
  const { state } = context.namespace.engine;
  return {
    choices: { status: CHARGE_STATUSES },
    headings: ["Created", "Status", "Amount", "Customer", "Order, method"],
    find: ({ q = "", status }, offset) => {
      const matches = (charge: Charge) =>
        isInMode(context, charge) && (status === "" || charge.status === status);
      return q === ""
        ? state.pageOfKinds("charges", matches, offset, ROWS_PER_PAGE)
        : state.chargesWithWords(q.slice(0, 255)).filter(matches);
    },
    get: (id) => state.get("charges", id),
    idOf: ({ charge_id }) => charge_id,
    row: (charge) => chargeRow(context, charge),
    none: () => html`None yet. ${ui.button({ does: ["make"], label: "Make one for me" })}`,
  };
}

export function payoutListing(context: PageContext): Listing<Withdrawal> {
  const { state } = context.namespace.engine;
  return {
    headings: ["Created", "Status", "Amount", "Destination", "About"],
    find: (_values, offset) =>
      state.pageOfKinds("withdrawals", (payout) => isInMode(context, payout), offset, ROWS_PER_PAGE),
    get: (id) => state.get("withdrawals", id),
    idOf: ({ withdrawal_id }) => withdrawal_id,
    row: (payout) => withdrawalRow(context, payout),
    none: () => "None: your app makes them with POST /payouts/withdrawals.",
  };
}
