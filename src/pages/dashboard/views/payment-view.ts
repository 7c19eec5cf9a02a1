import type { Charge } from "../../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../../core/domain/withdrawal.js";
import { requestedScenarioNamesOf } from "../../../core/engine/scenario-lookup.js";
import { chargeDetailView, withdrawalView } from "../../../core/engine/wire-views.js";
import { stepText } from "../../../core/reports/payment-text.js";
import type { ShownStatus } from "../../../core/reports/shown-status.js";
import type { NextStep, Why } from "../../../core/schema/control-insight-responses.js";
import { paymentReport } from "../../../server/control/payment-report.js";
import { breakable, groupDigits } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import { statusOf } from "../../payment-status.js";
import * as ui from "../components.js";
import { orderOf } from "../object-names.js";
import { linkTo, type PageContext, viewUrl } from "../page-context.js";
import { cliCommand, controlCurl } from "../shell-commands.js";
import {
  chargeMoves,
  type Move,
  moreChargeMoves,
  morePayoutMoves,
  payoutMoves,
  repeatMenu,
  splitButton,
} from "./payment-moves.js";
import { paymentTimeline } from "./payment-timeline.js";
import { destinationText, statusDetailsText } from "./record-rows.js";

/** A charge or payout as its page shows it. */
interface Payment {
  readonly id: string;
  readonly noun: "charge" | "withdrawal";
  readonly view: "charges" | "money";
  readonly record: Charge | Withdrawal;
  /** Follow the amount in the heading. */
  readonly about: readonly Content[];
  readonly status: ShownStatus;
  readonly moves: readonly Move[];
  readonly moreMoves: readonly Content[];
  readonly copies: readonly Markup[];
  /** Buttons of this kind of payment alone. */
  readonly extras?: Content;
  readonly facts: Parameters<typeof ui.factList>[0];
  /** The record as the service and the control API show it. */
  readonly raw: object;
}

export function chargeView(context: PageContext, id: string): Markup | undefined {
  const charge = context.namespace.engine.state.get("charges", id);
  if (charge === undefined) return undefined;
  const { customer_name, customer_email, fees, settlement_amount, mode, kind, scenario, timeline, notes } =
    charge;
  const order = orderOf(charge);
  return paymentView(context, {
    id,
    noun: "charge",
    view: "charges",
    record: charge,
    about: [
      customer_email ?? customer_name ?? "no e-mail",
      order && html`<span class="about">${order}</span>`,
      charge.payment_method?.replaceAll("_", " ") ?? "no method yet",
    ],
    status: statusOf(context.namespace, charge),
    moves: chargeMoves(context, charge),
    moreMoves: moreChargeMoves(context, charge),
    copies: chargeCopies(context, charge),
    extras: html`${repeatMenu(context, charge)}${
      kind === "hosted" &&
      html`<a class="button"
href="${linkTo(context, `/checkout/${charge.checkout_id}`)}">Checkout page ↗</a>`
    }`,
    facts: [
      ["Customer", html`<bdi>${[customer_name, customer_email].filter(Boolean).join(", ") || "–"}</bdi>`],
      settlement_amount !== null &&
        fees !== null && [
          "Price",
          `${groupDigits(
            settlement_amount,
          )} + ${groupDigits(fees.total_fee)} fees, rate ${charge.exchange_rate ?? "–"}`,
        ],
      charge.amount_paid !== undefined && [
        "Paid",
        ui.amountMarkup(charge.amount_paid, charge.currency_paid ?? charge.currency),
      ],
      ["Reference", html`<code>${charge.provider_reference}</code>`],
      ["Created", ui.timeTag(context, charge.created_at)],
      ["Expires", ui.timeTag(context, charge.expires_at)],
      ["Settled", charge.settled_at === null ? "–" : ui.timeTag(context, charge.settled_at)],
      ...metadataFacts(charge),
    ],
    raw: { ...chargeDetailView(charge), mode, kind, scenario, timeline, notes },
  });
}

export function payoutView(context: PageContext, id: string): Markup | undefined {
  const { state } = context.namespace.engine;
  const payout = state.get("withdrawals", id);
  if (payout === undefined) return undefined;
  const { mode, scenario, timeline, notes, status_history } = payout;
  const status = statusOf(context.namespace, payout);
  const isBounced = status.amount !== undefined;
  const destination = destinationText(state.get("destinations", payout.destination_id));
  return paymentView(context, {
    id,
    noun: "withdrawal",
    view: "money",
    record: payout,
    about: [payout.reference ?? "withdrawal", destination],
    status,
    moves: payoutMoves(payout),
    moreMoves: morePayoutMoves(context, payout, isBounced),
    copies: [
      ui.snippet("curl", controlCurl(context, "getControlWithdrawal", { withdrawal_id: id })),
      ui.snippet("Command line", cliCommand(context, `withdrawal ${id}`)),
    ],
    facts: [
      ["Destination", html`${destination} · <code>${payout.destination_id}</code>`],
      ["Fee", ui.amountMarkup(payout.fee, payout.currency)],
      ["Created", ui.timeTag(context, payout.created_at)],
      ...metadataFacts(payout),
    ],
    raw: { ...withdrawalView(payout), mode, scenario, timeline, notes, status_history },
  });
}

function metadataFacts({ metadata }: Charge | Withdrawal) {
  return Object.entries(metadata).map(([name, value]) => [name, html`<bdi>${value}</bdi>`] as const);
}

