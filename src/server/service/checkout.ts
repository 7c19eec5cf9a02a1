import type { Charge } from "../../core/domain/charge-transition.js";
import { createWhitelabel as whitelabelCommand } from "../../core/engine/commands/charge-commands.js";
import { createCheckout as checkoutCommand } from "../../core/engine/commands/checkout-commands.js";
import { createQuote as quoteCommand } from "../../core/engine/commands/quote-commands.js";
import { checkoutView, quoteView, whitelabelResultView } from "../../core/engine/wire-views.js";
import { isRefusal } from "../../core/schema/refusals.js";
import {
  checkoutRequestSchema,
  quoteRequestSchema,
  whitelabelRequestSchema,
} from "../../core/schema/service-requests.js";
import { RawJson, viewOrRefusal } from "../http/reply.js";
import { defineOperation } from "./operation.js";

const CREATES = "It returns 200, as the whitelabel checkout does.";

export const createQuoteOperation = defineOperation({
  id: "createQuote",
  call: "POST /api/v1/payments/quotes",
  tag: "Payments",
  summary: "Create a quote",
  description: "Locks rate, fees and total of a payment. A checkout may name the quote until it expires.",
  assumed: `Fields beyond pricing, method, \`to_currency\` and e-mail. ${CREATES}`,
  headers: ["Sandbox-Scenario"],
  rawInput: quoteRequestSchema,
  output: "Quote",
  run: ({ namespace, caller, input, header }) => {
    const quote = namespace.execute(quoteCommand(caller, input, header("sandbox-scenario")));
    return viewOrRefusal(quote, quoteView);
  },
});

export const createWhitelabelOperation = defineOperation({
  id: "createWhitelabel",
  call: "POST /api/v1/payments/whitelabel",
  tag: "Payments",
  summary: "Create a whitelabel checkout",
  description:
    "Creates a checkout and starts its payment in one call, at the price of a valid quote. Show the customer the " +
    "instructions, then learn the outcome from webhooks or by polling the charge.",
  headers: ["Sandbox-Scenario"],
  rawInput: whitelabelRequestSchema,
  output: "WhitelabelResult",
  run: ({ namespace, caller, input, header }) => {
    const charge = namespace.execute(
      whitelabelCommand(caller, input, header("sandbox-scenario"), traceOf(header("traceparent"))),
    );
    return viewOrRefusal(charge, (created) => createdReply(created, whitelabelResultView(created)));
  },
});

export const createCheckoutOperation = defineOperation({
  id: "createCheckout",
  call: "POST /api/v1/payments/checkouts",
  tag: "Payments",
  summary: "Create a standard checkout",
  description:
    "Creates a hosted page where the customer picks a method and pays. Redirect the customer to its URL.",
  assumed: `Fields other than pricing, e-mail, metadata and lifetime; the shape of the response. ${CREATES} The charge is there from the start. It has its price from the start with a quote, or where one method in one currency is offered; else it gets its price when the customer picks a method.`,
  headers: ["Sandbox-Scenario"],
  rawInput: checkoutRequestSchema,
  output: "Checkout",
  run: ({ namespace, caller, input, header, url }) => {
    const charge = namespace.execute(
      checkoutCommand(caller, input, header("sandbox-scenario"), traceOf(header("traceparent"))),
    );
    if (isRefusal(charge)) return charge;
    const base = namespace.publicUrl ?? new URL(url).origin;
    return createdReply(charge, checkoutView(charge, `${base}/checkout/${charge.checkout_id}`));
  },
});

function createdReply({ charge_id }: Charge, view: object): RawJson {
  return new RawJson(JSON.stringify(view), { objectId: charge_id });
}

/** The header `traceparent` if it is valid (W3C Trace Context), else null. Ids of only zeros are invalid. */
function traceOf(header: string | null): string | null {
  const isTrace = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(header ?? "");
  return isTrace ? header : null;
}
