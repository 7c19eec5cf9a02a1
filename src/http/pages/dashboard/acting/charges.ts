import { transitionCharge } from "../../../../engine/commands/charges.js";
import { chargeStatusSchema } from "../../../../schema/common.js";
import { invalid } from "../../../../schema/errors.js";
import { check } from "../../../../schema/issues.js";
import { type Actions, say } from "./action.js";

const NO_STATUS = invalid({ value: "must name a status" });
const BY_DEFAULT = "from the dashboard";

/** What the buttons of a charge do. */
export const CHARGE_ACTIONS: Actions = {
  charge: ({ namespace, words: [id = "", to] }) => {
    const status = check(chargeStatusSchema, to);
    if (!status.ok) return NO_STATUS;
    return say(
      namespace.execute(transitionCharge(id, status.data, "control", BY_DEFAULT)),
      () => `${id} is ${to}`,
    );
  },
  move: ({ namespace, form, words: [id = ""] }) => {
    const status = check(chargeStatusSchema, form.get("to"));
    if (!status.ok) return NO_STATUS;
    const reason = form.get("reason")?.trim() || BY_DEFAULT;
    return say(
      namespace.execute(transitionCharge(id, status.data, "control", reason)),
      () => `${id} is ${status.data}: ${reason}`,
    );
  },
  own: ({ namespace, words: [id = "", until] }) => {
    const status = check(chargeStatusSchema, until);
    if (!status.ok) return NO_STATUS;
    return say(
      namespace.advanceCharge(id, status.data),
      ({ status: now }) => `${id} is ${now}, by its own timeline`,
    );
  },
};
