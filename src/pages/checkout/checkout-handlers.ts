/**
 * Handlers of the hosted checkout, mounted by page-routes.ts. A request becomes a page model, which a screen renders;
 * a form runs a command first. The checkout id alone authorizes: no API key is involved.
 */
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { refuse } from "../../core/schema/refusals.js";
import { hasEnded } from "../../core/schema/statuses.js";
import { isCrossOrigin } from "../../server/http/hosts.js";
import { errorReply, toResponse } from "../../server/http/reply.js";
import { CHECKOUT_ACTIONS, type CheckoutActionName } from "./form-actions.js";
import { readForm } from "./method-form.js";
import { pageResponse, seeOther, statusResponse } from "./page-document.js";
import { checkoutLinks, shopUrl } from "./page-model.js";
import { errorDocument } from "./screens.js";
import { showPage } from "./show-page.js";

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
  return pageResponse(errorDocument(title, text), { status, nowMs: namespaces.nowMs() });
}

/** `GET /checkout/ID`. From the waiting screen, an ended charge redirects to the shop. */
export function showCheckout(namespaces: Namespaces, request: Request, checkoutId: string): Response {
  const found = findCheckout(namespaces, checkoutId);
  if (found === undefined) return checkoutNotFound(namespaces);
  const { namespace, charge } = found;
  const waiting = new URL(request.url).searchParams.get("waiting") === "1";
  const shop = waiting && hasEnded(charge.status) ? shopUrl(charge) : undefined;
  return shop === undefined ? showPage(namespace, charge, { waiting }) : seeOther(shop, namespace.nowMs());
}

/** `GET /checkout/ID/status`: polled each second. `next` is the shop's URL once the charge has ended. */
export function serveCheckoutStatus(namespaces: Namespaces, _request: Request, checkoutId: string): Response {
  const found = findCheckout(namespaces, checkoutId);
  if (found === undefined)
    return toResponse(errorReply(refuse("NOT_FOUND", "Checkout not found")), namespaces.nowMs());
  const { namespace, charge } = found;
  const next = hasEnded(charge.status) ? shopUrl(charge) : undefined;
  return statusResponse(
    { status: charge.status, ...(next === undefined ? {} : { next }) },
    namespace.nowMs(),
  );
}

/** Redirects a GET of an action's URL to the page: a refused form leaves that URL in the address bar. */
export function redirectToCheckoutPage(
  namespaces: Namespaces,
  _request: Request,
  checkoutId: string,
): Response {
  return findCheckout(namespaces, checkoutId) === undefined
    ? checkoutNotFound(namespaces)
    : seeOther(checkoutLinks(checkoutId, "action").page, namespaces.nowMs());
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
  return "form" in read
    ? CHECKOUT_ACTIONS[action](found.namespace, found.charge, read.form)
    : errorResponse(namespaces, read.status, "Invalid form", read.why);
}
