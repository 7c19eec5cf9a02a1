/**
 * Handlers of the hosted checkout, mounted by page-routes.ts. A request becomes a page model, which a screen renders;
 * a form calls an operation of the control API first. The checkout id alone authorizes: no API key is involved.
 */
import type { ControlCheckout } from "../../core/schema/control-checkout-responses.js";
import type { ControlCharge } from "../../core/schema/control-responses.js";
import { reasonSchema } from "../../core/schema/engine-requests.js";
import { safeParse } from "../../core/schema/issues.js";
import { ERROR_STATUS, refuse, SandboxError } from "../../core/schema/refusals.js";
import { hasEnded, isOpen, outcomePage } from "../../core/schema/statuses.js";
import { isCrossOrigin } from "../../server/http/access.js";
import { type Ask, askOf, type PageHost, type Result } from "../../server/http/page-host.js";
import { errorReply, toResponse } from "../../server/http/reply.js";
import { readForm, readMethodForm } from "./method-form.js";
import { type PageDocument, pageResponse, redirectWithGet, statusResponse } from "./page-document.js";
import {
  type CheckoutActionName,
  type CheckoutPage,
  checkoutLinks,
  needsChoice,
  offersByMethod,
  shopUrl,
} from "./page-model.js";
import { isPanelButton, PANEL_BUTTONS } from "./sandbox-panel.js";
import { errorDocument, instructionsScreen, methodScreen, outcomeScreen, waitingScreen } from "./screens.js";

/** A checkout at one moment, and what can be done with it. */
interface Opened {
  readonly ask: Ask;
  readonly namespace: string;
  readonly checkout: ControlCheckout;
  readonly clock: Result<"getClock">;
}

async function openCheckout(host: PageHost, checkout_id: string): Promise<Opened | undefined> {
  const namespace = host.namespaceOfCheckout(checkout_id);
  if (namespace === undefined) return undefined;
  const ask = askOf(host.client(namespace, "checkout"));
  const checkout = await ask("getControlCheckout", { checkout_id });
  return { ask, namespace, checkout, clock: await ask("getClock") };
}

/** The same checkout after a change. */
async function reopen({ ask, namespace, checkout: { checkout_id } }: Opened): Promise<Opened> {
  const checkout = await ask("getControlCheckout", { checkout_id });
  return { ask, namespace, checkout, clock: await ask("getClock") };
}

function nowMsOf({ clock }: Opened): number {
  return Date.parse(clock.now);
}

function checkoutNotFound(host: PageHost): Response {
  return errorResponse(
    host,
    404,
    "Checkout not found",
    "There is no checkout at this address. Check the link, or go back to the shop and start again.",
  );
}

function errorResponse(host: PageHost, status: number, title: string, text: string): Response {
  return pageResponse(errorDocument(status, title, text), { nowMs: host.nowMs() });
}

/** `GET /checkout/ID`. Redirects to the shop if the query has `waiting` and the charge has ended. */
export async function serveCheckoutPage(host: PageHost, request: Request, id: string): Promise<Response> {
  const opened = await openCheckout(host, id);
  if (opened === undefined) return checkoutNotFound(host);
  const { checkout } = opened;
  const waiting = new URL(request.url).searchParams.get("waiting");
  const shop = waiting !== null && hasEnded(checkout.charge.status) && shopUrl(checkout);
  return shop ? redirectWithGet(shop, nowMsOf(opened)) : showPage(opened, { waiting: waiting === "1" });
}

/** `GET /checkout/ID/status`: polled each second. `next`, for steps of a customer, is the shop's URL after the end. */
export async function serveCheckoutStatus(host: PageHost, _request: Request, id: string): Promise<Response> {
  const opened = await openCheckout(host, id);
  if (opened === undefined)
    return toResponse(errorReply(refuse("NOT_FOUND", "Checkout not found")), host.nowMs());
  const { checkout } = opened;
  const { status } = checkout.charge;
  const next = hasEnded(status) ? shopUrl(checkout) : undefined;
  const returns = checkout.returns.length || undefined;
  return statusResponse({ status, returns, next, speed: speedOf(opened) }, nowMsOf(opened));
}

