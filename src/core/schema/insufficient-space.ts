import { type Refusal, refuse } from "./refusals.js";

/** The process is low on memory and refuses changes. */
export class InsufficientSpace extends Error {
  override readonly name = "InsufficientSpace";
}

export const INSUFFICIENT_SPACE: Refusal = refuse(
  "INTERNAL_ERROR",
  "The sandbox is out of memory and accepts no changes: reset it, delete namespaces, or start it with NODE_OPTIONS=--max-old-space-size=MB",
  undefined,
  503,
);
