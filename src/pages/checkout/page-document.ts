import { html, type Markup } from "../html.js";
import { PageShell } from "../page-shell.js";
import { CHECKOUT_SCRIPT } from "./script.js";
import { STYLES } from "./styles.js";

export interface PageDocument {
  readonly title: string;
  readonly main: Markup;
  readonly panel?: Markup;
  /** Attributes for the script of a page that polls. */
  readonly polling?: Markup;
  /** URL that a browser without script reloads every two seconds. */
  readonly refresh?: string;
}

/** The URL alone authorizes paying and cancelling, so no referrer leaves this origin. */
const SHELL = new PageShell({
  styles: STYLES,
  script: CHECKOUT_SCRIPT,
  connects: true,
  referrer: "same-origin",
});

/**
 * @param leadsAway forms may redirect to the shop. Browsers apply form-action to each redirect, so a policy that
 * names the shop would break shops that redirect to another host or an app.
 */
export function pageResponse(
  { title, main, panel, polling, refresh }: PageDocument,
  { status, nowMs, leadsAway = false }: { status: number; nowMs: number; leadsAway?: boolean },
): Response {
  const page = {
    title,
    // The `expect` link blocks rendering until the page is complete, so nothing shifts.
    head: html`<meta name="robots" content="noindex">
<link rel="expect" href="#said" blocking="render">
${refresh !== undefined && html`<noscript><meta http-equiv="refresh" content="2; url=${refresh}"></noscript>`}`,
    bodyAttributes: polling,
    body: html`${main}
${panel}
<p class="unseen" role="status" id="said"></p>`,
  };
  return SHELL.respond(page, { status, nowMs, forms: leadsAway ? undefined : "'self'" });
}

/** Redirects with 303, so the browser continues with a GET. */
export function seeOther(location: string, nowMs: number): Response {
  return new Response(null, { status: 303, headers: { location, ...SHELL.headers(nowMs) } });
}

export function statusResponse(checkoutStatus: object, nowMs: number): Response {
  return new Response(JSON.stringify(checkoutStatus), {
    headers: { "content-type": "application/json; charset=utf-8", ...SHELL.headers(nowMs) },
  });
}
