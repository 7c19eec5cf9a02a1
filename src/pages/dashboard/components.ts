import { STATUS_TONES } from "../../core/reports/shown-status.js";
import type { Mode } from "../../core/schema/common.js";
import type { RequestView } from "../../core/schema/control-log-responses.js";

import { groupDigits } from "../format.js";
import { type Content, escapeText, html, Markup } from "../html.js";
import { type Press, pressText } from "./notices.js";
import {
  currentPath,
  currentUrl,
  dashboardPath,
  linkTo,
  type PageContext,
  pageOffset,
  ROWS_PER_PAGE,
  viewUrl,
} from "./page-context.js";

export { formatCount } from "../../core/schema/text-format.js";
export { readableDuration } from "../../core/schema/time.js";
export type { Press } from "./notices.js";

/** Colour and mark of a status. */
export type Tone = "good" | "bad" | "warn" | "";
const TONES: Readonly<Record<string, Tone>> = { ...STATUS_TONES, CANCELLED: "", EXPIRED: "warn" };

export function statusTone(status: string): Tone {
  return TONES[status] ?? "";
}

export function httpTone(status: number | null): Tone {
  if (status === null || status >= 400) return "bad";
  return status < 300 ? "good" : "warn";
}

/** A receiver's name for a row: without the host on this machine. */
export function receiverLabel(receiver: string): string {
  return receiver.replace(/^(localhost|127\.0\.0\.1|\[::1\])(?=:)/, "");
}

/** True unless a fault has been used up. */
export function canStillApply({ applied, times, per }: FaultUse): boolean {
  return per !== "request" || times === undefined || applied < times;
}

interface FaultUse {
  readonly applied: number;
  readonly times?: number | undefined;
  readonly per?: string | undefined;
}

export const MARKS: Readonly<Record<Tone, string>> = { good: "✓", bad: "✗", warn: "⚠", "": "●" };

/** A status with a mark, so colour is not the only signal. */
export function badge(text: string, tone: Tone = statusTone(text)): Markup {
  return html`<span class="badge ${tone}"><span aria-hidden="true">${MARKS[tone]}</span> ${text}</span>`;
}

/**
 * Sandbox time as HH:MM:SS, with the day if it is not today, and the year if it is another.
 * @param isShort leaves the seconds of another day out
 */
export function timeTag({ nowMs }: PageContext, iso: string, isShort = false): Markup {
  const now = new Date(nowMs).toISOString();
  const date = dateText(iso).slice(0, iso.slice(0, 4) === now.slice(0, 4) ? -5 : undefined);
  const day = iso.slice(0, 10) !== now.slice(0, 10) && html`<span class="date">${date}</span> `;
  return html`<time datetime="${iso}" title="${iso}">${day}${iso.slice(11, day && isShort ? 16 : 19)}</time>`;
}

/** `1 Mar 2026`. */
export function dateText(iso: string): string {
  const [, day, month, year] = new Date(iso).toUTCString().split(" ");
  return `${Number(day)} ${month} ${year}`;
}

/** Joins the non-empty items with dots. */
export function joinWithDots(list: readonly Content[]): Markup {
  const items = list.filter(Boolean);
  return html`<bdi>${items.map((item, place) => (place === 0 ? item : html`<span>\u00a0· ${item}</span>`))}</bdi>`;
}

/** A text whose long words wrap after a mark between names, not between letters or digits, or within an id. */
export function breakable(text: string): Markup {
  const { text: escaped } = escapeText(text);
  return new Markup(
    escaped.replace(/\S{24,}/g, (word) => word.replace(/(?<=\w{4})[@./_-](?=[a-z])/gi, "$&<wbr>")),
  );
}

/** A reason that begins a row's subtitle; coloured in rows of the tone "bad". */
export function reasonMarkup(reason: Content): Markup | false {
  return Boolean(reason) && html`<span class="reason">${reason}</span>`;
}

export function amountMarkup(amount: string, currency: string): Markup {
  return html`<span class="money">${currency} ${groupDigits(amount)}</span>`;
}

/** `POST /payments/quotes`: a call without the part of the path that all calls have. */
export function callText({ method, path }: Pick<RequestView, "method" | "path">): string {
  return `${method} ${path.replace(/^\/api\/v1(?=\/)/, "")}`;
}

/** Link from a record to its list, with the filters that led to the record. */
export function backLink(context: PageContext, title: string): Markup {
  const url = viewUrl(context, context.view, undefined, Object.fromEntries(context.query));
  return html`<p class="back"><a href="${url}">← ${title}</a></p>`;
}

/** A record's id, at the end of its actions. */
export function copyableId(id: string): Markup {
  return html`<span class="id"><code>${id}</code> ${copyButton("Copy id", id)}</span>`;
}

/** A shortened id; the title attribute has the full id. */
export function shortIdMarkup(id: string): Markup {
  return html`<code title="${id}">${shortIdText(id)}</code>`;
}

export function shortIdText(id: string): string {
  return id.length > 14 ? `${id.slice(0, 11)}…` : id;
}

