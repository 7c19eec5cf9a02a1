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

/** `--no-color` overrides the environment. */
export function usePlain(isAsked: boolean): void {
  isPlain = isAsked;
}

/** Returns true if text is painted: by `--no-color`, FORCE_COLOR or NO_COLOR, else on a terminal. */
export function wantsColour(): boolean {
  const { FORCE_COLOR = "", NO_COLOR = "", TERM } = process.env;
  if (isPlain || FORCE_COLOR === "0" || FORCE_COLOR === "false") return false;
  if (FORCE_COLOR !== "") return true;
  return process.stdout.isTTY === true && NO_COLOR === "" && TERM !== "dumb";
}

/** Matches an escape code of a style. */
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

/** Returns the text unpainted. */
export const plain: Paint = (_style, text) => text;

/** Paints text, if colours are on. Node's `styleText` is missing before 20.12. */
export function paint(style: Style, text: string, isColoured = wantsColour()): string {
  const [on, off] = STYLES[style];
  return isColoured ? `\u001B[${on}m${text}\u001B[${off}m` : text;
}
