import { KINDS } from "../../explore/kinds.js";
import type { ExploreFinding, ExploreReport } from "../../explore/report.js";
import { type Paint, plain } from "../paint.js";
import { wrapped } from "../wrapped.js";
import { matrixLines } from "./explore-matrix.js";
import { storyLines } from "./explore-story.js";

const INDENT = 4;

/** What came of exploring a flow, for people, in lines of so many characters. */
export function exploreLines(report: ExploreReport, width: number, paint: Paint = plain): string[] {
  const { findings, singles, notes, saved, passed, sentence } = report;
  const left = Object.entries(saved).filter(([, count]) => count > 0);
  const matrix = matrixLines(singles, width, paint);
  return [
    ...alike(findings).flatMap((same) => findingLines(same, width, paint)),
    ...matrix,
    ...(matrix.length > 0 ? [""] : []),
    ...notes.flatMap((note) => bulleted(paint("yellow", "·"), note, width)),
    ...left.map(([why, count]) => paint("dim", `  not run: ${count} × ${SAVED[why as keyof typeof saved]}`)),
    `${passed ? paint("green", "✓") : findings.length > 0 ? paint("red", "✗") : paint("yellow", "○")} ${sentence}`,
  ];
}

const SAVED: Readonly<Record<keyof ExploreReport["saved"], string>> = {
  holds_a_failing_set: "holds a set that fails by itself",
  independent: "deviations on charges that have nothing to do with each other",
  absorbed: "skipped: each part alone changed nothing",
  alike: "taken by the app as it takes another of its kind",
  unmet: "skipped: one deviation has nothing to apply to",
};

/** Those that say the same, by what they say, in the order found. */
export function alike(findings: readonly ExploreFinding[]): (readonly ExploreFinding[])[] {
  const groups = new Map<string, ExploreFinding[]>();
  for (const finding of findings) {
    const said = titleOf(finding);
    groups.set(said, [...(groups.get(said) ?? []), finding]);
  }
  return [...groups.values()];
}

/** What is wrong, in a line. */
export function titleOf({ oracle, message }: ExploreFinding): string {
  return `${oracle}: ${message}`;
}

/** What makes the app go wrong so, each way of it, and the story of the first. */
function findingLines(same: readonly ExploreFinding[], width: number, paint: Paint): string[] {
  const [first] = same;
  const { story } = first!;
  const pad = " ".repeat(INDENT);
  return [
    ...bulleted(paint("red", "✗"), titleOf(first!), width),
    ...same.flatMap(({ deviations, file }) => [
      ...deviations.flatMap(({ kind, at }) =>
        wrapped(`${kind} at ${at}: ${KINDS[kind].says}`, INDENT, width),
      ),
      ...(file === undefined ? [] : [`${pad}${paint("dim", file)}`]),
    ]),
    ...(story === undefined ? [] : storyLines(story, width, paint)),
    "",
  ];
}

function bulleted(sign: string, text: string, width: number): string[] {
  const lines = wrapped(text, 2, width);
  return [`${sign} ${lines[0]!.trimStart()}`, ...lines.slice(1)];
}