export function liveModeTag(mode: Mode): Markup | false {
  return mode === "live" && html`<span class="tag">live</span>`;
}

interface ButtonOptions {
  readonly does: Press;
  readonly label: string;
  /** Object of the action, appended to the label for screen readers. */
  readonly to?: string | undefined;
  readonly kind?: "main" | "danger" | undefined;
  /** Tooltip. */
  readonly hint?: string;
  /** True if the opposite action takes the button's place and its focus. */
  readonly isToggle?: boolean;
}

/** A button of the page's shared action form. */
export function button(options: ButtonOptions): Markup {
  return buttonMarkup(options, html` form="act"`);
}

/** A button of the form around it. */
export function submitButton(options: ButtonOptions): Markup {
  return buttonMarkup(options, false);
}

function buttonMarkup({ does, label, to, kind, hint, isToggle }: ButtonOptions, form: Content): Markup {
  return html`<button${form} name="do"
value="${pressText(does)}"${kind !== undefined && html` class="${kind}"`}${
    hint !== undefined && html` title="${hint}"`
  }${isToggle && html` data-key="toggle"`}>${label}${
    to !== undefined && html`<span class="unseen"> ${to}</span>`
  }</button>`;
}

/** Button that copies text to the clipboard. Hidden without script. */
export function copyButton(label: string, text: string): Markup {
  return html`<button type="button" class="copy" data-copy="${text}">${label}</button>`;
}

/** A code block with a copy button. */
export function snippet(label: string, text: string): Markup {
  return html`<div class="snippet"><div class="bar"><span>${label}</span>${copyButton("Copy", text)}</div><pre
tabindex="0" aria-label="${label}">${text}</pre></div>`;
}

export interface ListRow {
  readonly key: string;
  /** Sandbox time as ISO text, or as it is shown. */
  readonly at?: string | Markup | undefined;
  readonly status?: Content;
  readonly amount?: readonly [amount: string, currency: string];
  /** Who or what the row is about. */
  readonly title: Content;
  /** Link of the title. */
  readonly to?: string | undefined;
  readonly subtitle?: Content;
  readonly id?: string | undefined;
  readonly rowButtons?: Content;
  readonly tone?: Tone | undefined;
}

interface TableRow {
  readonly key: string;
  /** Texts, then numbers. */
  readonly cells: readonly Content[];
}

