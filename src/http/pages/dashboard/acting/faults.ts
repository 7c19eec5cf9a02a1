import { invalid, isRefusal, type Refusal, refuse } from "../../../../schema/errors.js";
import { parseObject } from "../../../body.js";
import { readyFault } from "../ready-faults.js";
import type { Actions, Doing, Done } from "./action.js";
import { callControl } from "./calls.js";

/** The buttons that set a fault. */
export const FAULT_ACTIONS: Actions = {
  fault: (doing) => {
    const parsed = parseObject({ text: doing.form.get("rule") ?? "" });
    if (isRefusal(parsed)) return invalid({ rule: parsed.details?.body ?? parsed.message });
    return start(doing, parsed.object);
  },
  "fault-ready": (doing) => {
    const [name = ""] = doing.words;
    const rule = readyFault(doing.namespace, name);
    return rule === undefined ? refuse("NOT_FOUND", `There is no fault "${name}"`) : start(doing, rule);
  },
};

async function start(doing: Doing, rule: object): Promise<Done | Refusal> {
  const made = await callControl<{ match?: { operation?: unknown } }>(doing, "POST", "/faults", rule);
  if (isRefusal(made)) return made;
  return { text: `The fault is set for ${String(made.match?.operation ?? "any call")}` };
}
