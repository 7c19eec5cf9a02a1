import type { ConnectionPool } from "../../../core/delivery/outgoing-http.js";
import { errorText } from "../../../core/schema/error-text.js";
import type { StepLocation } from "../step-reference.js";
import type { Client } from "./client.js";
import type { StartState } from "./control-lists.js";
import type { RuleUsage } from "./rule-usage.js";

/** Runs a command of the app in a shell and returns its output. Throws if it fails, or does not end in time. */
export type RunCommand = (command: string, timeoutMs: number) => Promise<string>;

export interface RunContext {
  readonly client: Client;
  readonly keys: { readonly test: string; readonly live: string };
  readonly organization: string;
  /** The base URL of the app under test, without a slash at the end. */
  readonly app: string | undefined;
  /** Resolves when the app is not being restarted. */
  readonly untilAppIsUp?: (() => Promise<void>) | undefined;
  /** Absent unless the command line carries out the run. */
  readonly runCommand?: RunCommand | undefined;
  /** Pool of connections to the app. Without a pool, each call opens its own connection. */
  readonly connections?: ConnectionPool;
  readonly ruleCounts: RuleUsage;
  readonly startState: StartState;
  readonly cleanup: Cleanup;
  /** Freezes the clock, adds the file's rules and records the start state. Called first, and after a reset. */
  readonly prepare: () => Promise<void>;
  /** Removes the file's faults and webhook rules; its outcomes of charges and withdrawals stay. */
  readonly removeMishaps: () => Promise<void>;
  /** True if failed steps do not report the calls that faults affected. */
  readonly isTerse?: boolean;
  readonly requestManualStep: (text: string) => Promise<void>;
}

export interface StepContext extends RunContext {
  readonly location: StepLocation;
  /** The step's name, or its action in a few words, before its variables are filled in. */
  readonly text: string;
}

/** Changes of a run to the sandbox, undone in reverse order. */
export class Cleanup {
  #undo: { readonly what: string; readonly undo: () => Promise<unknown> }[] = [];
  #isOver = false;

  /** Registers an undo function. Keeps only the first function per name, which restores the original state. */
  add(what: string, undo: () => Promise<unknown>): void {
    // The run ended while a step was still working. Undoes the step's change at once.
    if (this.#isOver) void undo().catch(() => {});
    else if (!this.#undo.some((entry) => entry.what === what)) this.#undo.push({ what, undo });
  }

  finish(): Promise<string[]> {
    this.#isOver = true;
    return this.clear();
  }

  /** Undoes the selected changes; returns a message for each that failed. */
  async clear(isSelected: (what: string) => boolean = () => true): Promise<string[]> {
    const failed: string[] = [];
    const selected = this.#undo.filter(({ what }) => isSelected(what));
    this.#undo = this.#undo.filter(({ what }) => !isSelected(what));
    for (const { what, undo } of selected.reverse())
      try {
        await undo();
      } catch (error) {
        failed.push(`${what} could not be put back: ${errorText(error)}`);
      }
    return failed;
  }
}
