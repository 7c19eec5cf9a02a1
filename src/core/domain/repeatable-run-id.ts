import { createHash } from "node:crypto";

const LENGTH = 8;

/** Deterministic ID of a run; `before` counts earlier runs of the scenario. */
export function repeatableRunId(seed: string, scenario: string, before = 0): string {
  return runIdFromText(`${seed}\0run\0${scenario}\0${before}`);
}

export function runIdFromText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, LENGTH);
}
