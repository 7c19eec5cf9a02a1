import { runIdFromText } from "../../../core/domain/repeatable-run-id.js";
import { generateSeed } from "../../../core/time/wall-clock.js";

/** Returns an unused run id; the sandbox may remember earlier runs. */
export function generateRunId(): string {
  return runIdFromText(generateSeed());
}
