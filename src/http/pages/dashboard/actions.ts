import { type Refusal, refuse } from "../../../schema/errors.js";
import { type Actions, type Doing, type Done, say } from "./acting/action.js";
import { CALL_ACTIONS, callControl } from "./acting/calls.js";
import { CHECK_ACTIONS } from "./acting/checks.js";
import { FAULT_ACTIONS } from "./acting/faults.js";
import { REQUEST_ACTIONS } from "./acting/requests.js";
import { SCENARIO_ACTIONS } from "./acting/scenarios.js";
import { WEBHOOK_ACTIONS } from "./acting/webhooks.js";
import { WORLD_ACTIONS } from "./acting/world.js";
import { payAgain, paySomething } from "./make.js";
import { many } from "./parts.js";

const NO_SUCH = refuse("VALIDATION_ERROR", "There is no such button");

const ACTIONS: Actions = {
  to: async (doing) => {
    const [at = ""] = doing.words;
    // The page is older than the moment it offers.
    if (Date.parse(at) < doing.namespace.nowMs()) return { text: "That moment has passed" };
    const moved = await callControl<{ fired_total: number }>(doing, "POST", "/clock/advance", { to: at });
    return say(
      moved,
      ({ fired_total }) => `Advanced to ${at.slice(11, 19)}: ${many(fired_total, "step")} ran`,
    );
  },
  ...CALL_ACTIONS,
  ...WEBHOOK_ACTIONS,
  ...SCENARIO_ACTIONS,
  ...CHECK_ACTIONS,
  ...REQUEST_ACTIONS,
  ...FAULT_ACTIONS,
  ...WORLD_ACTIONS,
  make: ({ namespace, fetch }) => paySomething(namespace, fetch),
  again: ({ namespace, fetch, words: [id = ""], form }) =>
    payAgain(namespace, fetch, id, form.get("scenario") ?? ""),
};

/** Carries out what a button says. */
export async function act(name: string, doing: Doing): Promise<Done | Refusal> {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  return action === undefined ? NO_SUCH : action(doing);
}
