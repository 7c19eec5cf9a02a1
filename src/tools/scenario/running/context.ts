import type { KeptConnections } from "../../../core/delivery/outgoing.js";
import type { Wall } from "../../../core/time/wall.js";
import type { StepPlace } from "../place.js";
import type { Applied } from "./applied.js";
import type { Baseline } from "./baseline.js";
import type { Client } from "./client.js";
import type { Leftovers } from "./leftovers.js";

/** What the steps of a run share. */
export interface RunContext {
  readonly client: Client;
  readonly wall: Wall;
  /** The namespace's keys, by mode. */
  readonly keys: { readonly test: string; readonly live: string };
  /** The organization of the test key. */
  readonly organization: string;
  /** The base URL of the app under test, without a slash at the end. */
  readonly app: string | undefined;
  /** The connections that the app is called by; without them each call has one of its own. */
  readonly connections?: KeptConnections;
  /** How often what is to go wrong has gone wrong. */
  readonly applied: Applied;
  /** How things stood when the run began. */
  readonly baseline: Baseline;
  /** What has to be put back when the run is over. */
  readonly leftovers: Leftovers;
  /** Puts the file's rules in place, freezes the clock and takes the baseline: at first, and after a reset. */
  readonly begin: () => Promise<void>;
  /** Of a step that fails nobody asks which faults it met. */
  readonly isTerse?: boolean;
  /** Asks a person to do something; resolves when it is done. */
  readonly manual: (text: string) => Promise<void>;
}

/** What a step is carried out with. */
export interface StepContext extends RunContext {
  readonly place: StepPlace;
}