/** Redirects `GET /checkout/ID/` and `/checkout/ID/ACTION`, which a refused form leaves as address, to the page. */
export async function redirectToCheckoutPage(
  host: PageHost,
  _request: Request,
  id: string,
): Promise<Response> {
  return host.namespaceOfCheckout(id) === undefined
    ? checkoutNotFound(host)
    : redirectWithGet(checkoutLinks(id, "action").page, host.nowMs());
}

/** `POST /checkout/ID/ACTION`. */
export async function actOnCheckout(
  host: PageHost,
  request: Request,
  id: string,
  action: CheckoutActionName,
): Promise<Response> {
  if (isCrossOrigin(request, host.publicUrl()))
    return errorResponse(host, 403, "Request refused", "Forms sent by another site's page are refused.");
  const read = await readForm(request);
  const opened = await openCheckout(host, id);
  if (opened === undefined) return checkoutNotFound(host);
  if (!("form" in read)) return errorResponse(host, read.status, "Invalid form", read.why);
  return ACTIONS[action](opened, read.form);
}

type Action = (opened: Opened, form: URLSearchParams) => Promise<Response>;

/** Actions of the customer or tester on the checkout page. */
const ACTIONS: Readonly<Record<CheckoutActionName, Action>> = {
  method: async (opened, form) => {
    const { ask, checkout } = opened;
    const input = { checkout_id: checkout.checkout_id, ...readMethodForm(form, checkout) };
    const refusal = await refusalOf(ask("payCheckout", input));
    return refusal === undefined
      ? redirectAfterAction(await reopen(opened), "page")
      : showRefusal(opened, refusal, form, "A payment method has been chosen already.");
  },

  /** Changes nothing: only the scenario or the sandbox panel completes a payment. */
  paid: async (opened) =>
    needsChoice(opened.checkout.charge)
      ? showPage(opened, { trouble: { status: 409, problem: "Choose a payment method first." } })
      : redirectAfterAction(opened, "waiting"),

  /** Idempotent: cancelling a cancelled charge redirects as the first request did. */
  cancel: async (opened, form) => {
    const { ask, checkout } = opened;
    if (checkout.charge.status === "CANCELLED") return redirectAfterAction(opened, "page");
    const refusal = await refusalOf(ask("cancelCheckout", { checkout_id: checkout.checkout_id }));
    return refusal === undefined
      ? redirectAfterAction(await reopen(opened), "page")
      : showRefusal(opened, refusal, form, "The payment cannot be cancelled any more.");
  },

  outcome: async (opened, form) => {
    const { ask, checkout } = opened;
    const { checkout_id, charge } = checkout;
    const outcome = form.get("outcome");
    if (!isPanelButton(outcome)) return showPage(opened, { trouble: panelError("Unknown outcome.") });
    const to = PANEL_BUTTONS[outcome];
    const reason = (to === "FAILED" && form.get("reason")?.trim()) || undefined;
    if (reason !== undefined && !safeParse(reasonSchema, reason).ok)
      return showPage(opened, { trouble: panelError("The reason is too long.") });
    // A payment fails with the selected method, if there is one; completing it needs a method.
    const needsMethod = to === "COMPLETED" || (to === "FAILED" && form.has("payment_method"));
    const refusal = await refusalOf<unknown>(
      needsChoice(charge) && needsMethod
        ? ask("payCheckout", { checkout_id, ...readMethodForm(form, checkout), to, reason })
        : ask("transitionCharge", { charge_id: charge.charge_id, to, reason }),
    );
    if (refusal !== undefined) return showRefusal(opened, refusal, form);
    // A merchant refunds long after the customer has left, so there is no redirect to the shop.
    if (to === "REFUNDED") return redirectWithGet(checkoutLinks(checkout_id, "action").page, nowMsOf(opened));
    return redirectAfterAction(await reopen(opened), "waiting");
  },
};

