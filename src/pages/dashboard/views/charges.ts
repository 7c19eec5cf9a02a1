import { type Charge, needsPrice } from "../../../core/domain/charge.js";
import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { STATUSES } from "../../../core/schema/statuses.js";
import { sentence } from "../../format.js";
import { html, type Markup } from "../../html.js";
import { button, choice, form, input, shortText } from "../parts.js";
import { isShown, PAGE_ROWS, type Scene } from "../scene.js";
import { listing } from "./listing.js";
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

interface Move {
  readonly to: keyof typeof STATUSES;
  readonly verb: string;
}

/** Allowed transitions. A status that needs a price is left out if no method can set one. */
function legal(charge: Charge): Move[] {
  return STATUSES[charge.status].next.flatMap((to) => {
    const { verb } = STATUSES[to];
    return verb === undefined || (needsPrice(charge, to) && charge.offered_methods.length === 0)
      ? []
      : [{ to, verb }];
  });
}

function moves(charge: Charge): Markup[] {
  return legal(charge).map((move) => buttonOf(charge, move, move.to === "COMPLETED" ? "main" : undefined));
}

function buttonOf(charge: Charge, { to, verb }: Move, kind?: "main"): Markup {
  return button({
    does: `charge ${charge.charge_id} ${to}`,
    label: sentence(verb),
    to: shortText(charge.charge_id),
    ...(kind === undefined ? {} : { kind }),
  });
}

/** Each has a fixed slot in a row, so buttons do not move when the status changes. */
const USUAL = CHARGE_STATUSES.filter((status) => STATUSES[status].usual === true);

/** Common transitions, for a list row. */
function usualMoves(charge: Charge): Markup {
  const now = legal(charge);
  return html`<span class="slots">${USUAL.map((usual) => {
    const move = now.find(({ to }) => to === usual);
    return html`<span>${move !== undefined && buttonOf(charge, move)}</span>`;
  })}</span>`;
}

/** All transitions, with a fold for a reason or the charge's own timeline. */
export function allMoves(scene: Scene, charge: Charge): Markup {
  const { charge_id: id } = charge;
  const now = legal(charge);
  if (now.length === 0)
    return html`<span class="soft">This status is final: no further transition is possible.</span>`;
  const planned = ahead(scene, charge);
  return html`${moves(charge)}<details class="more-moves"><summary class="button">More ▾</summary><div>
${form(
  scene,
  html`${choice(
    "to",
    "Change the status to",
    now.map(({ to }): [string, string] => [to, to]),
    now.find(({ to }) => to === "FAILED")?.to ?? now[0]!.to,
  )}${input({ name: "reason", label: "with the reason", hint: "insufficient_funds" })}<button name="do" value="move ${id}">Move</button>`,
  "Move with a reason",
)}
${planned.length > 0 && html`<p class="soft">Run its own timeline, and nothing else; the clock stays:</p><p class="actions">${planned.map((to) => button({ does: `own ${id} ${to}`, label: `until ${to}`, to: id }))}</p>`}</div></details>`;
}

/** Planned statuses that are still to come, in order. */
function ahead({ namespace }: Scene, charge: Charge): string[] {
  const { state } = namespace.engine;
  if (!state.tasksOf(charge.charge_id).some(({ kind }) => kind === "timeline")) return [];
  const done = new Set(charge.status_history.map(({ status }) => status));
  return [...new Set(charge.timeline.map(({ to }) => to))].filter((to) => !done.has(to));
}
