import type { Charge } from "../../core/domain/charge-transition.js";
import { cancelCharge, transitionCharge } from "../../core/engine/commands/charge-commands.js";
import { chooseMethod } from "../../core/engine/commands/checkout-commands.js";
import type { Command } from "../../core/engine/transaction.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { reasonSchema } from "../../core/schema/engine-requests.js";
import { safeParse } from "../../core/schema/issues.js";
import { isRefusal, type Refusal } from "../../core/schema/refusals.js";
import { hasEnded } from "../../core/schema/statuses.js";
import { readMethodForm } from "./method-form.js";
import { seeOther } from "./page-document.js";
import { checkoutLinks, needsMethod } from "./page-model.js";
import { isPanelButton, PANEL_BUTTONS } from "./sandbox-panel.js";
import { redirectAfterAction, showPage } from "./show-page.js";

/** An action of the customer or tester on the checkout page. */
export type CheckoutAction = (namespace: Namespace, charge: Charge, form: URLSearchParams) => Response;

export type CheckoutActionName = "method" | "paid" | "cancel" | "outcome";

export const CHECKOUT_ACTIONS: Readonly<Record<CheckoutActionName, CheckoutAction>> = {
  method: (namespace, charge, form) => {
    const choice = namespace.execute(choiceCommand(namespace, charge, form));
    return isRefusal(choice)
      ? showRefusal(namespace, charge, choice, form, "A payment method has been chosen already.")
      : redirectAfterAction(namespace, afterDueTasks(namespace, charge), "page");
  },

  /** Changes nothing: only the scenario or the sandbox panel completes a payment. */
  paid: (namespace, charge) =>
    needsMethod(charge)
      ? showPage(namespace, charge, { trouble: { status: 409, problem: "Choose a payment method first." } })
      : redirectAfterAction(namespace, charge, "waiting"),

  /** Idempotent: cancelling a cancelled charge redirects as the first request did. */
  cancel: (namespace, charge, form) => {
    if (charge.status === "CANCELLED") return redirectAfterAction(namespace, charge, "page");
    const result = namespace.execute(cancelCharge(charge.charge_id));
    return isRefusal(result)
      ? showRefusal(namespace, charge, result, form, "The payment cannot be cancelled any more.")
      : redirectAfterAction(namespace, result, "page");
  },

  outcome: (namespace, charge, form) => {
    const outcome = form.get("outcome");
    if (!isPanelButton(outcome))
      return showPage(namespace, charge, {
        trouble: { status: 400, problem: "Unknown outcome." },
      });
    const to = PANEL_BUTTONS[outcome];
    const reason = (to === "FAILED" && form.get("reason")?.trim()) || undefined;
    if (reason !== undefined && !safeParse(reasonSchema, reason).ok)
      return showPage(namespace, charge, { trouble: { status: 400, problem: "The reason is too long." } });
    if (to === undefined && hasEnded(charge.status)) return redirectAfterAction(namespace, charge, "page");
    const result = namespace.execute<Charge | Refusal | undefined>((tx) => {
      // Completing needs a method's price, so the request carries the method form too.
      if (needsMethod(charge) && (to === "COMPLETED" || to === undefined)) {
        const choice = choiceCommand(namespace, charge, form)(tx);
        if (isRefusal(choice) || to === undefined) return choice;
      }
      return to === undefined ? undefined : transitionCharge(charge.charge_id, to, "control", reason)(tx);
    });
    if (isRefusal(result)) return showRefusal(namespace, charge, result, form, result.message);
    // The merchant refunds long after the customer left, so stay on this page.
    if (to === "REFUNDED")
      return seeOther(checkoutLinks(charge.checkout_id, "action").page, namespace.nowMs());
    return redirectAfterAction(namespace, afterDueTasks(namespace, charge), "waiting");
  },
};

function choiceCommand(
  namespace: Namespace,
  charge: Charge,
  form: URLSearchParams,
): Command<Charge | Refusal> {
  return chooseMethod(charge.charge_id, readMethodForm(form, charge, namespace.engine.catalogue));
}

/** The charge after the tasks due now have run. */
function afterDueTasks(namespace: Namespace, charge: Charge): Charge {
  namespace.runDueTasks();
  return namespace.engine.state.get("charges", charge.charge_id) ?? charge;
}

const FIELD_ERRORS: Readonly<Record<string, string>> = {
  payment_method: "Choose one of these payment methods.",
  currency: "Choose one of these currencies.",
  phone_number: "Enter your phone number with country code, such as +254700000001.",
};

/** Renders the page with a message at each invalid field, or with `tooLate` for a state conflict. */
function showRefusal(
  namespace: Namespace,
  charge: Charge,
  refusal: Refusal,
  form: URLSearchParams,
  tooLate: string,
): Response {
  const current = afterDueTasks(namespace, charge);
  if (refusal.code !== "VALIDATION_ERROR")
    return showPage(namespace, current, { trouble: { status: refusal.status ?? 409, problem: tooLate } });
  const details = Object.entries(refusal.details ?? {});
  const errors = Object.fromEntries(
    details
      .filter(([name]) => Object.hasOwn(FIELD_ERRORS, name))
      .map(([name]) => [name, FIELD_ERRORS[name]!]),
  );
  const others = details
    .filter(([name]) => !Object.hasOwn(FIELD_ERRORS, name))
    .map(([name, why]) => `${name} ${why}`);
  return showPage(namespace, current, {
    trouble: {
      status: 400,
      fields: { submitted: form, errors },
      ...(others.length === 0 ? {} : { problem: others.join("; ") }),
    },
  });
}
