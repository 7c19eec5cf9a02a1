import type { JournalEntry } from "../../../core/namespace/served-request.js";
import { html, type Markup } from "../../html.js";
import type { Scene } from "../scene.js";
import { listing } from "./listing.js";
import { isOfMode, requestRow } from "./rows.js";

/** Calls with the text in their URL or a body, ignoring case. */
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

export function requestsView(scene: Scene): Markup {
  const all = scene.namespace.journal.entries();
  const statusOf = (one: JournalEntry) => String(one.status ?? "dropped");
  const classes = ["2", "4", "5"].map((one) => [one, `${one}xx`] as const);
  return html`<h1>Requests</h1>
${listing<JournalEntry>(scene, "requests", {
  choices: {
    status: [...classes, ...[...new Set(all.map(statusOf))].sort()],
    operation: [...new Set(all.flatMap((one) => one.operation ?? []))].sort(),
  },
  find: ({ q = "", status = "", operation }) =>
    (q === "" ? all : requestsWith(scene, q)).filter(
      (one) =>
        isOfMode(scene, one) &&
        statusOf(one).startsWith(status) &&
        (operation === "" || one.operation === operation),
    ),
  row: (one) => requestRow(scene, one),
  none: () => "None.",
})}`;
}
