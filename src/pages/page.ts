import type { Charge } from "../core/domain/charge.js";
import { nextStatus } from "../core/engine/look-ahead.js";
import type { Namespace } from "../core/namespace/namespace.js";
import { isOpen, isOver, outcomePage } from "../core/schema/statuses.js";
import { chooseView, outcomeView, payView, type View, waitingView } from "./checkout/screens.js";
import { linksFrom, shopUrl } from "./links.js";
import { type FieldState, needsMethod, offersFor, type Page, UNTOUCHED } from "./model.js";
import { pageResponse, seeOther } from "./respond.js";

/** A form error to show on the page. */
export interface FormError {
  readonly status: number;
  readonly problem?: string;
  readonly fields?: FieldState;
}

function viewFor(charge: Charge, waiting: boolean): View {
  const outcome = outcomePage(charge.status);
  if (outcome !== undefined) return (page) => outcomeView(page, outcome);
  if (needsMethod(charge)) return chooseView;
  return waiting || !isOpen(charge.status) ? waitingView : payView;
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
): Page {
  const { catalogue, state } = namespace.engine;
  const clock = namespace.clock.view();
  const quote = charge.quote_id === null ? undefined : state.get("quotes", charge.quote_id);
  return {
    charge,
    namespace: namespace.name,
    catalogue,
    merchant: catalogue.organization(charge.organization_id)?.name ?? charge.organization_id,
    links: linksFrom(charge.checkout_id, trouble === undefined ? "page" : "action"),
    shop: shopUrl(charge),
    nowMs,
    remainingMs: Math.max(0, charge.expires_at_ms - nowMs),
    speed: clock.mode === "manual" ? 0 : clock.speed,
    problem: trouble?.problem,
    fields: trouble?.fields ?? UNTOUCHED,
    quoted: quote && { method: quote.payment_method, currency: quote.currency },
    offers: needsMethod(charge) ? offersFor(namespace, charge) : [],
    next: nextStatus(state, charge),
    isWaiting,
  };
}

/** Redirects to the shop if the charge has ended and the shop gave a URL, else to a page. */
export function goOn(namespace: Namespace, charge: Charge, fallback: "page" | "waiting"): Response {
  const links = linksFrom(charge.checkout_id, "action");
  const shop = isOver(charge.status) ? shopUrl(charge) : undefined;
  return seeOther(shop ?? (isOver(charge.status) ? links.page : links[fallback]), namespace.nowMs());
}
