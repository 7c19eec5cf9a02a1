import type { Charge } from "../../core/domain/charge-transition.js";
import { needsChoice } from "../../core/engine/commands/checkout-commands.js";
import { ruleConditions } from "../../core/engine/scenario-lookup.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { statusText } from "../../core/reports/shown-status.js";
import type { ChargeStatus } from "../../core/schema/common.js";
import { MAX_LENGTHS } from "../../core/schema/schema-checks.js";
import { hasEnded, isOpen } from "../../core/schema/statuses.js";
import { iso, readableDuration } from "../../core/schema/time.js";
import { remainingTimeText } from "../format.js";
import { type Content, html, type Markup } from "../html.js";
import { statusOf } from "../payment-status.js";
import { type Press, pressText } from "../press.js";
import { type CheckoutPage, sameScreen } from "./page-model.js";

/** Status that each button of the panel sets. `scenario` sets none: the charge follows its scenario. */
export const PANEL_BUTTONS = {
  complete: "COMPLETED",
  fail: "FAILED",
  expire: "EXPIRED",
  refund: "REFUNDED",
  scenario: undefined,
} as const satisfies Record<string, ChargeStatus | undefined>;
type PanelButton = keyof typeof PANEL_BUTTONS;

export function isPanelButton(text: string | null): text is PanelButton {
  return text !== null && Object.hasOwn(PANEL_BUTTONS, text);
}

/** Suggested failure reasons; any text is accepted. */
const REASONS = ["declined", "insufficient_funds", "declined_by_operator", "operator_timeout"];

/** The bar above the page, last in the order of the keyboard, where a tester chooses the outcome. A real service has no such bar. */
export function sandboxPanel(page: CheckoutPage): Markup {
  const { charge, links } = page;
  const [next] = page.planned;
  const isChoosing = needsChoice(charge);
  // Before a method is chosen the buttons submit the method form, because completing needs a method.
  const form = isChoosing ? "method" : "outcome";
  const titleOf = (value: PanelButton) =>
    value === "scenario" ? "Run the matching scenario" : `Set the charge to ${PANEL_BUTTONS[value]}`;
  const button = ([value, label]: [PanelButton, string]) =>
    html`<button name="outcome" value="${value}" form="${form}"${isChoosing && html` formaction="${links.action("outcome")}"`} title="${titleOf(value)}">${label}</button>${value === "fail" && reasonField(form)}`;
  const isMoving = page.cause === undefined;
  const skip =
    isMoving &&
    next !== undefined &&
    clockForm(
      page,
      "skip",
      ["advanceTo", { to: iso(next.dueMs) }],
      html`<span>Clock +${countdown(page, next.dueMs)}<span class="small"> → ${next.to}</span></span>`,
    );
  const dashboardLink = html`<a href="${links.dashboard(page.namespace)}/charges/${charge.charge_id}">Open in the dashboard</a>`;
  return html`<aside class="sandbox" aria-labelledby="sandbox"><div>
<h2 id="sandbox">Sandbox${page.speed === 0 && html` <span class="small">clock frozen</span>`} <span class="small">not on the real page</span></h2>
${!isChoosing && html`<form id="outcome" hidden method="post" action="${links.action("outcome")}"><button hidden name="outcome" value="fail">Fail</button></form>`}
<div class="outcomes">${page.isPanelProblem && html`<strong class="fault" role="alert" tabindex="-1" autofocus>${page.problem}</strong>`}${buttonsFor(page).map(button)}${!isMoving && html`<span>${page.cause} · ${dashboardLink}</span>`}</div>
${!isChoosing && skip}
<details><summary>More</summary><div class="more">
<p>${charge.mode === "live" ? "Live mode, but in a sandbox: no real money moves." : "Test mode: no real money moves."} ${isMoving && hint(page)}</p>
${isMoving && html`<span>Sandbox clock:</span>${clockForm(page, "advance", ["advanceClock", { by: "10s" }], "+10 s")}${freezeForm(page, "freeze")}${isChoosing && skip}`}
<p class="small">Charge <code>${charge.charge_id}</code>, ${charge.status}${charge.scenario !== null && html`, scenario <bdi>“${charge.scenario}”</bdi>`}. ${isMoving && dashboardLink}</p>
</div></details>
</div></aside>`;
}

function buttonsFor({ charge, offers, settable, returns }: CheckoutPage): [PanelButton, string][] {
  const buttons: [PanelButton, string][] = [];
  const canBePaid = charge.settlement_amount !== null || offers.length > 0;
  if (canBePaid && settable.includes("COMPLETED"))
    buttons.push(["complete", charge.status === "EXPIRED" ? "Complete late" : "Complete"]);
  if (settable.includes("FAILED")) buttons.push(["fail", "Fail"]);
  if (settable.includes("EXPIRED")) buttons.push(["expire", "Expire"]);
  if (settable.includes("REFUNDED"))
    buttons.push(["refund", returns.length > 0 ? "Refund the rest" : "Refund"]);
  if (offers.length > 0) buttons.push(["scenario", "Run scenario"]);
  return buttons;
}

