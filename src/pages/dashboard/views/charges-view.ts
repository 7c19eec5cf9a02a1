import { type Charge, needsMethod } from "../../../core/domain/charge-transition.js";
import { requestedScenarioNamesOf } from "../../../core/engine/scenario-lookup.js";
import { chargeDetailView } from "../../../core/engine/wire-views.js";
import { CHARGE_STATUSES } from "../../../core/schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../../core/schema/statuses.js";
import { transitionCause } from "../../../server/control/charge-history.js";
import { isFailing } from "../../../server/control/record-views.js";
import { groupDigits, sentenceCase } from "../../format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, ROWS_PER_PAGE, viewUrl } from "../page-context.js";
import { cliCommand, controlCurl } from "../shell-commands.js";
import { chargeTimeline, timelineSwitch } from "./charge-timeline.js";
import { filteredList } from "./filtered-list.js";
import { postingsTable } from "./money-view.js";
import { payloadDiffSection } from "./payload-diff.js";
import { chargeRow, deliveryRow } from "./record-rows.js";

export function chargesView(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  return html`<h1>Charges</h1>
${filteredList<Charge>(context, "charges", {
  choices: { status: CHARGE_STATUSES },
  find: ({ q = "", status }, offset) => {
    const matches = (charge: Charge) =>
      isInMode(context, charge) && (status === "" || charge.status === status);
    return q === ""
      ? state.pageOfKinds("charges", matches, offset, ROWS_PER_PAGE)
      : state.chargesWithWords(q.slice(0, 255)).filter(matches);
  },
  row: (charge) =>
    chargeRow(context, charge, { at: charge.created_at, rowButtons: commonTransitions(charge) }),
  none: (_isFiltered, { q }) =>
    q === ""
      ? html`None yet. ${ui.button({ does: ["make"], label: "Make one for me" })}`
      : `No charge has “${q}” in its id, e-mail, name, reference, amounts or metadata.`,
})}`;
}

/** Allowed transitions. If the charge offers no method, excludes each status that needs a price. */
function allowedTransitions(charge: Charge) {
  return CHARGE_STATUS_TABLE[charge.status].next.flatMap((to) => {
    const { verb } = CHARGE_STATUS_TABLE[to];
    return verb === undefined || (needsMethod(charge, to) && charge.offered_methods.length === 0)
      ? []
      : [{ to, verb }];
  });
}

type Transition = ReturnType<typeof allowedTransitions>[number];

function transitionButton({ charge_id }: Charge, { to, verb }: Transition, kind?: "main"): Markup {
  const does = ["transitionCharge", { charge_id, to }] as const;
  return ui.button({ does: [...does], label: sentenceCase(verb), to: ui.shortIdText(charge_id), kind });
}

/** Statuses with a button in list rows. Each has a fixed slot, so buttons do not move when the status changes. */
const COMMON_STATUSES = CHARGE_STATUSES.filter((status) => CHARGE_STATUS_TABLE[status].hasRowButton === true);

function commonTransitions(charge: Charge): Markup | false {
  const transitions = allowedTransitions(charge);
  if (!transitions.some(({ to }) => COMMON_STATUSES.includes(to))) return false;
  return html`<span class="slots">${COMMON_STATUSES.map((status) => {
    const transition = transitions.find(({ to }) => to === status);
    return html`<span>${transition !== undefined && transitionButton(charge, transition)}</span>`;
  })}</span>`;
}

/** Buttons for all transitions. "More" sets a status with a reason, or runs the charge's timeline. */
function transitionControls(context: PageContext, charge: Charge): Markup {
  const { charge_id: id } = charge;
  const transitions = allowedTransitions(charge);
  if (transitions.length === 0)
    return html`<span class="soft">This status is final: no further transition is possible.</span>`;
  const buttons = transitions.map((transition) =>
    transitionButton(charge, transition, transition.to === "COMPLETED" ? "main" : undefined),
  );
  const statuses = plannedStatuses(context, charge);
  return html`${buttons}<details class="more-moves"><summary class="button">More ▾</summary><div>
${ui.actionForm(
  context,
  html`${ui.selectField(
    "to",
    "Change the status to",
    transitions.map(({ to }) => to),
    transitions.find(({ to }) => to === "FAILED")?.to ?? transitions[0]!.to,
  )}${ui.input({ name: "reason", label: "with the reason", hint: "insufficient_funds" })}${ui.submitButton({ does: ["transitionCharge", { charge_id: id }], label: "Move" })}`,
  "Move with a reason",
)}
${statuses.length > 0 && html`<p class="soft">Run only its own timeline; the clock does not move:</p><p class="actions">${statuses.map((to) => ui.button({ does: ["advanceCharge", { charge_id: id, until: to }], label: `until ${to}`, to: id }))}</p>`}</div></details>`;
}

