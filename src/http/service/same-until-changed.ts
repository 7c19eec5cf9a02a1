import type { Engine } from "../../engine/engine.js";

interface Made {
  readonly seq: number;
  readonly which: string;
  readonly text: string;
}

/** By the state they were made of. */
const lastMade = new WeakMap<object, Made>();

/**
 * A text that follows from the state alone, made again once that has changed: whoever polls a list asks for the same page
 * again and again. Only the last is kept. A state that is not kept yet may be taken back, and its number given anew.
 */
export function sameUntilChanged(engine: Engine, which: string, make: () => string): string {
  const { state } = engine;
  const last = lastMade.get(state);
  if (last !== undefined && last.seq === state.seq && last.which === which && engine.isKept) return last.text;
  const text = make();
  if (engine.isKept) lastMade.set(state, { seq: state.seq, which, text });
  return text;
}
