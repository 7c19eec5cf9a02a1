import { html, type Markup } from "../../pages/html.js";

/** Paragraphs, lists of `- ` lines and `code`: all the markup that descriptions use. */
export function prose(text: string): Markup[] {
  return text.split("\n\n").map((block) => {
    const lines = block.split("\n");
    if (lines.every((line) => line.startsWith("- ")))
      return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
    return html`<p>${inline(block)}</p>`;
  });
}

/** One line, with what stands in backticks as code. */
export function inline(text: string): Markup[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