/** Planned statuses that are still to come, in order. */
function plannedStatuses({ namespace }: PageContext, charge: Charge): string[] {
  const { state } = namespace.engine;
  if (!state.tasksOf(charge.charge_id).some(({ kind }) => kind === "timeline")) return [];
  const reached = new Set(charge.status_history.map(({ status }) => status));
  return [...new Set(charge.timeline.map(({ to }) => to))].filter((to) => !reached.has(to));
}

/** Page of a charge: status and cause, timeline, money, webhooks, details and code that reproduces the charge. */
export function chargeView(context: PageContext, id: string): Markup | undefined {
  const { state } = context.namespace.engine;
  const charge = state.get("charges", id);
  if (charge === undefined) return undefined;
  const deliveries = state.eventsOf(id).flatMap(({ event_id }) => state.deliveriesOf(event_id));
  const failing = deliveries.filter(isFailing).length;
  return html`<p class="back"><a href="${viewUrl(context, "charges")}">← Charges</a></p>
<div class="object" data-part id="charge"><h1><code>${id}</code> ${ui.badge(charge.status)} ${ui.liveModeTag(charge.mode)}</h1>
<p class="big">${ui.amountMarkup(charge.amount, charge.currency)}${charge.settlement_amount !== null && charge.fees !== null && html` <span class="soft">(price ${groupDigits(charge.settlement_amount)} + ${groupDigits(charge.fees.total_fee)} fees)</span>`}</p>
<p class="why"><strong>Why:</strong> ${causeText(context, charge)}</p>
<div class="actions">${transitionControls(context, charge)}${charge.kind === "hosted" && html`<a class="button" href="/checkout/${charge.checkout_id}">Checkout page ↗</a>`}</div></div>
${ui.section({ id: "timeline", title: "Timeline", tools: timelineSwitch(context), body: chargeTimeline(context, charge) })}
${ui.section({ id: "money", title: "Money", body: postingsTable(context, id) })}
${ui.section({
  id: "webhooks",
  title: `Webhooks: ${deliveries.length}${failing > 0 ? `, ${failing} failing` : ""}`,
  body: ui.rowList(
    "Webhooks",
    deliveries.sort((a, b) => b.seq - a.seq).map((delivery) => deliveryRow(context, delivery, { about: [] })),
    html`No webhook was created for it. <a href="${viewUrl(context, "webhooks")}">Add a receiver</a>`,
    ["Time", "Status", "Event → receiver", "Response", "Attempts"],
  ),
})}
${ui.section({
  id: "about",
  title: "Details",
  body: ui.factList([
    ["Customer", html`<bdi>${charge.customer_name ?? ""} ${charge.customer_email ?? "–"}</bdi>`],
    ["Method", charge.payment_method ?? "not chosen yet"],
    ["Reference", html`<code>${charge.provider_reference}</code>`],
    ["Created", ui.timeTag(context, charge.created_at)],
    ["Expires", ui.timeTag(context, charge.expires_at)],
    ["Settled", charge.settled_at === null ? "not yet" : ui.timeTag(context, charge.settled_at)],
    ["Exchange rate", charge.exchange_rate ?? "–"],
    ...Object.entries(charge.metadata).map(([name, value]) => [name, html`<bdi>${value}</bdi>`] as const),
    charge.kind === "hosted" && ["Checkout page", html`<a href="/checkout/${charge.checkout_id}">open ↗</a>`],
  ]),
})}
${payloadDiffSection(context, charge)}
${ui.foldedSection({
  id: "again",
  title: "Reproduce",
  body: html`${ui.actionForm(
    context,
    html`${ui.selectField(
      "scenario",
      "With scenario",
      [["", "as it is now"], ...[...state.tables.scenarios.keys()].map(String).sort()],
      charge.scenario_asked ?? "",
    )}${ui.submitButton({ does: ["again", { charge_id: id }], label: "Make the same again" })}`,
    "Make the same again",
  )}
${ui.snippet("curl", controlCurl(context, "getChargeTimeline", { charge_id: id }), "c")}
${ui.snippet("Command line", cliCommand(context, `charge ${id}`))}
${ui.snippet("Scenario (YAML): what happened, as a file", scenarioSource(charge))}
${ui.snippet("Test (Vitest)", testSource(charge))}`,
})}
${ui.foldedSection({
  id: "raw",
  title: "Raw",
  body: html`<pre tabindex="0" aria-label="The charge as JSON">${ui.toIndentedJson({ ...chargeDetailView(charge), mode: charge.mode, kind: charge.kind, scenario: charge.scenario, timeline: charge.timeline, notes: charge.notes })}</pre>`,
})}`;
}

