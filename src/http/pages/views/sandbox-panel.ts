import type { ChargeStatus } from "../../../schema/common.js";
import { isOver } from "../../../schema/statuses.js";
import { html, type Markup } from "../html.js";
import { canBecome, needsMethod, type Page } from "../model.js";

/** What the panel can make of a payment; `scenario` lets things take their course. */
export const OUTCOMES = {
  complete: "COMPLETED",
  fail: "FAILED",
  expire: "EXPIRED",
  scenario: undefined,
} as const satisfies Record<string, ChargeStatus | undefined>;
export type Outcome = keyof typeof OUTCOMES;

export function isOutcome(text: string | null): text is Outcome {
  return text !== null && Object.hasOwn(OUTCOMES, text);
}

/** The part of the page that no real service has: whoever tests the shop decides how the payment ends. */
export function sandboxPanel(page: Page): Markup {
  const { charge, links } = page;
  const buttons = buttonsFor(page);
  const choosing = needsMethod(charge);
  return html`<aside class="sandbox" aria-labelledby="sandbox"><div>
<h2 id="sandbox">Sandbox – not part of the real page</h2>
<p>${charge.mode === "live" ? "Live mode, but of a sandbox: no real money moves." : "Test mode: no real money moves."} ${hint(page, buttons.length > 0)}</p>
${
  buttons.length > 0 &&
  html`<form class="outcomes" method="post" action="${links.action("outcome")}">
${buttons.map(([value, label]) => html`<button name="outcome" value="${value}"${choosing && html` form="method" formaction="${links.action("outcome")}"`}>${label}</button>`)}
</form>`
}
<p class="small">Charge <code>${charge.charge_id}</code>, ${charge.status}${charge.scenario !== null && html`, scenario <bdi>${charge.scenario}</bdi>`}</p>
</div></aside>`;
}

function buttonsFor({ charge, offers }: Page): [Outcome, string][] {
  const buttons: [Outcome, string][] = [];
  const canBePaid = charge.settlement_amount !== null || offers.length > 0;
  if (canBePaid && canBecome(charge, "COMPLETED"))
    buttons.push(["complete", charge.status === "EXPIRED" ? "Complete late" : "Complete"]);
  if (canBecome(charge, "FAILED")) buttons.push(["fail", "Fail"]);
  if (canBecome(charge, "EXPIRED")) buttons.push(["expire", "Expire"]);
  if (canBePaid && !isOver(charge.status)) buttons.push(["scenario", "Let the scenario decide"]);
  return buttons;
}

function hint({ charge, speed }: Page, open: boolean): string {
  if (!open) return "This payment is over.";
  if (charge.status === "EXPIRED") return "A payment after expiry may still be processed.";
  const still = speed === 0 ? " The clock stands still: a scenario goes on only when it is advanced." : "";
  return needsMethod(charge)
    ? `Choose how the payment ends; to complete it, choose a method above first.${still}`
    : `Choose how the payment ends.${still}`;
}
