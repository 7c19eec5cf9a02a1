import { shownStatus } from "../../core/reports/shown-status.js";
import type { ChargeStatus } from "../../core/schema/common.js";
import { MAX_LENGTHS } from "../../core/schema/schema-checks.js";
import { hasEnded } from "../../core/schema/statuses.js";
import { html, type Markup } from "../html.js";
import { remainingTimeText } from "../time-left.js";
import { type CheckoutPage, needsChoice } from "./page-model.js";

/** Status that each button of the panel sets. */
export const PANEL_BUTTONS = {
  complete: "COMPLETED",
  fail: "FAILED",
  expire: "EXPIRED",
  refund: "REFUNDED",
} as const satisfies Record<string, ChargeStatus>;
type PanelButton = keyof typeof PANEL_BUTTONS;

export function isPanelButton(text: string | null): text is PanelButton {
  return text !== null && Object.hasOwn(PANEL_BUTTONS, text);
}

/** Suggested failure reasons; any text is accepted. */
const REASONS = ["declined", "insufficient_funds", "declined_by_operator", "operator_timeout"];

/**
 * The bar above the page, last in the order of the keyboard, where a tester chooses the outcome. A real service has no
 * such bar.
 */
export function sandboxPanel(page: CheckoutPage): Markup {
  const { charge, links } = page;
  const isChoosing = needsChoice(charge);
  // Before a method is chosen the buttons submit the method form, because completing needs a method.
  const form = isChoosing ? "method" : "outcome";
  const target = isChoosing && html` formaction="${links.action("outcome")}"`;
  const button = ([value, label]: [PanelButton, string]) => {
    const title = `Set the charge to ${PANEL_BUTTONS[value]}`;
    const field = value === "fail" && reasonField(form);
    return html`<button name="outcome" value="${value}" form="${form}"${target}
title="${title}">${label}</button>${field}`;
  };
  const dashboard = `${links.dashboard(page.namespace)}/charges/${charge.charge_id}`;
  const dashboardLink = html`<a href="${dashboard}">Open in the dashboard</a>`;
  const problem =
    page.isPanelProblem &&
    html`<strong class="fault" role="alert" tabindex="-1" autofocus>${page.problem}</strong>`;
  const frozen = page.speed === 0 && html` <span class="small">clock frozen</span>`;
  // Enter in the field of the reason presses the first button of the form, the hidden one.
  const outcomeForm =
    !isChoosing &&
    html`<form id="outcome" hidden method="post" action="${links.action("outcome")}">
<button hidden name="outcome" value="fail">Fail</button></form>`;
  const { scenario: name } = charge.sandbox;
  const scenario = name !== null && html`, scenario <bdi>“${name}”</bdi>`;
  const isOver = hasEnded(charge.status);
  const { word } = shownStatus(charge);
  const { sentence } = charge.why;
  const cause = html`<span>${!sentence.includes(word) && `${word}: `}${sentence} · ${dashboardLink}</span>`;
  return html`<aside class="sandbox" aria-labelledby="sandbox"><div>
<h2 id="sandbox">Sandbox${frozen} <span class="small">not on the real page</span></h2>
${outcomeForm}
<div class="outcomes">${problem}${buttonsFor(page).map(button)}${isOver && cause}</div>
<details><summary>More</summary><div class="more">
<p>${charge.mode === "live" ? "Live mode, but in a sandbox: no real money moves." : "Test mode: no real money moves."}
${nextMove(page)}</p>
<p class="small">Charge <code>${charge.charge_id}</code>, ${charge.status}${scenario}. ${!isOver && dashboardLink}</p>
</div></details>
</div></aside>`;
}

/** The next planned status, with the time until it is due at the speed of sandbox time. */
function nextMove({ charge, nowMs, speed }: CheckoutPage): Markup | false {
  const [next] = charge.planned;
  if (hasEnded(charge.status) || next === undefined) return false;
  const dueMs = Date.parse(next.at);
  const due = html`<span data-until="${dueMs}">${remainingTimeText(dueMs - nowMs)}</span>`;
  return html`Next: ${next.to} in ${due}${speed === 0 && ", once the clock runs or is advanced"}.`;
}

function buttonsFor({ charge, offers, checkout }: CheckoutPage): [PanelButton, string][] {
  const { settable, returns } = checkout;
  const buttons: [PanelButton, string][] = [];
  const canBePaid = charge.settlement_amount !== null || offers.length > 0;
  if (canBePaid && settable.includes("COMPLETED"))
    buttons.push(["complete", charge.status === "EXPIRED" ? "Complete late" : "Complete"]);
  if (settable.includes("FAILED")) buttons.push(["fail", "Fail"]);
  if (settable.includes("EXPIRED")) buttons.push(["expire", "Expire"]);
  if (settable.includes("REFUNDED"))
    buttons.push(["refund", returns.length > 0 ? "Refund the rest" : "Refund"]);
  return buttons;
}

/** Enter in this field fails the payment. */
function reasonField(form: string): Markup {
  const attributes = html`list="reasons" placeholder="declined" maxlength="${MAX_LENGTHS.reason}" autocomplete="off"`;
  const label = "Reason if it fails";
  return html`<span class="reason">
<input name="reason" form="${form}" aria-label="${label}" title="${label}" ${attributes}>
<datalist id="reasons">${REASONS.map((reason) => html`<option value="${reason}">`)}</datalist></span>`;
}
