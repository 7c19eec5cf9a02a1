import type { ControlWithdrawal } from "../../core/schema/control-responses.js";
import { groupDigits } from "../format.js";
import { html, type Markup } from "../html.js";
import * as ui from "./components.js";
import { dueItems } from "./due.js";
import { onlyMatch } from "./lists.js";
import {
  currentPath,
  currentUrl,
  DASHBOARD_PATH,
  dashboardPath,
  linkTo,
  objectUrl,
  type PageContext,
  viewUrl,
} from "./page-context.js";
import { LONGEST_PAGE } from "./rows.js";
import { orUndefined, type View } from "./view.js";
import { VIEWS, viewNamed } from "./views.js";

/** The page around a view: header with search and clock, menu, notices and help. */
export async function dashboardFrame(context: PageContext, main: Markup): Promise<Markup> {
  const view = viewOf(context);
  const isList = context.id === undefined;
  // The first steps and a page of an error have no list.
  const hasList = isList && main.text.includes(`id="${view.listId}"`);
  const [skipTo, to] = hasList ? [view.listId, "list"] : ["main", "content"];
  return html`<a class="unseen" href="#${skipTo}">Skip to the ${to}</a>
<form id="act" method="post" action="${linkTo(context, dashboardPath(context.namespace))}" data-act><input
type="hidden" name="back" value="${currentPath(context)}"></form>
<header class="top">${await top(context)}</header>
<div class="body">
<nav class="menu" aria-label="Views">${await menu(context)}</nav>
<main id="main" tabindex="-1">${main}</main>
</div>
<div id="said" role="status">${notice(context)}</div>
<div id="gone" role="alert" hidden></div>
<dialog id="help" aria-labelledby="help-title"><h2
id="help-title">Shortcuts</h2>${ui.factList(
    Object.entries(KEYS).map(([key, does]) => [html`<kbd>${key}</kbd>`, does]),
  )}<form method="dialog"><button>Close</button></form></dialog>`;
}

export function viewOf({ view }: PageContext): View {
  return viewNamed(view) ?? VIEWS[0]!;
}

const KEYS = {
  "/ or ⌘K": "search",
  "j, k": "next, previous row",
  Enter: "open the row",
  "?": "this list",
};

function notice({ notice }: PageContext): Markup | false {
  if (notice === undefined) return false;
  const { text, isBad, undo } = notice;
  return html`<p class="notice ${isBad ? "bad" : "good"}"${isBad && html` role="alert"`}>${text}${
    undo !== undefined && html` ${ui.button({ does: ["restoreSnapshot", { name: undo }], label: "Undo" })}`
  }</p>`;
}

async function top(context: PageContext): Promise<Markup> {
  const { ask, namespace, mode } = context;
  const { items } = await ask("listNamespaces", { limit: LONGEST_PAGE });
  const names = [...new Set([namespace, ...items.map(({ name }) => name)])];
  const modes = Object.entries({ "": "All", test: "Test", live: "Live" });
  return html`<div class="line">
<a class="brand" href="${viewUrl(context, VIEWS[0]!.name)}"
aria-label="payments-sandbox"><span aria-hidden="true">▣</span> <span class="name">payments-sandbox</span></a>
<form class="pick" method="get" action="${linkTo(context, DASHBOARD_PATH)}"><label class="unseen"
for="ns">Namespace</label>
<select id="ns" name="namespace"
data-go>${names.map((name) => html`<option${name === namespace && html` selected`}>${name}</option>`)}</select>
<noscript><button>Go</button></noscript></form>
<span class="modes" role="group" aria-label="Mode">${modes.map(
    ([value, label]) => html`<a
href="${currentUrl(context, { mode: value === "" ? " " : value }).replace(
      /[?&]mode=\+/,
      "",
    )}"${(mode ?? "") === value && html` aria-current="true"`}>${label}</a>`,
  )}</span>
${searchForm(context)}
<span class="live" data-live-mark><noscript>static</noscript></span>
</div>
${await clockBar(context)}`;
}

function searchForm(context: PageContext): Markup {
  const own = viewOf(context);
  const view = own.searches === undefined ? VIEWS.find(({ searches }) => searches !== undefined)! : own;
  const { q = "", offset: _offset, ...kept } = Object.fromEntries(context.query);
  const hidden = view === own && context.id === undefined ? Object.entries(kept) : [];
  const title = view.title.toLowerCase();
  return html`<form class="search" role="search" method="get" action="${viewUrl(context, view.name).replace(
    /\?.*/,
    "",
  )}"
