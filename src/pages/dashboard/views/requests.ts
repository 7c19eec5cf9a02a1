import type { RequestView } from "../../../core/schema/control-log-responses.js";
import { OPERATION_IDS } from "../../../core/schema/operation-ids.js";
import { type Content, html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { filteredList, type Listing } from "../lists.js";
import { linkTo, objectUrl, type PageContext, viewUrl } from "../page-context.js";
import { hasFailed, LONGEST_PAGE, requestBadge, requestRow } from "../rows.js";
import { requestCurl } from "../shell-commands.js";
import type { View } from "../view.js";

export const REQUESTS: View = {
  name: "requests",
  title: "Requests",
  listId: "requests",
  searches: "in the path or a value",
  list: (context) => filteredList(context, listing(context), html`<h1>Requests</h1>`),
  listing,
  record: ["request", requestView],
};

function listing(context: PageContext): Listing<"requests"> {
  return {
    name: "requests",
    headings: ["Time", "Status", "", "Request", "About", "Id"],
    choices: { status: ["2xx", "4xx", "5xx", "dropped"], operation: OPERATION_IDS },
    get: (request_id) => context.ask("getRequest", { request_id }),
    idOf: ({ request_id }) => String(request_id),
    row: (request) => requestRow(context, request),
    none: `None yet: let your app call ${context.origin}/api/v1.`,
  };
}

/** A request: why it failed, and both bodies. */
async function requestView(context: PageContext, request_id: string): Promise<Markup> {
  const request = await context.ask("getRequest", { request_id });
  const problems = await problemsOf(context, request);
  return html`${ui.backLink(context, "Requests")}
${summarySection(context, request)}
${
  problems.length > 0 &&
  ui.section({
    id: "wrong",
    title: hasFailed(request) ? "Problems" : "Ignored fields",
    body: problemList(problems),
  })
}
${ui.section({ id: "sent", title: "Request", body: bodyOf(request.request_body, "Request") })}
${ui.section({ id: "told", title: "Response", body: bodyOf(request.response_body, "Response") })}`;
}

function summarySection(context: PageContext, request: RequestView): Markup {
  const { method, path, operation, why, object_id, fault, in_flight } = request;
  const about = objectUrl(context, object_id);
  const heading = hasFailed(request) && html`<strong>Why:</strong> `;
  return html`<div class="object" data-part id="request"><h1>${method} ${path} ${requestBadge(request)}</h1>
${why !== null && html`<p class="why">${heading}${why}</p>`}
${ui.factList([
  [
    "Operation",
    operation === null ? "none" : html`<a href="${linkTo(context, "/docs")}#${operation}">${operation}</a>`,
  ],
  about !== undefined && ["About", html`<a href="${about}">${object_id}</a>`],
  ["At", ui.timeTag(context, request.at)],
  ["Sent at (wall time)", request.sent_at],
  ["Duration", in_flight ? "in flight" : `${request.duration_ms} ms`],
  ["Sent by", request.runner ?? "your app"],
  ["Key", request.api_key ?? "none"],
  ["Idempotency-Key", request.idempotency_key ?? "none"],
  ["Scenario asked for", request.scenario ?? "none"],
  fault !== null && ["Fault", faultLink(context, fault)],
])}
<div class="actions">${ui.copyButton("Copy as curl", requestCurl(context, request))}</div></div>`;
}

function faultLink(context: PageContext, fault: string): Markup {
  return fault.startsWith("flt_")
    ? html`<a href="${viewUrl(context, "faults")}">${fault}</a>`
    : html`<a href="${viewUrl(context, "scenarios", fault)}">scenario ${fault}</a>`;
}

/** A refused or ignored field of a request. */
interface Problem {
  /** Dotted path into the body, or a query parameter. */
  readonly field: string;
  /** Value as JSON; undefined if the field was missing. */
  readonly sent: string | undefined;
  readonly message: Content;
}

/** Fields named in the error's `details`, an amount above the balance, and ignored fields. */
async function problemsOf(context: PageContext, entry: RequestView): Promise<Problem[]> {
  const { method, query, status, request_body, response_body, tolerated } = entry;
  const request = method === "GET" ? query : request_body;
  const response = (status ?? 500) >= 400 ? response_body : undefined;
  const ignored = tolerated.flatMap((note) => {
    const [, field, message] = /^body\.([^:]+): (.*)$/.exec(note) ?? [];
    return field === undefined ? [] : [[field, message] as const];
  });
  const isOverdrawn = valueAt(response, "error.code") === "INSUFFICIENT_BALANCE";
  const details = isOverdrawn
    ? { amount: await balanceText(context, entry, String(valueAt(request, "currency"))) }
    : (valueAt(response, "error.details") ?? {});
  return [...Object.entries(details), ...ignored].map(([field, message]) => {
    const sent = valueAt(request, field);
    const isNumber = typeof sent === "number" && message === "must be a string";
    const fix = isNumber && html`: send <code>"${sent}"</code>`;
    return { field, sent: JSON.stringify(sent), message: html`${message}${fix}` };
  });
}

/** Balance now of the organization whose key a call had. */
async function balanceText(
  context: PageContext,
  { api_key }: RequestView,
  currency: string,
): Promise<Markup> {
  const { ask, sandbox } = context;
  const [start, end] = (api_key ?? "").split("…");
  const owner = sandbox.keys.find(({ key }) => key.startsWith(start!) && key.endsWith(end ?? ""));
  const mode = api_key?.startsWith("sk_live_") ? "live" : "test";
  const balances = (await ask("listBalances", { limit: LONGEST_PAGE })).items;
  const held = balances.find(
    (one) => one.mode === mode && one.organization_id === owner?.organization_id && one.currency === currency,
  );
  return html`available now: ${ui.amountMarkup(held?.available_balance ?? "0", currency)}; <a
href="${viewUrl(context, "money")}">add money</a>`;
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (owner, name) =>
        typeof owner === "object" && owner !== null && Object.hasOwn(owner, name)
          ? (owner as Record<string, unknown>)[name]
          : undefined,
      value,
    );
}

function problemList(problems: readonly Problem[]): Markup {
  return html`<dl class="diff">${problems.map(({ field, sent, message }) => {
    const value = sent !== undefined && html`sent <code>${sent}</code>, `;
    return html`<div><dt><code>${field}</code></dt><dd>${value}<span class="soft">${message}</span></dd></div>`;
  })}</dl>`;
}

function bodyOf(body: unknown, label: string): Markup {
  const text = typeof body === "string" ? body : ui.toIndentedJson(body);
  return body === null || body === ""
    ? html`<p class="soft">No body.</p>`
    : html`<pre tabindex="0" aria-label="${label}">${text}</pre>`;
}
