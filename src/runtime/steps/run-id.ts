import { createHash } from "node:crypto";
import { madeUpSeed } from "../wall.js";

const LENGTH = 8;

/** The same for the same seed, scenario and how many runs of it there were before: runs repeat themselves. */
export function repeatableRunId(seed: string, scenario: string, before = 0): string {
  return createHash("sha256").update(`${seed}\0run\0${scenario}\0${before}`).digest("hex").slice(0, LENGTH);
}

/** One that was never there: the sandbox may remember earlier runs. */
export function freshRunId(): string {
  return createHash("sha256").update(madeUpSeed()).digest("hex").slice(0, LENGTH);
}
