import { refuse } from "../../schema/errors.js";
import { isForeign } from "../origin.js";
import type { Worlds } from "../ports.js";
import { errorReply, toResponse } from "../reply.js";
import { ACTIONS, type ActionName } from "./actions.js";
import { readForm } from "./form.js";
import { linksFrom } from "./links.js";
import { isOver } from "./model.js";
import { showPage } from "./page.js";
import { jsonResponse, pageResponse, seeOther } from "./respond.js";
import { shopUrl } from "./shop.js";
import { refusedDocument } from "./views/refused.js";

/** The checkout with everything due by now behind it. Its id is all it takes to see it and to act on it. */
function find(worlds: Worlds, checkoutId: string) {
  const world = worlds.findCheckout(checkoutId)?.world;
  world?.settle();
  const charge = world?.engine.state.chargeOfCheckout(checkoutId);
  return world === undefined || charge === undefined ? undefined : { world, charge };
}

function missing(worlds: Worlds): Response {
  return refusedResponse(
    worlds,
    404,
    "Checkout not found",
    "There is no checkout at this address. Check the link, or go back to the shop and start again.",
  );
}

function refusedResponse(worlds: Worlds, status: number, title: string, text: string): Response {
  return pageResponse(refusedDocument(title, text), { status, nowMs: worlds.nowMs() });
}

/** GET /checkout/ID. On the waiting view a customer goes to the shop as soon as it is over. */
export function showCheckout(worlds: Worlds, request: Request, checkoutId: string): Response {
  const found = find(worlds, checkoutId);
  if (found === undefined) return missing(worlds);
  const { world, charge } = found;
  const waiting = new URL(request.url).searchParams.get("waiting") === "1";
  const shop = waiting && isOver(charge.status) ? shopUrl(charge) : undefined;
  return shop === undefined ? showPage(world, charge, { waiting }) : seeOther(shop, world.nowMs());
}

/** GET /checkout/ID/status: what the page asks every second. `next` is the way to the shop, once it is over. */
export function checkoutStatus(worlds: Worlds, _request: Request, checkoutId: string): Response {
  const found = find(worlds, checkoutId);
  if (found === undefined)
    return toResponse(errorReply(refuse("NOT_FOUND", "Checkout not found")), worlds.nowMs());
  const { world, charge } = found;
  const next = isOver(charge.status) ? shopUrl(charge) : undefined;
  return jsonResponse({ status: charge.status, ...(next === undefined ? {} : { next }) }, 200, world.nowMs());
}

/** GET of an action's address, where a form that was refused leaves the customer: back to the page. */
export function backToPage(worlds: Worlds, _request: Request, checkoutId: string): Response {
  return find(worlds, checkoutId) === undefined
    ? missing(worlds)
    : seeOther(linksFrom(checkoutId, "action").page, worlds.nowMs());
}

/** POST /checkout/ID/ACTION. */
export async function actOnCheckout(
  worlds: Worlds,
  request: Request,
  checkoutId: string,
  action: ActionName,
): Promise<Response> {
  const publicUrl = worlds.findCheckout(checkoutId)?.world.publicUrl;
  if (isForeign(request, publicUrl))
    return refusedResponse(worlds, 403, "Not from here", "Forms sent by another site's page are refused.");
  const read = await readForm(request);
  const found = find(worlds, checkoutId);
  if (found === undefined) return missing(worlds);
  return "form" in read
    ? ACTIONS[action](found.world, found.charge, read.form)
    : refusedResponse(worlds, read.status, "This was not understood", read.why);
}
