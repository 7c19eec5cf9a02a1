import type { Delivery } from "../../../core/engine/records.js";
import { type Advice, BAD_HABITS, findAdvice } from "../../../core/namespace/advice.js";
import {
  type Answer,
  type Finding,
  PROBES,
  type Probe,
  type ProbeRow,
  type WebhookReport,
} from "../../../core/schema/receiver-report.js";
import { receiverName } from "../../../server/control/record-views.js";
import { sentenceCase } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import { attentionItems, deliveryFailureText, findNewestDeliveries, isOpenFailure } from "../attention.js";
import * as ui from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { findingCounts, isCheckDone, type ReceiverCheckProgress, reportsOf } from "../reports.js";
import { cliCommand } from "../shell-commands.js";

/** Advice, and the check of a receiver. */
export function checksView(context: PageContext): Markup {
  const found = findAdvice(context.namespace.traffic);
  const unseen = Object.entries(BAD_HABITS).filter(([habit]) => found.every(({ id }) => id !== habit));
  const trouble = attentionItems(context).filter(({ tone }) => tone === "bad").length;
  const rows = [
    ...found.map((item) => {
      const example = html`<bdi>${exampleMarkup(context, item.example)}</bdi>`;
      return adviceRow(context, item, `${item.times}×`, html`${item.why}. Last: ${example}`);
    }),
    ...unseen.map(([key, { why }]) =>
      ui.listRow(context, { key, status: ui.badge("not seen", "good"), title: sentenceCase(why) }),
    ),
  ];
  return html`<h1>Checks</h1>
${ui.section({
  id: "advice",
  title: `Advice: ${found.length}`,
  body: html`${ui.rowList("Advice", rows, "")}
${trouble > 0 && html`<p class="why">Advice does not cover failing webhooks and refused calls: <a href="${viewUrl(context, "activity")}">${trouble} in Needs attention</a>.</p>`}`,
})}
${receiverCheckSection(context)}
${probesSection(context)}`;
}

export function adviceRow(
  context: PageContext,
  { id: key, advice: title, docs }: Pick<Advice, "id" | "advice" | "docs">,
  badge: string,
  subtitle: Content,
): Markup {
  const side = html`<code>${docs}</code>`;
  return ui.listRow(context, { key, status: ui.badge(badge, "warn"), title, subtitle, side });
}

/** Replaces receiver ids by their URLs, shortens times, and links requests that the journal still has. */
function exampleMarkup(context: PageContext, example: string): Markup[] {
  const { engine, journal } = context.namespace;
  const text = example.replace(/we_[0-9a-f]+/g, (id) => receiverName(engine.state.get("endpoints", id)));
  return text.split(/\b(request \d+|\d{4}-\d\d-\d\dT[\d:.]+Z)\b/).map((part, index) => {
    if (index % 2 === 1 && !part.startsWith("request")) return ui.timeTag(context, part);
    const id = part.replace("request ", "");
    return index % 2 === 1 && journal.entries().some((entry) => String(entry.id) === id)
      ? html`<a href="${viewUrl(context, "requests", id)}">${part}</a>`
      : html`${part}`;
  });
}

const TONES = { pass: "good", fail: "bad", note: "warn" } as const;

