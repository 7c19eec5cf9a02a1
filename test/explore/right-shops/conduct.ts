import type { Sandbox } from "../../../src/library/index.js";
import { minorOf, type Order, waitingAndPaidWords } from "./order.js";
import type { Body } from "./payments.js";
import { draw, hasJob, type Traits } from "./traits.js";
import type { OpenedShop } from "./trial.js";

type Rules = Readonly<Record<string, unknown>>;

/** How a payment can end, as rules for charges. */
export const ENDS = {
  paid: { timeline: [step("1s", "AWAITING_PAYMENT"), step("2s", "PROCESSING"), step("2s", "COMPLETED")] },
  "paid at once": { timeline: [step("0s", "COMPLETED")] },
  declined: { timeline: [step("1s", "AWAITING_PAYMENT"), step("2s", "FAILED")] },
  expired: { timeline: [step("1s", "AWAITING_PAYMENT")] },
  "paid late": { timeline: [step("1s", "AWAITING_PAYMENT"), { after_expiry: "10m", to: "COMPLETED" }] },
  refunded: { timeline: [step("1s", "AWAITING_PAYMENT"), step("2s", "COMPLETED"), step("3h", "REFUNDED")] },
  underpaid: { timeline: [step("1s", "COMPLETED")], paid: { factor: 0.5 } },
  overpaid: { timeline: [step("1s", "COMPLETED")], paid: { factor: 2 } },
  "paid in dollars": { timeline: [step("1s", "COMPLETED")], paid: { currency: "USD" } },
  "half refunded": { timeline: [step("1s", "COMPLETED")] },
  "only returned": { timeline: [step("1s", "AWAITING_PAYMENT")] },
} as const satisfies Readonly<Record<string, Rules>>;
export type End = keyof typeof ENDS;

function step(after: string, to: string) {
  return { after, to };
}

/** What can go wrong with webhooks. */
const WEBHOOKS: Readonly<Record<string, Rules>> = {
  "on time": {},
  twice: { copies: 2 },
  "twice at once": { copies: 2, at_once: true },
  "twice with new ids": { copies: 2, ids: "new" },
  "again later": { again_after: "1d" },
  "response lost": { response_lost: true },
  swapped: { swap: true },
  late: { delay: "10m" },
  "after the deadline": { delay: "3h" },
  "at the fourth attempt": { fail_first: 3 },
};

const EVENT_TYPES = [
  ...["*", "charge.awaiting_payment", "charge.processing", "charge.completed"],
  ...["charge.expired", "charge.refunded", "sandbox.charge.partially_refunded"],
];

/** What can go wrong with calls. */
const FAULTS: Readonly<Record<string, Rules>> = {
  none: {},
  "request lost": { drop: "before" },
  "response lost": { drop: "after" },
  refused: { respond: { status: 429 } },
  failing: { respond: { status: 503 } },
  "held for a webhook": { hold: "webhook" },
  "held until idle": { hold: "idle" },
};

const OPERATIONS = [
  ...["createQuote", "createWhitelabel", "createCheckout", "getCharge", "listPayins"],
  ...["createDestination", "createWithdrawal", "getWithdrawal"],
];

export interface Conduct {
  readonly end: End;
  readonly webhooks: string;
  readonly type: string;
  readonly fault: string;
  readonly operation: string;
  readonly times: number;
  /** Maximum wall time of a held response. Without a webhook to wait for it is held so long. */
  readonly maxHeld: string;
  /** The customer presses twice at the same moment. */
  readonly isPressedTwice: boolean;
}

/** Draws the disturbances of an order. */
export function drawConduct(seed: string, end: End): Conduct {
  return {
    end,
    webhooks: draw(seed, "webhooks", Object.keys(WEBHOOKS)),
    type: draw(seed, "type", EVENT_TYPES),
    fault: draw(seed, "fault", Object.keys(FAULTS)),
    operation: draw(seed, "operation", OPERATIONS),
    times: draw(seed, "times", [1, 2, 3]),
    maxHeld: "300ms",
    isPressedTwice: draw(seed, "presses", [false, true]),
  };
}

/** Takes an order through the disturbances, and compares the shop's books with the ledger. Returns the differences. */
export async function conductOrder(opened: OpenedShop, traits: Traits, conduct: Conduct): Promise<string[]> {
  const { sandbox, shop } = opened;
  const { end, webhooks, type, fault, operation, times, maxHeld } = conduct;
  const held = fault.startsWith("held") ? { at_most: maxHeld } : {};
  await sandbox.control("PUT", "/_sandbox/scenarios/conduct", {
    charges: [ENDS[end]],
    webhooks: webhooks === "on time" ? [] : [{ match: { type }, ...WEBHOOKS[webhooks] }],
    faults:
      fault === "none" ? [] : [{ match: { operation }, ...FAULTS[fault], ...held, times, per: "request" }],
  });
  await sandbox.control("POST", "/_sandbox/scenarios/conduct/activate");
  const order = await place(opened, `cart-${shop.books.all.length + 1}`, conduct);
  await pay(opened, order, traits, end);
  await passHours(opened, order, traits, 6);
  if (end === "half refunded") {
    const paid = (await readCharges(sandbox, order.email)).find(({ status }) => status === "COMPLETED");
    if (paid !== undefined) await sandbox.run("refundPart", { charge_id: paid.charge_id, amount: HALF });
  }
  await sandbox.control("POST", "/_sandbox/scenarios/conduct/deactivate");
  await sandbox.advance("5d");
  await passHours(opened, order, traits, 3);
  const charges = await readCharges(sandbox, order.email);
  const { items } = await sandbox.control<Body>("GET", "/_sandbox/withdrawals?limit=100");
  const returned = items.filter(
    ({ reference, status }: Body) =>
      status === "COMPLETED" && charges.some(({ charge_id }) => reference === `return-${charge_id}`),
  );
  return differencesOf(order, charges, returned.length, traits, end);
}

