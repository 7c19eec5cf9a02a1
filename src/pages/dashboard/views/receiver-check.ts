import {
  type Answer,
  type Finding,
  PROBES,
  type Probe,
  type ProbeRow,
} from "../../../core/schema/receiver-report.js";
import { html, type Markup } from "../../html.js";
import { placeOf } from "../attention.js";
import { command } from "../curl.js";
import {
  badge,
  button,
  copy,
  facts,
  part,
  pretty,
  row,
  rows,
  type Tone,
  toneOfHttp,
  when,
} from "../parts.js";
import { isOver, type ReceiverChecked, reportsOf } from "../reports.js";
import { href, type Scene } from "../scene.js";

const TONES = { pass: "good", fail: "bad", note: "warn" } as const;

/** The receivers that can be checked. */
export function doctorPart(scene: Scene): Markup {
  const { receiver } = reportsOf(scene.namespace);
  const endpoints = scene.namespace.engine.state
    .endpoints()
    .filter(({ url }) => url !== null && /^https?:/.test(url));
  return part({
    id: "doctor",
    title: "Check your receiver",
    body: html`<p class="soft">Sends it genuine, duplicate, forged, stale and broken events, and says what a good receiver would have done. The events are samples, and no part of this namespace.</p>
${rows(
  "Receivers to check",
  endpoints.map((one) =>
    row(scene, {
      key: `check-${one.webhook_id}`,
      status: receiver?.webhookId === one.webhook_id && verdict(receiver),
      title: placeOf(one),
      ...(receiver?.webhookId === one.webhook_id ? { to: "#probes", at: receiver.at } : {}),
      acts: html`${copy("Copy command", command(scene, `check-webhook ${one.url}`))}${button({ does: `check ${one.webhook_id}`, label: "Check", to: placeOf(one), kind: "main" })}`,
    }),
  ),
  html`None with a URL. <a href="${href(scene, "webhooks")}">Add one</a>`,
)}`,
  });
}

function verdict(checked: ReceiverChecked): Markup {
  const { report, rows: known } = checked;
  if (!isOver(checked)) return badge(`${known.size} of ${PROBES.length}`, "warn");
  if (report === undefined) return badge("not carried out", "bad");
  return badge(report.outcome, report.outcome === "passed" ? "good" : "bad");
}

/** Results of the probes, during the check too. */
export function probesPart(scene: Scene): Markup | undefined {
  const { receiver } = reportsOf(scene.namespace);
  if (receiver === undefined) return undefined;
  const { report, error, url, rows: known } = receiver;
  const why = error ?? report?.error;
  return part({
    id: "probes",
    grows: true,
    title: `${url.replace(/^https?:\/\//, "")}: ${isOver(receiver) ? (report?.outcome ?? "not carried out") : "being checked…"}`,
    body: html`${why !== undefined && why !== null && html`<p class="why"><strong>Why:</strong> ${why}</p>`}
${report !== undefined && report.findings.length > 0 && html`<ul class="findings">${report.findings.map((one) => found(scene, one))}</ul>`}
${rows(
  "Probes",
  PROBES.map((probe) => probeRow(scene, probe, known.get(probe), isOver(receiver))),
  "",
)}`,
  });
}

function found(scene: Scene, { severity, title, advice, probes }: Finding): Markup {
  return html`<li>${badge(severity, severity === "must" ? "bad" : "warn")} <strong>${title}</strong><br>${advice} <span class="soft">Seen in: ${probes.map((probe, place) => html`${place > 0 && ", "}<a href="${href(scene, "checks", probe)}">${named(probe)}</a>`)}</span></li>`;
}

function probeRow(scene: Scene, probe: Probe, known: ProbeRow | undefined, over: boolean): Markup {
  if (known === undefined)
    return row(scene, {
      key: probe,
      status: badge(over ? "not sent" : "waits", ""),
      title: named(probe),
    });
  return row(scene, {
    key: probe,
    status: badge(...markOf(known)),
    title: known.title,
    to: href(scene, "checks", probe),
    sub: known.because === null ? known.came_back : `see ${named(known.because)}: ${known.came_back}`,
    tone: known.verdict === "fail" ? "bad" : "",
  });
}

function markOf({ verdict, answers, seen, because }: ProbeRow): [string, Tone] {
  if (because !== null) return ["same cause", ""];
  if (verdict === "note" && answers.length === 0 && seen === null) return ["not sent", ""];
  return [verdict, TONES[verdict]];
}

function named(probe: Probe): string {
  return probe.replaceAll("_", " ");
}

/** One probe: request, expected behaviour and response. */
export function probeView(scene: Scene, id: string): Markup | undefined {
  const { receiver } = reportsOf(scene.namespace);
  const known = receiver?.rows.get(id as Probe);
  if (receiver === undefined || known === undefined) return undefined;
  const sent = receiver.sent.get(known.probe) ?? [];
  return html`<p class="back"><a href="${href(scene, "checks")}#probes">← Probes of ${receiver.url}</a></p>
<div class="object" data-part id="probe"><h1>${known.title} ${badge(...markOf(known))}</h1>
${facts([
  ["Sent", known.sent],
  ["A good receiver", known.expected],
  ["Came back", known.came_back],
  ["When", when(scene, receiver.at)],
])}
${known.advice !== null && html`<p class="why"><strong>What to do:</strong> ${known.advice}</p>`}
<div class="actions">${button({ does: `check ${receiver.webhookId}`, label: "Check again", kind: "main" })}</div></div>
${known.answers.length === 0 && part({ id: "none", title: "Requests", body: html`<p class="soft">None: this probe was not sent.</p>` })}
${known.answers.slice(0, Math.max(sent.length, 1)).map((answer, place) => exchange(answer, sent[place], place))}
${known.answers.length > sent.length && sent.length > 0 && html`<p class="soft">and ${known.answers.length - sent.length} more like these</p>`}`;
}

function exchange(
  answer: Answer,
  sent: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | undefined,
  place: number,
): Markup {
  const { status, kind, duration_ms, body, error, attempt, event_id } = answer;
  const headers = Object.entries(sent?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return part({
    id: `request-${place + 1}`,
    title: `${answer.sent}${attempt > 1 ? `, again (${attempt})` : ""}`,
    body: html`<p>${badge(status === null ? kind : String(status), toneOfHttp(status))} ${Math.round(duration_ms)} ms · <code>${event_id}</code>${error !== null && html` · ${error}`}</p>
${
  sent !== undefined &&
  html`<pre tabindex="0" aria-label="Request ${place + 1}">${headers.join("\n")}

${pretty(sent.body)}</pre>`
}
${body !== "" && html`<pre tabindex="0" aria-label="Response ${place + 1}">${pretty(body)}</pre>`}`,
  });
}
