import { addFault, removeFaults } from "../../../../engine/commands/scenarios.js";
import type { Namespace } from "../../../../namespace/namespace.js";
import { isRefusal, type Refusal } from "../../../../schema/errors.js";
import { faultIn } from "../fault-form.js";
import { many } from "../parts.js";
import { type Actions, type Done, say } from "./action.js";

/** What the buttons of faults do. */
export const FAULT_ACTIONS: Actions = {
  fault: ({ namespace, form }) => {
    const rule = faultIn(form);
    if (isRefusal(rule)) return rule;
    namespace.execute(addFault(rule));
    return { text: `The fault is set for ${rule.match?.operation ?? "any call"}` };
  },
  "fault-off": ({ namespace, words: [id] }) => stop(namespace, id),
  "faults-off": ({ namespace }) => stop(namespace),
};

function stop(namespace: Namespace, id?: string): Done | Refusal {
  return say(namespace.execute(removeFaults(id)), (removed) => {
    for (const one of removed) namespace.faults.forget(one);
    return `${many(removed.length, "fault")} stopped`;
  });
}
