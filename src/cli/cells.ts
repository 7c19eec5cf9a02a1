/** Characters that take two cells of a terminal: East Asian wide and full-width, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Characters that take none: combining marks, joiners, variation selectors. */
const NO_WIDTH = /\p{M}|\p{Cf}/u;

function cellsOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** The width of a text in cells of a terminal. */
export function cellWidth(text: string): number {
  // Most text is ASCII.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

export function padCells(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cellWidth(text)));
}

/** The text, or its beginning and "…", within so many cells. */
export function cutCells(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  let cut = "";
  let left = width - 1;
  for (const character of text) {
    left -= cellsOf(character);
    if (left < 0) break;
    cut += character;
  }
  return `${cut}…`;
}
