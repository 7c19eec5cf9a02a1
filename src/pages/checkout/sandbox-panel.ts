import { needsChoice } from "../../core/engine/commands/checkout-commands.js";
import type { ChargeStatus } from "../../core/schema/common.js";
import { MAX_LENGTHS } from "../../core/schema/schema-checks.js";
import { hasEnded } from "../../core/schema/statuses.js";
import { iso } from "../../core/schema/time.js";
import { pressText } from "../dashboard/page-context.js";
import { remainingTimeText } from "../format.js";
import { type Content, html, type Markup } from "../html.js";
import type { CheckoutPage } from "./page-model.js";

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
const REASONS = [
  "declined",
  "insufficient_funds",
  "declined_by_operator",
  "operator_timeout",
  "limit_exceeded",
  "suspected_fraud",
];

/** The bar above the page, last in the order of the keyboard, where a tester chooses the outcome. A real service has no such bar. */
export function sandboxPanel(page: CheckoutPage): Markup {
  const { charge, links, next } = page;
  const isChoosing = needsChoice(charge);
  // Before a method is chosen the buttons submit the method form, because completing needs a method.
  const form = isChoosing ? "method" : "outcome";
  const titleOf = (value: PanelButton) =>
    value === "scenario"
      ? `Run ${charge.scenario === null ? "the matching scenario" : `scenario ${charge.scenario}`}`
      : `Set the charge to ${PANEL_BUTTONS[value]}`;
  const button = ([value, label]: [PanelButton, string]) =>
    html`<button name="outcome" value="${value}" form="${form}"${isChoosing && html` formaction="${links.action("outcome")}"`} title="${titleOf(value)}">${label}</button>`;
  const buttons = buttonsFor(page);
  const isMoving = !hasEnded(charge.status);
  const canFail = buttons.some(([value]) => value === "fail");
  return html`<aside class="sandbox" aria-labelledby="sandbox"><div>
<h2 id="sandbox">Sandbox<span class="small wide"> – not part of the real page</span>${page.speed === 0 && html`<span class="small"><span class="wide">, clock</span> frozen</span>`}</h2>
${!isChoosing && html`<form id="outcome" hidden method="post" action="${links.action("outcome")}"></form>`}
<div class="outcomes">${buttons.length > 0 ? buttons.map(button) : "This payment has ended."}</div>
${isMoving && next !== undefined && clockForm(page, "skip", ["advanceTo", { to: iso(next.dueMs) }], html`<span>Skip to ${next.to}<span class="small">, due in <span data-until="${next.dueMs}">${remainingTimeText(next.dueMs - page.nowMs)}</span></span></span>`)}
<details><summary>More</summary><div class="more">
<p>${charge.mode === "live" ? "Live mode, but in a sandbox: no real money moves." : "Test mode: no real money moves."} ${buttons.length > 0 && hint(page)}</p>
${canFail && reasonField(form)}
${isMoving && clockForm(page, "advance", ["advanceClock", { by: "10s" }], "+10 s")}
<p class="small">Charge <code>${charge.charge_id}</code>, ${charge.status}${charge.scenario !== null && html`, scenario <bdi>${charge.scenario}</bdi>`}. <a href="${links.dashboard(page.namespace)}/charges/${charge.charge_id}">Open it in the dashboard</a></p>
</div></details>
</div></aside>`;
}

function buttonsFor({ charge, offers, settable }: CheckoutPage): [PanelButton, string][] {
  const buttons: [PanelButton, string][] = [];
  const canBePaid = charge.settlement_amount !== null || offers.length > 0;
  if (canBePaid && settable.includes("COMPLETED"))
    buttons.push(["complete", charge.status === "EXPIRED" ? "Complete late" : "Complete"]);
  if (settable.includes("FAILED")) buttons.push(["fail", "Fail"]);
  if (settable.includes("EXPIRED")) buttons.push(["expire", "Expire"]);
  if (settable.includes("REFUNDED")) buttons.push(["refund", "Refund"]);
  if (canBePaid && !hasEnded(charge.status)) buttons.push(["scenario", "By scenario"]);
  return buttons;
}

function hint({ charge, speed }: CheckoutPage): string {
  if (charge.status === "COMPLETED") return "The payment is complete; it can be refunded.";
  if (charge.status === "EXPIRED") return "A payment after expiry may still be processed.";
  const frozenNote =
    speed === 0 ? " The sandbox clock is frozen: a scenario continues only when the clock advances." : "";
  return needsChoice(charge)
    ? `Choose how the payment ends; to complete it, choose a method first.${frozenNote}`
    : `Choose how the payment ends.${frozenNote}`;
}

function reasonField(form: string): Markup {
  return html`<div class="reason"><label for="reason">Reason if it fails</label>
<input id="reason" name="reason" form="${form}" list="reasons" placeholder="declined" maxlength="${MAX_LENGTHS.reason}" autocomplete="off">
<datalist id="reasons">${REASONS.map((reason) => html`<option value="${reason}">`)}</datalist></div>`;
}

/** Form that moves time; it posts to the dashboard. */
function clockForm(
  { charge, links, namespace, isWaiting }: CheckoutPage,
  id: string,
  press: Parameters<typeof pressText>[0],
  label: Content,
): Markup {
  const back = `/checkout/${charge.checkout_id}${isWaiting ? "?waiting=1" : ""}`;
  return html`<form method="post" action="${links.dashboard(namespace)}">
<input type="hidden" name="back" value="${back}">
<button id="${id}" name="do" value="${pressText(press)}">${label}</button>
</form>`;
}
