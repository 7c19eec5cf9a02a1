import * as z from "zod/mini";
import { chargeStatusSchema } from "../../../core/schema/common.js";
import { payRequestSchema } from "../../../core/schema/control-requests.js";
import { controlChargeSchema } from "../../../core/schema/control-responses.js";
import { isSuccessStatus } from "../../../core/schema/http-response.js";
import { withNameKind } from "../../../core/schema/name-kinds.js";
import { variableNameSchema } from "../../../core/schema/scenario-file.js";
import {
  pricingSchema,
  quoteRequestSchema,
  whitelabelRequestSchema,
} from "../../../core/schema/service-requests.js";
import { type CallResponse, errorTextOf } from "../running/client.js";
import type { RunContext } from "../running/context.js";
import { StepFailure } from "../running/failure.js";
import { NamedRecord } from "../variables.js";
import { callAppUnderTest } from "./app.js";
import { callResult, checkCallResult, checkResponse } from "./check-response.js";
import { callService, DEFAULT_CALL_TIMEOUT_MS, type ServiceAccess } from "./request.js";
import {
  defineStep,
  type ExpectedResponse,
  responseSchema,
  resultSchema,
  saveSchema,
  stepSchema,
  textSchema,
} from "./step-definition.js";

export const PAY_DEFAULTS = { currency: "KES", method: "card", until: "COMPLETED" } as const;
export const CUSTOMER_DEFAULTS: Readonly<Record<string, object>> = {
  mobile_money: { phone_number: "+254700000001" },
  bank_transfer: { bank_account_number: "0123456789" },
};

type Row = Readonly<Record<string, unknown>>;

const { payment_rail, to_currency } = quoteRequestSchema.shape;
const { phone_number, bank_account_number, customer_name, metadata, expires_in_minutes } =
  whitelabelRequestSchema.shape;
const paySchema = z.strictObject({
  amount: pricingSchema.shape.amount,
  currency: z.optional(withNameKind("currency", textSchema)),
  method: z.optional(withNameKind("payment method", textSchema)),
  to_currency,
  payment_rail,
  customer_email: z.optional(textSchema),
  customer_name,
  phone_number,
  bank_account_number,
  metadata,
  expires_in_minutes,
  until: z.optional(chargeStatusSchema),
  as: z.optional(variableNameSchema),
});

export const pay = defineStep(["checks", "ignores_start"], {
  description:
    "Creates and pays a charge: a quote, its checkout, and its tasks until it is COMPLETED, or `until` another status; the clock does not move. Default `method` card, `currency` KES. `as: c1` saves it as the variable c1, with c1.amount and so on.",
  schema: stepSchema({ pay: paySchema, save: saveSchema }),
  result: () => controlChargeSchema,
  namedResult: ({ pay }, charge) =>
    pay.as === undefined ? undefined : [pay.as, new NamedRecord(String((charge as Row).charge_id), charge)],
  run: (step, context) => makePayment(context, step.pay),
});

/** Creates and pays a charge, as the step `pay` does. */
export async function makePayment(
  access: ServiceAccess,
  {
    amount,
    currency,
    method,
    to_currency,
    payment_rail,
    until,
    as = "customer",
    ...customer
  }: z.infer<typeof paySchema>,
): Promise<unknown> {
  const payment = {
    pricing: { base_currency: currency ?? PAY_DEFAULTS.currency, amount },
    payment_method: method ?? PAY_DEFAULTS.method,
    payment_rail,
  };
  const { quote_id } = await call(access, "quotes", { ...payment, to_currency });
  const { charge_id } = await call(access, "whitelabel", {
    ...payment,
    quote_id,
    customer_email: `${as}@shop.test`,
    ...CUSTOMER_DEFAULTS[payment.payment_method],
    ...customer,
  });
  await advanceCharge(access, String(charge_id), until, "pay");
  return access.client.callOrFail("getCharge", { charge_id: String(charge_id) });
}

/** Advances a charge's timeline to a status; fails the step if the timeline does not reach it. */
async function advanceCharge(
  { client }: ServiceAccess,
  charge_id: string,
  target: string = PAY_DEFAULTS.until,
  kind: string,
): Promise<void> {
  if (target === "PENDING") return;
  const answer = await client.control("advanceCharge", { charge_id, until: target });
  if (answer.status < 300) return;
  const message = `the charge ${charge_id} does not become ${target} by itself: ${errorTextOf(answer)}`;
  const { scenario, timeline } = ((await client.callOrFail("getCharge", { charge_id })) as { sandbox: Row })
    .sandbox;
  throw new StepFailure({ message, got: { scenario, timeline } }, `${kind}.until`);
}

async function call(access: ServiceAccess, path: string, body: object): Promise<Row> {
  const answer = await callService(
    access,
    "POST",
    `/api/v1/payments/${path}`,
    { body },
    DEFAULT_CALL_TIMEOUT_MS,
  );
  checkCallResult(undefined, answer, DEFAULT_CALL_TIMEOUT_MS);
  return typeof answer === "string" ? {} : (answer.body as Row);
}

/*
 * Steps for customers of a hosted checkout who use two tabs or close the page. The steps press the buttons through the
 * control API. After the charge has ended, an open tab returns to the app under test.
 */

