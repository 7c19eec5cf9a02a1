import type { ControlClient } from "../../control-client.js";
import type { Probe } from "../../core/schema/receiver-report.js";
import type { FaultName } from "./faults.js";

/** What the doctor can see with. */
export interface EyeOptions {
  /** `GET PATH`: where the app tells how it sees a charge. */
  readonly observe: string;
  /** `POST PATH BODY`: how the app is asked for an order that makes a charge; without it, the doctor makes charges. */
  readonly order?: string | undefined;
  /** The one the app works with. */
  readonly sandbox: ControlClient;
}

/** What became of the app's own view. */
export interface Sight {
  /** In a line. */
  readonly seen: string;
  readonly fault?: FaultName;
  /** It could not be tried, or tells nothing. */
  readonly isUnclear?: true;
}

/** The probe whose sight tells whether there is anything to see. */
export const FIRST_SIGHT: Probe = "duplicate";
