import type { RawStep } from "../../scenario/loaded-steps.js";
import type { RaceSide } from "../deviable.js";
import { waitStep } from "./placed-steps.js";

/** The two sides of a race, as steps, and the call of the app by which one side is held. */
interface Race {
  readonly name: string;
  /** Selects the app's call on the side that is held; undefined if nothing is held. */
  readonly match: Readonly<Record<string, unknown>> | undefined;
  /** Maximum wall time of the hold. */
  readonly maxHeld: string;
  readonly held: readonly RawStep[];
  readonly other: readonly RawStep[];
}

/** Variable with the id of the fault that holds a response. */
const HELD = "held_by";

/**
 * Makes steps that hold the first matching call of the app on one side until the other side is done. The other side
 * begins when the call is held, so the order of both is the same on every machine. Without a hold, both begin at once.
 */
export function raceSteps({ name, match, maxHeld, held, other }: Race): RawStep[] {
  if (match === undefined) return [{ name, parallel: [held, other] }];
  const isHeld = waitStep({ for: "request", match: { in_flight: true, fault: `\${${HELD}}` } }, maxHeld);
  const release = { request: `DELETE /_sandbox/faults/\${${HELD}}` };
  return [
    { fault: { match, hold: maxHeld, times: 1, per: "request" }, save: { [HELD]: "fault_id" } },
    { name, parallel: [held, [isHeld, ...other, release]] },
  ];
}

/** Puts the side that is held first. Only `second` holds the second. */
export function inTurn<Side>(side: RaceSide, first: Side, second: Side): { held: Side; other: Side } {
  return side === "second" ? { held: second, other: first } : { held: first, other: second };
}
