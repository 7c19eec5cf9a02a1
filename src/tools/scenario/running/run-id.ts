import { runIdFrom } from "../../../core/domain/run-id.js";
import { madeUpSeed } from "../../../core/time/wall.js";

/** One that was never there: the sandbox may remember earlier runs. */
export function freshRunId(): string {
  return runIdFrom(madeUpSeed());
}
