import { matchesWords, searchWords } from "../../../core/engine/match-fields.js";
import type { RequestEntry } from "../../../core/namespace/request-journal.js";
import { parseJsonOrText } from "../../../core/schema/json-objects.js";
import { maskKey } from "../../../core/schema/text-format.js";
import { iso } from "../../../core/schema/time.js";
import { type Content, html, type Markup } from "../../html.js";
import { callFailureText, faultPart } from "../call-failures.js";
import * as ui from "../components.js";
import { linkTo, type PageContext, viewUrl } from "../page-context.js";
import { requestCurl } from "../shell-commands.js";
import type { Listing } from "./filtered-list.js";
import {
  hasFailed,
  isRequestInMode,
  objectIdOf,
  objectUrl,
  requestBadge,
  requestRow,
} from "./record-rows.js";

export function requestListing(context: PageContext): Listing<RequestEntry> {
  const all = context.namespace.journal.entries();
  const statusOf = (request: RequestEntry) => String(request.status ?? "dropped");
  const classes = ["2", "4", "5"].map((digit) => [digit, `${digit}xx`] as const);
  return {
    headings: ["Time", "Status", "", "Request", "About"],
    choices: {
      status: [...classes, ...[...new Set(all.map(statusOf))].sort()],
      operation: [...new Set(all.flatMap((request) => request.operation ?? []))].sort(),
    },
    find: ({ q = "", status = "", operation }) =>
      (q === "" ? all : findRequestsByText(context, q)).filter(
        (request) =>
          isRequestInMode(context, request) &&
          statusOf(request).startsWith(status) &&
          (operation === "" || request.operation === operation),
      ),
    get: (id) => all.find((request) => String(request.id) === id),
    idOf: ({ id }) => String(id),
    row: (request) => requestRow(context, request),
    none: () => `None yet: let your app call ${context.origin}/api/v1.`,
  };
}

/** A request: why it failed, and both bodies. */
export function requestView(context: PageContext, requestId: string): Markup | undefined {
  const entry = context.namespace.journal.entries().find(({ id }) => String(id) === requestId);
  if (entry === undefined) return undefined;
  const problems = problemsOf(context, entry);
  return html`${ui.backLink(context, "requests")}
${summarySection(context, entry)}
${
  problems.length > 0 &&
  ui.section({
    id: "wrong",
    title: hasFailed(entry) ? "Problems" : "Ignored fields",
    body: problemTable(problems),
  })
}
${ui.section({ id: "sent", title: "Request", body: bodyOf(entry.requestBody, "Request") })}
${ui.section({ id: "told", title: "Response", body: bodyOf(entry.responseBody, "Response") })}`;
}

function summarySection(context: PageContext, entry: RequestEntry): Markup {
  const bad = hasFailed(entry);
  const id = objectIdOf(entry);
  const about = objectUrl(context, id);
  return html`<div class="object" data-part id="request"><h1>${entry.method} ${entry.path} ${requestBadge(entry)}</h1>
${bad && html`<p class="why"><strong>Why:</strong> ${callFailureText(entry)}</p>`}
${!bad && entry.fault !== null && html`<p class="why">${faultPart(entry)}</p>`}
${ui.factList([
  [
    "Operation",
    entry.operation === null
      ? "none"
      : html`<a href="${linkTo(context, "/docs")}#${entry.operation}">${entry.operation}</a>`,
  ],
  about !== undefined && ["About", html`<a href="${about}">${id}</a>`],
  ["At", ui.timeTag(context, iso(entry.atMs))],
  ["Sent at (wall time)", iso(entry.wallMs)],
  ["Duration", entry.inFlight ? "in flight" : `${entry.durationMs} ms`],
  ["Sent by", entry.runner ?? "your app"],
  ["Key", entry.apiKey === null ? "none" : maskKey(entry.apiKey)],
  ["Idempotency-Key", entry.idempotencyKey ?? "none"],
  ["Scenario asked for", entry.scenario ?? "none"],
  entry.fault !== null && ["Fault", faultLink(context, entry.fault)],
])}
<div class="actions">${ui.copyButton("Copy as curl", requestCurl(context, entry))}</div></div>`;
}

