import { UserError } from "../../core/schema/user-error.js";
import type { BlindSpot } from "./deviable.js";

/** Parts of a flow look at nothing, so finding nothing would mean nothing. */
export class BlindError extends UserError {
  readonly spots: readonly BlindSpot[];

  constructor(source: string, spots: readonly BlindSpot[]) {
    super(spots.map(({ message }) => `${source}: ${message}`).join("\n"), 2, "LOOKS_AT_NOTHING");
    this.spots = spots;
  }
}
