import { UserError } from "../../core/schema/user-error.js";
import type { BlindSpot } from "./deviable.js";

/** Thrown if parts of a flow check nothing of the app, because an exploration without findings would prove nothing. */
export class BlindSpotError extends UserError {
  readonly spots: readonly BlindSpot[];

  constructor(source: string, spots: readonly BlindSpot[]) {
    super(spots.map(({ message }) => `${source}: ${message}`).join("\n"), 2, "LOOKS_AT_NOTHING");
    this.spots = spots;
  }
}
