import { createWhitelabel as whitelabelCommand } from "../../engine/commands/charges.js";
import { createCheckout as checkoutCommand } from "../../engine/commands/checkouts.js";
import { createQuote as quoteCommand } from "../../engine/commands/quotes.js";
import { checkoutView, quoteView, whitelabelResult } from "../../engine/views.js";
import { isRefusal } from "../../schema/errors.js";
import { checkoutRequestSchema, quoteRequestSchema, whitelabelRequestSchema } from "../../schema/requests.js";
import { ok } from "../reply.js";
import { operation } from "./operation.js";

/** A request may name its scenario in a header, which goes before the metadata's. */
export const createQuote = operation(
  {
    id: "createQuote",
    method: "POST",
    path: "/api/v1/payments/quotes",
    rawBody: quoteRequestSchema,
  },
  ({ namespace, caller, body, header }) => {
    const quote = namespace.execute(quoteCommand(caller, body, header("sandbox-scenario")));
    return isRefusal(quote) ? quote : ok(quoteView(quote));
  },
);

export const createWhitelabel = operation(
  {
    id: "createWhitelabel",
    method: "POST",
    path: "/api/v1/payments/whitelabel",
    rawBody: whitelabelRequestSchema,
  },
  ({ namespace, caller, body, header }) => {
    const charge = namespace.execute(whitelabelCommand(caller, body, header("sandbox-scenario")));
    return isRefusal(charge) ? charge : ok(whitelabelResult(charge));
  },
);

/** The link carries the public address, or the one this request came to. */
export const createCheckout = operation(
  {
    id: "createCheckout",
    method: "POST",
    path: "/api/v1/payments/checkouts",
    rawBody: checkoutRequestSchema,
  },
  ({ namespace, caller, body, header, url }) => {
    const charge = namespace.execute(checkoutCommand(caller, body, header("sandbox-scenario")));
    if (isRefusal(charge)) return charge;
    const base = namespace.publicUrl ?? new URL(url).origin;
    return ok(checkoutView(charge, `${base}/checkout/${charge.checkout_id}`));
  },
);
