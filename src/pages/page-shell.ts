import { createHash } from "node:crypto";
import { relativeUrl } from "../core/schema/text-format.js";
import { iso } from "../core/schema/time.js";
import { type Content, html, Markup } from "./html.js";

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231c5bd0'/%3E%3Cpath d='M4 8.5l3 3 5-6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

/** Colours of the checkout and the reference, of WCAG AA contrast in both schemes, and what both sheets begin with. */
export const BASE_STYLES = `:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#171a21;--soft:#545b69;--line:#dde0e6;--edge:#7b8290;--code:#eef0f4;--accent:#1c5bd0;--on-accent:#fff;--accent-soft:#eef4ff;--good:#10693b;--good-soft:#e3f4ea;--bad:#a8221a;--bad-soft:#fdecea;--sand:#fff6db;--sand-edge:#8a6100;--sand-text:#463200;--stripe:#f0b429}
@media (prefers-color-scheme:dark){:root{--page:#101216;--card:#1a1d23;--text:#eceef2;--soft:#a8afbb;--line:#31363f;--edge:#858d9b;--code:#252a33;--accent:#8db4ff;--on-accent:#0b1526;--accent-soft:#1c2a44;--good:#7bd8a2;--good-soft:#143323;--bad:#ffb0a8;--bad-soft:#401b18;--sand:#2a220d;--sand-edge:#d6a62e;--sand-text:#f6e6bd;--stripe:#b98516}}
*,::before,::after{box-sizing:border-box}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.unseen:not(:focus){position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}html:not(.js) .copy{visibility:hidden}`;

/** Makes copy buttons work; what they did is announced in the element `said`. */
export const COPY_SCRIPT = `
document.documentElement.classList.add("js");
addEventListener("click", async (event) => {
  const button = event.target.closest(".copy");
  if (!button) return;
  const { dataset, parentElement, previousElementSibling } = button;
  const sources = [...parentElement.querySelectorAll("pre")];
  if (sources.length === 0) sources.push(previousElementSibling ?? parentElement.previousElementSibling);
  const text = dataset.copy ?? sources.map((source) => source.textContent).join("\\n\\n");
  try { await navigator.clipboard.writeText(text); } catch {
    // The clipboard API fails on insecure origins.
    getSelection().selectAllChildren(parentElement);
    addEventListener("copy", (copied) => { copied.preventDefault(); copied.clipboardData.setData("text/plain", text); }, { once: true });
    if (!document.execCommand("copy")) return;
  }
  const label = button.firstElementChild, said = document.getElementById("said");
  said.textContent = label.textContent = "Copied";
  setTimeout(() => { said.textContent = ""; label.textContent = "Copy"; }, 2000);
});
`;

/** Button that copies `value`, by default the text of each `pre` beside it, or the element before it. Without script it keeps its space, unseen. */
export function copyButton(what: string, value?: string): Markup {
  return html`<button type="button" class="copy"${value !== undefined && html` data-copy="${value}"`}><span>Copy</span><span class="unseen"> ${what}</span></button>`;
}

interface PageShellOptions {
  readonly styles: string;
  readonly script: string;
  /** Allows the script to call this server. */
  readonly connects?: boolean;
  /** Path of the style sheet and script, without extension. Default: both are inline. */
  readonly path?: string;
  /** Pages with forms need "same-origin": with "no-referrer" browsers send forms with the origin "null". */
  readonly referrer: "same-origin" | "no-referrer";
}

interface PageParts {
  readonly title: string;
  /** Additional elements of the head. */
  readonly head?: Content;
  /** Attributes of the body, with a leading space. */
  readonly bodyAttributes?: Content;
  readonly body: Content;
}

/**
 * The document around a family of pages. Its Content Security Policy allows only its own style sheet and script: inline
 * by hash, or as cacheable files of this server. No page can be framed.
 */
export class PageShell {
  readonly #assetsFrom: (path: string) => Markup;
  readonly #files: Readonly<Record<"css" | "js", string>>;
  readonly #policy: string;
  readonly #referrer: string;

  constructor({ styles, script, connects = false, referrer, path }: PageShellOptions) {
    this.#files = { css: styles, js: script };
    // For a tagged template with a plain end tag of a script, rolldown's transform imports a package.
    this.#assetsFrom = (from) =>
      path === undefined
        ? html`<style>${new Markup(styles)}</style>
<script>${new Markup(script)}<\/script>`
        : html`<link rel="stylesheet" href="${relativeUrl(from, path)}.css?${digestOf(styles)}">
<script src="${relativeUrl(from, path)}.js?${digestOf(script)}"><\/script>`;
    this.#referrer = referrer;
    this.#policy = [
      "default-src 'none'",
      `style-src ${path === undefined ? cspHash(styles) : "'self'"}`,
      `script-src ${path === undefined ? cspHash(script) : "'self'"}`,
      ...(connects ? ["connect-src 'self'"] : []),
      "img-src data:",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; ");
  }

  document({ title, head, bodyAttributes, body }: PageParts, from: string): string {
    return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${ICON}">
${head}
${this.#assetsFrom(from)}
</head>
<body${bodyAttributes}>
${body}
</body>
</html>
`.text;
  }

  /**
   * @param forms the form-action policy; undefined allows any target
   * @param from path of the request; needed if style sheet and script are files
   */
  respond(
    page: PageParts,
    {
      status = 200,
      nowMs,
      forms,
      from = "/",
    }: { status?: number; nowMs: number; forms?: "'self'" | "'none'" | undefined; from?: string },
  ): Response {
    const policy = forms === undefined ? this.#policy : `${this.#policy}; form-action ${forms}`;
    return new Response(this.document(page, from), {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        ...this.headers(nowMs),
      },
    });
  }

  /** The style sheet or script. Browsers cache the file for good, because the file's URL contains a hash. */
  file(kind: "css" | "js", nowMs: number): Response {
    return new Response(this.#files[kind], {
      headers: {
        ...this.headers(nowMs),
        "content-type": kind === "css" ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
      },
    });
  }

  /** Headers of all responses, with or without a page. */
  headers(nowMs: number): Record<string, string> {
    return {
      "sandbox-now": iso(nowMs),
      "cache-control": "no-store",
      "referrer-policy": this.#referrer,
      "x-content-type-options": "nosniff",
    };
  }
}

function cspHash(text: string): string {
  return `'sha256-${digestOf(text, "base64")}'`;
}

function digestOf(text: string, encoding: "base64" | "hex" = "hex"): string {
  return createHash("sha256").update(text).digest(encoding);
}
