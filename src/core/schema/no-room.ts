import { type Refusal, refuse } from "./errors.js";

/** The process has next to no memory left for more: nothing is made or changed until there is some. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

/** What the caller of such a change hears. */
export const NO_ROOM: Refusal = refuse(
  "INTERNAL_ERROR",
  "The sandbox is out of memory and accepts no changes: reset it, delete namespaces, or start it with NODE_OPTIONS=--max-old-space-size=MB",
  undefined,
  503,
);
