import { isFailing } from "../../core/engine/failing.js";
import { html, type Markup } from "../html.js";
import { attention } from "./attention.js";
import { button, dayOf, form, span, type Tone } from "./parts.js";
import { DASHBOARD, here, homeOf, href, isShown, type Scene, VIEWS, type ViewName } from "./scene.js";

/** Header with search and clock, menu, notices and help around a view. */
export function frame(scene: Scene, main: Markup, aside: Markup | undefined): Markup {
  return html`<a class="skip" href="#main">Skip to the content</a>
<form id="act" method="post" action="${homeOf(scene.namespace.name)}" data-act><input type="hidden" name="back" value="${here(scene)}"></form>
<header class="top" data-column>${top(scene)}</header>
<div class="body${aside === undefined ? "" : " with-aside"}">
<nav class="menu" aria-label="Views">${menu(scene)}</nav>
<main id="main" tabindex="-1" data-column>${main}</main>
${aside !== undefined && html`<aside data-column aria-label="Active, receivers, next">${aside}</aside>`}
</div>
<div id="said" role="status">${notice(scene)}</div>
<div id="gone" role="alert" hidden></div>
<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">Keys</h2>${KEYS}<form method="dialog"><button>Close</button></form></dialog>`;
}

const KEYS = html`<dl class="facts">${(
  [
    ["/ or ⌘K", "search"],
    ["j, k", "next, previous row"],
    ["Enter", "open the row"],
    ["e", "advance 10 seconds"],
    ["n", "run what is due next"],
    ["r", "redeliver, or retry"],
    ["c", "copy as curl"],
    [".", "pause the updates"],
    ["?", "this list"],
  ] as const
).map(([key, does]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl>`;

function notice({ notice }: Scene): Markup | false {
  return (
    notice !== undefined &&
    html`<p class="notice ${notice.isBad ? "bad" : "good"}"${notice.isBad && html` role="alert"`}>${notice.text}${notice.undo !== undefined && html` ${button({ does: `undo ${notice.undo}`, label: "Undo" })}`}</p>`
  );
}

function top(scene: Scene): Markup {
  const { namespace, namespaces, mode, query } = scene;
  const names = namespaces.list().map(({ name }) => name);
  const modes = [
    ["", "All modes"],
    ["test", "Test"],
    ["live", "Live"],
  ] as const;
  return html`<div class="line">
<a class="brand" href="${href(scene, "activity")}"><span aria-hidden="true">▣</span> <span class="name">payments-sandbox</span></a>
<form class="pick" method="get" action="${DASHBOARD}"><label class="unseen" for="ns">Namespace</label>
<select id="ns" name="namespace" data-go>${names.slice(0, 200).map((name) => html`<option${name === namespace.name && html` selected`}>${name}</option>`)}</select>
<noscript><button>Go</button></noscript></form>
<span class="modes" role="group" aria-label="Mode">${modes.map(([value, label]) => html`<a href="${here(scene, { mode: value === "" ? " " : value }).replace(/[?&]mode=\+/, "")}"${(mode ?? "") === value && html` aria-current="true"`}>${label}</a>`)}</span>
<form class="search" role="search" method="get" action="${homeOf(namespace.name)}/search" data-live>
<label class="unseen" for="q">Search everything</label>
<input id="q" type="search" name="q" value="${query.get("q") ?? ""}" placeholder="Search: id, e-mail, name, order…" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd></form>
<span class="live" data-live-mark><noscript>static</noscript></span>
</div>
${clockBar(scene)}`;
}

function clockBar(scene: Scene): Markup {
  const clock = scene.namespace.clock.view();
  const stands = clock.mode === "manual";
  const { next_due, now } = clock;
  const next = next_due === null ? undefined : span(Date.parse(next_due) - Date.parse(now));
  return html`<div class="line clock" role="group" aria-label="Clock">
<span class="time" data-clock data-now="${now}" data-speed="${stands ? 0 : clock.speed}"><span aria-hidden="true">${stands ? "‖" : "▶"}</span>
<span class="day">${dayOf(now)}</span>
<strong data-clock-text>${now.slice(11, 19)}</strong>
<span class="soft">${stands ? "frozen" : clock.mode === "real" ? "real time" : clock.mode}</span></span>
${button({ does: "advance 10s", label: "+10 s", key: "e" })}
${button({ does: "advance 5m", label: "+5 m" })}
${button({ does: "advance 1h", label: "+1 h" })}
${button({ does: "until next", label: "Skip to next", key: "n" })}
${stands ? button({ does: "clock real", label: "Resume" }) : button({ does: "clock manual", label: "Freeze" })}
${form(scene, html`<input name="value" size="12" required placeholder="10m, 2d, date…" aria-label="Advance by a duration or to a time"><button name="do" value="jump">Go</button>`, "Jump in time")}
<span class="soft due">next due: ${next === undefined ? "nothing" : html`in ${next}`}</span>
</div>`;
}

function menu(scene: Scene): Markup {
  const counts = countsOf(scene);
  return html`<ul>${(Object.entries(VIEWS) as [ViewName, string][]).map(([view, label]) => {
    if (view === "search") return false;
    const count = counts[view];
    return html`<li><a href="${href(scene, view)}"${view === scene.view && html` aria-current="page"`}>${label}${count !== undefined && count.many > 0 && html` <span class="count ${count.tone}">${count.many}<span class="unseen"> ${count.of}</span></span>`}</a></li>`;
  })}<li class="apart"><a href="/docs">API reference</a></li></ul>`;
}

interface Count {
  readonly many: number;
  readonly of: string;
  readonly tone: Tone;
}

/** Counts beside the menu's entries. */
function countsOf(scene: Scene): { readonly [View in ViewName]?: Count } {
  const { state } = scene.namespace.engine;
  const failing = state.found("deliveries", (one) => isShown(scene, one) && isFailing(one), 0, 0).total;
  return {
    activity: { many: attention(scene).length, of: "that need attention", tone: "bad" },
    charges: {
      many: state.found("charges", (one) => isShown(scene, one), 0, 0).total,
      of: "charges",
      tone: "",
    },
    webhooks: { many: failing, of: "failing", tone: "bad" },
    faults: { many: state.tables.faults.size, of: "active", tone: "warn" },
    scenarios: {
      many: [...state.tables.scenarios.values()].filter(({ activated }) => activated > 0).length,
      of: "active",
      tone: "warn",
    },
    checks: { many: scene.namespace.advisor.log.items().length, of: "pieces of advice", tone: "warn" },
  };
}