data-live>
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${context.mode !== undefined && html`<input type="hidden" name="mode" value="${context.mode}">`}
<label class="unseen" for="q">Search ${title}</label>
<input id="q" type="search" name="q" value="${q}" placeholder="Search ${title}: ${view.searches}"
autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd><button class="unseen" name="open" value="1" tabindex="-1">Open</button></form>`;
}

async function clockBar(context: PageContext): Promise<Markup> {
  const { clock } = context.sandbox;
  const { now, mode, speed } = clock;
  const isFrozen = mode === "manual";
  const [next] = (await dueItems(context)).items;
  const [date, year] = ui.dateText(now).split(/(?= \d{4})/);
  const advance = (label: string, input: object) =>
    ui.button({ does: ["advanceClock", input as Readonly<Record<string, string>>], label });
  return html`<div class="line clock" role="group" aria-label="Clock">
<span class="time" data-clock data-now="${now}" data-speed="${isFrozen ? 0 : speed}"><span
aria-hidden="true">${isFrozen ? "‖" : "▶"}</span>
<span class="day">${date}<span class="year">${year}</span></span>
<strong data-clock-text>${now.slice(11, 19)}</strong>
<span class="soft">${isFrozen ? "frozen" : mode === "real" ? "real time" : mode}</span></span>
${advance("Skip to next", { until: "next" })}
${["10s", "5m", "1h"].map((by) => advance(`+${by.replace(/\D/, " $&")}`, { by }))}
${ui.button({ does: ["setClock", { mode: isFrozen ? "real" : "manual" }], label: isFrozen ? "Resume" : "Freeze" })}
${ui.actionForm(
  context,
  html`<input name="when" size="12" required placeholder="2d, date…"
aria-label="Advance by a duration or to a time">${ui.submitButton({ does: ["advanceClock"], label: "Go" })}`,
  "Jump in time",
)}
<span class="soft due">next due: ${
    next ? html`in ${ui.readableDuration(Math.max(0, Date.parse(next.at) - Date.parse(now)))}` : "nothing"
  }</span>
</div>`;
}

async function menu(context: PageContext): Promise<Markup> {
  const entries = await Promise.all(
    VIEWS.map(async ({ name, title, count: countOf }) => {
      const [count = 0, noun, tone, filter = {}] = (await countOf?.(context)) ?? [];
      const shown = count > 0 && html`${groupDigits(String(count))}<span class="unseen"> ${noun}</span>`;
      const number = noun !== undefined && html` <span class="count ${tone}">${shown}</span>`;
      const current = name === context.view && html` aria-current="page"`;
      const url = viewUrl(context, name, undefined, count > 0 ? filter : {});
      return html`<li><a href="${url}"${current}>${title}${number}</a></li>`;
    }),
  );
  return html`<ul>${entries}<li class="apart"><a href="${linkTo(
    context,
    "/docs",
  )}">API reference</a></li><li><button type="button" class="copy" data-help>Shortcuts <kbd>?</kbd></button></li></ul>`;
}

/** The view's list, or its record; undefined if there is no such record. */
export async function renderView(context: PageContext): Promise<Markup | undefined> {
  const { list, record } = viewOf(context);
  if (!context.id) return list(context);
  return record && orUndefined(record[1](context, context.id));
}

/** Where a search leads: to the object of an id, to the only match, else to the list. */
export async function foundUrl(context: PageContext): Promise<string> {
  const { ask, query, view, mode } = context;
  const q = query.get("q")?.trim() ?? "";
  const known = {
    ch: () => ask("getCharge", { charge_id: q }),
    wd: () => ask("getControlWithdrawal", { withdrawal_id: q }),
    dlv: () => ask("getDelivery", { delivery_id: q }),
  };
  const [prefix = ""] = q.split("_");
  const found =
    Object.hasOwn(known, prefix) && (await orUndefined<object>(known[prefix as keyof typeof known]()));
  if (found) return objectUrl(context, q) ?? viewUrl(context, "webhooks", q);
  const listing = await viewOf(context).listing?.(context);
  const id = listing && (await onlyMatch(context, listing));
  if (id !== undefined) return viewUrl(context, view, id);
  for await (const page of context.client.pages<ControlWithdrawal>("listControlWithdrawals", { mode }))
    for (const { reference, withdrawal_id } of page)
      if (reference === q) return viewUrl(context, "money", withdrawal_id);
  return currentUrl(context);
}
