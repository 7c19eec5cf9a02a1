import { DEVIATION_KINDS } from "../../core/schema/explore-limits.js";
import type { ExploreFinding, ExploreSingle } from "../../tools/explore/exploration.js";
import { keyOf } from "../../tools/explore/schedule.js";
import type { Paint, Style } from "../paint.js";
import { wrap } from "../text-layout.js";

const SIGNS: Readonly<Record<ExploreSingle["outcome"] | "none", readonly [string, Style]>> = {
  right: ["✓", "green"],
  wrong: ["✗", "red"],
  unknown: ["○", "yellow"],
  none: ["·", "dim"],
};

const TITLE = "what it survives";

/** The outcome of each single deviation: a line per kind, a column per place. */
export function matrixLines(singles: readonly ExploreSingle[], width: number, paint: Paint): string[] {
  if (singles.length === 0) return [];
  const outcomes = new Map(singles.map((single) => [keyOf(single), single.outcome]));
  const kinds = DEVIATION_KINDS.filter((kind) => singles.some((one) => one.kind === kind));
  const places = [...new Set(singles.map(({ at }) => at))];
  const room = Math.max(TITLE.length, ...kinds.map((kind) => kind.length));
  const cell = String(places.length).length;
  const numbers = places.map((_, index) => String(index + 1).padStart(cell)).join(" ");
  const legend = places.map((at, index) => `${index + 1} ${at}`).join(", ");
  return [
    paint("bold", `  ${TITLE.padEnd(room)}  ${numbers}`),
    ...kinds.map((kind) => {
      const signs = places.map((at) => {
        const [sign, style] = SIGNS[outcomes.get(keyOf({ kind, at })) ?? "none"];
        return `${" ".repeat(cell - 1)}${paint(style, sign)}`;
      });
      return `  ${kind.padEnd(room)}  ${signs.join(" ")}`;
    }),
    ...wrap(legend, 2, width),
  ];
}

/** Lines shown before the first difference, and from it on. */
const BEFORE = 2;
const AFTER = 10;

/** The failing run as a difference from a plain one, from where they part. */
export function storyLines({ plain, failing }: NonNullable<ExploreFinding["story"]>, paint: Paint): string[] {
  const lines = differenceOf(plain, failing);
  const parting = lines.findIndex((line) => !line.startsWith(" "));
  if (parting === -1) return [];
  const from = Math.max(0, parting - BEFORE);
  const left = lines.length - parting - AFTER;
  const differing = lines
    .slice(from, parting + AFTER)
    .map((line) => (line.startsWith(" ") ? line : paint(line.startsWith("-") ? "red" : "green", line)));
  return [
    paint("dim", "- a plain run, + this one"),
    ...(from > 0 ? [paint("dim", `  … ${from} before, the same in both`)] : []),
    ...differing,
    ...(left > 0 ? [paint("dim", `  … ${left} more`)] : []),
  ].map((line) => `      ${line}`);
}

/** Lines of both behind spaces, lines of one behind its sign. A line that comes later in `failing` is in both. */
function differenceOf(plain: readonly string[], failing: readonly string[]): string[] {
  const lines: string[] = [];
  let next = 0;
  for (const line of plain) {
    const at = failing.indexOf(line, next);
    if (at === -1) lines.push(`- ${line}`);
    else {
      lines.push(...failing.slice(next, at).map((other) => `+ ${other}`), `  ${line}`);
      next = at + 1;
    }
  }
  return [...lines, ...failing.slice(next).map((line) => `+ ${line}`)];
}
