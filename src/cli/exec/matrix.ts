import type { ScenarioView } from "../../schema/control-scenario-responses.js";
import { oneLine } from "../../schema/printable.js";
import { type Paint, paint as painted, type Style } from "../paint.js";
import { type Advice, adviceLine, adviceSince } from "../report/advice-text.js";
import { wrapped } from "../wrapped.js";
import { commandText } from "./plan.js";
import {
  appliedRules,
  cutShort,
  type Due,
  happenedText,
  isMishap,
  isVacuous,
  neverApplied,
} from "./played.js";
import type { TestResult } from "./test-report.js";

/** One run, as the matrix shows it. */
export interface Column {
  readonly label: string;
  /** The scenario it went under; null for none. */
  readonly scenario: string | null;
  /** The same with how often its rules were applied, if that is known. */
  readonly under?: ScenarioView | undefined;
  readonly seed?: string;
  /** What its app did against the service's advice. */
  readonly advice?: readonly Advice[];
  /** True for rare mishaps. */
  readonly isRare?: boolean;
  /** Tasks still scheduled when the run ended. */
  readonly due?: Due;
  /** Whether nothing of it is what a strict run must not have. */
  readonly isStrictlyFine?: boolean;
  readonly code: number;
  readonly durationMs: number;
  /** What its report says of each test, where there is one. */
  readonly tests: readonly TestResult[] | undefined;
  /** Whether it should have written a report: without it, its exit code does not say that all is well. */
  readonly isReportWanted: boolean;
}

type Outcome = TestResult["outcome"] | "absent";

/** A test that breaks under a mishap, with its outcome in every run that has a report. */
interface Broken {
  readonly title: string;
  readonly outcomes: readonly (Outcome | undefined)[];
}

interface Shown {
  readonly width: number;
  readonly isColoured: boolean;
}

const MARKS: Readonly<Record<Outcome | "not exercised" | "inconclusive", readonly [string, Style]>> = {
  "not exercised": ["○", "yellow"],
  inconclusive: ["?", "yellow"],
  passed: ["✓", "green"],
  failed: ["✗", "red"],
  skipped: ["-", "dim"],
  absent: ["-", "dim"],
};
/** So much of a test's title is always shown. */
const NARROWEST_TITLE = 30;

/** Which run passed, and which tests break under what. */
export class Matrix {
  readonly #command: string;
  readonly #columns: readonly Column[];
  readonly #notRun: readonly string[];
  /** The tests that break in some run, whether or not it is conclusive. */
  readonly #failing: readonly Broken[];
  readonly #broken: readonly Broken[];
  readonly #tests: number;