function faultLink(context: PageContext, fault: string): Markup {
  return context.namespace.engine.state.get("scenarios", fault) === undefined
    ? html`<a href="${viewUrl(context, "faults")}">${fault}</a>`
    : html`<a href="${viewUrl(context, "scenarios")}#${fault}">scenario ${fault}</a>`;
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
function problemsOf(context: PageContext, entry: RequestEntry): Problem[] {
  const { method, url, status, requestBody, responseBody, tolerated = [] } = entry;
  const query = new URL(url, "http://sandbox").searchParams;
  const request = method === "GET" ? Object.fromEntries(query) : parseJsonOrText(requestBody ?? "");
  const response = (status ?? 500) >= 400 ? parseJsonOrText(responseBody ?? "") : undefined;
  const ignored = tolerated.flatMap((note) => {
    const [, field, message] = /^body\.([^:]+): (.*)$/.exec(note) ?? [];
    return field === undefined ? [] : [[field, message] as const];
  });
  const isOverdrawn = valueAt(response, "error.code") === "INSUFFICIENT_BALANCE";
  const overdrawn = { amount: balanceText(context, entry, String(valueAt(request, "currency"))) };
  const details = isOverdrawn ? overdrawn : (valueAt(response, "error.details") ?? {});
  return [...Object.entries(details), ...ignored].map(([field, message]) => {
    const sent = valueAt(request, field);
    const isNumber = typeof sent === "number" && message === "must be a string";
    const fix = isNumber && html`: send <code>"${sent}"</code>`;
    return { field, sent: JSON.stringify(sent), message: html`${message}${fix}` };
  });
}

/** Balance now of the organization whose key a call had. */
function balanceText(context: PageContext, { apiKey }: RequestEntry, currency: string): Markup {
  const { engine, keys } = context.namespace;
  const organization = keys.find(apiKey ?? "")?.organization_id ?? "";
  const mode = apiKey?.startsWith("sk_live_") ? "live" : "test";
  const held = engine.state.holdingsOf(mode, organization).find((one) => one.currency === currency);
  return html`available now: ${ui.amountMarkup(held?.balances.available ?? "0", currency)}; <a
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

function problemTable(problems: readonly Problem[]): Markup {
  return html`<dl class="diff">${problems.map(({ field, sent, message }) => {
    const value = sent !== undefined && html`sent <code>${sent}</code>, `;
    return html`<div><dt><code>${field}</code></dt><dd>${value}<span class="soft">${message}</span></dd></div>`;
  })}</dl>`;
}

function bodyOf(text: string | null, label: string): Markup {
  return text === null || text === ""
    ? html`<p class="soft">No body.</p>`
    : html`<pre tabindex="0" aria-label="${label}">${ui.formatJson(text)}</pre>`;
}

/** Calls with the words in their path, or in a value of their query or of a body. Names of fields are not searched. */
function findRequestsByText(context: PageContext, search: string): RequestEntry[] {
  const words = searchWords(search);
  if (words.length === 0) return [];
  const patterns = words.map((word) => new RegExp(word.replace(/[^\p{L}\p{N}]/gu, "\\$&"), "i"));
  return context.namespace.journal
    .entries()
    .filter(
      (entry) =>
        isRequestInMode(context, entry) &&
        mayContain(entry, patterns) &&
        matchesWords(words, valuesOf(entry)),
    );
}

/** Returns false if a word is in no part of the call, so that few bodies are parsed. */
function mayContain({ url, requestBody, responseBody }: RequestEntry, patterns: readonly RegExp[]): boolean {
  const texts = [url, requestBody ?? "", responseBody ?? ""];
  const hasEscapes = texts.some((text) => text.includes("%") || text.includes("\\u"));
  return hasEscapes || patterns.every((pattern) => texts.some((text) => pattern.test(text)));
}

function valuesOf({ path, url, requestBody, responseBody }: RequestEntry): string[] {
  const values = [path, ...new URL(url, "http://sandbox").searchParams.values()];
  for (const body of [requestBody, responseBody])
    if (body !== null) collectValues(parseJsonOrText(body), values);
  return values;
}

function collectValues(value: unknown, values: string[]): void {
  if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) collectValues(part, values);
  else if (value !== null) values.push(String(value));
}