/** Cause of the charge's current status, as a sentence. */
function causeText(context: PageContext, charge: Charge): Markup {
  const index = charge.status_history.length - 1;
  const last = charge.status_history[index]!;
  const cause = transitionCause(charge, index);
  const reason = last.reason === undefined ? "" : ` (“${last.reason}”)`;
  if (index === 0) return html`it was just created; ${planText(charge)}.`;
  switch (cause.actor) {
    case "scenario":
      return html`scenario <a href="${viewUrl(context, "scenarios")}#${cause.scenario}">${cause.scenario}</a>${ruleText(context, charge)} planned ${last.status}${reason} at ${ui.timeTag(context, last.at)}${requestText(charge)}.`;
    case "clock":
      return html`it expired unpaid at ${ui.timeTag(context, last.at)}.`;
    case "customer":
      return html`the customer decided on the hosted page at ${ui.timeTag(context, last.at)}${reason}.`;
    case "control":
      return html`changed by hand, ${manualDoors(charge)}, at ${ui.timeTag(context, last.at)}${reason}, from ${charge.status_history[index - 1]!.status}${transitionCause(charge, index - 1).actor === "scenario" && `, to which scenario ${charge.scenario} had brought it`}.`;
    case "api":
      return html`a payment method was chosen at ${ui.timeTag(context, last.at)}; ${planText(charge)}${requestText(charge)}.`;
  }
}

/** Ways to change the charge's status by hand. */
function manualDoors({ kind }: Charge): string {
  const checkout = kind === "hosted" ? "in the checkout's sandbox bar, " : "";
  return `${checkout}on the dashboard or over the control API`;
}

/** Says which scenario the app requested, and whether that scenario planned the charge's statuses. */
function requestText(charge: Charge): string | false {
  const requested = requestedScenarioNamesOf(charge);
  if (charge.scenario !== null && requested.includes(charge.scenario))
    return "; the app asked for this scenario by name";
  return (
    requested.length > 0 && `; the app asked for ${requested.join(" and ")}, which plans no status of it`
  );
}

function planText({ scenario, timeline, payment_method }: Charge): string {
  if (payment_method === null) return "a scenario plans what follows once a payment method is chosen";
  if (scenario === null) return "no scenario has a rule for it";
  return timeline.length === 0
    ? `scenario ${scenario} plans nothing for it`
    : `scenario ${scenario} plans ${timeline.map(({ to }) => to).join(" → ")}`;
}

/** The condition of the scenario rule that matched. */
function ruleText({ namespace }: PageContext, { scenario, rule }: Charge): Markup | false {
  const chargeRule =
    scenario === null || typeof rule !== "number"
      ? undefined
      : namespace.engine.state.get("scenarios", scenario)?.scenario.charges?.[rule];
  if (chargeRule === undefined) return false;
  const match = Object.entries(chargeRule.match ?? {}).map(
    ([field, condition]) =>
      `${field} ${typeof condition === "string" ? condition : JSON.stringify(condition)}`,
  );
  return html`, rule <code>charges.${rule as number}</code>${match.length > 0 && html` <code>${match.join(", ")}</code>`},`;
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