function hint({ offers, planned, speed }: CheckoutPage): string {
  const method = offers.length > 0 ? "; Complete and Fail use the selected method" : "";
  const isHeld = speed === 0 && planned.length > 0;
  return `Choose how the payment ends${method}.${isHeld ? " The sandbox clock is frozen: the scenario waits until the clock advances." : ""}`;
}

/** Enter in this field presses the form's first button: the hidden one, which fails the payment. */
function reasonField(form: string): Markup {
  return html`<span class="reason"><input name="reason" form="${form}" list="reasons" placeholder="declined" aria-label="Reason if it fails" title="Reason if it fails" maxlength="${MAX_LENGTHS.reason}" autocomplete="off">
<datalist id="reasons">${REASONS.map((reason) => html`<option value="${reason}">`)}</datalist></span>`;
}

/** The status as people read it, and its cause: `FAILED, declined: customer_email matches declined@* (scenario “default”)`. */
export function causeText(namespace: Namespace, charge: Charge): string {
  const shown = statusOf(namespace, charge);
  const { actors, scenario } = charge;
  const actor = actors.at(-1)!;
  const match = ruleConditions(namespace.engine.state, charge);
  const causes: Readonly<Record<string, string>> = {
    scenario: match ? `${match} (scenario “${scenario}”)` : `by scenario “${scenario}”`,
    clock: "not paid in time",
    customer: "by the customer",
  };
  return `${statusText(shown)}: ${(shown.amount === undefined && causes[actor]) || "by hand"}`;
}

/** The note above the buttons: how the scenario ends the payment if nobody presses a button. */
export function plannedEndNote(page: CheckoutPage): Markup {
  const { charge, planned, speed } = page;
  const move = planned.find(({ to }) => to !== "EXPIRED") ?? planned[0];
  const end = planned.find(({ to }) => hasEnded(to) && to !== "EXPIRED") ?? planned.at(-1);
  const expiry = planned.find(({ to }) => to === "EXPIRED");
  const after =
    move && expiry && move !== expiry && ` ${readableDuration(move.dueMs - expiry.dueMs)} after expiry,`;
  const verb = end && (isOpen(charge.status) ? END_VERBS : CONFIRMED_VERBS)[end.to];
  const due = end?.to === "COMPLETED" ? move : end;
  const isUnpressed = isOpen(charge.status) && !page.isWaiting && end && end.to in CONFIRMED_VERBS;
  const when = html` in ${due && countdown(page, due.dueMs)}${isUnpressed && ", even if nobody presses the button"}.`;
  const stop = end ? `stops at ${end.to} on purpose` : "keeps it stuck on purpose";
  const remedy = `${charge.overruled ? "does nothing more" : stop}. To go on, press Complete or Fail above.`;
  return html`<div class="note small"><p>Sandbox: ${speed === 0 && verb !== undefined && "the clock is frozen. When it runs, "}scenario <bdi>“${charge.scenario}”</bdi>${charge.overruled && ", overruled by hand,"} ${verb === undefined ? remedy : html`${verb}${after}${when}`}</p>${end && freezeForm(page, "hold")}</div>`;
}

const END_VERBS: { readonly [Status in ChargeStatus]?: string } = {
  COMPLETED: "pays",
  FAILED: "makes the payment fail",
  CANCELLED: "cancels",
  EXPIRED: "lets it expire",
};
/** After the money has arrived. */
const CONFIRMED_VERBS: typeof END_VERBS = { COMPLETED: "completes it", FAILED: "fails it" };

function freezeForm(page: CheckoutPage, id: string): Markup {
  const [mode, label] = page.speed === 0 ? ["real", "Run clock"] : ["manual", "Freeze clock"];
  return clockForm(page, id, ["setClock", { mode }], label);
}

/** The script counts down to data-until at the speed of sandbox time. */
function countdown({ nowMs }: CheckoutPage, dueMs: number): Markup {
  return html`<span data-until="${dueMs}">${remainingTimeText(dueMs - nowMs)}</span>`;
}

/** Form that moves time; it posts to the dashboard. */
function clockForm(page: CheckoutPage, id: string, press: Press, label: Content): Markup {
  return html`<form method="post" action="${page.links.dashboard(page.namespace)}">
<input type="hidden" name="back" value="/checkout/${page.charge.checkout_id}${sameScreen(page)}">
<button id="${id}" name="do" value="${pressText(press)}" title="Changes the clock for every payment">${label}</button>
</form>`;
}
