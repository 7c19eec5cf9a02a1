import { html, Markup } from "./html.js";
import { SCRIPT } from "./script.js";
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

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231c5bd0'/%3E%3Cpath d='M4 8.5l3 3 5-6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

/** The frame around every view. */
export function renderDocument({ title, main, panel, live, refresh }: Document): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="${ICON}">
${refresh !== undefined && html`<noscript><meta http-equiv="refresh" content="2; url=${refresh}"></noscript>`}
<style>${new Markup(STYLES)}</style>
<script>${new Markup(SCRIPT)}</script>
</head>
<body${live !== undefined && liveAttributes(live)}>
${main}
${panel}
<p class="unseen" role="status" id="said"></p>
</body>
</html>
`.text;
}

function liveAttributes(live: Live): Markup {
  return html` data-page="${live.page}" data-status-url="${live.statusUrl}" data-stay="${live.stay.join(" ")}" data-then="${live.then}" data-speed="${live.speed}" data-expires="${live.expires}" data-remaining="${live.remainingMs}"`;
}
