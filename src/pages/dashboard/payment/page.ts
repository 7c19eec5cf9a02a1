import { stepText } from "../../../core/reports/payment-text.js";
import { shownStatus } from "../../../core/reports/shown-status.js";
import type { NextStep, Why } from "../../../core/schema/control-insight-responses.js";
import { breakable } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { idOf, type Payment, statusDetailsText } from "../rows.js";
import { moveButtons } from "./moves.js";
import { paymentTimeline } from "./timeline.js";

/** The parts in which the pages of charges and payouts differ. */
interface PaymentPage {
  /** Title of the list. */
  readonly list: string;
  readonly noun: "charge" | "withdrawal";
  /** Follow the amount in the heading. */
  readonly about: readonly Content[];
  readonly copies: readonly Markup[];
  /** Buttons of this kind of payment alone. */
  readonly extras?: Content;
  readonly facts: Parameters<typeof ui.factList>[0];
}

/** Page of a charge or payout. The timeline comes last: it grows, and shifts nothing. */
export async function paymentPage(
  context: PageContext,
  payment: Payment,
  { list, noun, about, copies, extras, facts }: PaymentPage,
): Promise<Markup> {
  const { why, next_step, amount, currency, mode, sandbox, metadata } = payment;
  const status = shownStatus(payment);
  const isAsked = sandbox.scenario_asked !== null || metadata.sandbox_scenario !== undefined;
  return html`${ui.backLink(context, list)}
<div class="object payment" data-part
id="${noun}"><h1>${ui.amountMarkup(amount, currency)} · ${ui.joinWithDots(about)} ${ui.liveModeTag(mode)}</h1>
<p class="status"><span data-key="${status.word}">${ui.badge(status.word)} <bdi
class="reason">${breakable(statusDetailsText(payment, status))}</bdi></span></p>
<p class="why${isAsked && " long"}"><strong>Why:</strong> <span
data-key="${status.word} ${status.at}">${whyText(context, why)}</span></p>
<p class="why next"><strong>Next:</strong> <span>${nextText(context, next_step)}</span></p>
<div class="actions">${await moveButtons(context, payment)}${extras}${ui.menu("Copy", copies)}${ui.copyableId(
    idOf(payment),
  )}</div></div>
<section id="about" class="folds" data-part>${ui.fold("Details", ui.factList(facts))}
${ui.fold(
  "Raw",
  html`<pre tabindex="0"
aria-label="The record as JSON">${ui.toIndentedJson(payment)}</pre>`,
)}</section>
${ui.section({ id: "timeline", title: "Timeline", body: await paymentTimeline(context, payment) })}`;
}

export function metadataFacts({ metadata }: Payment) {
  return Object.entries(metadata).map(([name, value]) => [name, html`<bdi>${value}</bdi>`] as const);
}

/** Why a payment has its status; the scenario in the sentence leads to its rules. */
function whyText(context: PageContext, { sentence, scenario }: Why): Content {
  const [before, ...after] = scenario === null ? [sentence] : sentence.split(scenario);
  if (after.length === 0) return sentence;
  const link = html`<a href="${viewUrl(context, "scenarios", scenario!)}">${scenario}</a>`;
  return html`${before}${link}${after.join(scenario!)}`;
}

/** The next step. The line stays when there is none: nothing below it moves. */
function nextText({ nowMs }: PageContext, step: NextStep | null): string {
  return step === null ? "nothing more." : stepText(step, nowMs);
}
