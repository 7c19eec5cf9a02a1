import type { Vocabulary } from "../domain/known-names.js";
import type { Refusal } from "../schema/errors.js";
import type { Scenario } from "../schema/scenario.js";
import type { Namespace } from "./namespace.js";

/** A scenario as a person writes it, its variables not filled in yet. */
export type ScenarioSource = Readonly<Record<string, unknown>>;

/** One step of a run, as its report has it. */
export interface RunStep {
  readonly number: number;
  readonly title: string;
  readonly outcome: "passed" | "failed" | "error" | "not_run";
  readonly duration_ms: number;
  readonly failure?: { readonly message: string };
}

/** As much of the report as pages show. */
export interface RunOutcome {
  readonly outcome: string;
  readonly passed: boolean;
  readonly duration_ms: number;
  readonly steps: readonly RunStep[];
  readonly never_happened: readonly string[];
  readonly error?: string;
}

export interface ScenarioRun {
  readonly source: ScenarioSource;
  readonly vars: Readonly<Record<string, string>>;
  readonly app: string | undefined;
  /** Calls of this very server. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends the run early. */
  readonly signal?: AbortSignal | undefined;
  readonly onStepBegin?: ((title: string, number: number, of: number) => void) | undefined;
  readonly onStep?: ((step: RunStep, of: number) => void) | undefined;
}

/** Reads and runs scenarios for the control API. It is handed in, for it calls the server like any client. */
export interface ScenarioKit {
  /** Its variables filled in; the control API sees no environment. Names that are not in the vocabulary are refused. */
  read(namespace: Namespace, source: ScenarioSource, vocabulary?: Vocabulary): Promise<Scenario | Refusal>;
  /** The report, whatever came of it. */
  run(namespace: Namespace, run: ScenarioRun): Promise<RunOutcome | Refusal>;
}
