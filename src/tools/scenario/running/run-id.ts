import { runIdFrom } from "../../../core/domain/run-id.js";
import { generateSeed } from "../../../core/time/wall.js";

/** Returns an unused run id; the sandbox may remember earlier runs. */
export function freshRunId(): string {
  return runIdFrom(generateSeed());
}
