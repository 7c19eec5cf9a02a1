import { Webhook } from "standardwebhooks";
import type { ExploreFlow, Sandbox } from "../../../src/library/index.js";
import { serviceOf } from "../functions/shop.js";

/** Faults of a shop. Each takes more than one good payment to show. */
export const BUGS = [
  "failed_is_final",
  "old_attempt_counts",
  "newest_attempt_only",
  "refund_ignored",
  "current_order_is_global",
  "second_attempt_paid_too",
  "expiry_closes_order",
  "delivers_for_each_webhook",
  "email_is_the_order",
  "failed_call_closes_newest",
] as const;
export type Bug = (typeof BUGS)[number];

interface Order {
  readonly id: string;
  readonly email: string;
  status: string;
  delivered: number;
  isClosed: boolean;
  readonly attempts: { readonly checkout_id: string; readonly charge_id: string }[];
}

interface Charge {
  readonly charge_id: string;
  readonly status: string;
  readonly customer_email: string;
  readonly metadata: { readonly order: string };
}

const OPEN = ["PENDING", "AWAITING_PAYMENT"];
const DONE = ["paid", "refunded"];

/** Opens a shop with hosted checkouts in this process, right unless it has a bug. */
export async function openShop(sandbox: Sandbox, bug?: Bug): Promise<ExploreFlow> {
  const call = serviceOf(sandbox);
  const webhook = new Webhook(sandbox.webhookSecret);
  const orders = new Map<string, Order>();
  let newest = "";

  const orderOf = ({ metadata, customer_email }: Charge): Order | undefined => {
    const sameCustomer = [...orders.values()].find(({ email }) => email === customer_email);
    if (bug === "email_is_the_order" && sameCustomer !== undefined) return sameCustomer;
    return orders.get(bug === "current_order_is_global" ? newest : metadata.order);
  };
  const hear = (type: string, charge: Charge): void => {
    const order = orderOf(charge);
    if (order === undefined) return;
    const isNewest = order.attempts.at(-1)?.charge_id === charge.charge_id;
    if (type === "charge.completed") {
      if (bug === "failed_is_final" && order.status === "failed") return;
      if (bug === "newest_attempt_only" && !isNewest) return;
      if (order.status !== "paid" || bug === "delivers_for_each_webhook") order.delivered++;
      order.status = order.isClosed ? "failed" : "paid";
    } else if (type === "charge.refunded") {
      if (bug !== "refund_ignored") order.status = "refunded";
    } else if (/failed|cancelled|expired/.test(type)) {
      if (bug === "expiry_closes_order" && type === "charge.expired" && order.status !== "paid")
        order.isClosed = true;
      if (bug === "old_attempt_counts" || (isNewest && !DONE.includes(order.status))) order.status = "failed";
    }
  };
  await sandbox.onWebhook(async (request) => {
    const event = webhook.verify(await request.text(), Object.fromEntries(request.headers));
    const { type, data } = event as { type: string; data: Charge };
    hear(type, data);
  });

  const place = (id: string, email: string): void => {
    const made: Order = { id, email, status: "open", delivered: 0, isClosed: false, attempts: [] };
    if (!orders.has(id)) orders.set(id, made);
    newest = id;
  };
  const goToPay = async (id: string) => {
    const order = orders.get(id)!;
    if (DONE.includes(order.status)) return {};
    const last = order.attempts.at(-1);
    if (last !== undefined && bug !== "second_attempt_paid_too") {
      const { status } = (await call("GET", `charges/${last.charge_id}`)) as unknown as Charge;
      if (OPEN.includes(status)) return last;
      if (["PROCESSING", "COMPLETED"].includes(status)) return {};
    }
    const terms = {
      pricing: { base_currency: "KES", amount: "1105.10" },
      customer_email: order.email,
      payment_methods: ["mobile_money"],
      metadata: { order: id },
    };
    const made = (await call("POST", "checkouts", terms).catch((error) => {
      if (bug === "failed_call_closes_newest" && newest !== id) orders.get(newest)!.isClosed = true;
      throw error;
    })) as unknown as Order["attempts"][number];
    order.attempts.push(made);
    if (bug !== "failed_is_final") order.status = "open";
    return made;
  };
  return {
    name: "shop",
    see: {
      order: ({ id }) => {
        const { status, delivered } = orders.get(id)!;
        return { status, delivered };
      },
    },
    lives: {
      order: ({ id, email, press }) => press("order", () => place(id, email)),
      attempt: ({ id, press }) => press("pay", () => goToPay(id)),
    },
  };
}
