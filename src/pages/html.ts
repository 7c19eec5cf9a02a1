import { escaped } from "../core/schema/printable.js";

/** Text that is HTML already. Nothing else gets into a page unescaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Markup | readonly Content[] | null | undefined | false;

/**
 * A template whose values are escaped, whatever they are and wherever they stand; attributes must be quoted.
 * Nothing, null and false leave no trace, so that a part can be there on a condition.
 */
export function html(strings: TemplateStringsArray, ...values: Content[]): Markup {
  let text = strings[0]!;
  for (const [index, value] of values.entries()) text += render(value) + strings[index + 1]!;
  return new Markup(text);
}

/** Text that stands between tags and never in an attribute: its quotes may stay, which makes a page of JSON a lot smaller. */
export function betweenTags(text: string): Markup {
  return new Markup(text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"));
}

/** An attribute without a value, when it applies. */
export function flag(name: "checked" | "autofocus" | "hidden", applies: boolean): Markup {
  return new Markup(applies ? ` ${name}` : "");
}

function render(value: Content): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return escaped(String(value));
}
