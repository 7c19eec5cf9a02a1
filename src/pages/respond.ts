import { html, type Markup } from "./html.js";
import { SCRIPT } from "./script.js";
import { Shell, type ShellPage } from "./shell.js";
import { STYLES } from "./styles.js";

/** What a page that is still open tells its script. */
export interface Live {
  /** Where to look again. */
  readonly page: string;
  readonly statusUrl: string;
  /** The statuses this very view is right for. */
  readonly stay: readonly string[];
  /** Where to go when all is over. */
  readonly then: "shop" | "page";
  readonly speed: number;
  readonly expires: string;
  readonly remainingMs: number;
}

export interface Document {
  readonly title: string;
  readonly main: Markup;
  readonly panel?: Markup;
  readonly live?: Live;
  /** Without a script the page looks there every two seconds. */
  readonly refresh?: string;
}

/** The frame around every view, as the shell takes it. */
function shellPage({ title, main, panel, live, refresh }: Document): ShellPage {
  return {
    title,
    // Painted once it is whole: what has come in by halves would move when the rest does.
    head: html`<meta name="robots" content="noindex">
<link rel="expect" href="#said" blocking="render">
${refresh !== undefined && html`<noscript><meta http-equiv="refresh" content="2; url=${refresh}"></noscript>`}`,
    bodyAttributes: live && liveAttributes(live),
    body: html`${main}
${panel}
<p class="unseen" role="status" id="said"></p>`,
  };
}

function liveAttributes(live: Live): Markup {
  return html` data-page="${live.page}" data-status-url="${live.statusUrl}" data-stay="${live.stay.join(" ")}" data-then="${live.then}" data-speed="${live.speed}" data-expires="${live.expires}" data-remaining="${live.remainingMs}"`;
}

/** The address of a page is all it takes to pay or cancel, so it is told to nobody. */
const SHELL = new Shell({ styles: STYLES, script: SCRIPT, connects: true, referrer: "same-origin" });

/**
 * @param leadsAway its forms may lead on to the shop. Browsers hold a form-action against every redirect that follows,
 *   so one that named the shop would still break shops that redirect once more, to another host or into an app
 */
export function pageResponse(
  document: Document,
  { status, nowMs, leadsAway = false }: { status: number; nowMs: number; leadsAway?: boolean },
): Response {
  return SHELL.answer(shellPage(document), { status, nowMs, forms: leadsAway ? undefined : "'self'" });
}

/** 303: whatever was sent, what follows is a GET. */
export function seeOther(location: string, nowMs: number): Response {
  return new Response(null, { status: 303, headers: { location, ...SHELL.headers(nowMs) } });
}

export function jsonResponse(value: unknown, status: number, nowMs: number): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...SHELL.headers(nowMs) },
  });
}
