import type * as z from "zod/mini";
import type { Vocabulary } from "../domain/name-check.js";
import type { runReportSchema } from "../schema/control-scenario-responses.js";
import type { DeepReadonly } from "../schema/records/record-fields.js";
import type { Refusal } from "../schema/refusals.js";
import type { Scenario } from "../schema/scenario-rules.js";
import type { Namespace } from "./namespace.js";

/** A scenario as written, with unresolved variables. */
type ScenarioSource = Readonly<Record<string, unknown>>;

type RunReport = DeepReadonly<z.infer<typeof runReportSchema>>;
export type RunStep = Pick<
  RunReport["steps"][number],
  "number" | "title" | "outcome" | "duration_ms" | "failure"
>;
/** The part of a run's report that pages show. */
export type ScenarioRunSummary = Pick<
  RunReport,
  "outcome" | "passed" | "duration_ms" | "never_happened" | "error"
> & { readonly steps: readonly RunStep[] };

interface ScenarioRunOptions {
  readonly source: ScenarioSource;
  readonly vars: Readonly<Record<string, string>>;
  readonly app: string | undefined;
  /** Calls this server. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: RunStep, of: number) => void) | undefined;
}

/** Parses and runs scenarios for the control API. Injected, since runs are clients of the server. */
export interface ScenarioRunner {
  /** Fills in the variables of a scenario, but reads no environment variables. Refuses names outside `vocabulary`. */
  read(namespace: Namespace, source: ScenarioSource, vocabulary?: Vocabulary): Promise<Scenario | Refusal>;
  run(namespace: Namespace, run: ScenarioRunOptions): Promise<ScenarioRunSummary | Refusal>;
}
