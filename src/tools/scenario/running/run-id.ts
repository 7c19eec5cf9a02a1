import { runIdFrom } from "../../../core/domain/run-id.js";
import { madeUpSeed } from "../../../core/time/wall.js";

/** Returns an unused run id; the sandbox may remember earlier runs. */
export function freshRunId(): string {
  return runIdFrom(madeUpSeed());
}
