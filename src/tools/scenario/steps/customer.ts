import * as z from "zod/mini";
import { chargeStatusSchema } from "../../../core/schema/common.js";
import { payRequestSchema } from "../../../core/schema/control.js";
import { controlChargeSchema } from "../../../core/schema/control-responses.js";
import { naming } from "../../../core/schema/names.js";
import type { Answer } from "../running/client.js";
import type { RunContext } from "../running/context.js";
import { checkAnswer, checkOutcome, resultOf } from "./answers.js";
import { sentToApp } from "./app.js";
import { answerSchema, type ExpectedAnswer, resultSchema, save, textSchema } from "./parts.js";
import { becomes, DEFAULTS, SAID } from "./pay.js";
import { DEFAULT_WITHIN_MS } from "./request.js";
import { step, stepSchema } from "./row.js";

/*
 * What a customer does with a hosted checkout other than pay it: in two tabs, or without coming back. What is pressed
 * goes over the control API. A tab whose charge is over leads to the app under test, if there is one.
 */

const { phone_number, bank_account_number } = payRequestSchema.shape;
const chosen = {
  checkout_id: textSchema,
  payment_method: z.optional(naming("payment method", textSchema)),
  currency: z.optional(naming("currency", textSchema)),
  phone_number,
  bank_account_number,
};
const at_once = z.optional(z.boolean());
const until = z.optional(chargeStatusSchema);
/** What is expected of the answer to the last press. */
const beside = { expect: z.optional(answerSchema), save };
const answer = resultSchema(z.unknown());
/** The charge, what each press was answered, and what the shop answered each tab that came back. */
const comesTo = z.extend(controlChargeSchema, {
  answers: z.array(answer),
  returned: z.array(z.extend(answer, { url: z.string() })),
});
const result = () => comesTo;

export const payTwice = step({
  says: "The customer pays a hosted checkout in two tabs, and both lead back to the shop.",
  schema: stepSchema({ pay_twice: z.strictObject({ ...chosen, until, at_once }), ...beside }),
  result,
  run: ({ pay_twice: { until = DEFAULTS.until, ...said }, expect }, context) =>
    visit(context, { kind: "pay_twice", presses: ["pay", "pay"], comesBack: true, ...said, until, expect }),
});

export const cancelThenPay = step({
  says: "The customer cancels a hosted checkout in one tab and pays it in another, and both lead back to the shop.",
  schema: stepSchema({ cancel_then_pay: z.strictObject({ ...chosen, at_once }), ...beside }),
  result,
  run: ({ cancel_then_pay: said, expect }, context) =>
    visit(context, { kind: "cancel_then_pay", presses: ["cancel", "pay"], comesBack: true, ...said, expect }),
});

export const closePage = step({
  says: "The customer closes the page of a hosted checkout and never returns to the shop: unpaid, or after paying with the payment_method.",
  schema: stepSchema({ close_page: z.strictObject({ ...chosen, until }), ...beside }),
  result,
  run: ({ close_page: { until = DEFAULTS.until, ...said }, expect }, context) => {
    const presses = said.payment_method === undefined ? [] : (["pay"] as const);
    return visit(context, { kind: "close_page", presses, comesBack: false, ...said, until, expect });
  },
});

interface Visit {
  readonly kind: string;
  /** In each tab one. */
  readonly presses: readonly ("pay" | "cancel")[];
  readonly comesBack: boolean;
  readonly at_once?: boolean | undefined;
  readonly until?: string;
  readonly expect: ExpectedAnswer | undefined;
  readonly checkout_id: string;
  readonly payment_method?: string | undefined;
}

async function visit(context: RunContext, asked: Visit): Promise<object> {
  const { kind, presses, comesBack, at_once, until, expect, checkout_id, ...choice } = asked;
  const { client } = context;
  const checkout = `/checkouts/${encodeURIComponent(checkout_id)}`;
  const payment_method = choice.payment_method ?? DEFAULTS.method;
  const payment = { ...SAID[payment_method], ...choice, payment_method };
  if (presses.length === 0) await look(context, checkout_id);
  const answers = await inTabs(presses, at_once, (press) =>
    client.control("POST", `${checkout}/${press}`, press === "pay" ? payment : undefined),
  );
  checkPresses(answers, expect);
  const taken = answers.find(({ status }) => status < 300)?.body as { charge_id: string } | undefined;
  if (taken !== undefined && until !== undefined) await becomes(context, taken.charge_id, until, kind);
  const returned = await inTabs(comesBack ? presses : [], at_once, () => comeBack(context, checkout_id));
  const charge = taken && (await client.must("GET", `/charges/${taken.charge_id}`));
  return { ...(charge as object | undefined), answers, returned: returned.flat() };
}

/** One after the other, or all begun before the first is over. */
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

/** One of them has to be taken; another may come too late. The last is held against what is expected of it, if anything is. */
function checkPresses(answers: readonly Answer[], expect: ExpectedAnswer | undefined): void {
  const judged = expect === undefined ? answers : answers.slice(0, -1);
  const isTaken = judged.some(({ status }) => status < 300);
  for (const answer of judged) if (!isTaken || answer.status !== 409) checkAnswer(undefined, answer);
  const last = answers.at(-1);
  if (expect !== undefined && last !== undefined) checkAnswer(expect, last);
}

/** A tab leads to the shop once the charge is over, if the shop has said where to. */
async function comeBack(context: RunContext, checkout_id: string): Promise<object[]> {
  const next = await look(context, checkout_id);
  if (next === undefined || context.app === undefined) return [];
  const { pathname, search } = new URL(next);
  const answer = await sentToApp(context, `GET ${pathname}${search}`, {}, DEFAULT_WITHIN_MS);
  return [{ url: next, ...resultOf(answer) }];
}

/** Where the page leads by now. */
async function look({ client }: RunContext, checkout_id: string): Promise<string | undefined> {
  const path = `/checkout/${encodeURIComponent(checkout_id)}/status`;
  const answer = await client.service("GET", path, { headers: {}, body: undefined }, DEFAULT_WITHIN_MS);
  checkOutcome(undefined, answer, DEFAULT_WITHIN_MS);
  return typeof answer === "string" ? undefined : (answer.body as { next?: string }).next;
}