/** Lists the receivers with an HTTP URL, each with a button that starts the check. */
function receiverCheckSection(context: PageContext): Markup {
  const { receivers } = reportsOf(context.namespace);
  const endpoints = context.namespace.engine.state
    .endpoints()
    .filter(({ url }) => url !== null && /^https?:/.test(url));
  const isTrouble = (delivery: Delivery) => isOpenFailure(context, delivery);
  return ui.section({
    id: "doctor",
    title: "Check your receiver",
    body: html`<p class="soft">Sends valid, duplicate, forged, stale and malformed events, and compares the responses with those of a correct receiver. The events are samples, not part of this namespace.</p>
${ui.rowList(
  "Receivers to check",
  endpoints.map((endpoint) => {
    const { webhook_id, url } = endpoint;
    const check = receivers.get(webhook_id);
    const to = `${viewUrl(context, "checks", undefined, { receiver: webhook_id })}#probes`;
    const report = check?.report;
    const { total, items } = findNewestDeliveries(context, webhook_id, isTrouble, 1);
    const failing = items.map((newest) =>
      ui.reasonMarkup(`${ui.formatCount(total, "webhook")} failing: ${deliveryFailureText(newest)}`),
    );
    return ui.listRow(context, {
      key: `check-${webhook_id}`,
      status: check === undefined ? ui.badge("not checked", "") : verdict(check),
      title: receiverName(endpoint),
      ...(check !== undefined && { to, at: check.at }),
      tone: total > 0 ? "bad" : "",
      subtitle: ui.joinWithDots([
        ...failing,
        check?.error ?? report?.error ?? (report ? resultText(report) : `${PROBES.length} probes`),
      ]),
      rowButtons: html`${ui.copyButton("Copy command", cliCommand(context, `check-webhook ${url}`))}${ui.button({ does: ["check", { webhook_id }], label: "Check", to: receiverName(endpoint), kind: "main" })}`,
    });
  }),
  html`None with a URL. <a href="${viewUrl(context, "webhooks")}">Add one</a>`,
)}`,
  });
}

/** Number of findings, and the one to mend first. */
function resultText(report: WebhookReport): string {
  const { findings } = report;
  const first = findings.find(({ severity }) => severity === "must") ?? findings[0];
  return [findingCounts(report), first?.title].filter(Boolean).join(" · ");
}

function verdict(check: ReceiverCheckProgress): Markup {
  const { report, rows: result } = check;
  if (!isCheckDone(check)) return ui.badge(`${result.size} of ${PROBES.length}`, "warn");
  if (report === undefined) return ui.badge("could not run", "bad");
  return ui.badge(report.outcome, report.outcome === "passed" ? "good" : "bad");
}

/** The check of the receiver in the query, or else the newest. */
function shownCheck({ namespace, query }: PageContext): ReceiverCheckProgress | undefined {
  const { receivers } = reportsOf(namespace);
  return receivers.get(query.get("receiver") ?? "") ?? [...receivers.values()].at(-1);
}

/** Results of the probes; also shown while the check runs. */
function probesSection(context: PageContext): Markup | undefined {
  const receiver = shownCheck(context);
  if (receiver === undefined) return undefined;
  const { report, error, url, rows: result } = receiver;
  const why = error ?? report?.error;
  const rowsOf = (probes: readonly Probe[]) =>
    ui.rowList(
      "Probes",
      probes.map((probe) => probeRow(context, receiver, probe, result.get(probe))),
      "",
      ["", "Result", "Probe", "Response", ""],
    );
  const alike = PROBES.filter((probe) => (result.get(probe)?.because ?? null) !== null);
  return ui.section({
    id: "probes",
    isAppendOnly: true,
    title: `${url.replace(/^https?:\/\//, "")}: ${isCheckDone(receiver) ? (report?.outcome ?? "could not run") : "checking…"}`,
    body: html`${why !== undefined && why !== null && html`<p class="why"><strong>Why:</strong> ${why}</p>`}
${report !== undefined && report.findings.length > 0 && html`<ul class="findings">${report.findings.map((item) => findingItem(context, receiver, item))}</ul>`}
${
  report?.outcome !== "unreachable" &&
  html`${rowsOf(PROBES.filter((probe) => !alike.includes(probe)))}
${alike.length > 0 && html`<details><summary>${ui.formatCount(alike.length, "probe")} with the same cause</summary>${rowsOf(alike)}</details>`}`
}`,
  });
}

function probeUrl(context: PageContext, { webhookId }: ReceiverCheckProgress, probe: Probe): string {
  return viewUrl(context, "checks", probe, { receiver: webhookId });
}

