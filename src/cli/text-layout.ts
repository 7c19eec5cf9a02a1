// Layout of text for terminals: widths in cells, cutting and wrapping.

/** Characters of two terminal cells: East Asian wide and full-width, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Characters of no cell: combining marks, joiners, variation selectors. */
const NO_WIDTH = /\p{M}|\p{Cf}/u;

function cellsOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

export function cellWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

export function padCells(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cellWidth(text)));
}

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

export const SEPARATOR = " · ";

export function cutMiddle(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = Math.floor((room - 1) / 2);
  return `${text.slice(0, room - 1 - end)}…${text.slice(text.length - end)}`;
}

/**
 * Wraps a text into indented lines. A URL longer than a line is not broken. A command at the end is not broken either: if it does not
 * fit, it has a line without indent, to be copied.
 */
export function wrap(text: string, indent: number, width: number): string[] {
  const room = Math.max(1, width - indent);
  const [, before = text, command] = /^(.*?)(?:^| )(npx payments-sandbox .*)$/s.exec(text) ?? [];
  const lines: string[] = [];
  let line = "";
  for (const word of before.split(" ").flatMap((one) => splitWord(one, room))) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  const whole = [line, command].filter(Boolean).join(" ");
  const isWhole = command === undefined || whole.length <= room;
  const indented = [...lines, isWhole ? whole : line].map((one) => (" ".repeat(indent) + one).trimEnd());
  return isWhole ? indented : [...indented, command];
}

/** Wraps a text behind a heading, with the later lines below the text. */
export function wrapHanging(head: string, text: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text, head.length, width);
  return [(head + first.slice(head.length)).trimEnd(), ...rest];
}

/** Breaks a word longer than a line: behind a comma, or else at the end of the line. */
function splitWord(word: string, room: number): string[] {
  const parts: string[] = [];
  let rest = word;
  while (rest.length > room) {
    const comma = rest.lastIndexOf(",", room - 1) + 1 || rest.indexOf(",") + 1 || rest.length;
    const end = comma > room && !rest.includes("://") ? room : comma;
    if (end === rest.length) break;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

export type StyledText = readonly [style: Style | undefined, text: string];

/** Joins parts into one painted line of at most `columns` cells. A cut line ends with "…". */
export function fitLine(parts: readonly StyledText[], columns = Number.POSITIVE_INFINITY): string {
  let room = columns;
  let line = "";
  for (const [place, [style, text]] of parts.entries()) {
    const isLast = parts.slice(place + 1).every(([, rest]) => rest === "");
    const width = cellWidth(text);
    const fits = width < room || (width === room && isLast);
    const shown = fits ? text : cutCells(text, Math.max(1, room));
    line += style === undefined || shown === "" ? shown : paint(style, shown);
    if (!fits) break;
    room -= width;
  }
  return line;
}

export const GAP = "  ";

/** Joins `head`, a reason and what follows it. If they do not fit into one line, the reason takes one or two of its own. */
export function reasonLines(
  head: readonly StyledText[],
  [style, reason]: StyledText,
  end: StyledText,
  indent: number,
  columns: number,
): string[] {
  const line: StyledText[] = [...head, [style, reason === "" ? "" : GAP + reason], end];
  if (reason === "" || cellWidth(line.map(([, text]) => text).join("")) <= columns)
    return [fitLine(line, columns)];
  const room = columns - indent;
  const [first = "", ...more] = wrap(reason, 0, room);
  const isShort = more.length === 0 && cellWidth(first + end[1]) <= room;
  const second = cutCells(more.join(" "), room - cellWidth(end[1]));
  const below: StyledText[][] = isShort
    ? [[[style, first], end]]
    : [[[style, first]], [[style, second], end]];
  const padding: StyledText = [undefined, " ".repeat(indent)];
  return [head, ...below.map((parts) => [padding, ...parts])].map((parts) => fitLine(parts, columns));
}

/** Escape codes of the styles: on and off. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof STYLES;
export type Paint = (style: Style, text: string) => string;

let isPlain = false;

/** Turns colours off, whatever the environment says (`--no-color`). */
export function setColoursDisabled(isAsked: boolean): void {
  isPlain = isAsked;
}

/** Returns true if text is painted. `--no-color` overrides FORCE_COLOR. FORCE_COLOR overrides NO_COLOR and TERM. */
export function isColourEnabled({ isTTY }: NodeJS.WriteStream = process.stdout): boolean {
  const { FORCE_COLOR = "", NO_COLOR = "", TERM } = process.env;
  if (isPlain || FORCE_COLOR === "0" || FORCE_COLOR === "false") return false;
  if (FORCE_COLOR !== "") return true;
  return isTTY === true && NO_COLOR === "" && TERM !== "dumb";
}

const CODES = new RegExp(
  `(${Object.values(STYLES)
    .flat()
    .map((code) => `\\u001B\\[${code}m`)
    .join("|")})`,
);

/** Changes a painted text but not its escape codes. */
export function changeUnpaintedParts(text: string, change: (part: string) => string): string {
  return text
    .split(CODES)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

export const plainPaint: Paint = (_style, text) => text;

/** Paints text, if colours are on. Node's `styleText` is missing before 20.12. */
export function paint(style: Style, text: string, isColoured = isColourEnabled()): string {
  const [on, off] = STYLES[style];
  return isColoured ? `\u001B[${on}m${text}\u001B[${off}m` : text;
}
