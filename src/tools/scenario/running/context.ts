import type { ConnectionPool } from "../../../core/delivery/outgoing-http.js";
import type { StepLocation } from "../step-reference.js";
import type { Cleanup } from "./cleanup.js";
import type { Client } from "./client.js";
import type { StartState } from "./control-lists.js";
import type { RuleUsage } from "./rule-usage.js";

export interface RunContext {
  readonly client: Client;
  readonly keys: { readonly test: string; readonly live: string };
  /** The organization of the test key. */
  readonly organization: string;
  /** The base URL of the app under test, without a slash at the end. */
  readonly app: string | undefined;
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
  /** Asks a person to do something; resolves when it is done. */
  readonly requestManualStep: (text: string) => Promise<void>;
}

export interface StepContext extends RunContext {
  readonly location: StepLocation;
  /** The step's name, or its action in a few words, before its variables are filled in. */
  readonly text: string;
}