/** A table that scrolls if it is too wide; on a phone, each row is a card with the names of its numbers. */
export function table(
  label: string,
  textColumns: readonly string[],
  numberColumns: readonly string[],
  rows: readonly TableRow[],
): Markup {
  const number = (index: number) => {
    const name = numberColumns[index - textColumns.length];
    return name !== undefined && html` class="number" data-name="${name}"`;
  };
  const heads = [...textColumns, ...numberColumns].map(
    (name, index) => html`<th scope="col"${number(index)}>${name}</th>`,
  );
  const body = rows.map(
    ({ key, cells }) =>
      html`<tr data-key="${key}">${cells.map((cell, index) => html`<td${number(index)}>${cell}</td>`)}</tr>`,
  );
  return html`<div class="wide" tabindex="0" role="group" aria-label="${label}">
<table><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/**
 * A list row; the script patches it by its key. Its title is the link, so all texts can be selected; with the script, a
 * click beside them follows it too.
 */
export function listRow(context: PageContext, row: ListRow): Markup {
  const { key, at, status, amount, title, to, subtitle, id, rowButtons, tone = "" } = row;
  const isCurrent = to !== undefined && to === currentUrl(context);
  const text = typeof title === "string" ? breakable(title) : title;
  const link = html`<a href="${to}" data-row${isCurrent && html` aria-current="page"`}>${text}</a>`;
  const [number, unit] = amount === undefined ? [] : [groupDigits(amount[0]), amount[1]];
  return html`<li class="row ${tone}" data-key="${key}"><span
class="at">${typeof at === "string" ? timeTag(context, at, true) : at}</span>
<span class="state">${status}</span>
<span class="amount">${number}</span><span class="unit">${unit}</span>
<span class="who">${to === undefined ? text : link}</span>
<span class="what">${subtitle}</span>
<span class="id">${id !== undefined && shortIdMarkup(id)}</span>
<span class="acts">${rowButtons}</span></li>`;
}

export type Headings = readonly [
  at: string,
  status: string,
  amount: string,
  who: string,
  what: string,
  id: string,
];

/** @param headings names of the columns; a list without them has none */
export function rowList(label: string, list: readonly Markup[], none: Content, headings?: Headings): Markup {
  const items = list.length === 0 ? html`<li class="none" data-key="none">${none}</li>` : list;
  const heads = list.length > 0 && headings !== undefined && headsRow(headings);
  return html`<ul class="rows" data-list aria-label="${label}">${heads}${items}</ul>`;
}

function headsRow([at, status, amount, who, what, id]: Headings): Markup {
  const cells = Object.entries({ at, state: status, amount, unit: "", who, what, id, acts: "" });
  return html`<li class="heads" data-key="heads" aria-hidden="true">${cells.map(
    ([name, text]) => html`<span
class="${name}">${text}</span>`,
  )}</li>`;
}

interface SectionOptions {
  readonly id: string;
  readonly title: string;
  readonly tools?: Content;
  readonly body: Content;
  /** Number of records that the section's list is a page of. */
  readonly total?: number;
  /** True if the key j starts here, and not at the page's first row. */
  readonly isFirst?: boolean;
  /** True if the section is a form, in which nothing can be new. */
  readonly isForm?: boolean;
}

/** A section that the script updates. Its button says how many records are new while its list is paused. */
export function section({ id, title, tools, body, total, isFirst, isForm }: SectionOptions): Markup {
  const attributes = html`${total !== undefined && html` data-total="${total}"`}${isFirst && html` data-first`}`;
  const more = !isForm && html`<button type="button" class="more" data-more hidden>Show what is new</button>`;
  return html`<section id="${id}" data-part${attributes} aria-labelledby="${id}-title">
<div class="head"><h2 id="${id}-title">${title}</h2>${more}<span class="tools">${tools}</span></div>${body}</section>`;
}

export function fold(title: string, body: Content): Markup {
  return html`<details><summary><h2>${title}</h2></summary>${body}</details>`;
}

/** A button that opens a panel over the page. Menus close each other. */
export function menu(label: Content, items: readonly Content[]): Markup {
  return html`<details class="menu-of" name="menu"><summary class="button">${label} <span
aria-hidden="true">▾</span></summary><div class="panel">${items}</div></details>`;
}

/** Values, or pairs of a value and its label. */
export type Options = readonly (string | readonly [value: string, label: string])[];

export function selectField(name: string, label: Content, options: Options, selected: string): Markup {
  const list = options.map((option) => {
    const [value, text] = typeof option === "string" ? [option, option] : option;
    return html`<option value="${value}"${value === selected && html` selected`}>${text}</option>`;
  });
  return html`<label class="field"><span>${label}</span><select name="${name}">${list}</select></label>`;
}

interface InputOptions {
  readonly name: string;
  readonly label: Content;
  readonly value?: string;
  readonly hint?: string;
  readonly type?: "text" | "search" | "number";
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
}

export function input(options: InputOptions): Markup {
  const { name, label, value = "", hint, type = "text", required = false, min, max } = options;
  const limits = html`${min !== undefined && html` min="${min}"`}${max !== undefined && html` max="${max}"`}`;
  const placeholder = hint !== undefined && html` placeholder="${hint}"`;
  return html`<label class="field"><span>${label}</span>
<input type="${type}" name="${name}" value="${value}" autocomplete="off"
spellcheck="false"${limits}${placeholder}${required && html` required`}></label>`;
}

export function textField(name: string, label: string, value: string, rows: number): Markup {
  return html`<label class="field whole"><span>${label}</span>
<textarea name="${name}" rows="${rows}" spellcheck="false">${value}</textarea></label>`;
}

/** A form whose buttons run actions with its fields. */
export function actionForm(context: PageContext, body: Content, label: string): Markup {
  return html`<form class="fields" method="post" action="${linkTo(context, dashboardPath(context.namespace))}"
data-act aria-label="${label}"><input type="hidden" name="back" value="${currentPath(context)}">${body}</form>`;
}

/** A GET form: its fields become the query. */
export function filterForm(context: PageContext, body: Content, does = "Filter"): Markup {
  return html`<form class="fields" method="get" role="search"
aria-label="${does}" data-live>${
    context.mode !== undefined &&
    html`<input type="hidden" name="mode"
value="${context.mode}">`
  }${body}<button class="plainly">${does}</button></form>`;
}

/** Links to the other pages of a list. A list that fits on one page has no links. */
export function pager(context: PageContext, total: number): Markup | false {
  const offset = pageOffset(context);
  if (offset === 0 && total <= ROWS_PER_PAGE) return false;
  const to = Math.min(offset + ROWS_PER_PAGE, total);
  const step = (label: string, by: number) =>
    html`<a href="${currentUrl(context, { offset: String(Math.max(0, offset + by)) })}">${label}</a>`;
  return html`<nav class="pager" aria-label="Pages"><span>${offset + 1}–${to} of ${total}</span>${
    offset > 0 && step("← Newer", -ROWS_PER_PAGE)
  }${to < total && step("Older →", ROWS_PER_PAGE)}</nav>`;
}

export function factList(list: readonly (readonly [name: Content, value: Content] | false)[]): Markup {
  return html`<dl class="facts">${list.map(
    (fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>`,
  )}</dl>`;
}

export function toIndentedJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Formats JSON; returns other text unchanged. */
export function formatJson(text: string | null): string {
  if (text === null || text === "") return "";
  try {
    return toIndentedJson(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Groups neighbours with the same key. */
export function groupConsecutive<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): [Item, ...Item[]][] {
  const groups: [Item, ...Item[]][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last !== undefined && keyOf(last[0]) === keyOf(item)) last.push(item);
    else groups.push([item]);
  }
  return groups;
}
