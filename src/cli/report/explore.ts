import { oneLineDeep } from "../../core/schema/text-format.js";
import type { ExploreFinding, ExploreReport } from "../../tools/explore/exploration.js";
import { KINDS } from "../../tools/explore/kinds.js";
import { keyOf, scheduleKey, scheduleText } from "../../tools/explore/schedule.js";
import { matrixLines, storyLines } from "./explore-drawings.js";
import type { Detail, Report, ReportCase } from "./report.js";

const SAVED: Readonly<Record<keyof ExploreReport["saved"], string>> = {
  holds_a_failing_set: "holds a set that fails by itself",
  independent: "deviations on charges that have nothing to do with each other",
  absorbed: "skipped: each part alone changed nothing",
  alike: "taken by the app as it takes another of its kind",
  unmet: "skipped: one deviation has nothing to apply to",
};

/** The exploration of a flow: a case per deviation, a finding per message. */
export function exploreReport(flow: string, report: ExploreReport): Report {
  const {
    findings,
    singles,
    notes,
    saved,
    passed,
    sentence,
    complete_depth,
    ms,
    profile = {},
  } = oneLineDeep(report);
  const failing = new Set(findings.map(({ deviations }) => scheduleKey(deviations)));
  const messages = [...new Set(findings.map(textOf))];
  return {
    name: `explore ${flow}`,
    group: "explore",
    verdict: passed ? "passed" : findings.length > 0 ? "failed" : "note",
    durationMs: ms,
    cases: [
      { name: "single deviations", outcome: complete_depth > 0 ? "passed" : "skipped", message: sentence },
      ...singles
        .filter((single) => !failing.has(keyOf(single)))
        .map((single): ReportCase => {
          const isRight = single.outcome === "right";
          return {
            name: scheduleText([single]),
            outcome: isRight ? "passed" : "skipped",
            message: single.outcome,
          };
        }),
      ...findings.map((finding): ReportCase => {
        const name = scheduleText(finding.deviations) || finding.oracle;
        return { ...findingCase(finding), name, details: detailsOf(finding) };
      }),
    ],
    findings: messages.map((message) => {
      const same = findings.filter((finding) => textOf(finding) === message);
      return { ...findingCase(same[0]!), details: same.flatMap(detailsOf) };
    }),
    drawing: (width, paint) => matrixLines(singles, width, paint),
    notes: [
      ...notes,
      ...Object.entries(saved)
        .filter(([, count]) => count > 0)
        .map(([reason, count]) => `not run: ${count} × ${SAVED[reason as keyof typeof saved]}`),
      ...Object.entries(profile).map(([part, partMs]) => `profile: ${(partMs / 1_000).toFixed(1)} s ${part}`),
    ],
    summary: sentence,
  };
}

function findingCase({ oracle, message, story }: ExploreFinding): ReportCase {
  const drawing: ReportCase["drawing"] = story && ((_width, paint) => storyLines(story, paint));
  return { name: oracle, outcome: "failed", message, type: oracle, drawing };
}

function detailsOf({ deviations, file }: ExploreFinding): Detail[] {
  const details = deviations.map(
    ({ kind, at }): Detail => ["deviation", `${kind} at ${at}: ${KINDS[kind].description}`],
  );
  return file === undefined ? details : [...details, ["file", file]];
}

function textOf({ oracle, message }: ExploreFinding): string {
  return `${oracle}: ${message}`;
}
