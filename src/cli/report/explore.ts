import { DEVIATION_KINDS } from "../../core/schema/explore-limits.js";
import { toPrintableValue } from "../../core/schema/text-format.js";
import { deviationKey, deviationSetKey, deviationSetText } from "../../tools/explore/deviation-set.js";
import type {
  ExploreFinding,
  ExploreReport,
  ExploreSingle,
  LivesReport,
} from "../../tools/explore/exploration.js";
import { DEVIATION_KIND_DEFINITIONS } from "../../tools/explore/kinds.js";
import { storyLines } from "../../tools/explore/story.js";
import { type Paint, type Style, wrap } from "../text-layout.js";
import type { CaseDetail, Report, ReportCase } from "./report.js";

const SAVED: Readonly<Record<keyof ExploreReport["saved"], string>> = {
  holds_a_failing_set: "holds a set that fails by itself",
  independent: "deviations on charges that have nothing to do with each other",
  absorbed: "skipped: each part alone changed nothing",
  alike: "skipped: the app responds to it as to another of its kind",
  unmet: "skipped: one deviation has nothing to apply to",
};

/** Report of a flow's exploration: a case per deviation, a finding per message. */
export function reportOfExploration(flow: string, report: ExploreReport): Report {
  const {
    findings,
    singles,
    notes,
    saved,
    passed,
    sentence,
    complete_depth,
    not_tried,
    not_compared,
    lives,
    ms,
    profile = {},
  } = toPrintableValue(report);
  const failing = new Set(findings.map(({ deviations }) => deviationSetKey(deviations)));
  const messages = [...new Set(findings.map(textOf))];
  return {
    name: `explore ${flow}`,
    group: "explore",
    verdict: passed ? "passed" : findings.length > 0 ? "failed" : "note",
    durationMs: ms,
    cases: [
      { name: "single deviations", outcome: complete_depth > 0 ? "passed" : "skipped", message: sentence },
      ...(lives === undefined ? [] : [livesCase(lives)]),
      ...singles
        .filter((single) => !failing.has(deviationKey(single)))
        .map((single): ReportCase => {
          const isRight = single.outcome === "right";
          return {
            name: deviationSetText([single]),
            outcome: isRight ? "passed" : "skipped",
            message: single.outcome,
          };
        }),
      ...findings.map((finding): ReportCase => {
        const name = finding.only ?? (deviationSetText(finding.deviations) || finding.oracle);
        return { ...findingCase(finding), name, details: detailsOf(finding) };
      }),
    ],
    findings: messages.map((message) => {
      const same = findings.filter((finding) => textOf(finding) === message);
      const details = same.flatMap((one, index) => detailsOf(one, index === 0 ? "deviation" : "or"));
      return { ...findingCase(same[0]!), details };
    }),
    drawing: (width, paint) => matrixLines(singles, failing, width, paint),
    notes: [
      ...notes,
      ...Object.entries(saved)
        .filter(([, count]) => count > 0)
        .map(([reason, count]) => `not run: ${count} × ${SAVED[reason as keyof typeof saved]}`),
      ...not_compared.map(({ field, reason }) => `not compared: ${field} ${reason}`),
      ...notTriedLines(not_tried),
      ...Object.entries(profile).map(([part, partMs]) => `profile: ${(partMs / 1_000).toFixed(1)} s ${part}`),
    ],
    summary: sentence,
  };
}

function livesCase({ lives, of, acts, orders, paid, refunded, seed }: LivesReport): ReportCase {
  const message = `${lives} of ${of} lives from seed ${seed}: ${acts} acts, ${orders} orders, ${paid} payments, ${refunded} refunds`;
  return { name: "lives", outcome: lives > 0 ? "passed" : "skipped", message };
}

/** The deviations that were not tried, a line per reason: kinds, with their number of places if there are several. */
function notTriedLines(untried: ExploreReport["not_tried"]): string[] {
  const reasons = [...new Set(untried.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const kinds = untried.filter((one) => one.reason === reason).map(({ kind }) => kind);
    const texts = [...new Set(kinds)].map((kind) => {
      const count = kinds.filter((one) => one === kind).length;
      return count === 1 ? kind : `${count} × ${kind}`;
    });
    return `not tried: ${texts.join(", ")}: ${reason}`;
  });
}

