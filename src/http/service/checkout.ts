import type { Caller } from "../../engine/caller.js";
import { createWhitelabel as whitelabelCommand } from "../../engine/commands/charges.js";
import { createCheckout as checkoutCommand } from "../../engine/commands/checkouts.js";
import { createQuote as quoteCommand } from "../../engine/commands/quotes.js";
import { checkoutView, quoteView, whitelabelResult } from "../../engine/views.js";
import { isRefusal, type Refusal } from "../../schema/errors.js";
import type { Call } from "../operations.js";
import { ok, type Reply } from "../reply.js";

/** A request may name its scenario in a header, which goes before the metadata's. */
export function createQuote({ namespace, caller, body, header }: Call<Caller>): Reply | Refusal {
  const quote = namespace.execute(quoteCommand(caller, body, header("sandbox-scenario")));
  return isRefusal(quote) ? quote : ok(quoteView(quote));
}

export function createWhitelabel({ namespace, caller, body, header }: Call<Caller>): Reply | Refusal {
  const charge = namespace.execute(whitelabelCommand(caller, body, header("sandbox-scenario")));
  return isRefusal(charge) ? charge : ok(whitelabelResult(charge));
}

/** The link carries the public address, or the one this request came to. */
export function createCheckout({ namespace, caller, body, header, url }: Call<Caller>): Reply | Refusal {
  const charge = namespace.execute(checkoutCommand(caller, body, header("sandbox-scenario")));
  if (isRefusal(charge)) return charge;
  const base = namespace.publicUrl ?? new URL(url).origin;
  return ok(checkoutView(charge, `${base}/checkout/${charge.checkout_id}`));
}
