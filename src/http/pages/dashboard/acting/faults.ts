import { isRefusal, type Refusal, refuse } from "../../../../schema/errors.js";
import { faultIn, readyForm } from "../fault-form.js";
import type { Actions, Doing, Done } from "./action.js";
import { callControl } from "./calls.js";

/** The buttons that set a fault. */
export const FAULT_ACTIONS: Actions = {
  fault: (doing) => start(doing, doing.form),
  "fault-ready": (doing) => {
    const name = doing.words[0] ?? "";
    const form = readyForm(doing.namespace, name);
    return form === undefined ? refuse("NOT_FOUND", `There is no fault "${name}"`) : start(doing, form);
  },
};

async function start(doing: Doing, form: URLSearchParams): Promise<Done | Refusal> {
  const rule = faultIn(form);
  if (isRefusal(rule)) return rule;
  const made = await callControl(doing, "POST", "/faults", rule);
  return isRefusal(made) ? made : { text: `The fault is set for ${rule.match?.operation ?? "any call"}` };
}
