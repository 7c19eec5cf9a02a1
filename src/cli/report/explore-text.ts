import { KINDS } from "../../explore/kinds.js";
import type { ExploreFinding, ExploreReport } from "../../explore/report.js";
import { type Paint, plain } from "../paint.js";
import { wrapped } from "../wrapped.js";

const INDENT = 4;

/** What came of exploring a flow, for people, in lines of so many characters. */
export function exploreLines(report: ExploreReport, width: number, paint: Paint = plain): string[] {
  const { findings, notes, saved, passed, sentence } = report;
  const left = Object.entries(saved).filter(([, count]) => count > 0);
  return [
    ...findings.flatMap((finding) => findingLines(finding, width, paint)),
    ...notes.flatMap((note) => bulleted(paint("yellow", "·"), note, width)),
    ...left.map(([why, count]) => paint("dim", `  not run: ${count} × ${SAVED[why as keyof typeof saved]}`)),
    `${passed ? paint("green", "✓") : findings.length > 0 ? paint("red", "✗") : paint("yellow", "○")} ${sentence}`,
  ];
}

const SAVED: Readonly<Record<keyof ExploreReport["saved"], string>> = {
  holds_a_failing_set: "holds a set that fails by itself",
  independent: "deviations on charges that have nothing to do with each other",
  absorbed: "made of deviations that the app takes without a trace",
};

function findingLines(
  { oracle, message, deviations, file }: ExploreFinding,
  width: number,
  paint: Paint,
): string[] {
  const pad = " ".repeat(INDENT);
  return [
    ...bulleted(paint("red", "✗"), `${oracle}: ${message}`, width),
    ...deviations.flatMap(({ kind, at }) => wrapped(`${kind} at ${at}: ${KINDS[kind].says}`, INDENT, width)),
    ...(file === undefined ? [] : [`${pad}${paint("dim", file)}`]),
    "",
  ];
}

function bulleted(sign: string, text: string, width: number): string[] {
  const lines = wrapped(text, 2, width);
  return [`${sign} ${lines[0]!.trimStart()}`, ...lines.slice(1)];
}