function findingCase({ oracle, message, story, deviations }: ExploreFinding): ReportCase {
  const other = deviations.map(({ kind }) => kind).join(" and ");
  const drawing: ReportCase["drawing"] = story && ((_width, paint) => paintedStory(story, other, paint));
  return { name: oracle, outcome: "failed", message, type: oracle, drawing };
}

/** @param first label of the first deviation; the others are of the same set */
function detailsOf(
  { deviations, seen, file, hint, acts = [], only }: ExploreFinding,
  first = "deviation",
): CaseDetail[] {
  const details = deviations.map(
    ({ kind, at }, index): CaseDetail => [
      index === 0 ? first : "and",
      `${kind} at ${at}: ${DEVIATION_KIND_DEFINITIONS[kind].description}`,
    ],
  );
  const { runs, of } = seen;
  return [
    ...details,
    ...acts.map((act, index): CaseDetail => [index === 0 ? "life" : "then", act]),
    ...(only === undefined ? [] : [["only", only] as const]),
    ...(runs < of ? [["seen", `in ${runs} of ${of} runs`] as const] : []),
    ...(file === undefined ? [] : [["file", file] as const]),
    ...(hint === undefined || first !== "deviation" ? [] : [["hint", hint] as const]),
  ];
}

function textOf({ oracle, message }: ExploreFinding): string {
  return `${oracle}: ${message}`;
}

const SIGNS: Readonly<Record<ExploreSingle["outcome"] | "none", readonly [string, Style]>> = {
  right: ["✓", "green"],
  wrong: ["✗", "red"],
  unknown: ["○", "yellow"],
  none: ["·", "dim"],
};

const TITLE = "what the app survives";

/** The outcomes of deviations tried alone: a line per kind, a column per place. */
function matrixLines(
  singles: readonly ExploreSingle[],
  failing: ReadonlySet<string>,
  width: number,
  paint: Paint,
): string[] {
  if (singles.length === 0) return [];
  // A wrong outcome without a finding is a note.
  const outcomes = new Map(
    singles.map((single) => {
      const key = deviationKey(single);
      return [key, single.outcome === "wrong" && !failing.has(key) ? "unknown" : single.outcome];
    }),
  );
  const kinds = DEVIATION_KINDS.filter((kind) => singles.some((one) => one.kind === kind));
  const places = [...new Set(singles.map(({ at }) => at))];
  const room = Math.max(TITLE.length, ...kinds.map((kind) => kind.length));
  const cell = String(places.length).length;
  const numbers = places.map((_, index) => String(index + 1).padStart(cell)).join(" ");
  // A space that does not break keeps number and place on one line.
  const legend = places.map((at, index) => `${index + 1} ${at}`.replaceAll(" ", "\u00a0")).join(", ");
  return [
    paint("bold", `  ${TITLE.padEnd(room)}  ${numbers}`),
    ...kinds.map((kind) => {
      const signs = places.map((at) => {
        const [sign, style] = SIGNS[outcomes.get(deviationKey({ kind, at })) ?? "none"];
        return `${" ".repeat(cell - 1)}${paint(style, sign)}`;
      });
      return `  ${kind.padEnd(room)}  ${signs.join(" ")}`;
    }),
    ...wrap(legend, 2, width).map((line) => line.replaceAll("\u00a0", " ")),
  ];
}

function paintedStory(story: NonNullable<ExploreFinding["story"]>, other: string, paint: Paint): string[] {
  const [title = "", ...lines] = storyLines(story, other);
  const styleOf = (line: string): Style | undefined =>
    line.startsWith("-")
      ? "red"
      : line.startsWith("+")
        ? "green"
        : line.startsWith("  …")
          ? "dim"
          : undefined;
  return [
    ...(title === "" ? [] : [paint("dim", title)]),
    ...lines.map((line) => {
      const style = styleOf(line);
      return style === undefined ? line : paint(style, line);
    }),
  ].map((line) => `      ${line}`);
}
