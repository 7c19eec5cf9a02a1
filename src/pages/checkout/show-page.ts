import type { Charge } from "../../core/domain/charge-transition.js";
import { nextStatus } from "../../core/engine/look-ahead.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { hasEnded, isOpen, outcomePage } from "../../core/schema/statuses.js";
import { pageResponse, seeOther } from "./page-document.js";
import {
  type CheckoutPage,
  checkoutLinks,
  EMPTY_FORM,
  type FormState,
  needsMethod,
  offersFor,
  shopUrl,
} from "./page-model.js";
import { instructionsScreen, methodScreen, outcomeScreen, type Screen, waitingScreen } from "./screens.js";

export interface FormError {
  readonly status: number;
  readonly problem?: string;
  readonly fields?: FormState;
}

function viewFor(charge: Charge, waiting: boolean): Screen {
  const outcome = outcomePage(charge.status);
  if (outcome !== undefined) return (page) => outcomeScreen(page, outcome);
  if (needsMethod(charge)) return methodScreen;
  return waiting || !isOpen(charge.status) ? waitingScreen : instructionsScreen;
}

/** Renders the checkout's current screen, in response to a GET or a form. */
export function showPage(
  namespace: Namespace,
  charge: Charge,
  { waiting = false, trouble }: { waiting?: boolean; trouble?: FormError },
): Response {
  const nowMs = namespace.nowMs();
  const view = viewFor(charge, waiting);
  const { document, status } = view(pageOf(namespace, charge, nowMs, waiting, trouble));
  return pageResponse(document, {
    status: trouble?.status ?? status,
    nowMs,
    leadsAway: charge.success_url !== null || charge.cancel_url !== null,
  });
}

function pageOf(
  namespace: Namespace,
  charge: Charge,
  nowMs: number,
  isWaiting: boolean,
  trouble: FormError | undefined,
): CheckoutPage {
  const { catalogue, state } = namespace.engine;
  const clock = namespace.clock.view();
  const quote = charge.quote_id === null ? undefined : state.get("quotes", charge.quote_id);
  return {
    charge,
    namespace: namespace.name,
    catalogue,
    merchant: catalogue.organization(charge.organization_id)?.name ?? charge.organization_id,
    links: checkoutLinks(charge.checkout_id, trouble === undefined ? "page" : "action"),
    shop: shopUrl(charge),
    nowMs,
    remainingMs: Math.max(0, charge.expires_at_ms - nowMs),
    speed: clock.mode === "manual" ? 0 : clock.speed,
    problem: trouble?.problem,
    fields: trouble?.fields ?? EMPTY_FORM,
    quote: quote && { method: quote.payment_method, currency: quote.currency },
    offers: needsMethod(charge) ? offersFor(namespace, charge) : [],
    next: nextStatus(state, charge),
    isWaiting,
  };
}

/** Redirects to the shop if the charge has ended and the shop gave a URL, else to a page. */
export function redirectAfterAction(
  namespace: Namespace,
  charge: Charge,
  fallback: "page" | "waiting",
): Response {
  const links = checkoutLinks(charge.checkout_id, "action");
  const shop = hasEnded(charge.status) ? shopUrl(charge) : undefined;
  return seeOther(shop ?? (hasEnded(charge.status) ? links.page : links[fallback]), namespace.nowMs());
}
