/**
 * Handlers of the hosted checkout, mounted by page-routes.ts. A request becomes a page model, which a screen renders;
 * a form runs a command first. The checkout id alone authorizes: no API key is involved.
 */
import type { Charge } from "../../core/domain/charge-transition.js";
import { cancelCharge, transitionCharge } from "../../core/engine/commands/charge-commands.js";
import { chooseMethod, needsChoice } from "../../core/engine/commands/checkout-commands.js";
import { plannedMoves, settableStatuses } from "../../core/engine/look-ahead.js";
import type { Command } from "../../core/engine/transaction.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { reasonSchema } from "../../core/schema/engine-requests.js";
import { safeParse } from "../../core/schema/issues.js";
import { isRefusal, type Refusal, refuse } from "../../core/schema/refusals.js";
import { hasEnded, isOpen, outcomePage } from "../../core/schema/statuses.js";
import { isCrossOrigin } from "../../server/http/access.js";
import { errorReply, toResponse } from "../../server/http/reply.js";
import { readForm, readMethodForm } from "./method-form.js";
import { type PageDocument, pageResponse, redirectWithGet, statusResponse } from "./page-document.js";
import {
  type CheckoutActionName,
  type CheckoutPage,
  checkoutLinks,
  type Offer,
  priceMethods,
  returnsOf,
  shopUrl,
} from "./page-model.js";
import { causeText, isPanelButton, PANEL_BUTTONS } from "./sandbox-panel.js";
import { errorDocument, instructionsScreen, methodScreen, outcomeScreen, waitingScreen } from "./screens.js";

/** Finds a checkout and runs its due tasks. */
function findCheckout(namespaces: Namespaces, checkoutId: string) {
  const namespace = namespaces.findCheckout(checkoutId);
  namespace?.runDueTasks();
  const charge = namespace?.engine.state.chargeOfCheckout(checkoutId);
  return namespace === undefined || charge === undefined ? undefined : { namespace, charge };
}

function checkoutNotFound(namespaces: Namespaces): Response {
  return errorResponse(
    namespaces,
    404,
    "Checkout not found",
    "There is no checkout at this address. Check the link, or go back to the shop and start again.",
  );
}

function errorResponse(namespaces: Namespaces, status: number, title: string, text: string): Response {
  return pageResponse(errorDocument(status, title, text), { nowMs: namespaces.nowMs() });
}

/** `GET /checkout/ID`. Redirects to the shop if the query has `waiting` and the charge has ended. */
export function serveCheckoutPage(namespaces: Namespaces, request: Request, checkoutId: string): Response {
  const found = findCheckout(namespaces, checkoutId);
  if (found === undefined) return checkoutNotFound(namespaces);
  const { namespace, charge } = found;
  const waiting = new URL(request.url).searchParams.get("waiting");
  const shop = waiting !== null && hasEnded(charge.status) && shopUrl(charge);
  return shop
    ? redirectWithGet(shop, namespace.nowMs())
    : showPage(namespace, charge, { waiting: waiting === "1" });
}

/** `GET /checkout/ID/status`: polled each second. `next`, for steps of a customer, is the shop's URL after the end. */
export function serveCheckoutStatus(namespaces: Namespaces, _request: Request, checkoutId: string): Response {
  const found = findCheckout(namespaces, checkoutId);
  if (found === undefined)
    return toResponse(errorReply(refuse("NOT_FOUND", "Checkout not found")), namespaces.nowMs());
  const { namespace, charge } = found;
  const next = hasEnded(charge.status) ? shopUrl(charge) : undefined;
  const returns = returnsOf(namespace, charge).length || undefined;
  return statusResponse(
    { status: charge.status, returns, next, speed: speedOf(namespace) },
    namespace.nowMs(),
  );
}

/** Redirects `GET /checkout/ID/` and `/checkout/ID/ACTION`, which a refused form leaves as address, to the page. */
export function redirectToCheckoutPage(
  namespaces: Namespaces,
  _request: Request,
  checkoutId: string,
): Response {
  return findCheckout(namespaces, checkoutId) === undefined
    ? checkoutNotFound(namespaces)
    : redirectWithGet(checkoutLinks(checkoutId, "action").page, namespaces.nowMs());
}

