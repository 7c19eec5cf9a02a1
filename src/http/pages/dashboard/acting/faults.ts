import { addFault, removeFaults } from "../../../../engine/commands/scenarios.js";
import type { Namespace } from "../../../../namespace/namespace.js";
import { isRefusal, type Refusal, refuse } from "../../../../schema/errors.js";
import { faultIn, readyForm } from "../fault-form.js";
import { many } from "../parts.js";
import { type Actions, type Done, say } from "./action.js";

/** What the buttons of faults do. */
export const FAULT_ACTIONS: Actions = {
  fault: ({ namespace, form }) => start(namespace, form),
  "fault-ready": ({ namespace, words: [name = ""] }) => {
    const form = readyForm(namespace, name);
    return form === undefined ? refuse("NOT_FOUND", `There is no fault "${name}"`) : start(namespace, form);
  },
  "fault-off": ({ namespace, words: [id] }) => stop(namespace, id),
  "faults-off": ({ namespace }) => stop(namespace),
};

function start(namespace: Namespace, form: URLSearchParams): Done | Refusal {
  const rule = faultIn(form);
  if (isRefusal(rule)) return rule;
  namespace.execute(addFault(rule));
  return { text: `The fault is set for ${rule.match?.operation ?? "any call"}` };
}

function stop(namespace: Namespace, id?: string): Done | Refusal {
  return say(namespace.execute(removeFaults(id)), (removed) => {
    for (const one of removed) namespace.faults.forget(one);
    return `${many(removed.length, "fault")} stopped`;
  });
}
