import { createHash } from "node:crypto";
import { relativeUrl } from "../core/schema/text-format.js";
import { iso } from "../core/schema/time.js";
import type { PageAssets } from "./assets.js";
import { type Content, html, Markup } from "./html.js";

const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#1c5bd0'/>` +
    `<path d='M4 8.5l3 3 5-6' fill='none' stroke='#fff' stroke-width='2'/></svg>`,
)}`;

/** Button that copies `value`, else the `pre`s beside it or the element before it. Without script it is unseen. */
export function copyButton(what: string, value?: string): Markup {
  return html`<button type="button"
class="copy"${
    value !== undefined && html` data-copy="${value}"`
  }><span>Copy</span><span class="unseen"> ${what}</span></button>`;
}

interface PageShellOptions {
  readonly assets: PageAssets;
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
  readonly #files: PageAssets;
  readonly #policy: string;
  readonly #referrer: string;

  constructor({ assets, connects = false, referrer, path }: PageShellOptions) {
    const { css: styles, js: script } = assets;
    this.#files = assets;
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
