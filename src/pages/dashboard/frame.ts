import type { Delivery } from "../../core/engine/records.js";
import { groupDigits } from "../format.js";
import { html, type Markup } from "../html.js";
import * as ui from "./components.js";
import { dueTasks, isOpenFailure } from "./deliveries.js";
import {
  currentPath,
  currentUrl,
  DASHBOARD_PATH,
  dashboardPath,
  isInMode,
  linkTo,
  type PageContext,
  VIEWS,
  type ViewName,
  viewUrl,
} from "./page-context.js";
import { activityView, asideView } from "./views/activity-view.js";
import { attentionItems } from "./views/attention-rows.js";
import { deliveryDetailView } from "./views/delivery-view.js";
import { activeFaults, faultsView } from "./views/faults-view.js";
import {
  type FilteredListName,
  filteredList,
  type Listing,
  listBeside,
  onlyMatch,
} from "./views/filtered-list.js";
import { moneyView } from "./views/money-view.js";
import { namespaceView } from "./views/namespace-view.js";
import { chargeListing, payoutListing } from "./views/payment-lists.js";
import { chargeView, payoutView } from "./views/payment-view.js";
import { objectUrl } from "./views/record-rows.js";
import { requestListing, requestView } from "./views/requests-view.js";
import { activeScenarios, scenarioDetailView, scenariosView } from "./views/scenarios-view.js";
import { deliveryListing, webhooksView } from "./views/webhooks-view.js";

/** The page around a view: header with search and clock, menu, notices and help. */
export function dashboardFrame(context: PageContext, main: Markup): Markup {
  const beside = context.id === undefined ? undefined : VIEW_PARTS[context.view].beside?.(context);
  const aside = beside ?? (context.view === "activity" ? asideView(context) : undefined);
  const listId = context.id === undefined ? VIEW_PARTS[context.view].listId : undefined;
  // The first steps and a page of an error have no list.
  const [skipTo, to] = main.text.includes(`id="${listId}"`) ? [listId, "list"] : ["main", "content"];
  return html`<a class="skip" href="#${skipTo}">Skip to the ${to}</a>
<form id="act" method="post" action="${linkTo(context, dashboardPath(context.namespace.name))}" data-act><input
type="hidden" name="back" value="${currentPath(context)}"></form>
<header class="top" data-column>${top(context)}</header>
<div class="body${beside !== undefined ? " with-list" : aside !== undefined && " with-aside"}">
<nav class="menu" aria-label="Views">${menu(context)}</nav>
<main id="main" tabindex="-1" data-column>${main}</main>
${
  aside !== undefined &&
  html`<aside data-column
aria-label="${beside === undefined ? "Up next" : "The list"}">${aside}</aside>`
}
</div>
<div id="said" role="status">${notice(context)}</div>
<div id="gone" role="alert" hidden></div>
<dialog id="help" aria-labelledby="help-title"><h2
id="help-title">Shortcuts</h2>${ui.factList(
    Object.entries(KEYS).map(([key, does]) => [html`<kbd>${key}</kbd>`, does]),
  )}<form method="dialog"><button>Close</button></form></dialog>`;
}

const KEYS = {
  "/ or ⌘K": "search",
  "j, k": "next, previous row",
  Enter: "open the row",
  "?": "this list",
};

function notice({ notice }: PageContext): Markup | false {
  return (
    notice !== undefined &&
    html`<p class="notice ${notice.isBad ? "bad" : "good"}"${notice.isBad && html` role="alert"`}>${notice.text}${
      notice.undo !== undefined &&
      html` ${ui.button({ does: ["restoreSnapshot", { name: notice.undo }], label: "Undo" })}`
    }</p>`
  );
}

function top(context: PageContext): Markup {
  const { namespace, namespaces, mode } = context;
  const names = namespaces.list().map(({ name }) => name);
  const modes = Object.entries({ "": "All", test: "Test", live: "Live" });
  return html`<div class="line">
<a class="brand" href="${viewUrl(context, "activity")}"
aria-label="payments-sandbox"><span aria-hidden="true">▣</span> <span class="name">payments-sandbox</span></a>
<form class="pick" method="get" action="${linkTo(context, DASHBOARD_PATH)}"><label class="unseen"
for="ns">Namespace</label>
<select id="ns" name="namespace"
data-go>${names
    .slice(0, 200)
    .map((name) => html`<option${name === namespace.name && html` selected`}>${name}</option>`)}</select>
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
${clockBar(context)}`;
}

/** Lists with a search, by view; every other view searches the charges. */
const SEARCHED: { readonly [View in ViewName]?: string } = {
  charges: "id, e-mail, order, amount",
  webhooks: "order, e-mail, id",
  requests: "in the path or a value",
};

function searchForm(context: PageContext): Markup {
  const view = SEARCHED[context.view] === undefined ? "charges" : context.view;
  const { q = "", offset: _offset, ...kept } = Object.fromEntries(context.query);
  const hidden = view === context.view && context.id === undefined ? Object.entries(kept) : [];
  return html`<form class="search" role="search" method="get" action="${viewUrl(context, view).replace(/\?.*/, "")}"
data-live>
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${context.mode !== undefined && html`<input type="hidden" name="mode" value="${context.mode}">`}
<label class="unseen" for="q">Search ${VIEWS[view].toLowerCase()}</label>
<input id="q" type="search" name="q" value="${q}" placeholder="Search ${VIEWS[view].toLowerCase()}: ${SEARCHED[view]}"
autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd><button class="unseen" name="open" value="1" tabindex="-1">Open</button></form>`;
}

