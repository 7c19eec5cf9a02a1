import { createHash } from "node:crypto";

const LENGTH = 8;

/** The same for the same seed, scenario and how many runs of it there were before: runs repeat themselves. */
export function repeatableRunId(seed: string, scenario: string, before = 0): string {
  return runIdFrom(`${seed}\0run\0${scenario}\0${before}`);
}

/** @param text whatever makes the run another than any before */
export function runIdFrom(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, LENGTH);
}
