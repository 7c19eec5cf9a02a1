import { pageAssets } from "../assets.js";
import { html, type Markup } from "../html.js";
import { PageShell } from "../page-shell.js";

export interface PageDocument {
  readonly title: string;
  /** HTTP status. */
  readonly status: number;
  readonly main: Markup;
  readonly panel?: Markup;
  /** Body attributes that configure the script's polling. */
  readonly polling?: Markup;
  /** URL that a browser without script reloads every two seconds. */
  readonly refresh?: string;
}

/** The URL alone authorizes paying and cancelling, so no referrer leaves this origin. */
const SHELL = new PageShell({
  assets: pageAssets("checkout"),
  connects: true,
  referrer: "same-origin",
});

/**
 * @param leadsAway true if a form may redirect to the shop. The response then has no form-action policy: browsers also
 * apply form-action to redirects, so a policy with the shop's URL would block redirects that the shop makes.
 */
export function pageResponse(
  { title, main, panel, status, polling, refresh }: PageDocument,
  { nowMs, leadsAway = false }: { nowMs: number; leadsAway?: boolean },
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
export function redirectWithGet(location: string, nowMs: number): Response {
  return new Response(null, { status: 303, headers: { location, ...SHELL.headers(nowMs) } });
}

export function statusResponse(checkoutStatus: object, nowMs: number): Response {
  return new Response(JSON.stringify(checkoutStatus), {
    headers: { "content-type": "application/json; charset=utf-8", ...SHELL.headers(nowMs) },
  });
}
