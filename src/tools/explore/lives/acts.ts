import { durationToMs } from "../../../core/schema/time.js";
import type { RunRules } from "../functions/local-sandbox.js";

/** Acts of a customer, or of the merchant, on a payment. */
const PAYMENT_ACTS = ["pay", "decline", "cancel", "refund"] as const;
export type PaymentAct = (typeof PAYMENT_ACTS)[number];

/** Failures within a life: of all later webhooks, or of the app's next call. */
export const LIFE_FAILURES = {
  webhook_twice: { webhooks: [{ copies: 2 }] },
  webhook_late: { webhooks: [{ delay: "10m" }] },
  webhook_response_lost: { webhooks: [{ response_lost: true }] },
  response_lost: { faults: [{ drop: "after", times: 1, per: "request" }] },
  response_5xx: { faults: [{ respond: { status: 503 }, times: 1, per: "request" }] },
} satisfies Readonly<Record<string, RunRules>>;
export type LifeFailure = keyof typeof LIFE_FAILURES;

/** One act of a life. Orders and customers are counted from 0. */
export type LifeAct =
  | { readonly do: "order"; readonly order: number; readonly customer: number }
  | { readonly do: "attempt"; readonly order: number }
  | { readonly do: PaymentAct; readonly order: number; readonly isFirst?: true }
  | { readonly do: "wait"; readonly by: string }
  | { readonly do: "fail"; readonly kind: LifeFailure }
  | { readonly do: "at_once"; readonly acts: readonly [LifeAct, LifeAct] };

/** Sandbox time after which nothing of an order is open any more. */
export const SETTLED = "5d";
const SETTLED_MS = durationToMs(SETTLED);
const WAITS = ["10s", "20m", "2h"];

/** Number of orders that are drawn. */
export const MAX_ORDERS = 2;

/** An order as the draw of the next act sees it: the number of its charges, and of those that were paid. */
export interface OpenOrder {
  readonly customer: number;
  readonly charges: number;
  readonly paid: number;
}

/** The acts of a customer who orders, and whose payment ends so. */
export function plainActs(order: number, customer: number, hasAttempt: boolean, end: PaymentAct): LifeAct[] {
  const attempt: LifeAct[] = hasAttempt ? [{ do: "attempt", order }] : [];
  return [{ do: "order", order, customer }, ...attempt, { do: end, order }];
}

export function isSettling(act: LifeAct | undefined): boolean {
  return act?.do === "wait" && durationToMs(act.by) >= SETTLED_MS;
}

/** Lists the possible draws, each as its acts. A likelier draw is in the list more than once. */
export function nextActs(orders: readonly OpenOrder[], hasAttempt: boolean, hasFailed: boolean): LifeAct[][] {
  const [first, second] = orders;
  const acts = [
    ...(second === undefined ? ordersOf(first, hasAttempt) : bothActs(hasAttempt)),
    ...orders.flatMap((order, number) => paymentActs(number, order, hasAttempt)),
    ...(first === undefined ? [] : WAITS.map((by): LifeAct[] => [{ do: "wait", by }])),
  ];
  return [...acts, ...acts, ...(hasFailed ? [] : failureActs(orders, hasAttempt))];
}

/** Draws of a failure. One of a call is followed by a press, whose first call fails. */
function failureActs(orders: readonly OpenOrder[], hasAttempt: boolean): LifeAct[][] {
  const presses: LifeAct[] = hasAttempt
    ? orders.map((_, order) => ({ do: "attempt", order }))
    : orders.length < MAX_ORDERS
      ? [{ do: "order", order: orders.length, customer: orders.length }]
      : [];
  return Object.entries(LIFE_FAILURES).flatMap(([kind, rules]): LifeAct[][] => {
    const fail = { do: "fail", kind: kind as LifeFailure } as const;
    return "faults" in rules ? presses.map((press) => [fail, press]) : [[fail]];
  });
}

/** Orders that can be placed: a second one of the same customer or of another, at once or when the first has ended. */
function ordersOf(first: OpenOrder | undefined, hasAttempt: boolean): LifeAct[][] {
  const order = first === undefined ? 0 : 1;
  return [0, order].flatMap((customer) => {
    const plain = plainActs(order, customer, hasAttempt, "pay");
    const later: LifeAct[] = first === undefined ? [] : [{ do: "wait", by: SETTLED }, ...plain];
    return [plain.slice(0, 1), plain.slice(0, -1), ...(later.length === 0 ? [] : [later])];
  });
}

/** Acts of both orders at the same moment. */
function bothActs(hasAttempt: boolean): LifeAct[][] {
  const both = (act: "attempt" | "pay"): LifeAct => {
    const [one, other] = [0, 1].map((order): LifeAct => ({ do: act, order }));
    return { do: "at_once", acts: [one!, other!] };
  };
  const attempt = hasAttempt ? [both("attempt")] : [];
  return [attempt, [both("pay")], [...attempt, both("pay")]];
}

function paymentActs(order: number, { charges, paid }: OpenOrder, hasAttempt: boolean): LifeAct[][] {
  const attempt: LifeAct[] = hasAttempt ? [{ do: "attempt", order }] : [];
  const pay = { do: "pay", order } as const;
  const possible = PAYMENT_ACTS.filter((act) => charges > 0 && (act !== "refund" || paid > 0));
  return [
    ...(hasAttempt ? [attempt] : []),
    ...(charges > 0
      ? [
          [...attempt, pay],
          [{ ...pay, isFirst: true } as const, pay],
        ]
      : []),
    ...possible.map((act): LifeAct[] => [{ do: act, order }]),
    ...(charges > 1 ? possible.map((act): LifeAct[] => [{ do: act, order, isFirst: true }]) : []),
  ];
}

const CUSTOMERS = ["Ada", "Ben"];
const FAILURES: Readonly<Record<LifeFailure, string>> = {
  webhook_twice: "from now on each webhook arrives twice",
  webhook_late: "from now on each webhook arrives 10m late",
  webhook_response_lost: "from now on the app's first response to each webhook is lost",
  response_lost: "the response to the app's next call is lost",
  response_5xx: "the app's next call fails with 503",
};

/** Tells a life as a story, an act a line. Customers and orders have their names as they come. */
export function storyOf(acts: readonly LifeAct[]): string[] {
  const orders = new Map<number, { readonly who: string; readonly name: string }>();
  const customers = new Map<number, string>();
  const lineOf = (act: LifeAct): string => {
    if (act.do === "wait") return `${act.by} pass`;
    if (act.do === "fail") return FAILURES[act.kind];
    if (act.do === "at_once") return `at the same moment: ${act.acts.map(lineOf).join("; ")}`;
    if (act.do === "order") {
      const who = customers.get(act.customer) ?? CUSTOMERS[customers.size]!;
      customers.set(act.customer, who);
      orders.set(act.order, { who, name: `order ${orders.size + 1}` });
    }
    const { who, name } = orders.get(act.order)!;
    if (act.do === "order") return `${who} places ${name}`;
    if (act.do === "attempt") return `${who} goes to pay ${name}`;
    const which = `${name}${act.isFirst ? " by its first attempt" : ""}`;
    if (act.do === "pay") return `${who} pays ${which}`;
    if (act.do === "cancel") return `${who} cancels the payment of ${which}`;
    return `the payment of ${which} is ${act.do === "decline" ? "declined" : "refunded"}`;
  };
  return acts.map(lineOf);
}
