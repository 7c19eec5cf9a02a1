import { paint, type Style } from "./paint.js";

/** A piece of a line, in a style of its own or none. */
export type Part = readonly [style: Style | undefined, text: string];

/** The pieces as one painted line, cut where a terminal of so many columns would wrap it. */
export function fitted(parts: readonly Part[], columns = Number.POSITIVE_INFINITY): string {
  let room = columns;
  let line = "";
  for (const [place, [style, text]] of parts.entries()) {
    const isLast = parts.slice(place + 1).every(([, rest]) => rest === "");
    const fits = text.length < room || (text.length === room && isLast);
    const shown = fits ? text : `${text.slice(0, Math.max(0, room - 1))}…`;
    line += style === undefined ? shown : paint(style, shown);
    if (!fits) break;
    room -= text.length;
  }
  return line;
}
