import type { Paint } from "../text-layout.js";

/** `note`: passed, but to be reviewed; `skipped`: not run, or not judged. */
export type ReportOutcome = "passed" | "failed" | "error" | "note" | "skipped";

/** A check with its outcome, or a finding. */
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
  /** Kind of failure. */
  readonly type?: string | undefined;
  /** Labelled texts, such as `expected` and `got`. */
  readonly details?: readonly CaseDetail[];
  readonly drawing?: Drawing | undefined;
  /** Place of the case in a file. */
  readonly place?: readonly [file: string, line: number];
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
  readonly drawing?: Drawing;
  /** Warnings and remarks. */
  readonly notes: readonly string[];
  /** Last line on the terminal. */
  readonly summary?: string;
  readonly file?: string;
  readonly durationMs?: number;
  /** ISO 8601 instant. */
  readonly startedAt?: string;
}
