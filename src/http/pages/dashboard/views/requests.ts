import type { JournalEntry } from "../../../../namespace/served-request.js";
import { html, type Markup } from "../../html.js";
import { controlCurl } from "../curl.js";
import { choice, copy, filters, input, pager, part, rows } from "../parts.js";
import { offsetOf, PAGE_ROWS, type Scene } from "../scene.js";
import { isOfMode, requestRow } from "./activity.js";

/** The calls that have this text in their URL or a body, in any case. */
export function requestsWith(scene: Scene, q: string): JournalEntry[] {
  const text = new RegExp(q.replace(/[^\p{L}\p{N}]/gu, "\\$&"), "i");
  return scene.namespace.journal
    .entries()
    .filter(
      (one) =>
        isOfMode(scene, one) &&
        (text.test(one.url) || text.test(one.requestBody ?? "") || text.test(one.responseBody ?? "")),
    );
}

/** What the app sent and what it was told. */
export function requestsView(scene: Scene): Markup {
  const { query, namespace } = scene;
  const [status, operation, q] = ["status", "operation", "q"].map((name) => query.get(name) ?? "") as [
    string,
    string,
    string,
  ];
  const all = namespace.journal.entries();
  const found = (q === "" ? all : requestsWith(scene, q)).filter(
    (one) =>
      isOfMode(scene, one) &&
      (status === "" || String(one.status ?? "dropped").startsWith(status)) &&
      (operation === "" || one.operation === operation),
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
    ...[...new Set(all.map((one) => String(one.status ?? "dropped")))]
      .sort()
      .map((one): [string, string] => [one, one]),
  ],
  status,
)}
${choice("operation", "Operation", [["", "any"], ...operations.map((one): [string, string] => [one, one])], operation)}`,
)}
${part({
  id: "requests",
  title: `${found.length} ${q === "" && status === "" && operation === "" ? "requests" : "found"}`,
  tools: copy(
    "Copy as curl",
    controlCurl(scene, `GET /_sandbox/requests${status === "" ? "" : `?status=${status.padEnd(3, "x")}`}`),
    "c",
  ),
  body: html`${rows(
    "Requests",
    found.slice(offset, offset + PAGE_ROWS).map((one) => requestRow(scene, one)),
    "None.",
    ["Time", "Status", "Request", "About", "Duration"],
  )}${pager(scene, found.length)}`,
})}`;
}
