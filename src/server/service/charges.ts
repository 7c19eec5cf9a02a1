import type { Charge } from "../../core/domain/charge-transition.js";
import { createWhitelabel as whitelabelCommand } from "../../core/engine/commands/charge-commands.js";
import { createCheckout as checkoutCommand } from "../../core/engine/commands/checkout-commands.js";
import { createQuote as quoteCommand } from "../../core/engine/commands/quote-commands.js";
import type { Engine } from "../../core/engine/engine.js";
import { findOwnRecord, listPayins as pageOfPayins } from "../../core/engine/queries.js";
import {
  chargeDetailJson,
  checkoutView,
  payinSummaryJson,
  quoteView,
  whitelabelResultView,
} from "../../core/engine/wire-views.js";
import { isRefusal, refuse } from "../../core/schema/refusals.js";
import {
  checkoutRequestSchema,
  payinQuerySchema,
  quoteRequestSchema,
  whitelabelRequestSchema,
} from "../../core/schema/service-requests.js";
import { limitAndOffset } from "../http/operation-row.js";
import { RawJson, viewOrRefusal } from "../http/reply.js";
import { defineOperation, type ServiceCall } from "./operation.js";

export const listPayinsOperation = defineOperation({
  id: "listPayins",
  call: "GET /api/v1/payments/payins",
  tag: "Payments",
  summary: "List payments",
  description: "The organization's payments in the key's mode, newest first.",
  input: payinQuerySchema,
  runsDueTasks: true,
  output: "PayinList",
  run: ({ namespace, caller, input, asOf }) => {
    const { engine } = namespace;
    const page = { ...limitAndOffset(input), status: input.status_filter };
    const make = (): string => {
      const { total, items } = pageOfPayins(engine, caller, page, asOf);
      return `{"total":${total},"items":[${items.map(payinSummaryJson).join()}]}`;
    };
    if (asOf !== undefined) return new RawJson(make());
    const { mode, organization } = caller;
    const key = `${mode}|${organization.organization_id}|${page.status}|${page.offset}|${page.limit}`;
    return new RawJson(memoizeByState(engine, key, make));
  },
});

export const getPayin = defineOperation({
  id: "getPayin",
  call: "GET /api/v1/payments/payins/{charge_id}",
  tag: "Payments",
  summary: "Get a payment by charge ID",
  description: "The same record as getting the charge.",
  notFound: "charge",
  runsDueTasks: true,
  output: "Charge",
  run: chargeReply,
});

export const getCharge = defineOperation({
  id: "getCharge",
  call: "GET /api/v1/payments/charges/{charge_id}",
  tag: "Payments",
  summary: "Get a charge",
  description:
    "A payment in full. Poll it to complement webhooks, at growing intervals, for 10 to 15 minutes at most.",
  notFound: "charge",
  runsDueTasks: true,
  output: "Charge",
  run: chargeReply,
});

function chargeReply({ namespace, caller, param, asOf }: ServiceCall<"required", unknown, "charge_id">) {
  const charge = findOwnRecord(namespace.engine, "charges", caller, param("charge_id"), asOf);
  return charge === undefined
    ? refuse("NOT_FOUND", "Charge not found")
    : new RawJson(chargeDetailJson(charge));
}

interface Memo {
  readonly seq: number;
  readonly key: string;
  readonly text: string;
}

const lastMemo = new WeakMap<object, Memo>();

/** The last text made from a state. Without it, a client that polls payins takes 1.5 times the CPU time. */
export function memoizeByState(engine: Engine, key: string, make: () => string): string {
  const { state } = engine;
  const last = lastMemo.get(state);
  if (last !== undefined && last.seq === state.seq && last.key === key) return last.text;
  const text = make();
  lastMemo.set(state, { seq: state.seq, key, text });
  return text;
}

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
