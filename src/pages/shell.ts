import { createHash } from "node:crypto";
import { iso } from "../core/schema/time.js";
import { type Content, html, Markup } from "./html.js";

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231c5bd0'/%3E%3Cpath d='M4 8.5l3 3 5-6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

export interface ShellOptions {
  readonly styles: string;
  readonly script: string;
  /** Whether its script may ask this server for more. */
  readonly connects?: boolean;
  /** Path of its style sheet and script, without `.css` and `.js`; without one both are inside each page. */
  readonly path?: string;
  /** Who its pages tell where they were come from. Without one, browsers send our own forms with the origin "null". */
  readonly referrer: "same-origin" | "no-referrer";
}

export interface ShellPage {
  readonly title: string;
  /** What is in the head besides. */
  readonly head?: Content;
  /** Attributes of the body, each with a space before it. */
  readonly bodyAttributes?: Content;
  readonly body: Content;
}

/**
 * The frame of a family of pages. Nothing is loaded or run but the family's own style sheet and script: inside the page
 * and allowed by their hashes, or from this server, where a browser keeps them for the next page. Nobody frames it.
 */
export class Shell {
  readonly #own: Markup;
  readonly #files: Readonly<Record<"css" | "js", string>>;
  readonly #policy: string;
  readonly #referrer: string;

  constructor({ styles, script, connects = false, referrer, path }: ShellOptions) {
    this.#files = { css: styles, js: script };
    this.#own =
      path === undefined
        ? html`<style>${new Markup(styles)}</style>
<script>${new Markup(script)}</script>`
        : html`<link rel="stylesheet" href="${path}.css?${digestOf(styles)}">
<script src="${path}.js?${digestOf(script)}"></script>`;
    this.#referrer = referrer;
    this.#policy = [
      "default-src 'none'",
      `style-src ${path === undefined ? hashOf(styles) : "'self'"}`,
      `script-src ${path === undefined ? hashOf(script) : "'self'"}`,
      ...(connects ? ["connect-src 'self'"] : []),
      "img-src data:",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; ");
  }

  document({ title, head, bodyAttributes, body }: ShellPage): string {
    return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${ICON}">
${head}
${this.#own}
</head>
<body${bodyAttributes}>
${body}
</body>
</html>
`.text;
  }

  /** Where its forms may lead; undefined where they may lead anywhere, over redirects too. */
  answer(
    page: ShellPage,
    {
      status = 200,
      nowMs,
      forms,
    }: { status?: number; nowMs: number; forms?: "'self'" | "'none'" | undefined },
  ): Response {
    const policy = forms === undefined ? this.#policy : `${this.#policy}; form-action ${forms}`;
    return new Response(this.document(page), {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        ...this.headers(nowMs),
      },
    });
  }

  /** Its style sheet or script. The address names the version, so a browser need not ask again. */
  file(kind: "css" | "js", nowMs: number): Response {
    return new Response(this.#files[kind], {
      headers: {
        ...this.headers(nowMs),
        "content-type": kind === "css" ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
      },
    });
  }

  /** What every answer beside its pages carries too. */
  headers(nowMs: number): Record<string, string> {
    return {
      "sandbox-now": iso(nowMs),
      "cache-control": "no-store",
      "referrer-policy": this.#referrer,
      "x-content-type-options": "nosniff",
    };
  }
}

function hashOf(text: string): string {
  return `'sha256-${digestOf(text, "base64")}'`;
}

function digestOf(text: string, encoding: "base64" | "hex" = "hex"): string {
  return createHash("sha256").update(text).digest(encoding);
}
