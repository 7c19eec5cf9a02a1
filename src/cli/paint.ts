/** The styles that are used, as a terminal takes them: on and off. */
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

let isPlainAsked = false;

/** `--no-color`: plain text, whatever the environment says. */
export function askForPlain(isAsked: boolean): void {
  isPlainAsked = isAsked;
}

/** Whether text is painted: as its user asks for (`--no-color`, FORCE_COLOR, NO_COLOR), else on a terminal. */
export function wantsColour(): boolean {
  const { FORCE_COLOR = "", NO_COLOR = "", TERM } = process.env;
  if (isPlainAsked || FORCE_COLOR === "0" || FORCE_COLOR === "false") return false;
  if (FORCE_COLOR !== "") return true;
  return process.stdout.isTTY === true && NO_COLOR === "" && TERM !== "dumb";
}

/** What switches a style on or off. */
const CODES = new RegExp(
  `(${Object.values(STYLES)
    .flat()
    .map((code) => `\\u001B\\[${code}m`)
    .join("|")})`,
);

/** A painted text, all of it changed but what paints it. */
export function changedBetweenPaint(text: string, change: (part: string) => string): string {
  return text
    .split(CODES)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

/** Text as it is, whatever its style. */
export const plain: Paint = (_style, text) => text;

/** Text in a style, or as it is. Node's own `styleText` is not there before 20.12. */
export function paint(style: Style, text: string, isColoured = wantsColour()): string {
  const [on, off] = STYLES[style];
  return isColoured ? `\u001B[${on}m${text}\u001B[${off}m` : text;
}
