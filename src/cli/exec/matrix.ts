import type { ScenarioView } from "../../core/schema/control-scenario-responses.js";
import { isMishapScenario } from "../../core/schema/scenario-rules.js";
import { formatCount, toPrintableLine } from "../../core/schema/text-format.js";
import { adviceLine, findNewAdvice } from "../report/advice-text.js";
import { cutCells, type Paint, paint as painted, type Style, wrap, wrapHanging } from "../text-layout.js";
import { effectsText, findUnappliedRules, formatUnfinishedTasks, isNotExercised } from "./applied-rules.js";
import { type CommandRunResult, commandText } from "./plan.js";

export interface MatrixRun
  extends Pick<CommandRunResult, "code" | "durationMs">,
    Partial<Pick<CommandRunResult, "seed" | "advice" | "due" | "firstHit">> {
  /** The scenario as the user named it, or "plain". */
  readonly label: string;
  /** Null for the plain run. */
  readonly scenario: string | null;
  /** The scenario, with how often each of its rules applied; undefined if unknown. */
  readonly scenarioView?: ScenarioView | undefined;
  readonly isRare?: boolean;
  /** False if `--strict` fails the run, even if the command exited with 0. */
  readonly passesStrict?: boolean;
}

type Verdict = "passed" | "failed" | "not exercised" | "inconclusive";

interface Row extends MatrixRun {
  readonly verdict: Verdict;
  readonly isPassed: boolean;
  /** Tasks still due when a failed run ended, such as "5 webhooks". */
  readonly cutShort: string | undefined;
}

const MARKS: Readonly<Record<Verdict, readonly [string, Style]>> = {
  "not exercised": ["○", "yellow"],
  inconclusive: ["?", "yellow"],
  passed: ["✓", "green"],
  failed: ["✗", "red"],
};

/** The table of `--under`: a row per run, then the failures. */
export class Matrix {
  readonly #command: string;
  readonly #rows: readonly Row[];
  readonly #notRun: readonly string[];
  readonly #repeatText: (label: string) => string;
  readonly #hasReceiver: boolean;

  /**
   * @param runs the plain run first
   * @param repeatText returns the command line that does a run alone
   * @param hasReceiver true if the sandbox was given an endpoint for webhooks
   */
  constructor(
    command: readonly string[],
    runs: readonly MatrixRun[],
    notRun: readonly string[],
    repeatText: (label: string) => string,
    hasReceiver = false,
  ) {
    this.#repeatText = repeatText;
    this.#hasReceiver = hasReceiver;
    this.#command = commandText(command);
    this.#rows = runs.map((run) => rowOf(run, runs[0]!));
    this.#notRun = notRun;
  }

  get isAllPassed(): boolean {
    return this.#rows.every(({ isPassed }) => isPassed);
  }

