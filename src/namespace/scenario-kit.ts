import type { Vocabulary } from "../domain/known-names.js";
import type { Refusal } from "../schema/errors.js";
import type { Scenario } from "../schema/scenario.js";
import type { Namespace } from "./namespace.js";

/** A scenario as a person writes it, its variables not filled in yet. */
export type ScenarioSource = Readonly<Record<string, unknown>>;

export interface ScenarioRun {
  readonly source: ScenarioSource;
  readonly vars: Readonly<Record<string, string>>;
  readonly app: string | undefined;
  /** Calls of this very server. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Reads and runs scenarios for the control API. It is handed in, for it calls the server like any client. */
export interface ScenarioKit {
  /** Its variables filled in; the control API sees no environment. Names that are not in the vocabulary are refused. */
  read(namespace: Namespace, source: ScenarioSource, vocabulary?: Vocabulary): Promise<Scenario | Refusal>;
  /** The report, whatever came of it. */
  run(namespace: Namespace, run: ScenarioRun): Promise<object | Refusal>;
}
