import type { ExploreFinding } from "./exploration.js";

const BEFORE = 2;
const AFTER = 6;
const END = 6;

/**
 * Lines around the first difference between a plain run and the failing run, after a title; empty without a difference.
 *
 * @param other names the deviations of the failing run
 */
export function storyLines(
  { plain, failing }: NonNullable<ExploreFinding["story"]>,
  other: string,
): string[] {
  const lines = differenceOf(plain, failing);
  const parting = lines.findIndex((line) => !line.startsWith(" "));
  if (parting === -1) return [];
  const from = Math.max(0, parting - BEFORE);
  const left = lines.length - parting - AFTER - END;
  const end = left > 1 ? lines.length - END : parting + AFTER;
  return [
    `- a plain run, + with ${other}`,
    ...(from > 0 ? [`  … ${from} before, the same in both`] : []),
    ...lines.slice(from, parting + AFTER),
    ...(left > 1 ? [`  … ${left} more`] : []),
    ...lines.slice(end),
  ];
}

/** Line diff: common lines begin with spaces, lines only in `plain` with `-`, lines only in `failing` with `+`. */
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
