import { appEnvironment } from "../../../app-environment.js";
import type { Charge } from "../../../core/domain/charge.js";
import type { Withdrawal } from "../../../core/domain/withdrawal.js";
import { isFailing } from "../../../core/engine/failing.js";
import type { StoredFault } from "../../../core/engine/records.js";
import type { JournalEntry } from "../../../core/namespace/served-request.js";
import { iso } from "../../../core/schema/time.js";
import { html, type Markup } from "../../html.js";
import { attention, placeOf } from "../attention.js";
import { command, controlCurl } from "../curl.js";
import { badge, button, form, input, part, row, rows, snippet, wanted } from "../parts.js";
import { here, href, isShown, type Scene } from "../scene.js";
import { dueRow } from "./due.js";
import { chargeRow, deliveryRow, isOfMode, requestRow, withdrawalRow } from "./rows.js";

const SHOWN = 30;
const DUE_SHOWN = 8;
const DUE_MAX = 200;
const SHOWS = {
  all: "All",
  charges: "Charges",
  webhooks: "Webhooks",
  requests: "Requests",
  errors: "Errors",
} as const;

/** Entries that need attention, and recent activity. */
export function activityView(scene: Scene): Markup {
  const { state } = scene.namespace.engine;
  const isNew = state.tables.charges.size === 0 && scene.namespace.journal.entries().length === 0;
  if (isNew) return firstSteps(scene);
  const needs = attention(scene);
  const show = scene.query.get("show") ?? "all";
  const tabs = html`<nav class="tabs" aria-label="What is shown">${Object.entries(SHOWS).map(([name, label]) => html`<a href="${here(scene, { show: name === "all" ? undefined : name })}"${name === show && html` aria-current="true"`}>${label}</a>`)}</nav>`;
  return html`<h1 class="unseen">Activity</h1>
${part({
  id: "attention",
  title: "Needs attention",
  body: rows(
    "Needs attention",
    needs.map((need) => row(scene, { ...need, status: badge(need.word, need.tone) })),
    "Nothing: no call was refused, no webhook fails or waits, no scenario interferes.",
  ),
})}
${part({ id: "activity", title: "Activity", tools: tabs, body: rows("Activity", happened(scene, show), "Nothing yet.") })}`;
}

interface Happened {
  readonly at: string;
  readonly row: Markup;
}

function happened(scene: Scene, show: string): Markup[] {
  const { namespace } = scene;
  const { state } = namespace.engine;
  const isMeant = (one: Charge | Withdrawal) =>
    isShown(scene, one) && (show !== "errors" || one.status === "FAILED");
  const charges = state
    .found("charges", isMeant, 0, SHOWN)
    .items.map((one): Happened => ({ at: one.updated_at, row: chargeRow(scene, one) }));
  const withdrawals = () =>
    state
      .found("withdrawals", isMeant, 0, 10)
      .items.map((one): Happened => ({ at: one.updated_at, row: withdrawalRow(scene, one) }));
  const deliveries = () =>
    state
      .found("deliveries", (one) => isShown(scene, one) && (show !== "errors" || isFailing(one)), 0, SHOWN)
      .items.map(
        (one): Happened => ({ at: one.attempts.at(-1)?.at ?? one.created_at, row: deliveryRow(scene, one) }),
      );
  const isRequestMeant = (one: JournalEntry) =>
    isOfMode(scene, one) &&
    ((one.status ?? 500) >= 400 ||
      (show !== "errors" &&
        (show !== "all" || !MAKES_CHARGE.has(one.operation ?? "") || (one.tolerated ?? []).length > 0)));
  const requests = () =>
    alikeTogether(namespace.journal.entries().slice(0, 200).filter(isRequestMeant))
      .slice(0, SHOWN)
      .map(
        ([newest, ...others]): Happened => ({
          at: iso(newest.atMs),
          row: requestRow(scene, newest, others),
        }),
      );
  const all: Record<string, () => Happened[]> = {
    all: () => [...charges, ...withdrawals(), ...requests()],
    charges: () => [...charges, ...withdrawals()],
    webhooks: deliveries,
    requests,
    errors: () => [...charges, ...deliveries(), ...requests(), ...withdrawals()],
  };
  return (all[show] ?? all.all!)()
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .slice(0, SHOWN)
    .map((one) => one.row);
}

/** Groups consecutive calls with the same outcome, each group newest first. */
function alikeTogether(entries: readonly JournalEntry[]): [JournalEntry, ...JournalEntry[]][] {
  const groups: [JournalEntry, ...JournalEntry[]][] = [];
  const name = ({ method, path, status, inFlight, fault, responseBody }: JournalEntry) =>
    [method, path, status, inFlight, fault, (status ?? 500) >= 400 && responseBody].join(" ");
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && name(last[0]) === name(entry)) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** Calls already visible in the charge's row. */
const MAKES_CHARGE = new Set(["createQuote", "createWhitelabel", "createCheckout", "getCharge"]);

