import { groupDigits } from "../core/schema/text-format.js";
import { html, type Markup } from "./html.js";

export { groupDigits };

/** `"KES 1,234.50"`, with a no-break space. */
export function moneyText(amount: string, unit: string): string {
  return `${unit}\u00a0${groupDigits(amount)}`;
}

/** Longest amount that stays in one line at full size, such as `"123,456,789.00"`. */
const SHORT_AMOUNT = 14;

/** An amount as markup that wraps only after its unit; a long one also between its groups of digits. */
export function moneyMarkup(amount: string, unit: string): Markup {
  const digits = groupDigits(amount);
  if (digits.length <= SHORT_AMOUNT) return html`${unit}\u00a0<wbr><span class="amount">${digits}</span>`;
  const [first, ...groups] = digits.split(",");
  return html`${unit}\u00a0<wbr><span class="long">${first}${groups.map((group) => html`,<wbr>${group}`)}</span>`;
}

/** `"2026-03-01T09:05:00.000Z"` → `"1 March 2026, 09:05:00 UTC"`. */
export function readableInstant(iso: string): string {
  const month = new Date(iso).toLocaleString("en", { month: "long", timeZone: "UTC" });
  return `${Number(iso.slice(8, 10))} ${month} ${iso.slice(0, 4)}, ${iso.slice(11, 19)} UTC`;
}

/** `"declined_by_operator"` → `"Declined by operator"`. */
export function sentenceCase(reason: string): string {
  const words = reason.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Lets a long code break after an underscore, not within a word. */
export function breakable(text: string): Markup[] {
  return text.split(/(?<=_)/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`);
}