const checkoutFields = {
  checkout_id: textSchema,
  payment_method: z.optional(withNameKind("payment method", textSchema)),
  currency: z.optional(withNameKind("currency", textSchema)),
  phone_number: payRequestSchema.shape.phone_number,
  bank_account_number: payRequestSchema.shape.bank_account_number,
};
const at_once = z.optional(z.boolean());
const until = z.optional(chargeStatusSchema);
/** `expect` applies to the response to the last press. */
const companions = { expect: z.optional(responseSchema), save: saveSchema };
const answer = resultSchema(z.unknown());
/** The charge, the responses to the presses, and the app's responses to returning tabs. */
const resultRecord = z.extend(controlChargeSchema, {
  answers: z.array(answer),
  returned: z.array(z.extend(answer, { url: z.string() })),
});
const result = () => resultRecord;

export const payTwice = defineStep(["checks", "ignores_start"], {
  description: "The customer pays a hosted checkout in two tabs, and both lead back to the shop.",
  schema: stepSchema({ pay_twice: z.strictObject({ ...checkoutFields, until, at_once }), ...companions }),
  result,
  run: ({ pay_twice: { until = PAY_DEFAULTS.until, ...choice }, expect }, context) =>
    visit(context, { kind: "pay_twice", presses: ["pay", "pay"], ...choice, until, expect }),
});

export const cancelThenPay = defineStep(["checks", "ignores_start"], {
  description:
    "The customer cancels a hosted checkout in one tab and pays it in another; both return to `cancel_url`.",
  schema: stepSchema({ cancel_then_pay: z.strictObject({ ...checkoutFields, at_once }), ...companions }),
  result,
  run: ({ cancel_then_pay: choice, expect }, context) =>
    visit(context, { kind: "cancel_then_pay", presses: ["cancel", "pay"], ...choice, expect }),
});

export const closePage = defineStep(["checks", "ignores_start"], {
  description:
    "The customer closes the page of a hosted checkout and never returns: unpaid, or after paying with `payment_method`.",
  schema: stepSchema({ close_page: z.strictObject({ ...checkoutFields, until }), ...companions }),
  result,
  run: ({ close_page: { until = PAY_DEFAULTS.until, ...choice }, expect }, context) => {
    const presses = choice.payment_method === undefined ? [] : (["pay"] as const);
    return visit(context, { kind: "close_page", presses, ...choice, until, expect });
  },
});

interface Visit {
  readonly kind: "pay_twice" | "cancel_then_pay" | "close_page";
  /** The button pressed in each tab. */
  readonly presses: readonly ("pay" | "cancel")[];
  readonly at_once?: boolean | undefined;
  readonly until?: string;
  readonly expect: ExpectedResponse | undefined;
  readonly checkout_id: string;
  readonly payment_method?: string | undefined;
}

async function visit(context: RunContext, options: Visit): Promise<object> {
  const { kind, presses, at_once, until, expect, checkout_id, ...choice } = options;
  const { client } = context;
  const payment_method = choice.payment_method ?? PAY_DEFAULTS.method;
  const payment = { ...CUSTOMER_DEFAULTS[payment_method], ...choice, payment_method };
  if (presses.length === 0) await readNextUrl(context, checkout_id);
  const answers = await inTabs(presses, at_once, (press) =>
    press === "pay"
      ? client.control("payCheckout", { checkout_id, ...payment })
      : client.control("cancelCheckout", { checkout_id }),
  );
  checkPresses(answers, expect);
  const accepted = answers.find(({ status }) => isSuccessStatus(status))?.body as
    | { charge_id: string }
    | undefined;
  if (accepted !== undefined && until !== undefined)
    await advanceCharge(context, accepted.charge_id, until, kind);
  const returning = kind === "close_page" ? [] : presses;
  const returned = await inTabs(returning, at_once, () => returnToShop(context, checkout_id));
  const charge = accepted && (await client.callOrFail("getCharge", { charge_id: accepted.charge_id }));
  return { ...(charge as object | undefined), answers, returned: returned.flat() };
}

/** Calls `act` for each tab: one after the other, or all at once. */
async function inTabs<Tab, Result>(
  tabs: readonly Tab[],
  isAtOnce: boolean | undefined,
  act: (tab: Tab) => Promise<Result>,
): Promise<Result[]> {
  if (isAtOnce) return Promise.all(tabs.map(act));
  const results: Result[] = [];
  for (const tab of tabs) results.push(await act(tab));
  return results;
}

/** Fails if no press was accepted. A late press may get a 409 response. `expect` applies to the last press. */
function checkPresses(answers: readonly CallResponse[], expect: ExpectedResponse | undefined): void {
  const others = expect === undefined ? answers : answers.slice(0, -1);
  const isAccepted = others.some(({ status }) => isSuccessStatus(status));
  for (const answer of others) if (!isAccepted || answer.status !== 409) checkResponse(undefined, answer);
  const last = answers.at(-1);
  if (expect !== undefined && last !== undefined) checkResponse(expect, last);
}

/** Opens the checkout's return URL in the app, if the charge has ended. */
async function returnToShop(context: RunContext, checkout_id: string): Promise<object[]> {
  const next = await readNextUrl(context, checkout_id);
  if (next === undefined || context.app === undefined) return [];
  const { pathname, search } = new URL(next);
  const answer = await callAppUnderTest(context, `GET ${pathname}${search}`, {}, DEFAULT_CALL_TIMEOUT_MS);
  return [{ url: next, ...callResult(answer) }];
}

async function readNextUrl({ client }: RunContext, checkout_id: string): Promise<string | undefined> {
  const path = `/checkout/${encodeURIComponent(checkout_id)}/status`;
  const answer = await client.service("GET", path, { headers: {}, body: undefined }, DEFAULT_CALL_TIMEOUT_MS);
  checkCallResult(undefined, answer, DEFAULT_CALL_TIMEOUT_MS);
  return typeof answer === "string" ? undefined : (answer.body as { next?: string }).next;
}