function findingItem(
  context: PageContext,
  check: ReceiverCheckProgress,
  { severity, title, advice, probes }: Finding,
): Markup {
  return html`<li>${ui.badge(severity, severity === "must" ? "bad" : "warn")} <strong>${title}</strong><br>${advice} <span class="soft">Seen in: ${probes.map((probe, index) => html`${index > 0 && ", "}<a href="${probeUrl(context, check, probe)}">${probeName(probe)}</a>`)}</span></li>`;
}

function probeRow(
  context: PageContext,
  check: ReceiverCheckProgress,
  probe: Probe,
  result: ProbeRow | undefined,
): Markup {
  const row = { key: probe, title: probeName(probe) };
  if (result === undefined)
    return ui.listRow(context, { ...row, status: ui.badge(isCheckDone(check) ? "not sent" : "waiting", "") });
  return ui.listRow(context, {
    ...row,
    status: ui.badge(...badgeOf(result)),
    title: result.title,
    to: probeUrl(context, check, probe),
    subtitle:
      result.because === null ? result.came_back : `see ${probeName(result.because)}: ${result.came_back}`,
    tone: result.verdict === "fail" ? "bad" : "",
  });
}

function badgeOf({ verdict, answers, seen, because }: ProbeRow): [string, ui.Tone] {
  if (because !== null) return ["same cause", ""];
  if (verdict === "note" && answers.length === 0 && seen === null) return ["not sent", ""];
  return [verdict, TONES[verdict]];
}

function probeName(probe: Probe): string {
  return probe.replaceAll("_", " ");
}

/** One probe: request, expected behaviour and response. */
export function probeView(context: PageContext, id: string): Markup | undefined {
  const receiver = shownCheck(context);
  const result = receiver?.rows.get(id as Probe);
  if (receiver === undefined || result === undefined) return undefined;
  const sent = receiver.sent.get(result.probe) ?? [];
  return html`<p class="back"><a href="${viewUrl(context, "checks", undefined, { receiver: receiver.webhookId })}#probes">← Probes of ${receiver.url}</a></p>
<div class="object" data-part id="probe"><h1>${result.title} ${ui.badge(...badgeOf(result))}</h1>
${ui.factList([
  ["Sent", result.sent],
  ["Expected", result.expected],
  ["Response", result.came_back],
  ["When", ui.timeTag(context, receiver.at)],
])}
${result.advice !== null && html`<p class="why"><strong>What to do:</strong> ${result.advice}</p>`}
<div class="actions">${ui.button({ does: ["check", { webhook_id: receiver.webhookId }], label: "Check again", kind: "main" })}</div></div>
${result.answers.length === 0 && ui.section({ id: "none", title: "Requests", body: html`<p class="soft">None: this probe was not sent.</p>` })}
${result.answers.slice(0, Math.max(sent.length, 1)).map((response, index) => exchange(response, sent[index], index))}
${result.answers.length > sent.length && sent.length > 0 && html`<p class="soft">and ${result.answers.length - sent.length} more like these</p>`}`;
}

function exchange(
  response: Answer,
  sent: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | undefined,
  index: number,
): Markup {
  const { status, kind, duration_ms, body, error, attempt, event_id } = response;
  const headers = Object.entries(sent?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return ui.section({
    id: `request-${index + 1}`,
    title: `${response.sent}${attempt > 1 ? `, again (${attempt})` : ""}`,
    body: html`<p>${ui.badge(status === null ? kind : String(status), ui.httpTone(status))} ${Math.round(duration_ms)} ms · <code>${event_id}</code>${error !== null && html` · ${error}`}</p>
${
  sent !== undefined &&
  html`<pre tabindex="0" aria-label="Request ${index + 1}">${headers.join("\n")}

${ui.formatJson(sent.body)}</pre>`
}
${body !== "" && html`<pre tabindex="0" aria-label="Response ${index + 1}">${ui.formatJson(body)}</pre>`}`,
  });
}
