import type { Sandbox } from "../../sandbox.js";
import type { AdviceList } from "../../schema/control-responses.js";
import type { ScenarioView } from "../../schema/control-scenario-responses.js";
import type { StartOptions } from "../../schema/option-table.js";
import { oneLine } from "../../schema/printable.js";
import type { Required } from "../required.js";
import type { Runner } from "./command.js";
import type { Template } from "./environment.js";
import type { Due } from "./played.js";

/** What is run, and how. */
export interface Plan {
  readonly command: readonly string[];
  readonly options: StartOptions;
  readonly templates: readonly Template[];
  readonly runner: Runner;
  readonly artifacts: Artifacts | undefined;
  /** What never happened, and what the service passed over, fails the whole. */
  readonly isStrict: boolean;
  /** Prints the app's books when the command has ended. */
  readonly reconcile: string | undefined;
  /** What has to have been met in the runs taken together. */
  readonly required: Required | undefined;
  /** Tells the user something in a line. */
  readonly notice: (text: string) => void;
}

/** How one run came out. */
export interface Ran {
  readonly code: number;
  readonly startedAt: string;
  readonly seed: string;
  readonly durationMs: number;
  /** The scenarios it went under, with how often their rules were applied; the last given first. */
  readonly scenarios: readonly ScenarioView[];
  /** The faults set while it ran that are there at its end and never were applied, a text each. */
  readonly idleFaults: readonly string[];
  readonly advice: AdviceList["items"];
  readonly due: Due;
}

/** Under which mishap a run goes; null is none. Undefined when there is nothing to compare with. */
export interface Under {
  readonly scenario: string | null;
  readonly folder: string;
}

/** Where what is worth keeping of a run is kept. */
export interface Artifacts {
  /** Writes down a run: one that fails no less than one that passes. */
  keep(sandbox: Sandbox, plan: Plan, ran: Ran, under: Under | undefined): Promise<void>;
  /** Writes down something of all runs, or of the run of that folder. */
  write(name: string, text: string): void;
}

/** The command as it is told in a line. */
export function commandText(command: readonly string[]): string {
  return oneLine(command.join(" ").replace(/\s+/g, " "));
}
