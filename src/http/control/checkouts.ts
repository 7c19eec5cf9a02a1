import type { Charge } from "../../domain/charge.js";
import { cancelCharge } from "../../engine/commands/charges.js";
import { chooseMethod } from "../../engine/commands/checkouts.js";
import type { Command } from "../../engine/transaction.js";
import type { Namespace } from "../../namespace/namespace.js";
import { payRequestSchema } from "../../schema/control.js";
import { type Refusal, refuse } from "../../schema/errors.js";
import { whole } from "./charges.js";
import { controlOperation, shown } from "./operation.js";

export const CHECKOUTS = [
  controlOperation(
    {
      id: "payCheckout",
      method: "POST",
      path: "/_sandbox/checkouts/:checkout_id/pay",
      body: payRequestSchema,
      reads: true,
      answer: "Charge",
      says: {
        summary: "Pay a checkout",
        about:
          "Does what the customer does on the hosted page: picks a method and pays. The scenario decides the outcome.",
        refuses: ["INVALID_TRANSITION"],
        example: { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" },
      },
    },
    ({ namespace, body, param }) =>
      onChargeOf(namespace, param("checkout_id"), (chargeId) => chooseMethod(chargeId, body)),
  ),
  controlOperation(
    {
      id: "cancelCheckout",
      method: "POST",
      path: "/_sandbox/checkouts/:checkout_id/cancel",
      reads: true,
      answer: "Charge",
      says: {
        summary: "Cancel a checkout",
        about: "The customer cancels.",
        refuses: ["INVALID_TRANSITION"],
      },
    },
    ({ namespace, param }) => onChargeOf(namespace, param("checkout_id"), cancelCharge),
  ),
];

function onChargeOf(
  namespace: Namespace,
  checkoutId: string,
  command: (chargeId: string) => Command<Charge | Refusal>,
): object {
  const charge = namespace.engine.state.chargeOfCheckout(checkoutId);
  if (charge === undefined) return refuse("NOT_FOUND", "Checkout not found");
  return shown(namespace.execute(command(charge.charge_id)), whole);
}
