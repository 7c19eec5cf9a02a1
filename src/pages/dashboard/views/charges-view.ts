import { type Charge, needsPrice } from "../../../core/domain/charge-transition.js";
import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../../core/schema/statuses.js";
import { sentenceCase } from "../../format.js";
import { html, type Markup } from "../../html.js";
import { actionForm, button, input, selectField, shortIdText } from "../components.js";
import { isInMode, PAGE_ROWS, type PageContext } from "../page-context.js";
import { filteredList } from "./filtered-list.js";
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
      ? state.pageOfKinds("charges", matches, offset, PAGE_ROWS)
      : state.chargesWithWords(q.slice(0, 255)).filter(matches);
  },
  row: (charge) =>
    chargeRow(context, charge, { at: charge.created_at, rowButtons: commonTransitions(charge) }),
  none: (_isFiltered, { q }) =>
    q === ""
      ? html`None yet. ${button({ command: "make", label: "Make one for me" })}`
      : `No charge has “${q}” in its id, e-mail, name, reference or metadata.`,
})}`;
}

/** Allowed transitions. A status that needs a price is left out if no method can set one. */
function allowedTransitions(charge: Charge) {
  return CHARGE_STATUS_TABLE[charge.status].next.flatMap((to) => {
    const { verb } = CHARGE_STATUS_TABLE[to];
    return verb === undefined || (needsPrice(charge, to) && charge.offered_methods.length === 0)
      ? []
      : [{ to, verb }];
  });
}

type Transition = ReturnType<typeof allowedTransitions>[number];

function transitionButton({ charge_id }: Charge, { to, verb }: Transition, kind?: "main"): Markup {
  const command = `charge ${charge_id} ${to}`;
  return button({ command, label: sentenceCase(verb), to: shortIdText(charge_id), kind });
}

/** Statuses with a button in list rows. Each has a fixed slot, so buttons do not move when the status changes. */
const COMMON_STATUSES = CHARGE_STATUSES.filter((status) => CHARGE_STATUS_TABLE[status].hasRowButton === true);

/** Common transitions, for a list row. */
function commonTransitions(charge: Charge): Markup {
  const transitions = allowedTransitions(charge);
  return html`<span class="slots">${COMMON_STATUSES.map((status) => {
    const transition = transitions.find(({ to }) => to === status);
    return html`<span>${transition !== undefined && transitionButton(charge, transition)}</span>`;
  })}</span>`;
}

/** All transitions, with collapsible controls for a reason or the charge's own timeline. */
export function transitionControls(context: PageContext, charge: Charge): Markup {
  const { charge_id: id } = charge;
  const transitions = allowedTransitions(charge);
  if (transitions.length === 0)
    return html`<span class="soft">This status is final: no further transition is possible.</span>`;
  const buttons = transitions.map((transition) =>
    transitionButton(charge, transition, transition.to === "COMPLETED" ? "main" : undefined),
  );
  const statuses = plannedStatuses(context, charge);
  return html`${buttons}<details class="more-moves"><summary class="button">More ▾</summary><div>
${actionForm(
  context,
  html`${selectField(
    "to",
    "Change the status to",
    transitions.map(({ to }) => to),
    transitions.find(({ to }) => to === "FAILED")?.to ?? transitions[0]!.to,
  )}${input({ name: "reason", label: "with the reason", hint: "insufficient_funds" })}<button name="do" value="move ${id}">Move</button>`,
  "Move with a reason",
)}
${statuses.length > 0 && html`<p class="soft">Run only its own timeline; the clock does not move:</p><p class="actions">${statuses.map((to) => button({ command: `own ${id} ${to}`, label: `until ${to}`, to: id }))}</p>`}</div></details>`;
}

/** Planned statuses that are still to come, in order. */
function plannedStatuses({ namespace }: PageContext, charge: Charge): string[] {
  const { state } = namespace.engine;
  if (!state.tasksOf(charge.charge_id).some(({ kind }) => kind === "timeline")) return [];
  const reached = new Set(charge.status_history.map(({ status }) => status));
  return [...new Set(charge.timeline.map(({ to }) => to))].filter((to) => !reached.has(to));
}
