import type { JournalEntry } from "../../../../namespace/served-request.js";
import { maskKey } from "../../../../schema/mask-key.js";
import { iso } from "../../../../schema/time.js";
import { html, type Markup } from "../../html.js";
import { errorText } from "../attention.js";
import { controlCurl, requestCurl } from "../curl.js";
import {
  badge,
  choice,
  copy,
  facts,
  filters,
  input,
  pager,
  part,
  pretty,
  rows,
  snippet,
  toneOfHttp,
  when,
} from "../parts.js";
import { href, offsetOf, PAGE_ROWS, type Scene } from "../scene.js";
import { isOfMode, requestRow } from "./activity.js";

/** What the app sent and what it was told. */
export function requestsView(scene: Scene): Markup {
  const { query, namespace } = scene;
  const [status, operation, q] = ["status", "operation", "q"].map((name) => query.get(name) ?? "") as [
    string,
    string,
    string,
  ];
  const all = namespace.journal.entries();
  const found = all.filter(
    (one) =>
      isOfMode(scene, one) &&
      (status === "" || String(one.status ?? "").startsWith(status)) &&
      (operation === "" || one.operation === operation) &&
      (q === "" ||
        one.url.includes(q) ||
        (one.requestBody ?? "").includes(q) ||
        (one.responseBody ?? "").includes(q)),
  );
  const offset = offsetOf(scene);
  const operations = [...new Set(all.flatMap((one) => one.operation ?? []))].sort();
  return html`<h1>Requests</h1>
${filters(
  scene,
  html`${input({ name: "q", label: "Text", value: q, hint: "in the path or a body", type: "search" })}
${choice(
  "status",
  "Status",
  [
    ["", "any"],
    ["2", "2xx"],
    ["4", "4xx"],
    ["5", "5xx"],
  ],
  status,
)}
${choice("operation", "Operation", [["", "any"], ...operations.map((one): [string, string] => [one, one])], operation)}`,
)}
${part({
  id: "requests",
  title: `${found.length} ${q === "" && status === "" && operation === "" ? "kept" : "found"}`,
  tools: copy(
    "Copy as curl",
    controlCurl(scene, `GET /_sandbox/requests${status === "" ? "" : `?status=${status}xx`}`),
    "c",
  ),
  body: html`${rows(
    "Requests",
    found.slice(offset, offset + PAGE_ROWS).map((one) => requestRow(scene, one)),
    "None.",
  )}${pager(scene, found.length)}`,
})}`;
}

export function requestView(scene: Scene, entry: JournalEntry): Markup {
  const bad = !entry.inFlight && (entry.status ?? 500) >= 400;
  const charge =
    entry.objectId ??
    /"charge_id":"(ch_[0-9a-f]+)"/.exec(entry.responseBody ?? "")?.[1] ??
    /\/(ch_[0-9a-f]+)/.exec(entry.path)?.[1];
  const isCharge =
    charge?.startsWith("ch_") === true && scene.namespace.engine.state.get("charges", charge) !== undefined;
  const tolerated = entry.tolerated ?? [];
  return html`<p class="back"><a href="${href(scene, "requests")}">← Requests</a>${isCharge && html` · <a href="${href(scene, "charges", charge)}">${charge}</a>`}</p>
<div class="object" data-part id="request"><h1>${entry.method} ${entry.path} ${badge(entry.inFlight ? "in flight" : String(entry.status ?? "dropped"), entry.inFlight ? "warn" : toneOfHttp(entry.status))}</h1>
${bad && html`<p class="why"><strong>Why:</strong> ${entry.fault !== null ? `fault ${entry.fault} interfered: ` : ""}${entry.status === null ? "the connection was dropped" : errorText(entry)}</p>`}
${tolerated.length > 0 && html`<p class="why">${badge("ignored", "warn")} The service passed over, without a word: ${tolerated.join("; ")}</p>`}
${facts([
  ["Operation", entry.operation ?? "none"],
  ["At", when(scene, iso(entry.atMs))],
  ["Sent at (wall time)", iso(entry.wallMs)],
  ["Key", entry.apiKey === null ? "none" : maskKey(entry.apiKey)],
  ["Idempotency-Key", entry.idempotencyKey ?? "none"],
  ["Scenario asked for", entry.scenario ?? "none"],
  ["Fault", entry.fault ?? "none"],
])}</div>
${part({ id: "sent", title: "What your app sent", body: bodyOf(entry.requestBody) })}
${part({ id: "told", title: "What it was told", body: bodyOf(entry.responseBody) })}
${part({ id: "copies", title: "Replay", body: snippet("curl", requestCurl(scene, entry), "c") })}`;
}

function bodyOf(text: string | null): Markup {
  return text === null || text === ""
    ? html`<p class="soft">No body.</p>`
    : html`<pre tabindex="0" aria-label="Body">${pretty(text)}</pre>`;
}
