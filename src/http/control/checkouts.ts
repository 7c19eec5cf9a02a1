import { cancelCharge } from "../../engine/commands/charges.js";
import { chooseMethod } from "../../engine/commands/checkouts.js";
import { chargeDetailJson } from "../../engine/views.js";
import { payRequestSchema } from "../../schema/control.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { okJson, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

/** Does what the customer does on the hosted page: picks a method and pays; the scenario says what comes of it. */
export function payCheckout({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(payRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  namespace.settle();
  const charge = namespace.engine.state.chargeOfCheckout(param("checkout_id"));
  if (charge === undefined) return refuse("NOT_FOUND", "Checkout not found");
  const paid = namespace.execute(chooseMethod(charge.charge_id, body));
  return isRefusal(paid) ? paid : okJson(chargeDetailJson(paid));
}

export function cancelCheckout({ namespace, param }: ControlCall): Reply | Refusal {
  namespace.settle();
  const charge = namespace.engine.state.chargeOfCheckout(param("checkout_id"));
  if (charge === undefined) return refuse("NOT_FOUND", "Checkout not found");
  const cancelled = namespace.execute(cancelCharge(charge.charge_id));
  return isRefusal(cancelled) ? cancelled : okJson(chargeDetailJson(cancelled));
}
