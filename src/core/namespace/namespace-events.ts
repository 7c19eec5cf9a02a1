import type { Emitter } from "../engine/emitter.js";
import type { EngineEvents } from "../engine/engine.js";
import type { RequestEntry } from "./served-request.js";

/** Events of a namespace, besides those of its engine. */
export interface NamespaceEvents extends EngineEvents {
  /** A request that is not answered at once. `answered` follows. */
  readonly arrived: RequestEntry;
  readonly answered: RequestEntry;
  /** The named report has changed. Reports are not part of the state. */
  readonly reported: string;
}

export type NamespaceEmitter = Emitter<NamespaceEvents>;
