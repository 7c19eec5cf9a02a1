import type { Store } from "../engine/records.js";

/** A store that keeps nothing: the state lives as long as the process. */
export function memoryStore(): Store {
  return {
    load: () => undefined,
    append: () => {},
    replace: () => {},
    close: () => {},
  };
}
