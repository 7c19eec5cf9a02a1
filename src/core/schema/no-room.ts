import { type Refusal, refuse } from "./errors.js";

/** The process is low on memory and refuses changes. */
export class NoRoom extends Error {
  override readonly name = "InsufficientSpace";
}

export const NO_ROOM: Refusal = refuse(
  "INTERNAL_ERROR",
  "The sandbox is out of memory and accepts no changes: reset it, delete namespaces, or start it with NODE_OPTIONS=--max-old-space-size=MB",
  undefined,
  503,
);
