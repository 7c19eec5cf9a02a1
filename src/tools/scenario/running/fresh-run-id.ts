import { runIdFromText } from "../../../core/domain/repeatable-run-id.js";
import { generateSeed } from "../../../core/time/wall-clock.js";

/** Returns a random run id, because the sandbox may remember the ids of earlier runs. */
export function generateRunId(): string {
  return runIdFromText(generateSeed());
}
