import type { RequestEntry } from "../../../core/namespace/served-request.js";
import { html, type Markup } from "../../html.js";
import type { PageContext } from "../page-context.js";
import { filteredList } from "./filtered-list.js";
import { isRequestOfMode, requestRow } from "./record-rows.js";

/** Calls with the text in their URL or a body, ignoring case. */
export function requestsWith(context: PageContext, q: string): RequestEntry[] {
  const text = new RegExp(q.replace(/[^\p{L}\p{N}]/gu, "\\$&"), "i");
  return context.namespace.journal
    .entries()
    .filter(
      (request) =>
        isRequestOfMode(context, request) &&
        (text.test(request.url) ||
          text.test(request.requestBody ?? "") ||
          text.test(request.responseBody ?? "")),
    );
}

export function requestsView(context: PageContext): Markup {
  const all = context.namespace.journal.entries();
  const statusOf = (request: RequestEntry) => String(request.status ?? "dropped");
  const classes = ["2", "4", "5"].map((digit) => [digit, `${digit}xx`] as const);
  return html`<h1>Requests</h1>
${filteredList<RequestEntry>(context, "requests", {
  choices: {
    status: [...classes, ...[...new Set(all.map(statusOf))].sort()],
    operation: [...new Set(all.flatMap((request) => request.operation ?? []))].sort(),
  },
  find: ({ q = "", status = "", operation }) =>
    (q === "" ? all : requestsWith(context, q)).filter(
      (request) =>
        isRequestOfMode(context, request) &&
        statusOf(request).startsWith(status) &&
        (operation === "" || request.operation === operation),
    ),
  row: (request) => requestRow(context, request),
  none: () => "None.",
})}`;
}
