import type { Charge } from "../../core/domain/charge-transition.js";
import { needsChoice } from "../../core/engine/commands/checkout-commands.js";
import { ruleConditions } from "../../core/engine/scenario-lookup.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { statusText } from "../../core/reports/shown-status.js";
import type { ChargeStatus } from "../../core/schema/common.js";
import { MAX_LENGTHS } from "../../core/schema/schema-checks.js";
import { html, type Markup } from "../html.js";
import { statusOf } from "../payment-status.js";
import { remainingTimeText } from "../time-left.js";
import type { CheckoutPage } from "./page-model.js";

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
  const scenario = charge.scenario !== null && html`, scenario <bdi>“${charge.scenario}”</bdi>`;
  return html`<aside class="sandbox" aria-labelledby="sandbox"><div>
<h2 id="sandbox">Sandbox${frozen} <span class="small">not on the real page</span></h2>
${outcomeForm}
<div class="outcomes">${problem}${buttonsFor(page).map(button)}${
    page.cause !== undefined && html`<span>${page.cause} · ${dashboardLink}</span>`
  }</div>
<details><summary>More</summary><div class="more">
<p>${charge.mode === "live" ? "Live mode, but in a sandbox: no real money moves." : "Test mode: no real money moves."}
${nextMove(page)}</p>
<p class="small">Charge <code>${charge.charge_id}</code>, ${charge.status}${scenario}. ${
    page.cause === undefined && dashboardLink
  }</p>
</div></details>
</div></aside>`;
}

/** The next planned status, with the time until it is due at the speed of sandbox time. */
function nextMove({ cause, nowMs, planned: [next], speed }: CheckoutPage): Markup | false {
  if (cause !== undefined || next === undefined) return false;
  const due = html`<span data-until="${next.dueMs}">${remainingTimeText(next.dueMs - nowMs)}</span>`;
  return html`Next: ${next.to} in ${due}${speed === 0 && ", once the clock runs or is advanced"}.`;
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

/** The status as people read it, and its cause: `FAILED, declined: customer_email matches declined@*`. */
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