  toJson() {
    return {
      command: this.#command,
      passed: this.isAllPassed && this.#notRun.length === 0,
      never_happened: labelsOf(this.#rows, "not exercised"),
      inconclusive: labelsOf(this.#rows, "inconclusive"),
      runs: this.#rows.map(({ label, scenario, seed, scenarioView, isPassed, code, durationMs }) => ({
        label,
        scenario,
        kind: scenarioView === undefined ? null : isMishapScenario(scenarioView) ? "mishap" : "outcome",
        ...(seed === undefined ? {} : { seed }),
        passed: isPassed,
        exit_code: code,
        duration_ms: durationMs,
        applied: scenarioView?.applied ?? null,
        never_happened: scenarioView === undefined ? null : findUnappliedRules(scenarioView),
      })),
      not_run: this.#notRun,
    };
  }

  toText(width: number, isColoured: boolean): string {
    const paint: Paint = (style, text) => painted(style, text, isColoured);
    return [
      paint("bold", cutCells(this.#command, width)),
      ...this.#runLines(paint, width),
      ...this.#rows.flatMap((row) => this.#failureLines(row, paint, width)),
      ...this.#summary(paint, width),
      "",
    ].join("\n");
  }

  #runLines(paint: Paint, width: number): string[] {
    const cells = this.#rows.map(({ label, verdict, code, durationMs }) => [
      label,
      verdict,
      `exit ${code}`,
      `${(durationMs / 1_000).toFixed(1)} s`,
    ]);
    const widths = [0, 1, 2, 3].map((index) => Math.max(...cells.map((row) => row[index]!.length)));
    widths[0] = Math.max(widths[0]!, ...this.#notRun.map((label) => label.length));
    const lines = this.#rows.flatMap((row, index) => {
      const { verdict, scenarioView, cutShort } = row;
      // A test may rely on the outcome of a payment: not an app bug.
      const [mark, style] =
        verdict === "failed" && isOutcome(row) ? (["!", "yellow"] as const) : MARKS[verdict];
      const [label, , code, time] = cells[index]!;
      const effects = scenarioView === undefined ? "" : effectsText(scenarioView);
      const parts = [
        `  ${mark} ${label!.padEnd(widths[0]!)}`,
        verdict.padEnd(widths[1]!),
        code!.padEnd(widths[2]!),
        `${time!.padStart(widths[3]!)}  `,
      ];
      const text = cutShort === undefined ? effects : `${effects}; ${cutShort} still due`;
      return wrapHanging(parts.join("  "), text, width).map((line, row) =>
        row > 0 ? line : line.replace(mark, paint(style, mark)).replace(verdict, paint(style, verdict)),
      );
    });
    const notRun = this.#notRun.map((label) => `  - ${label.padEnd(widths[0]!)}  not run`);
    return [...lines, ...notRun.map((line) => paint("dim", line))];
  }

  /** Describes a mishap under which the command failed. Adds advice that is new compared with the plain run. */
  #failureLines(
    { label, scenarioView, verdict, isRare, advice = [], firstHit }: Row,
    paint: Paint,
    width: number,
  ): string[] {
    if (verdict !== "failed" || scenarioView?.description === undefined || !isMishapScenario(scenarioView))
      return [];
    const news = findNewAdvice(this.#rows[0]!.advice ?? [], advice);
    const hit = firstHit === undefined ? [] : [`first hit: ${firstHit}`];
    const texts = [scenarioView.description, ...hit, ...news.map((item) => `advice: ${adviceLine(item)}`)];
    const lines = texts.flatMap((text) => wrap(toPrintableLine(text.replace(/\s+/g, " ").trim()), 4, width));
    return ["", `  ${paint("bold", label)}${isRare === true ? " (rare)" : ""}`, ...lines];
  }

  /** The commands that repeat each run that a mishap broke, not wrapped, because they are copied. */
  #repeatLines(): string[] {
    return this.#rows
      .filter((row) => row.verdict === "failed" && row.scenario !== null && !isOutcome(row))
      .flatMap(({ label }) => ["", `To repeat ${label} alone:`, `  ${this.#repeatText(label)}`]);
  }

  /** A paragraph for each note, then the commands to repeat runs and the verdict. */
  #summary(paint: Paint, width: number): string[] {
    const [plain, ...others] = this.#rows;
    const paragraphs = (style: Style, verdict: string, notes: readonly string[] = []): string[] => [
      ...(notes.length === 0 ? [] : ["", ...notes.flatMap((note) => wrap(note, 0, width))]),
      ...this.#repeatLines(),
      "",
      ...wrap(verdict, 0, width).map((line) => paint(style, line)),
    ];
    if (!plain!.isPassed)
      return paragraphs(
        "red",
        "The plain run did not pass: there is nothing to compare the other runs with.",
      );
    const outcomes = others.filter(isOutcome);
    const mishaps = others.filter((row) => !outcomes.includes(row));
    const total = mishaps.length + this.#notRun.length;
    const met = mishaps.filter(({ verdict }) => verdict === "passed" || verdict === "failed").length;
    const ofMishaps = (count: number): string =>
      met === mishaps.length
        ? `${count} of ${formatCount(total, "mishap")}`
        : `${count === met ? "" : `${count} of `}the ${formatCount(met, "mishap")} it met`;
    const differing = labelsOf(outcomes, "failed");
    const isCutShort = ({ cutShort }: Row): boolean => cutShort !== undefined;
    const withoutEffect = others.filter((row) => !isCutShort(row));
    const notes = [
      sentence(
        `Tests fail under ${differing.length} of ${outcomes.length} outcomes`,
        differing,
        "; a different payment outcome is not an app bug",
      ),
      sentence("Inconclusive, because nothing went wrong there", labelsOf(withoutEffect, "inconclusive")),
      sentence(
        "Inconclusive, because the run ended too early (advance the clock further in the tests)",
        labelsOf(others.filter(isCutShort), "inconclusive"),
      ),
      sentence("Not exercised (nothing matched)", labelsOf(ofWebhooks(others, false), "not exercised")),
      sentence(
        `Not exercised (${this.#hasReceiver ? "no matching webhook was sent before the command ended" : "no webhook matched; --webhook-url sends them"})`,
        labelsOf(ofWebhooks(others, true), "not exercised"),
      ),
      this.#notRun.length === 0 ? "" : `${this.#notRun.length} of ${total} were not run.`,
    ].filter((note) => note !== "");
    const broken = labelsOf(mishaps, "failed");
    if (broken.length > 0)
      return paragraphs(
        "red",
        `Your suite breaks under ${ofMishaps(broken.length)}: ${broken.join(", ")}.`,
        notes,
      );
    const passed =
      met + this.#notRun.length === 0
        ? "Your suite passes plain."
        : `Your suite passes plain and under ${ofMishaps(labelsOf(mishaps, "passed").length)}.`;
    return paragraphs(notes.length === 0 ? "green" : "yellow", passed, notes);
  }
}

function isOutcome({ scenarioView }: Row): boolean {
  return scenarioView !== undefined && !isMishapScenario(scenarioView);
}

function ofWebhooks(rows: readonly Row[], isWanted: boolean): Row[] {
  return rows.filter(({ scenarioView }) => (scenarioView?.webhooks ?? []).length > 0 === isWanted);
}

function rowOf(run: MatrixRun, plain: MatrixRun): Row {
  const { scenarioView, due, code, passesStrict } = run;
  const isFailed = code !== 0;
  const cutShort =
    isFailed && scenarioView !== undefined && due !== undefined && plain.due !== undefined
      ? formatUnfinishedTasks(scenarioView, due, plain.due)
      : undefined;
  const isPassed = !isFailed && passesStrict !== false;
  const hadNoEffect = scenarioView !== undefined && isNotExercised(scenarioView);
  let verdict: Verdict = isPassed ? "passed" : "failed";
  if (hadNoEffect) verdict = isFailed ? "inconclusive" : "not exercised";
  else if (cutShort !== undefined) verdict = "inconclusive";
  return { ...run, verdict, isPassed, cutShort };
}

function labelsOf(rows: readonly Row[], verdict: Verdict): string[] {
  return rows.filter((row) => row.verdict === verdict).map(({ label }) => label);
}

/** Names in a sentence; the others are counted, because each has its row. */
const NAMES_MAX = 6;

function sentence(text: string, labels: readonly string[], end = ""): string {
  const left = labels.length - NAMES_MAX;
  const names = left > 1 ? [...labels.slice(0, NAMES_MAX), `and ${left} more`] : labels;
  return labels.length === 0 ? "" : `${text}: ${names.join(", ")}${end}.`;
}
