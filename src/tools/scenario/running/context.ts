import type { KeptConnections } from "../../../core/delivery/outgoing.js";
import type { Wall } from "../../../core/time/wall.js";
import type { StepPlace } from "../place.js";
import type { Applied } from "./applied.js";
import type { Baseline } from "./baseline.js";
import type { Client } from "./client.js";
import type { Leftovers } from "./leftovers.js";

/** Context shared by the steps of a run. */
export interface RunContext {
  readonly client: Client;
  readonly wall: Wall;
  /** The namespace's keys, by mode. */
  readonly keys: { readonly test: string; readonly live: string };
  /** The organization of the test key. */
  readonly organization: string;
  /** The base URL of the app under test, without a slash at the end. */
  readonly app: string | undefined;
  /** Reused connections to the app; absent: a new one for each call. */
  readonly connections?: KeptConnections;
  readonly applied: Applied;
  readonly baseline: Baseline;
  readonly leftovers: Leftovers;
  /** Freezes the clock, adds the file's rules and records the start: at first, and after a reset. */
  readonly begin: () => Promise<void>;
  /** Failures do not list the faults that the step met. */
  readonly isTerse?: boolean;
  /** Asks a person to do something; resolves when it is done. */
  readonly manual: (text: string) => Promise<void>;
}

export interface StepContext extends RunContext {
  readonly place: StepPlace;
}
