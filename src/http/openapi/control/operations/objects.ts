import { chargeQuerySchema } from "../../../../schema/control.js";
import { type ControlDoc, faulty, illegal, LIMIT, MODE, notFound, OFFSET, query } from "../doc.js";
import * as example from "../examples.js";
import { PAGE } from "./world.js";

const NO_CHARGE = notFound("Charge not found");
const MOVED = { component: "Charge", says: "It has moved.", examples: { completed: example.CHARGE } };
/** What calls that pay for a hosted charge do where its customer has yet to pick a method. */
const BY_DEFAULT =
  "A hosted charge that needs a method for that, and has none, is paid by its quote's while that price is held, else by the first the checkout offers.";
const POOR = {
  "too little money": {
    code: "INSUFFICIENT_BALANCE",
    message: "The available balance in KES is too low.",
  },
};

export const OBJECT_DOCS: Readonly<Record<string, ControlDoc>> = {
  listCharges: {
    tag: "Objects",
    summary: "List charges",
    says: "Charges of every organization, newest first.",
    query: query(chargeQuerySchema, {
      limit: LIMIT,
      offset: OFFSET,
      mode: MODE,
      customer_email: { says: "Only this customer's.", examples: ["ada@shop.test"] },
      status: "Only those in this status.",
    }),
    openQuery: [
      {
        name: "metadata",
        in: "query",
        description:
          "Only those whose metadata has this: one parameter `metadata.KEY` for each key, such as `metadata.order_id=1042`.",
        style: "form",
        explode: true,
        schema: {
          type: "object",
          propertyNames: { pattern: "^metadata\\.." },
          additionalProperties: { type: "string" },
        },
        example: { "metadata.order_id": "1042" },
      },
    ],
    answer: {
      component: "ControlChargeList",
      says: "A page.",
      examples: { one: example.only(example.CONTROL_CHARGE) },
    },
  },
  getCharge: {
    tag: "Objects",
    summary: "Read a charge",
    says: "A charge, whoever's it is, and what decides its fate.",
    answer: {
      component: "ControlCharge",
      says: "The charge.",
      examples: { completed: example.CONTROL_CHARGE },
    },
    missing: NO_CHARGE,
  },
  transitionCharge: {
    tag: "Objects",
    summary: "Move a charge",
    says: `Gives it a status now. What is left of its scenario's timeline is called off. ${BY_DEFAULT}`,
    body: {
      component: "TransitionRequest",
      examples: { declined: { to: "FAILED", reason: "declined_by_operator" } },
    },
    answer: MOVED,
    missing: NO_CHARGE,
    conflicts: { illegal: illegal("A charge that is FAILED cannot become COMPLETED."), ...POOR },
  },
  refundCharge: {
    tag: "Objects",
    summary: "Refund a charge",
    says: "All of it; a charge that has yet to settle settles first.",
    body: { component: "RefundRequest", examples: { why: { reason: "requested_by_merchant" } } },
    answer: MOVED,
    missing: NO_CHARGE,
    conflicts: { illegal: illegal("A charge that is FAILED cannot become REFUNDED."), ...POOR },
  },
  advanceCharge: {
    tag: "Objects",
    summary: "Move a charge along its own timeline",
    says: `Runs what is planned for this charge, and nothing else, until it has the status. The clock stays. ${BY_DEFAULT}`,
    body: { component: "ChargeAdvanceRequest", examples: { completed: { until: "COMPLETED" } } },
    answer: MOVED,
    missing: NO_CHARGE,
    conflicts: { "not planned": illegal("Nothing planned for the charge makes it FAILED.") },
  },
  getChargeTimeline: {
    tag: "Objects",
    summary: "Read a charge's story",
    says: "Requests, transitions, ledger entries, events, and every delivery attempt with its answer, in order.",
    answer: { component: "ChargeStory", says: "The story.", examples: { "cut short": example.STORY } },
    missing: NO_CHARGE,
  },
  transitionWithdrawal: {
    tag: "Objects",
    summary: "Move a withdrawal",
    says: "Gives it a status now. What is left of its scenario's timeline is called off.",
    body: {
      component: "WithdrawalTransitionRequest",
      examples: { failed: { to: "FAILED", reason: "account_closed" } },
    },
    answer: {
      component: "Withdrawal",
      says: "It has moved.",
      examples: { failed: example.FAILED_WITHDRAWAL },
    },
    missing: notFound("Withdrawal not found"),
    conflicts: { illegal: illegal("A withdrawal that is COMPLETED cannot become FAILED.") },
  },
  payCheckout: {
    tag: "Objects",
    summary: "Pay a checkout",
    says: "Does what the customer does on the hosted page: picks a method and pays. The scenario says what comes of it.",
    body: {
      component: "PayRequest",
      examples: {
        "mobile money": { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" },
      },
    },
    answer: { component: "Charge", says: "Its charge.", examples: { paid: example.CHARGE } },
    invalid: { "phone missing": faulty({ phone_number: "is required for mobile_money" }) },
    missing: notFound("Checkout not found"),
    conflicts: {
      "paid already": illegal("The checkout cannot be paid: its charge is COMPLETED."),
    },
  },
  cancelCheckout: {
    tag: "Objects",
    summary: "Cancel a checkout",
    says: "The customer gives up.",
    answer: { component: "Charge", says: "Its charge.", examples: { "any charge": example.CHARGE } },
    missing: notFound("Checkout not found"),
    conflicts: { "paid already": illegal("A charge that is COMPLETED cannot become CANCELLED.") },
  },
  listBalances: {
    tag: "Objects",
    summary: "List balances",
    says: "Every account there is; unlike the service's read this opens none.",
    query: PAGE,
    answer: {
      component: "ControlBalanceList",
      says: "A page.",
      examples: { one: example.only(example.BALANCE) },
    },
  },
  waitFor: {
    tag: "Insight",
    summary: "Wait for something",
    says: "Answers as soon as there is such a charge, request or delivery, or when nothing is due and no delivery under way. A wait ends with its caller; 1,000 of a namespace may be pending at a time.",
    body: {
      component: "WaitRequest",
      examples: { "a paid charge": example.WAIT_REQUEST, "all quiet": { for: "idle" } },
    },
    answer: {
      component: "WaitResult",
      says: "The newest that matches.",
      examples: { "a paid charge": example.WAITED_CHARGE },
    },
    timeout: {
      code: "WAIT_TIMEOUT",
      message: "No charge matched within 10s",
      details: { [example.CHARGE.charge_id]: 'status is "FAILED", not "COMPLETED"' },
    },
    crowded: { code: "RATE_LIMIT_EXCEEDED", message: "Too many calls are waiting in this namespace already" },
  },
};
