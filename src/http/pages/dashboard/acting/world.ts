import { invalid, isRefusal } from "../../../../schema/errors.js";
import type { Actions } from "./action.js";
import { callControl } from "./calls.js";

/** The snapshot a reset takes first. */
const BEFORE_RESET = "before-reset";

export const WORLD_ACTIONS: Actions = {
  reset: async (doing) => {
    const { name } = doing.namespace;
    // The button names what it resets: a press on an old page, or by a script, does nothing.
    if (doing.words[0] !== name) return invalid({ value: `must be the namespace to reset, ${name}` });
    const saved = await callControl(doing, "POST", "/snapshots", { name: BEFORE_RESET });
    const reset = await callControl(doing, "POST", "/reset", {});
    if (isRefusal(reset)) return reset;
    const text = `Namespace “${name}” reset (receivers and keys kept)`;
    return isRefusal(saved) ? { text } : { text, undo: BEFORE_RESET };
  },
};
