import type { Difference, Failure } from "../../scenario/running/failure.js";
import { leaves, type RunReport, type StepReport } from "../../scenario/running/report.js";
import { withOneLines } from "../../schema/printable.js";
import { cut } from "../cut.js";
import { type Paint, paint, type Style } from "../paint.js";
import { lineWidth } from "../terminal.js";
import { hanging } from "../wrapped.js";

const MARKS: Readonly<Record<StepReport["outcome"], string>> = {
  passed: "✓",
  failed: "✗",
  error: "✗",
  not_run: "·",
};
const STYLES: Readonly<Record<StepReport["outcome"], Style>> = {
  passed: "green",
  failed: "red",
  error: "red",
  not_run: "dim",
};

/** One file's run: a line a step, and under the one that failed what was expected and what came. */
export function reportText(raw: RunReport): string {
  const report = withOneLines(raw);
  const rows = rowsOf(report.steps);
  const room = lineWidth();
  const width = Math.min(Math.max(0, ...rows.map(({ title }) => title.length)), room - BESIDE_TITLE);
  const lines = [
    `${paint(STYLES[report.outcome], MARKS[report.outcome])} ${paint("bold", report.name)}  ${paint("dim", report.file)}`,
    ...rows.flatMap((row) => stepLines(report.file, row, width)),
  ];
  if (report.namespace !== undefined)
    lines.push(
      `  ${paint("dim", `in its own namespace ${report.namespace}: another run is using the one requested`)}`,
    );
  for (const { rule, line, file = report.file } of report.never_happened_at)
    lines.push(`  ${paint("yellow", `○ ${rule} never applied`)}  ${paint("dim", `${file}:${line}`)}`);
  if (report.error !== undefined) lines.push(`  ${paint("red", `could not run: ${report.error}`)}`);
  for (const warning of report.warnings) lines.push(`  ${paint("yellow", `warning: ${warning}`)}`);
  return `${lines.join("\n")}\n\n`;
}

interface ReportRow {
  readonly step: StepReport;
  /** Indented as deep as it lies. */
  readonly title: string;
}

/** What a step's line has besides its title: the mark before it, and how long it took. */
const BESIDE_TITLE = 14;

/** The steps, each followed by those within it. */
function rowsOf(steps: readonly StepReport[], indent = ""): ReportRow[] {
  return steps.flatMap((step) => [
    { step, title: `${indent}${step.part === undefined ? "" : `${step.part}: `}${step.title}` },
    ...rowsOf(step.steps ?? [], `${indent}  `),
  ]);
}

/** Where in the file it says what was not so. */
export function failurePlace(file: string, step: StepReport): string {
  return `${step.file ?? file}:${step.failure?.line ?? step.line}`;
}

function stepLines(file: string, { step, title: full }: ReportRow, width: number): string[] {
  const mark = paint(STYLES[step.outcome], MARKS[step.outcome]);
  const note = step.outcome === "not_run" ? "not run" : `${step.duration_ms} ms`;
  const title = cut(full, width).padEnd(width);
  const lines = [
    `  ${mark} ${step.outcome === "not_run" ? paint("dim", title) : title}  ${paint("dim", note.padStart(8))}`,
  ];
  // What failed within it is told there.
  if (step.failure !== undefined && step.steps === undefined)
    lines.push(...failureLines(step.failure, failurePlace(file, step), paint, lineWidth()));
  return lines;
}

const INDENT = " ".repeat(6);
const LABEL = 12;

/** What a person needs to see of a failure, whatever shows it. */
export function failureLines(
  failure: Failure,
  place: string,
  style: Paint = paint,
  width = Number.POSITIVE_INFINITY,
): string[] {
  const { message, expected, got, difference = [], nearest = [] } = failure;
  const rows: [string, string][] = [];
  if (expected !== undefined) rows.push(["expected", shown(expected)]);
  if (got !== undefined) rows.push(["got", shown(got)]);
  rows.push(...difference.map((one): [string, string] => ["difference", differenceText(one)]));
  rows.push(...(failure.made_by ?? []).map((one): [string, string] => ["fault", one]));
  if (failure.note !== undefined) rows.push(["note", failure.note]);
  const [best] = nearest;
  // Of the only one there is, the difference has told everything.
  if (nearest.length > 1 || best?.difference !== failure.difference)
    for (const { id, difference } of nearest)
      rows.push(["nearest", `${id}: ${difference.map(differenceText).join("; ")}`]);
  let last = "";
  return [
    ...headLines(message, place, style, width),
    ...rows.flatMap(([label, text]) => {
      const heading = (label === last ? "" : label).padEnd(LABEL);
      last = label;
      const [first, ...more] = hanging(INDENT + heading, text, width);
      return [`${INDENT}${style("dim", heading)}${first!.slice(INDENT.length + LABEL)}`, ...more];
    }),
  ];
}

/** The message, and behind it its place: where there is no room for both, on a line of its own. */
function headLines(message: string, place: string, style: Paint, width: number): string[] {
  const lines = hanging(INDENT, message, width);
  const last = lines.pop()!;
  const text = (line: string) => INDENT + style("red", line.slice(INDENT.length));
  if (last.length + 2 + place.length <= width)
    return [...lines.map(text), `${text(last)}  ${style("dim", place)}`];
  return [...[...lines, last].map(text), INDENT + style("dim", place)];
}

function differenceText({ path, expected, got, why }: Difference): string {
  if (path === "") return typeof expected === "string" ? expected : shown(expected);
  const because = why === undefined ? "" : ` (${why})`;
  if (Array.isArray(expected) && Array.isArray(got) && expected.length !== got.length)
    return `${path} has ${got.length} ${got.length === 1 ? "element" : "elements"}, not ${expected.length}${because}`;
  return `${path} is ${got === undefined ? "absent" : shown(got)}, not ${shown(expected)}${because}`;
}

const LONGEST = 1_000;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The last line: how it came out in all. */
export function summaryText(reports: readonly RunReport[]): string {
  const all = reports.flatMap(({ steps }) => leaves(steps));
  const count = (outcome: StepReport["outcome"]) => all.filter(({ step }) => step.outcome === outcome).length;
  const failed = count("failed") + count("error");
  const parts = [
    `${count("passed")} ${count("passed") === 1 ? "step" : "steps"} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(count("not_run") > 0 ? [`${count("not_run")} not run`] : []),
  ];
  const good = reports.filter(({ passed }) => passed).length;
  const files = `${good} of ${reports.length} ${reports.length === 1 ? "scenario" : "scenarios"} passed`;
  return `${paint(good === reports.length ? "green" : "red", files)}  (${parts.join(", ")})\n`;
}