const HALF = "350.02";

/** Sandbox time that passes while a response is held. A quote is valid for longer. */
const MAX_HELD_SECONDS = 20;

/** The customer presses until the shop takes the order. Time passes meanwhile, for responses that are held. */
async function place(
  { sandbox, shop, url }: OpenedShop,
  cart: string,
  { isPressedTwice }: Conduct,
): Promise<Order> {
  const email = `${cart}@shop.test`;
  const press = async () => {
    for (let attempt = 1; attempt <= 6; attempt++) {
      const body = JSON.stringify({ cart, email });
      const { ok } = await fetch(`${url}/orders`, { method: "POST", body });
      if (ok) return;
    }
  };
  let isDone = false;
  const pressed = Promise.all(isPressedTwice ? [press(), press()] : [press()]).finally(() => (isDone = true));
  for (let second = 0; second < MAX_HELD_SECONDS && !isDone; ) {
    // The shop shares this thread, and control calls in process need no turn of it.
    await new Promise(setImmediate);
    const isCharged = (await readCharges(sandbox, email)).length > 0;
    if (isCharged) await sandbox.advance("1s");
    second += isCharged ? 1 : 0;
  }
  await pressed;
  // The shop may still be at work: time stands until it has a charge, or has given up.
  await sandbox.settled();
  return shop.books.all.find((order) => order.cart === cart)!;
}

async function pay(
  { sandbox, url }: OpenedShop,
  order: Order,
  { checkout }: Traits,
  end: End,
): Promise<void> {
  if (checkout === "whitelabel" || order.checkout_id === undefined) return;
  const thanks = () => fetch(`${url}/thanks?order=${order.id}`).then((response) => response.text());
  const { checkout_id } = order;
  if (end === "only returned") await thanks();
  else await sandbox.run("payCheckout", { checkout_id, payment_method: "card" });
  await sandbox.advance("10s");
  await thanks();
}

/** Hours pass, in which the shop does its scheduled work and the customer looks. */
async function passHours(
  { sandbox, url }: OpenedShop,
  { id }: Order,
  traits: Traits,
  hours: number,
): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    await sandbox.advance("1h");
    await sandbox.settled();
    if (hasJob(traits)) await fetch(`${url}/tick`, { method: "POST" });
    await fetch(`${url}/orders/${id}`);
  }
}

/** Reads all charges of the customer, even those that the shop has forgotten. */
async function readCharges(sandbox: Sandbox, email: string): Promise<Body[]> {
  const path = `/_sandbox/charges?customer_email=${encodeURIComponent(email)}&limit=100`;
  return (await sandbox.control<Body>("GET", path)).items;
}

/** Compares an order with what the ledger says of its charges. */
function differencesOf(
  order: Order,
  charges: readonly Body[],
  returned: number,
  traits: Traits,
  end: End,
): string[] {
  const moved = charges.filter(({ status }) => status === "COMPLETED" || status === "REFUNDED");
  const want = expectedOrder(order, moved[0], traits, end === "half refunded");
  const refundedMinor = order.refunds.reduce((sum, { minor }) => sum + minor, 0);
  const has = {
    status: order.status,
    delivered: order.delivered,
    credit: order.creditMinor,
    refunded: refundedMinor,
    returned,
  };
  const differences = Object.entries(want).flatMap(([name, value]) => {
    const got = has[name as keyof typeof has];
    const isRight = value instanceof RegExp ? value.test(String(got)) : value === got;
    return isRight ? [] : [`${name} is ${got}, not ${value}`];
  });
  return moved.length > 1 ? [`${moved.length} charges are paid`, ...differences] : differences;
}

interface ExpectedOrder {
  readonly status: string | RegExp;
  readonly delivered: number;
  readonly credit: number;
  readonly refunded: number;
  readonly returned: number;
}

/** The order as it must be, by the charge of which money moved; undefined if none did. */
function expectedOrder(
  { priceMinor }: Order,
  charge: Body | undefined,
  traits: Traits,
  isHalf: boolean,
): ExpectedOrder {
  const unpaid = { delivered: 0, credit: 0, refunded: 0, returned: 0 };
  const ended = traits.ends === "apart" ? /^(declined|cancelled|expired)$/ : "not_paid";
  if (charge === undefined) return { ...unpaid, status: ended };
  if (charge.amount_paid !== undefined) return { ...unpaid, status: "review" };
  const isLate = charge.status_history.some(({ status }: Body) => status === "EXPIRED");
  if (isLate && traits.late === "credited") return { ...unpaid, status: ended, credit: priceMinor };
  if (isLate && traits.late === "paid back") return { ...unpaid, status: "returned", returned: 1 };
  const paid = { ...unpaid, delivered: 1 };
  if (charge.status === "REFUNDED") return { ...paid, status: "refunded", refunded: priceMinor };
  const half = isHalf && traits.halves === "shown" && traits.learns !== "polling" ? minorOf(HALF) : 0;
  return { ...paid, status: waitingAndPaidWords(traits)[1], refunded: half };
}