function clockBar(context: PageContext): Markup {
  const clock = context.namespace.clock.view();
  const isFrozen = clock.mode === "manual";
  const { now } = clock;
  const next = dueTasks(context).next().value;
  return html`<div class="line clock" role="group" aria-label="Clock">
<span class="time" data-clock data-now="${now}" data-speed="${isFrozen ? 0 : clock.speed}"><span
aria-hidden="true">${isFrozen ? "‖" : "▶"}</span>
<span class="day">${ui.dateText(now)}</span>
<strong data-clock-text>${now.slice(11, 19)}</strong>
<span class="soft">${isFrozen ? "frozen" : clock.mode === "real" ? "real time" : clock.mode}</span></span>
${ui.button({ does: ["advanceClock", { until: "next" }], label: "Skip to next" })}
${ui.button({ does: ["advanceClock", { by: "10s" }], label: "+10 s" })}
${["5m", "1h"].map((by) => ui.button({ does: ["advanceClock", { by }], label: `+${by.replace(/\D/, " $&")}` }))}
${ui.button({ does: ["setClock", { mode: isFrozen ? "real" : "manual" }], label: isFrozen ? "Resume" : "Freeze" })}
${ui.actionForm(
  context,
  html`<input name="when" size="12" required placeholder="10m, 2d, date…"
aria-label="Advance by a duration or to a time">${ui.submitButton({ does: ["advanceClock"], label: "Go" })}`,
  "Jump in time",
)}
<span class="soft due">next due: ${
    next ? html`in ${ui.readableDuration(Math.max(0, next.due_ms - Date.parse(now)))}` : "nothing"
  }</span>
</div>`;
}

function menu(context: PageContext): Markup {
  const counts = countsOf(context);
  return html`<ul>${(Object.entries(VIEWS) as [ViewName, string][]).map(([view, label]) => {
    const [count = 0, noun, tone] = counts[view] ?? [];
    const shown = count > 0 && html`${groupDigits(String(count))}<span class="unseen"> ${noun}</span>`;
    return html`<li><a href="${viewUrl(context, view)}"${view === context.view && html` aria-current="page"`}>${label}${
      noun !== undefined && html` <span class="count ${tone}">${shown}</span>`
    }</a></li>`;
  })}<li class="apart"><a href="${linkTo(context, "/docs")}">API reference</a></li><li><button type="button"
class="copy" data-help>Shortcuts <kbd>?</kbd></button></li></ul>`;
}

type Count = readonly [count: number, noun: string, tone: ui.Tone];

/** Counts beside the menu's entries. */
function countsOf(context: PageContext): Partial<Record<ViewName, Count>> {
  const { state } = context.namespace.engine;
  const charges = state.pageOfKinds("charges", (charge) => isInMode(context, charge), 0, 0).total;
  const matches = (delivery: Delivery) => isInMode(context, delivery) && isOpenFailure(context, delivery);
  return {
    activity: [attentionItems(context).length, "that need attention", "bad"],
    charges: [charges, "charges", ""],
    webhooks: [state.pageOfKinds("deliveries", matches, 0, 0).total, "failing", "bad"],
    faults: [activeFaults(context).length, "active", "warn"],
    scenarios: [activeScenarios(context).length, "active", "warn"],
  };
}

/** A view renders its list or one record from the page context, and changes nothing. */
interface View {
  readonly list: (context: PageContext) => Markup;
  /** Section of the list that the skip link leads to; default: the whole view. */
  readonly listId?: string;
  /** List that wide screens show beside a record. */
  readonly beside?: (context: PageContext) => Markup;
  /** Id of the only record that the filters match. */
  readonly only?: (context: PageContext) => string | undefined;
  /** Noun of a record for messages, and its page; undefined if the record does not exist. */
  readonly record?: readonly [noun: string, render: (context: PageContext, id: string) => Markup | undefined];
}

/** Parts of a view with one list. */
function listed<Item>(name: FilteredListName, listing: (context: PageContext) => Listing<Item>) {
  return {
    listId: name,
    list: (context: PageContext) =>
      filteredList(context, name, listing(context), html`<h1>${VIEWS[context.view]}</h1>`),
    beside: (context: PageContext) => listBeside(context, name, listing(context)),
    only: (context: PageContext) => onlyMatch(context, name, listing(context)),
  };
}

const VIEW_PARTS: Readonly<Record<ViewName, View>> = {
  activity: { listId: "attention", list: activityView },
  charges: { ...listed("charges", chargeListing), record: ["charge", chargeView] },
  webhooks: {
    ...listed("deliveries", deliveryListing),
    list: webhooksView,
    record: ["delivery", deliveryDetailView],
  },
  requests: { ...listed("requests", requestListing), record: ["request", requestView] },
  money: { ...listed("withdrawals", payoutListing), list: moneyView, record: ["withdrawal", payoutView] },
  scenarios: { list: scenariosView, record: ["scenario", scenarioDetailView] },
  faults: { list: faultsView },
  namespace: { list: namespaceView },
};

export function renderView(context: PageContext): Markup | undefined {
  const { view, id } = context;
  const { list, record } = VIEW_PARTS[view];
  return id === undefined || id === "" ? list(context) : record?.[1](context, id);
}

/** Where a search leads: to the object of an id, to the only match, else to the list. */
export function foundUrl(context: PageContext): string {
  const { namespace, query, view } = context;
  const q = query.get("q")?.trim() ?? "";
  const object = objectUrl(context, q);
  if (object !== undefined) return object;
  if (namespace.engine.state.get("deliveries", q) !== undefined) return viewUrl(context, "webhooks", q);
  const id = VIEW_PARTS[view].only?.(context);
  return id === undefined ? currentUrl(context) : viewUrl(context, view, id);
}

export function recordNoun(view: ViewName): string {
  return VIEW_PARTS[view].record?.[0] ?? "page";
}
