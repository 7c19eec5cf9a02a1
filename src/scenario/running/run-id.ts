import { runIdFrom } from "../../domain/run-id.js";
import { madeUpSeed } from "../../time/wall.js";

/** One that was never there: the sandbox may remember earlier runs. */
export function freshRunId(): string {
  return runIdFrom(madeUpSeed());
}