/** Why an operation refused. */
async function refusalOf<Answer>(asked: Promise<Answer>): Promise<SandboxError | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError) return error;
    throw error;
  }
}

const FIELD_ERRORS: Readonly<Record<string, string>> = {
  payment_method: "Choose one of these payment methods.",
  currency: "Choose one of these currencies.",
  phone_number: "Enter your phone number with country code, such as +254700000001.",
};

/** Renders a refusal: a validation error beside its fields, any other as `tooLate`, or in the sandbox panel. */
async function showRefusal(
  opened: Opened,
  refusal: SandboxError,
  form: URLSearchParams,
  tooLate?: string,
): Promise<Response> {
  const current = await reopen(opened);
  if (refusal.code !== "VALIDATION_ERROR") {
    const trouble =
      tooLate === undefined
        ? panelError(impossibleText(current.checkout.charge, refusal))
        : { problem: tooLate };
    return showPage(current, { trouble: { ...trouble, status: Math.max(409, ERROR_STATUS[refusal.code]) } });
  }
  const errors: Record<string, string> = {};
  const others: string[] = [];
  for (const [name, why] of Object.entries(refusal.details ?? {}))
    if (Object.hasOwn(FIELD_ERRORS, name)) errors[name] = FIELD_ERRORS[name]!;
    else others.push(`${name} ${why}`);
  const problem = others.length === 0 ? undefined : others.join("; ");
  return showPage(current, { trouble: { status: 400, submitted: form, errors, problem } });
}

interface FormError
  extends Partial<Pick<CheckoutPage, "problem" | "isPanelProblem" | "submitted" | "errors">> {
  readonly status: number;
}

function panelError(problem: string): FormError {
  return { status: 400, problem, isPanelProblem: true };
}

/** `"Already refunded."` */
function impossibleText({ status }: ControlCharge, { code, message }: SandboxError): string {
  if (code !== "INVALID_TRANSITION") return message;
  const word = status.toLowerCase().replaceAll("_", " ");
  return hasEnded(status) ? `Already ${word}.` : `Not possible while the payment is ${word}.`;
}

/** Renders the checkout's current screen, in response to a GET or a form. */
function showPage(
  opened: Opened,
  { waiting = false, trouble }: { waiting?: boolean; trouble?: FormError },
): Response {
  const page = pageOf(opened, waiting, trouble);
  const { success_url, cancel_url } = opened.checkout;
  const document = screenOf(page);
  const { status } = trouble ?? document;
  const leadsAway = success_url !== null || cancel_url !== null;
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
function withOfferedPrice({ charge, offers: [only] }: ControlCheckout): ControlCharge {
  if (charge.settlement_amount === null || only === undefined) return charge;
  const { amount, fees, exchange_rate, settlement_amount } = only;
  return { ...charge, amount, fees, exchange_rate, settlement_amount };
}

function speedOf({ clock }: Opened): number {
  return clock.mode === "manual" ? 0 : clock.speed;
}

function pageOf(opened: Opened, isWaiting: boolean, trouble: FormError | undefined): CheckoutPage {
  const { checkout, namespace } = opened;
  return {
    checkout,
    charge: withOfferedPrice(checkout),
    namespace,
    links: checkoutLinks(checkout.checkout_id, trouble === undefined ? "page" : "action"),
    shop: shopUrl(checkout),
    nowMs: nowMsOf(opened),
    speed: speedOf(opened),
    errors: {},
    ...trouble,
    offers: offersByMethod(checkout),
    isWaiting,
  };
}

/** Redirects to the shop if the charge has ended and the shop gave a URL, else to a page. */
function redirectAfterAction(opened: Opened, fallback: "page" | "waiting"): Response {
  const { checkout } = opened;
  const { page, [fallback]: next } = checkoutLinks(checkout.checkout_id, "action");
  const to = hasEnded(checkout.charge.status) ? (shopUrl(checkout) ?? page) : next;
  return redirectWithGet(to, nowMsOf(opened));
}
