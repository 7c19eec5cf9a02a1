import { html, type Markup } from "./html.js";

const PAIRS = /^(.*?:) (`[^`]+`: .+?(?:; `[^`]+`: .+?){2,})\.$/s;

/** Renders the Markdown of descriptions: paragraphs, lists of `- ` lines and `code`; a table of "`name`: text; …". */
export function renderMarkdown(text: string): Markup[] {
  return text.split("\n\n").map((block) => {
    const lines = block.split("\n");
    if (lines.every((line) => line.startsWith("- ")))
      return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
    const [, before = block, pairs] = PAIRS.exec(block) ?? [];
    const rows = pairs?.split(/; (?=`)/).map((pair) => pair.split(/: (.*)/s));
    return html`<p>${inline(before)}</p>${
      rows &&
      html`<table>${rows.map(
        ([name, text]) => html`<tr><th
scope="row">${inline(name!)}</th><td>${inline(text!)}</td></tr>`,
      )}</table>`
    }`;
  });
}

/** Renders `code` in a text. */
export function inline(text: string): Markup[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