/** `POST /checkout/ID/ACTION`. */
export async function actOnCheckout(
  namespaces: Namespaces,
  request: Request,
  checkoutId: string,
  action: CheckoutActionName,
): Promise<Response> {
  const publicUrl = namespaces.findCheckout(checkoutId)?.publicUrl;
  if (isCrossOrigin(request, publicUrl))
    return errorResponse(
      namespaces,
      403,
      "Request refused",
      "Forms sent by another site's page are refused.",
    );
  const read = await readForm(request);
  const found = findCheckout(namespaces, checkoutId);
  if (found === undefined) return checkoutNotFound(namespaces);
  if (!("form" in read)) return errorResponse(namespaces, read.status, "Invalid form", read.why);
  const { namespace, charge } = found;
  return ACTIONS[action](namespace, charge, read.form);
}

/** Actions of the customer or tester on the checkout page. */
const ACTIONS: Readonly<
  Record<CheckoutActionName, (namespace: Namespace, charge: Charge, form: URLSearchParams) => Response>
> = {
  method: (namespace, charge, form) => {
    const choice = namespace.execute(choiceCommand(namespace, charge, form));
    return isRefusal(choice)
      ? showRefusal(namespace, charge, choice, form, "A payment method has been chosen already.")
      : redirectAfterAction(namespace, afterDueTasks(namespace, charge), "page");
  },

  /** Changes nothing: only the scenario or the sandbox panel completes a payment. */
  paid: (namespace, charge) =>
    needsChoice(charge)
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
      return showPage(namespace, charge, { trouble: panelError("Unknown outcome.") });
    const to = PANEL_BUTTONS[outcome];
    const reason = (to === "FAILED" && form.get("reason")?.trim()) || undefined;
    if (reason !== undefined && !safeParse(reasonSchema, reason).ok)
      return showPage(namespace, charge, { trouble: panelError("The reason is too long.") });
    const result = namespace.execute<Charge | Refusal>((tx) => {
      // A payment fails with the selected method, if there is one; completing it needs a method.
      const needsMethod = to === "COMPLETED" || (to === "FAILED" && form.has("payment_method"));
      if (needsChoice(charge) && needsMethod) {
        const choice = choiceCommand(namespace, charge, form)(tx);
        if (isRefusal(choice)) return choice;
      }
      return transitionCharge(charge.charge_id, to, "checkout", reason)(tx);
    });
    if (isRefusal(result)) return showRefusal(namespace, charge, result, form);
    // A merchant refunds long after the customer has left, so there is no redirect to the shop.
    if (to === "REFUNDED")
      return redirectWithGet(checkoutLinks(charge.checkout_id, "action").page, namespace.nowMs());
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

/** Runs due tasks, then returns the current charge. */
function afterDueTasks(namespace: Namespace, charge: Charge): Charge {
  namespace.runDueTasks();
  return namespace.engine.state.get("charges", charge.charge_id) ?? charge;
}

const FIELD_ERRORS: Readonly<Record<string, string>> = {
  payment_method: "Choose one of these payment methods.",
  currency: "Choose one of these currencies.",
  phone_number: "Enter your phone number with country code, such as +254700000001.",
};

/** Renders a refusal: a validation error beside its fields, any other as `tooLate`, or in the sandbox panel. */
function showRefusal(
  namespace: Namespace,
  charge: Charge,
  refusal: Refusal,
  form: URLSearchParams,
  tooLate?: string,
): Response {
  const current = afterDueTasks(namespace, charge);
  if (refusal.code !== "VALIDATION_ERROR") {
    const trouble =
      tooLate === undefined ? panelError(impossibleText(current, refusal)) : { problem: tooLate };
    return showPage(namespace, current, { trouble: { ...trouble, status: refusal.status ?? 409 } });
  }
  const errors: Record<string, string> = {};
  const others: string[] = [];
  for (const [name, why] of Object.entries(refusal.details ?? {}))
    if (Object.hasOwn(FIELD_ERRORS, name)) errors[name] = FIELD_ERRORS[name]!;
    else others.push(`${name} ${why}`);
  const problem = others.length === 0 ? undefined : others.join("; ");
  return showPage(namespace, current, { trouble: { status: 400, submitted: form, errors, problem } });
}

interface FormError
  extends Partial<Pick<CheckoutPage, "problem" | "isPanelProblem" | "submitted" | "errors">> {
  readonly status: number;
}

function panelError(problem: string): FormError {
  return { status: 400, problem, isPanelProblem: true };
}

/** `"Already refunded."` */
function impossibleText({ status }: Charge, { code, message }: Refusal): string {
  if (code !== "INVALID_TRANSITION") return message;
  const word = status.toLowerCase().replaceAll("_", " ");
  return hasEnded(status) ? `Already ${word}.` : `Not possible while the payment is ${word}.`;
}

/** Renders the checkout's current screen, in response to a GET or a form. */
function showPage(
  namespace: Namespace,
  charge: Charge,
  { waiting = false, trouble }: { waiting?: boolean; trouble?: FormError },
): Response {
  const page = pageOf(namespace, charge, waiting, trouble);
  const leadsAway = charge.success_url !== null || charge.cancel_url !== null;
  const document = screenOf(page);
  const { status } = trouble ?? document;
  return pageResponse({ ...document, status }, { nowMs: page.nowMs, leadsAway });
}

function screenOf(page: CheckoutPage): PageDocument {
  const { charge, isWaiting } = page;
  const outcome = outcomePage(charge.status);
  if (outcome !== undefined) return outcomeScreen(page, outcome);
  if (needsChoice(charge)) return methodScreen(page);
  return isWaiting || !isOpen(charge.status) ? waitingScreen(page) : instructionsScreen(page);
}

/** A price from creation is replaced by that of the only offer, which differs once the quote's lock has ended. */
function withOfferedPrice(charge: Charge, [only]: readonly Offer[]): Charge {
  const price = only?.prices[0]?.price;
  if (charge.settlement_amount === null || price === undefined) return charge;
  const { amount, fees, exchange_rate, settlement_amount } = price;
  return { ...charge, amount, fees, exchange_rate, settlement_amount };
}

function speedOf({ clock }: Namespace): number {
  const { mode, speed } = clock.view();
  return mode === "manual" ? 0 : speed;
}

function pageOf(
  namespace: Namespace,
  charge: Charge,
  isWaiting: boolean,
  trouble: FormError | undefined,
): CheckoutPage {
  const { catalogue, state } = namespace.engine;
  const nowMs = namespace.nowMs();
  const offers = needsChoice(charge) ? priceMethods(namespace, charge) : [];
  return {
    charge: withOfferedPrice(charge, offers),
    namespace: namespace.name,
    catalogue,
    merchant: catalogue.organization(charge.organization_id)?.name ?? charge.organization_id,
    links: checkoutLinks(charge.checkout_id, trouble === undefined ? "page" : "action"),
    shop: shopUrl(charge),
    nowMs,
    speed: speedOf(namespace),
    errors: {},
    ...trouble,
    offers,
    settable: settableStatuses(state, charge),
    returns: returnsOf(namespace, charge),
    cause: hasEnded(charge.status) ? causeText(namespace, charge) : undefined,
    planned: plannedMoves(state, charge),
    isWaiting,
  };
}

/** Redirects to the shop if the charge has ended and the shop gave a URL, else to a page. */
function redirectAfterAction(namespace: Namespace, charge: Charge, fallback: "page" | "waiting"): Response {
  const { page, [fallback]: next } = checkoutLinks(charge.checkout_id, "action");
  return redirectWithGet(hasEnded(charge.status) ? (shopUrl(charge) ?? page) : next, namespace.nowMs());
}
