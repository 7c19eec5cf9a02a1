import type { ChargeStatus } from "../../../core/schema/common.js";
import { REVERSAL_KINDS } from "../../../core/schema/event-types.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { nestedStepLists, type RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { PAY_DEFAULTS } from "../../scenario/steps/customer.js";
import type { ObservedCharge } from "../run-record.js";
import type { Payment } from "./facts.js";
import type { Flow } from "./flow.js";

/*
 * How the customer of a flow pays: on a page, with `pay_twice`, `close_page` or a call of the page's `pay`, or with `pay`.
 */

const PAY_CALL = /^POST \/_sandbox\/checkouts\/([^/?]+)\/pay$/;
const CHOICE = ["payment_method", "currency", "phone_number", "bank_account_number"];

export function findPages({ drive }: Pick<Flow, "drive">): RawStep[] {
  return drive.filter((step) => choiceOf(step) !== undefined);
}

export function choiceOf({
  pay_twice,
  close_page,
  request,
  body,
}: RawStep): Record<string, unknown> | undefined {
  if (isJsonObject(pay_twice)) return withoutUntil(pay_twice);
  if (isJsonObject(close_page) && close_page.payment_method !== undefined) return withoutUntil(close_page);
  const [, checkout_id] = (typeof request === "string" && PAY_CALL.exec(request)) || [];
  if (checkout_id === undefined || !isJsonObject(body)) return undefined;
  const chosen = Object.entries(body).filter(([field]) => CHOICE.includes(field));
  return { checkout_id, ...Object.fromEntries(chosen) };
}

function withoutUntil({ until: _until, ...choice }: Record<string, unknown>): Record<string, unknown> {
  return choice;
}

export function cancelStep(step: RawStep): RawStep {
  const { checkout_id } = choiceOf(step)!;
  return { ...sharedFields(step), request: `POST /_sandbox/checkouts/${checkout_id}/cancel` };
}

export function cancelThenPayStep(step: RawStep): RawStep {
  return { ...sharedFields(step), cancel_then_pay: choiceOf(step) };
}

/** The customer chooses a payment method and leaves; the charge is not paid until it has the status. */
export function unpaidStep(step: RawStep, until: ChargeStatus = "AWAITING_PAYMENT"): RawStep {
  const { pay, pay_twice, close_page, expect: _expect, ...rest } = step;
  if (isJsonObject(pay)) return { ...rest, pay: { ...pay, until } };
  const page = pay_twice ?? close_page;
  if (!isJsonObject(page)) return rest;
  const { at_once: _atOnce, ...choice } = page;
  return { ...sharedFields(step), close_page: { payment_method: PAY_DEFAULTS.method, ...choice, until } };
}

/** A payment of the same price in the same way, as fields of `pay`: not every currency takes cards. */
export function paymentLike({ base, currency, method }: ObservedCharge): Payment {
  return {
    ...base,
    ...(method === undefined ? {} : { method }),
    ...(currency === base.currency ? {} : { to_currency: currency }),
  };
}

/** The name and `save` of a step that becomes another kind of step, whose result is a charge, not a response. */
function sharedFields({ name, save, request }: RawStep): RawStep {
  const saved = Object.entries(isJsonObject(save) ? save : {}).map(([variable, path]) => [
    variable,
    request === undefined ? path : String(path).replace(/^body\./, ""),
  ]);
  return {
    ...(name === undefined ? {} : { name }),
    ...(saved.length === 0 ? {} : { save: Object.fromEntries(saved) }),
  };
}

/** Why the customer cannot leave a charge unpaid: a step of the flow moves the charge itself. */
export function mustPayReason({ drive }: Flow): string | undefined {
  const step = drive.find((one) => movesCharge(one) || nestedSteps(one).some(paysCharge));
  return step && `the flow's step ${stepKindsOf(step)[0]} needs a charge that is paid in time`;
}

const MOVE_CALL = /^POST \/_sandbox\/charges\/[^/?]+\/(?!advance)/;

function movesCharge(step: RawStep): boolean {
  const [kind = ""] = stepKindsOf(step);
  return (
    kind === "transition" ||
    (REVERSAL_KINDS as readonly string[]).includes(kind) ||
    (typeof step.request === "string" && MOVE_CALL.test(step.request)) ||
    nestedSteps(step).some(movesCharge)
  );
}

/** Returns true for a step that waits for a paid charge. A nested one is the same for several customers. */
function paysCharge(step: RawStep): boolean {
  return (step.pay ?? step.pay_twice ?? step.close_page) !== undefined || nestedSteps(step).some(paysCharge);
}

function nestedSteps(step: RawStep): RawStep[] {
  return nestedStepLists(step).flatMap(({ list }) => list as RawStep[]);
}