  /** The first column is the plain run. */
  constructor(command: readonly string[], columns: readonly Column[], notRun: readonly string[]) {
    this.#command = commandText(command);
    this.#columns = columns;
    this.#notRun = notRun;
    const outcomes = columns.map(({ tests }) =>
      tests === undefined ? undefined : new Map(tests.map(({ title, outcome }) => [title, outcome])),
    );
    const titles = new Set(outcomes.flatMap((of) => [...(of?.keys() ?? [])]));
    this.#tests = titles.size;
    this.#failing = [...titles].flatMap((title) => {
      const row = outcomes.map((of): Outcome | undefined =>
        of === undefined ? undefined : (of.get(title) ?? "absent"),
      );
      const isBroken = columns.some((column, index) => index > 0 && isBreak(row[0], row[index], column));
      return isBroken ? [{ title, outcomes: row }] : [];
    });
    this.#broken = this.#failing.filter(({ outcomes }) =>
      columns.some(
        (column, index) =>
          index > 0 && isBreak(outcomes[0], outcomes[index], column) && !this.#isInconclusive(index),
      ),
    );
  }

  get isAllPassed(): boolean {
    return this.#columns.every((_column, index) => this.#isPassed(index));
  }

  /** Its exit code may be good though its report is not: some runners are told to go on. */
  #isPassed(index: number): boolean {
    const column = this.#columns[index]!;
    return (
      column.code === 0 &&
      !isUnreported(column) &&
      this.#breaks(index) === 0 &&
      column.isStrictlyFine !== false
    );
  }

  /** It passed, and its scenario had no effect. */
  #isNotExercised(index: number): boolean {
    const column = this.#columns[index]!;
    return (
      column.under !== undefined &&
      isVacuous(column.under) &&
      !isUnreported(column) &&
      !this.#hasFailed(index)
    );
  }

  /** It failed, and its scenario had no effect, or not yet its full one. */
  #isInconclusive(index: number): boolean {
    const column = this.#columns[index]!;
    const isDoubtful =
      column.under !== undefined && (isVacuous(column.under) || this.#cut(index) !== undefined);
    return isDoubtful && !isUnreported(column) && this.#hasFailed(index);
  }

  #hasFailed(index: number): boolean {
    return this.#columns[index]!.code !== 0 || this.#breaks(index) > 0;
  }

  /** Tasks still due when a failed run ended. */
  #cut(index: number): string | undefined {
    const { under, due } = this.#columns[index]!;
    const plain = this.#columns[0]!.due;
    if (under === undefined || due === undefined || plain === undefined || !this.#hasFailed(index))
      return undefined;
    return cutShort(under, due, plain);
  }

  #breaks(index: number): number {
    const column = this.#columns[index]!;
    if (index === 0) return 0;
    return this.#failing.filter(({ outcomes }) => isBreak(outcomes[0], outcomes[index], column)).length;
  }

  toJson() {
    return {
      command: this.#command,
      passed: this.isAllPassed && this.#notRun.length === 0,
      never_happened: this.#columns
        .filter((_column, index) => this.#isNotExercised(index))
        .map(({ label }) => label),
      inconclusive: this.#columns
        .filter((_column, index) => this.#isInconclusive(index))
        .map(({ label }) => label),
      runs: this.#columns.map(({ label, scenario, seed, under, code, durationMs, tests }, index) => ({
        label,
        scenario,
        kind: under === undefined ? null : isMishap(under) ? "mishap" : "outcome",
        ...(seed === undefined ? {} : { seed }),
        passed: this.#isPassed(index),
        exit_code: code,
        duration_ms: durationMs,
        tests: tests?.length ?? null,
        breaks:
          index === 0 || tests === undefined || this.#isInconclusive(index) ? null : this.#breaks(index),
        applied: under === undefined ? null : appliedRules(under),
        never_happened: under === undefined ? null : neverApplied(under),
      })),
      not_run: this.#notRun,
      tests: this.#tests,
      broken: this.#broken.map(({ title, outcomes }) => ({
        test: title,
        outcomes: Object.fromEntries(
          this.#columns.map(({ label }, index) => [label, outcomes[index] ?? null]),
        ),
      })),
    };
  }

  toText({ width, isColoured }: Shown): string {
    const paint: Paint = (style, text) => painted(style, text, isColoured);
    return [
      paint("bold", this.#command.length > width ? `${this.#command.slice(0, width - 1)}…` : this.#command),
      ...this.#runLines(paint),
      ...this.#testLines(paint, width),
      ...this.#weaknessLines(paint, width),
      "",
      this.#verdict(paint),
      "",
    ].join("\n");
  }

  #runLines(paint: Paint): string[] {
    const rows = this.#columns.map((column, index) => {
      const { label, code, durationMs, tests } = column;
      const isInconclusive = this.#isInconclusive(index);
      const outcome = this.#isNotExercised(index)
        ? "not exercised"
        : isInconclusive
          ? "inconclusive"
          : this.#isPassed(index)
            ? "passed"
            : "failed";
      const broken = this.#breaks(index);
      const cut = this.#cut(index);
      return {
        mark: MARKS[outcome],
        cells: [
          label,
          outcome,
          `exit ${code}`,
          `${(durationMs / 1_000).toFixed(1)} s`,
          isUnreported(column)
            ? "no report"
            : tests === undefined || index === 0
              ? ""
              : `${broken} of ${this.#columns[0]!.tests?.length ?? tests.length} tests ${isInconclusive ? "fail" : "break"}`,
          column.under === undefined
            ? ""
            : happenedText(column.under) + (cut === undefined ? "" : `; ${cut} still due`),
        ],
      };
    });
    const widths = [0, 1, 2, 3, 4].map((index) => Math.max(...rows.map(({ cells }) => cells[index]!.length)));
    widths[0] = Math.max(widths[0]!, ...this.#notRun.map((label) => label.length));
    const lines = rows.map(({ mark: [mark, style], cells: [label, outcome, code, time, tests, happened] }) =>
      [
        `  ${paint(style, mark)} ${label!.padEnd(widths[0]!)}`,
        paint(style, outcome!.padEnd(widths[1]!)),
        code!.padEnd(widths[2]!),
        time!.padStart(widths[3]!),
        ...(widths[4] === 0 ? [] : [tests!.padEnd(widths[4]!)]),
        happened,
      ]
        .join("  ")
        .trimEnd(),
    );
    return [
      ...lines,
      ...this.#notRun.map((label) => paint("dim", `  - ${label.padEnd(widths[0]!)}  not run`)),
    ];
  }

  /** A row a test that breaks, a column a run with a report. */
  #testLines(paint: Paint, width: number): string[] {
    const shown = this.#columns.flatMap((column, index) =>
      column.tests === undefined ? [] : [{ ...column, index }],
    );
    if (shown.length < 2) return [];
    const whole = this.#tests - this.#failing.length;
    const rest = `  ${whole} ${whole === 1 ? "test" : "tests"} had the same result in every run`;
    if (this.#broken.length === 0) return ["", rest];
    const names = shown.map(({ label }) => label);
    const room = width - 2 - names.reduce((sum, name) => sum + name.length + 2, 0);
    // Too many to name over the columns: their numbers, told below.
    const heads = room >= NARROWEST_TITLE ? names : names.map((_name, index) => `[${index + 1}]`);
    const titleRoom = Math.max(
      NARROWEST_TITLE,
      width - 2 - heads.reduce((sum, head) => sum + head.length + 2, 0),
    );
    const titles = this.#broken.map(({ title }) => shortened(oneLine(title), titleRoom));
    const first = Math.max("test".length, ...titles.map((title) => title.length));
    return [
      "",
      paint("dim", `  ${"test".padEnd(first)}  ${heads.join("  ")}`.trimEnd()),
      ...this.#broken.map(({ outcomes }, row) => {
        const cells = shown.map(({ index }, column) => {
          const [mark, style] = MARKS[outcomes[index]!];
          return paint(style, mark) + " ".repeat(heads[column]!.length - mark.length);
        });
        return `  ${titles[row]!.padEnd(first)}  ${cells.join("  ")}`.trimEnd();
      }),
      rest,
      ...(heads === names ? [] : [`  ${names.map((name, index) => `[${index + 1}] ${name}`).join("  ")}`]),
    ];
  }

  /** What a scenario it breaks under stands for, and what its app did there, and not in the plain run, against the service's advice. */
  #weaknessLines(paint: Paint, width: number): string[] {
    return this.#columns.flatMap(({ label, under, isRare, advice = [] }, index) => {
      if (
        under?.description === undefined ||
        !isMishap(under) ||
        this.#isPassed(index) ||
        this.#isNotExercised(index) ||
        this.#isInconclusive(index)
      )
        return [];
      const news = adviceSince(this.#columns[0]!.advice ?? [], advice).map(adviceLine);
      const texts = [under.description, ...news.map((one) => `advice: ${one}`)];
      const lines = texts.flatMap((text) => wrapped(oneLine(text.replace(/\s+/g, " ").trim()), 4, width));
      return ["", `  ${paint("bold", label)}${isRare === true ? " (rare)" : ""}`, ...lines];
    });
  }

  #verdict(paint: Paint): string {
    const [plain, ...others] = this.#columns;
    if (plain!.code !== 0)
      return paint("red", "The plain run did not pass: there is nothing to compare the other runs with.");
    const unknown = this.#columns.filter((column) => column.code === 0 && isUnreported(column));
    const nothing = this.#columns.filter((_column, index) => this.#isNotExercised(index));
    const doubtful = this.#columns.filter((_column, index) => this.#isInconclusive(index));
    const early = doubtful.filter((column) => this.#cut(this.#columns.indexOf(column)) !== undefined);
    const idle = doubtful.filter((column) => !early.includes(column));
    const failed = others.filter(
      (column) =>
        !this.#isPassed(this.#columns.indexOf(column)) &&
        !unknown.includes(column) &&
        !nothing.includes(column) &&
        !doubtful.includes(column),
    );
    const outcomes = others.filter(({ under }) => under !== undefined && !isMishap(under));
    const all = others.length - outcomes.length + this.#notRun.length;
    const mishapCount = `${all} ${all === 1 ? "mishap" : "mishaps"}`;
    const fates = failed.filter((column) => outcomes.includes(column));
    const broken = failed.filter((column) => !outcomes.includes(column));
    const passing = others.filter(
      (column) => !outcomes.includes(column) && !nothing.includes(column) && !doubtful.includes(column),
    );
    const cut = [
      fates.length === 0
        ? ""
        : ` Tests fail under ${fates.length} of ${outcomes.length} outcomes: ${labelsOf(fates)}; payments that end differently are no weakness of the app.`,
      idle.length === 0 ? "" : ` Inconclusive, because nothing went wrong there: ${labelsOf(idle)}.`,
      early.length === 0
        ? ""
        : ` Inconclusive, because the run ended too early (advance the clock further in the tests): ${labelsOf(early)}.`,
      nothing.length === 0 ? "" : ` Not exercised: ${labelsOf(nothing)}.`,
      unknown.length === 0 ? "" : ` No report, so no result: ${labelsOf(unknown)}.`,
      this.#notRun.length === 0 ? "" : ` ${this.#notRun.length} of ${all} were not run.`,
    ].join("");
    if (broken.length > 0)
      return `${paint("red", `Your suite breaks under ${broken.length} of ${mishapCount}: ${labelsOf(broken)}.`)}${cut}`;
    if (unknown.length > 0) return paint("red", cut.trimStart());
    const passed =
      all === 0
        ? "Your suite passes plain."
        : `Your suite passes plain and under ${passing.length} of ${mishapCount}.`;
    return `${paint(cut === "" ? "green" : "yellow", passed)}${cut}`;
  }
}

function labelsOf(columns: readonly Column[]): string {
  return columns.map(({ label }) => label).join(", ");
}

function isUnreported({ isReportWanted, tests }: Column): boolean {
  return isReportWanted && tests === undefined;
}

/** It came out well plain, and does not under the mishap; what is absent from a run that passed was not meant to run. */
function isBreak(plain: Outcome | undefined, here: Outcome | undefined, { code }: Column): boolean {
  if (here === "failed") return plain !== "failed";
  return here === "absent" && plain === "passed" && code !== 0;
}

/** The end of a title tells tests apart, the beginning says where they are. */
function shortened(text: string, room: number): string {
  if (text.length <= room) return text;
  const tail = Math.ceil((room - 1) * 0.7);
  return `${text.slice(0, room - 1 - tail)}…${text.slice(-tail)}`;
}
