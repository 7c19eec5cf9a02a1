import type { ExploreSingle } from "../../explore/report.js";
import { DEVIATION_KINDS } from "../../explore/schedule.js";
import type { Paint, Style } from "../paint.js";
import { wrapped } from "../wrapped.js";

const SIGNS: Readonly<Record<ExploreSingle["outcome"] | "none", readonly [string, Style]>> = {
  right: ["✓", "green"],
  wrong: ["✗", "red"],
  unknown: ["○", "yellow"],
  none: ["·", "dim"],
};

const TITLE = "what it survives";

/** What of it there is: kinds of deviation that were tried, and where. */
function shapeOf(singles: readonly ExploreSingle[]) {
  const outcomes = new Map(singles.map(({ kind, at, outcome }) => [`${kind} ${at}`, outcome]));
  return {
    kinds: DEVIATION_KINDS.filter((kind) => singles.some((one) => one.kind === kind)),
    places: [...new Set(singles.map(({ at }) => at))],
    signOf: (kind: string, at: string) => SIGNS[outcomes.get(`${kind} ${at}`) ?? "none"],
  };
}

/** What the app gets over: a line a kind of deviation, a column a call, an event or the customer. */
export function matrixLines(singles: readonly ExploreSingle[], width: number, paint: Paint): string[] {
  if (singles.length === 0) return [];
  const { kinds, places, signOf } = shapeOf(singles);
  const room = Math.max(TITLE.length, ...kinds.map((kind) => kind.length));
  const cell = String(places.length).length;
  const numbers = places.map((_, index) => String(index + 1).padStart(cell)).join(" ");
  const legend = places.map((at, index) => `${index + 1} ${at}`).join(", ");
  return [
    paint("bold", `  ${TITLE.padEnd(room)}  ${numbers}`),
    ...kinds.map((kind) => {
      const signs = places.map((at) => {
        const [sign, style] = signOf(kind, at);
        return `${" ".repeat(cell - 1)}${paint(style, sign)}`;
      });
      return `  ${kind.padEnd(room)}  ${signs.join(" ")}`;
    }),
    ...wrapped(legend, 2, width),
  ];
}

/** The same as a table of Markdown. */
export function matrixMarkdown(singles: readonly ExploreSingle[]): string[] {
  if (singles.length === 0) return [];
  const { kinds, places, signOf } = shapeOf(singles);
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    row(["", ...places.map((at) => at.replaceAll("|", "\\|"))]),
    row(["---", ...places.map(() => ":-:")]),
    ...kinds.map((kind) => row([`\`${kind}\``, ...places.map((at) => signOf(kind, at)[0])])),
  ];
}
