import { toPrintableValue } from "../../core/schema/text-format.js";
import { shortId } from "../table.js";
import { lineWidth } from "../terminal.js";
import { cutCells, type Paint, paint, type Style, wrap, wrapHanging } from "../text-layout.js";

/** `note`: passed, but to be reviewed; `skipped`: not run, or not judged. */
export type ReportOutcome = "passed" | "failed" | "error" | "note" | "skipped";

export interface ReportCase {
  /** Name of the case in JUnit, stable between runs. */
  readonly name: string;
  /** The name on the terminal; default: `name`. */
  readonly title?: string;
  readonly outcome: ReportOutcome;
  /** Column beside the title. A case with `column` is printed as one line of a list. */
  readonly column?: string;
  /** Reason for not passing; default: `column`. */
  readonly message?: string | undefined;
  readonly type?: string | undefined;
  /** Labelled texts, such as `expected` and `got`. */
  readonly details?: readonly CaseDetail[];
  readonly drawing?: Drawing | undefined;
  /** Number of the step that failed, such as `3.1`. */
  readonly step?: string;
  readonly place?: readonly [file: string, line: number];
  /** Place for an annotation, of a case whose message names it. */
  readonly source?: readonly [file: string, line: number];
  readonly durationMs?: number;
  /** Nested cases. JUnit lists them instead of this case. */
  readonly cases?: readonly ReportCase[] | undefined;
}

export type CaseDetail = readonly [label: string, text: string];
/** Lines that only the terminal shows. */
export type Drawing = (width: number, paint: Paint) => readonly string[];

/** The result of `run` (of one file), `check-webhook`, `explore` or `reconcile`. */
export interface Report {
  /** Name of the suite in JUnit. */
  readonly name: string;
  /** Class name of the cases in JUnit. */
  readonly group: string;
  readonly verdict: ReportOutcome;
  /** First line on the terminal. */
  readonly heading?: string;
  readonly cases: readonly ReportCase[];
  /** Listed on the terminal instead of the cases. */
  readonly findings?: readonly ReportCase[];
  /** Lines before the notes. With them, the findings stand last. */
  readonly drawing?: Drawing;
  readonly notes: readonly string[];
  /** Last line on the terminal. */
  readonly summary?: string;
  readonly file?: string;
  readonly durationMs?: number;
  /** ISO 8601 instant. */
  readonly startedAt?: string | undefined;
}

const MARKS: Readonly<Record<ReportOutcome, readonly [mark: string, style: Style]>> = {
  passed: ["✓", "green"],
  failed: ["✗", "red"],
  error: ["✗", "red"],
  note: ["○", "yellow"],
  skipped: ["○", "dim"],
};
const DETAIL_INDENT = " ".repeat(6);
const LABEL_WIDTH = 12;
/** Width of a list line without its title: indent, mark and column. */
const BESIDE_TITLE = 14;

export function reportText(report: Report, width = lineWidth(), style: Paint = paint): string {
  return `${reportLines(report, width, style).join("\n")}\n`;
}

/** A report for people: heading, cases with what went wrong, notes, summary. */
export function reportLines(raw: Report, width: number, style: Paint): string[] {
  const report = toPrintableValue(raw);
  const { heading, verdict, findings, cases, drawing, notes, summary } = report;
  const indent = heading === undefined ? "" : "  ";
  const rows = flattened(findings ?? cases).map((one) =>
    Number.isFinite(width) ? { ...one, title: shortId(one.title) } : one,
  );
  const titles = rows.filter(({ column }) => column !== undefined).map(({ title }) => title.length);
  const titleWidth = Math.min(Math.max(0, ...titles), width - BESIDE_TITLE);
  const drawn = drawing?.(width, style) ?? [];
  const listed = rows.flatMap((one) => caseLines(one, indent, titleWidth, width, style));
  return [
    ...(heading === undefined ? [] : marked(verdict, heading, "", width, style, "bold")),
    ...(drawing === undefined ? listed : []),
    ...(drawn.length > 0 ? [...drawn, ""] : []),
    ...notes.flatMap((note) => marked("note", note, indent, width, style)),
    ...(drawing !== undefined && listed.length > 0 ? ["", ...listed] : []),
    ...(summary === undefined ? [] : marked(verdict, summary, "", width, style)),
  ];
}

function flattened(cases: readonly ReportCase[], indent = ""): (ReportCase & { readonly title: string })[] {
  return cases.flatMap((one) => [
    { ...one, title: `${indent}${one.title ?? one.name}` },
    ...flattened(one.cases ?? [], `${indent}  `),
  ]);
}

/** Formats a case. A case with `column` is a list line with the message below; any other case is a paragraph. */
export function caseLines(one: ReportCase, indent: string, titleWidth: number, width: number, paint: Paint) {
  const { name, title = name, outcome, column, message, details = [], drawing, step, place } = one;
  const where = [step === undefined ? [] : `step ${step}`, place?.join(":") ?? []].flat().join(", ");
  const text = message && (where === "" ? message : `${message} (${where})`);
  const below = [
    ...details.flatMap(([label, text], index) => {
      const shown = (details[index - 1]?.[0] === label ? "" : label).padEnd(LABEL_WIDTH);
      const [first = "", ...more] = wrapHanging(DETAIL_INDENT + shown, text, width);
      return [first.replace(shown, () => paint("dim", shown)), ...more];
    }),
    ...(drawing?.(width, paint) ?? []),
  ];
  if (column === undefined) {
    const mark = outcome === "skipped" ? "note" : outcome;
    const lines = marked(mark, text === undefined ? title : `${title}: ${text}`, indent, width, paint);
    return below.length > 0 ? [...lines, ...below, ""] : lines;
  }
  const start = `${cutCells(title, titleWidth).padEnd(titleWidth)}  `;
  const dimmed = (text: string) => (outcome === "skipped" ? paint("dim", text) : text);
  const [cell = "", ...rest] = wrap(column, indent.length + 2 + start.length, width);
  const lines = [
    `${indent}${markOf(outcome, paint)} ${dimmed(start + cell.trimStart().padStart(8))}`,
    ...rest.map(dimmed),
  ];
  if (text === undefined) return lines;
  return [...lines, ...wrapHanging(DETAIL_INDENT, text, width).map((line) => paint("red", line)), ...below];
}

function marked(
  outcome: ReportOutcome,
  text: string,
  indent: string,
  width: number,
  paint: Paint,
  style?: Style,
) {
  return wrap(text, indent.length + 2, width).map((padded, index) => {
    const line = padded.trimStart();
    return `${indent}${index === 0 ? markOf(outcome, paint) : " "} ${style ? paint(style, line) : line}`;
  });
}

function markOf(outcome: ReportOutcome, paint: Paint): string {
  const [mark, style] = MARKS[outcome];
  return paint(style, mark);
}