/** Setup instructions for an empty namespace. */
function firstSteps(scene: Scene): Markup {
  const { namespace, origin } = scene;
  const { apiKey, webhookSecret } = namespace.info;
  const receivers = namespace.engine.state.endpoints().length;
  const env = Object.entries(appEnvironment({ url: origin, apiKey, webhookSecret }))
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
  return html`<h1>Three steps to your first payment</h1>
<ol class="steps">
<li data-part id="step-1"><h2>1. Point your app here</h2>${snippet(".env", env)}</li>
<li data-part id="step-2"><h2>2. Make a charge</h2><p>Let your app pay for something, or ${button({ does: "make", label: "Make one for me", kind: "main" })}</p>${snippet("On the command line", command(scene, "charge create"))}</li>
<li data-part id="step-3"><h2>3. Receive its webhook ${receivers > 0 && badge("done", "good")}</h2>${form(scene, html`${input({ name: "url", label: "Your receiver's URL", hint: "http://localhost:3000/webhooks", required: true })}<button name="do" value="receiver">Save</button>`, "Add a receiver")}
${snippet("As curl", controlCurl(scene, "POST /_sandbox/webhook-endpoints", { url: "http://localhost:3000/webhooks" }))}</li>
</ol>`;
}

function faultItem(scene: Scene, { fault_id, rule }: StoredFault): Markup {
  return html`<li data-key="${fault_id}">fault <a href="${href(scene, "faults")}">${wanted(rule.match?.operation ?? "any call")}</a>
${scene.namespace.faults.applied(fault_id)}${rule.times !== undefined && html`/${rule.times}`}
${button({ does: `fault-off ${fault_id}`, label: "Stop", to: `fault ${fault_id}` })}</li>`;
}

/**
 * Active rules, receivers and due tasks. Tasks come last: their number changes without user action and would shift
 * the others.
 */
export function asideView(scene: Scene): Markup {
  const { namespace, nowMs } = scene;
  const { state } = namespace.engine;
  const dueShown = scene.query.get("due") === "all" ? DUE_MAX : DUE_SHOWN;
  const due: Markup[] = [];
  for (const task of state.tasks.inOrder()) {
    if (due.length === dueShown) break;
    due.push(dueRow(scene, task, nowMs));
  }
  const more = state.tables.tasks.size - state.tasks.underWay - due.length;
  const active = [...state.tables.scenarios.values()].filter(({ activated }) => activated > 0);
  const faults = [...state.tables.faults.values()];
  return html`${part({
    id: "active",
    title: "Active",
    body: html`<ul class="small" data-list aria-label="Active">
${active.map(({ name }) => html`<li data-key="scenario-${name}">scenario <a href="${href(scene, "scenarios")}#${name}">${name}</a> ${button({ does: `deactivate ${name}`, label: "Off", to: `scenario ${name}` })}</li>`)}
${faults.map((fault) => faultItem(scene, fault))}
${active.length + faults.length === 0 && html`<li data-key="none" class="soft">No scenario, no fault.</li>`}</ul>`,
  })}
${part({
  id: "receivers-aside",
  title: "Receivers",
  body: html`<ul class="small" data-list aria-label="Receivers">${state.endpoints().map((endpoint) => {
    const { total } = state.found(
      "deliveries",
      (one) => one.webhook_id === endpoint.webhook_id && isFailing(one),
      0,
      0,
    );
    return html`<li data-key="${endpoint.webhook_id}">${badge(endpoint.enabled ? (total > 0 ? `${total} failing` : "ok") : "off", !endpoint.enabled ? "" : total > 0 ? "bad" : "good")} <a href="${href(scene, "webhooks", undefined, { receiver: endpoint.webhook_id })}">${placeOf(endpoint)}</a></li>`;
  })}${state.endpoints().length === 0 && html`<li data-key="none" class="soft">None. <a href="${href(scene, "webhooks")}">Add one</a></li>`}</ul>`,
})}
${part({
  id: "next",
  title: "Up next",
  body: html`<ul class="small" data-list aria-label="Up next">${due.length === 0 ? html`<li data-key="none" class="soft">Nothing is due.</li>` : due}</ul>
${more > 0 && html`<p class="soft">${dueShown === DUE_MAX ? `${more} more` : html`<a href="${here(scene, { due: "all" })}#next">${more} more</a>`}</p>`}`,
})}`;
}
