import { cellWidth, cutCells } from "./cells.js";
import { paint, type Style } from "./paint.js";

/** A piece of a line, in a style of its own or none. */
export type Part = readonly [style: Style | undefined, text: string];

/** The pieces as one painted line, cut where a terminal of so many columns would wrap it. */
export function fitted(parts: readonly Part[], columns = Number.POSITIVE_INFINITY): string {
  let room = columns;
  let line = "";
  for (const [place, [style, text]] of parts.entries()) {
    const isLast = parts.slice(place + 1).every(([, rest]) => rest === "");
    const width = cellWidth(text);
    const fits = width < room || (width === room && isLast);
    const shown = fits ? text : cutCells(text, Math.max(1, room));
    line += style === undefined ? shown : paint(style, shown);
    if (!fits) break;
    room -= width;
  }
  return line;
}
