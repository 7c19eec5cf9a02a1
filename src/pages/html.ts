import { escapeXml } from "../core/schema/text-format.js";

/** HTML that `html` inserts without escaping. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Markup | readonly Content[] | null | undefined | false;

/** Escapes all interpolated values; attributes must be quoted. null, undefined and false render as nothing. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Markup {
  let text = strings[0]!;
  for (const [index, value] of values.entries()) text += render(value) + strings[index + 1]!;
  return new Markup(text);
}

/** Escapes text for a place between tags, not for attributes. Quotes stay, so a page of JSON is much smaller. */
export function escapeText(text: string): Markup {
  return new Markup(text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"));
}

function render(value: Content): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return escapeXml(String(value));
}
