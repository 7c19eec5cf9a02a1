import { toPrintableValue } from "../../core/schema/text-format.js";
import { deviationSetText } from "./deviation-set.js";
import type { ExploreFinding, ExploreReport } from "./exploration.js";
import { DEVIATION_KIND_DEFINITIONS } from "./kinds.js";
import { storyLines } from "./story.js";

/** Thrown by `explore` unless the exploration passed. Its message is the report as text. */
export class ExploreError extends Error {
  /** Always `ExploreError`. */
  override readonly name = "ExploreError";

  /** @param frames stack of the call of `explore`, without its first line */
  constructor(
    /** The report, which the message has as text. */
    readonly report: ExploreReport,
    frames: string,
  ) {
    super(reportText(report));
    this.stack = `${this.name}: ${this.message}\n${frames}`;
  }
}

/** The findings, those of one message together, each with the story of its first run and the line that replays it. */
function reportText(report: ExploreReport): string {
  const { findings, notes, sentence } = toPrintableValue(report);
  const messages = [...new Set(findings.map(({ message }) => message))];
  const blocks = messages.flatMap((message) => {
    const same = findings.filter((finding) => finding.message === message);
    return findingLines(same[0]!, same.slice(1));
  });
  return [sentence, ...blocks, ...(findings.length === 0 ? notes.map((note) => `○ ${note}`) : [])].join("\n");
}

function findingLines(finding: ExploreFinding, others: readonly ExploreFinding[]): string[] {
  const { oracle, message, deviations, story, hint, file, acts = [], only } = finding;
  const what = deviations.map(
    ({ kind, at }) => `${kind} at ${at}: ${DEVIATION_KIND_DEFINITIONS[kind].description}`,
  );
  const again = only ?? deviationSetText(deviations);
  const names = deviations.map(({ kind }) => kind).join(" and ");
  return [
    "",
    `✗ ${oracle}: ${message}`,
    ...what.map((text) => `    ${text}`),
    ...others.map((other) => `    or ${deviationSetText(other.deviations)}`),
    ...(hint === undefined ? [] : [`    ${hint}`]),
    ...acts.map((act) => `    ${act}`),
    ...(story === undefined ? [] : storyLines(story, names).map((line) => `    ${line}`)),
    ...(again === "" ? [] : [`    to run it again: only: "${again}"`]),
    ...(file === undefined ? [] : [`    file ${file}`]),
  ];
}