/** Page of a charge or payout. The timeline comes last: it grows, and shifts nothing. */
function paymentView(context: PageContext, payment: Payment): Markup {
  const { id, view, record, status, moves, moreMoves } = payment;
  const { why, next_step } = paymentReport(context.namespace, record);
  return html`${ui.backLink(context, view)}
<div class="object payment" data-part
id="${payment.noun}"><h1>${ui.amountMarkup(
    record.amount,
    record.currency,
  )} · ${ui.joinWithDots(payment.about)} ${ui.liveModeTag(record.mode)}</h1>
<p class="status"><span data-key="${status.word}">${ui.badge(status.word)} <bdi
class="reason">${breakable(statusDetailsText(context, record, status))}</bdi></span></p>
<p class="why${requestedScenarioNamesOf(record).length > 0 && " long"}"><strong>Why:</strong> <span
data-key="${status.word} ${status.at}">${whyText(context, why)}</span></p>
<p class="why next"><strong>Next:</strong> <span>${nextText(context, next_step)}</span></p>
<div class="actions">${splitButton(
    moves,
    id,
    moreMoves,
  )}${payment.extras}${ui.menu("Copy", payment.copies)}${ui.copyableId(id)}</div></div>
<section id="about" class="folds" data-part>${ui.fold("Details", ui.factList(payment.facts))}
${ui.fold(
  "Raw",
  html`<pre tabindex="0"
aria-label="The record as JSON">${ui.toIndentedJson(payment.raw)}</pre>`,
)}</section>
${ui.section({ id: "timeline", title: "Timeline", body: paymentTimeline(context, id, record) })}`;
}

/** Why a payment has its status; the scenario in the sentence leads to its card. */
function whyText(context: PageContext, { sentence, scenario }: Why): Content {
  const [before, ...after] = scenario === null ? [sentence] : sentence.split(scenario);
  if (after.length === 0) return sentence;
  const link = html`<a href="${viewUrl(context, "scenarios")}#${scenario}">${scenario}</a>`;
  return html`${before}${link}${after.join(scenario!)}`;
}

/** What comes next. The line stays when there is nothing more: nothing below it moves. */
function nextText({ nowMs }: PageContext, step: NextStep | null): string {
  return step === null ? "nothing more." : stepText(step, nowMs);
}

/** A charge as curl, command, scenario file and test. */
function chargeCopies(context: PageContext, charge: Charge): readonly Markup[] {
  const { charge_id } = charge;
  return [
    ui.snippet("curl: read the timeline", controlCurl(context, "getChargeTimeline", { charge_id })),
    ui.snippet("Command line", cliCommand(context, `charge ${charge_id}`)),
    ui.snippet("Scenario (YAML): what happened, as a file", scenarioSource(charge)),
    ui.snippet("Test (Vitest)", testSource(charge)),
  ];
}

/**
 * A scenario file that repeats this charge's status history for charges with the same customer email. If this charge
 * has no customer email, the file matches charges with the same currency.
 */
function scenarioSource(charge: Charge): string {
  const { customer_email, currency, status_history } = charge;
  const startMs = Date.parse(status_history[0]!.at);
  let previousMs = startMs;
  const entries = status_history.slice(1).map(({ status, at, reason }) => {
    const ms = Date.parse(at) - previousMs;
    previousMs = Date.parse(at);
    const reasonField = reason === undefined ? "" : `, reason: ${JSON.stringify(reason)}`;
    return `      - { after: ${duration(ms)}, to: ${status}${reasonField} }`;
  });
  const match = customer_email === null ? { currency } : { customer_email };
  const fields = Object.entries(match).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [
    `name: like_${charge.charge_id}`,
    "charges:",
    `  - match: { ${fields.join(", ")} }`,
    entries.length === 0 ? "    timeline: []" : "    timeline:",
    ...entries,
  ].join("\n");
}

function duration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** Source of a Vitest test that creates a copy of the charge and sets the copy's status. */
function testSource(charge: Charge): string {
  const { pricing, status, metadata } = charge;
  // JSON omits undefined fields.
  const order = {
    pricing,
    payment_method: charge.payment_method ?? charge.offered_methods[0],
    payment_rail: charge.payment_rail ?? undefined,
  };
  const customer = {
    customer_email: charge.customer_email ?? undefined,
    phone_number: charge.phone_number ?? undefined,
    bank_account_number: charge.bank_account_number ?? undefined,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  };
  return `import { expect, it } from "vitest";
import { setupSandbox } from "payments-sandbox/testing";

const sandbox = setupSandbox();

it("a charge that ends as ${status}", async () => {
  const post = async (path: string, body: object) => {
    const response = await fetch(\`\${sandbox.url}/api/v1\${path}\`, {
      method: "POST",
      headers: { authorization: \`Bearer \${sandbox.apiKey}\`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.json();
  };
  const order = ${JSON.stringify(order)};
  const { quote_id } = await post("/payments/quotes", order);
  const { charge_id } = await post("/payments/whitelabel", { ...order, quote_id, ...${JSON.stringify(customer)} });
  ${status === "PENDING" ? "" : `await sandbox.transition(charge_id, ${JSON.stringify(status)});`}
  // Assert here what your app did with it.
  expect(charge_id).toMatch(/^ch_/);
});`;
}
