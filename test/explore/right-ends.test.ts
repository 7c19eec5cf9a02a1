// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import type { CallService } from "./apps.js";
import {
  checkoutShop,
  deliver,
  type Extra,
  explored,
  flowOf,
  type OnCharge,
  type Order,
  payOut,
  type Work,
} from "./checkout-shop.js";

describe.concurrent("a charge that is cancelled", () => {
  const PAID = flowOf("", "status: paid, delivered: 1");
  const ended = (order: Order, status: string) => {
    if (status === "COMPLETED" && order.status !== "paid") deliver(order);
    else if (order.status !== "paid") order.status = status.toLowerCase();
  };

  /** The first request for each path of the page fails, like a lost call. */
  const failingOnce = (page: string, shop: ReturnType<typeof checkoutShop>) => (call: CallService) => {
    const answer = shop(call);
    const visited = new Set<string>();
    return async (route: string, body: Parameters<typeof answer>[1]) => {
      if (!route.startsWith(`GET ${page}`) || visited.has(route)) return answer(route, body);
      visited.add(route);
      return [503] as const;
    };
  };

  it("explore accepts a cancelled or still open order after a cancellation", async () => {
    const only = "cancelled_then_paid at page#1";
    expect((await explored(checkoutShop(ended), PAID, { only })).report).toMatchObject({ passed: true });
    const open = (order: Order, status: string) => {
      if (status === "COMPLETED" && order.status !== "paid") deliver(order);
    };
    expect((await explored(failingOnce("/thanks", checkoutShop(open)), PAID)).found).toEqual([]);
  });

  it("explore finds an order that stays pending after a cancellation", async () => {
    const deaf = (order: Order, status: string) => {
      if (status === "COMPLETED") order.status = "paid";
      else if (order.status !== "paid") order.status = "pending";
    };
    const { found, report } = await explored(checkoutShop(deaf), flowOf("", "status: paid"));
    expect(found.sort()).toEqual([
      "liveness: cancelled_then_paid page#1",
      "liveness: declined charge#1",
      "liveness: expired_unpaid charge#1",
      "liveness: returned_unpaid page#1",
    ]);
    expect(report.findings[0]?.message).toBe(
      'the charge has ended, and the app waits: body.status is "pending"',
    );
  });

  it("explore accepts a payout of a received payment", async () => {
    const share: OnCharge = async (order, status, call) => {
      if (status !== "COMPLETED" || order.status === "paid") return;
      await payOut(order, call);
      deliver(order);
    };
    expect((await explored(checkoutShop(share), PAID)).found).toEqual([]);
  });
});

describe.concurrent("a late payment", () => {
  const PAID = flowOf("", "status: paid, delivered: 1");
  const returning =
    (payBack: OnCharge): OnCharge =>
    async (order, status, call) => {
      if (status === "COMPLETED" && order.status === "expired") {
        await payBack(order, status, call);
        order.status = "refunded";
      } else if (status === "COMPLETED" && order.status !== "refunded" && order.status !== "paid")
        deliver(order);
      else if (status === "EXPIRED" || status === "CANCELLED") order.status = status.toLowerCase();
    };

  it("explore accepts an app that pays a late payment back once", async () => {
    const { found } = await explored(checkoutShop(returning((order, _, call) => payOut(order, call))), PAID);
    expect(found).toEqual([]);
  });

  it("explore finds an app that keeps a late payment", async () => {
    const only = "paid_late at charge#1";
    const { found } = await explored(checkoutShop(returning(() => {})), PAID, { only });
    expect(found).toEqual(["money: paid_late charge#1"]);
  });

  it("explore accepts a payout at the second attempt", async () => {
    const paying: OnCharge = (order, status) => {
      if (status === "COMPLETED" && order.status !== "paid") deliver(order);
      else if (order.status !== "paid") order.status = status.toLowerCase();
    };
    const payout: Extra = async (order, call) => {
      if (order.status !== "paid") return [409, { error: "not paid yet" }];
      await payOut(order, call);
      return [202];
    };
    const flow = flowOf(
      "\n  - app: POST /orders/${order}/payout\n  - advance: 1d",
      "status: paid, delivered: 1",
    );
    expect((await explored(checkoutShop(paying, payout), flow)).found).toEqual([]);
    const only = "pressed_twice at POST /orders/${order}/payout#1, webhook_late at charge.completed#1";
    expect((await explored(checkoutShop(paying, payout), flow, { only })).found).toEqual([]);
  });
});

it.concurrent("a job may repeat a lost payout with the same Idempotency-Key", async () => {
  const repeat: Work = async (order, call) => {
    if (order.status !== "due") return;
    await payOut(order, call);
    order.status = "paid";
  };
  const share: OnCharge = async (order, status, call) => {
    if (status !== "COMPLETED" || order.status !== "open") return;
    order.status = "due";
    await repeat(order, call).catch(() => {});
  };
  const flow = `${flowOf("", "status: paid")}tick:\n  - app: POST /tick\n`;
  const { found, report } = await explored(checkoutShop(share, undefined, repeat), flow);
  expect(found).toEqual([]);
  expect(report.notes.join()).toMatch(/good practice: \w+ at createWithdrawal#1/);
});

it.concurrent("an app need not deliver a charge that was refunded early", async () => {
  const careful: OnCharge = (order, status) => {
    if (status === "COMPLETED" && order.status === "open") deliver(order);
    if (status === "REFUNDED" || status === "CANCELLED") order.status = status.toLowerCase();
  };
  const flow = flowOf(
    "\n  - request: POST /_sandbox/charges/${charge}/refund\n  - advance: 10s",
    "status: refunded, delivered: 1",
  );
  const { found, report } = await explored(checkoutShop(careful), flow);
  expect(found).toEqual([]);
  expect(report.singles).toContainEqual({
    kind: "webhook_late",
    at: "charge.completed#1",
    outcome: "right",
  });
});

it.concurrent("an order that was refunded early may stay pending", async () => {
  const reading: OnCharge = async (order, event, call) => {
    if (order.status === "open") order.status = "pending";
    if (event !== "COMPLETED" || order.status === "paid") return;
    const { status } = await call("GET", `payments/charges/${order.charge_id}`);
    if (status === "COMPLETED") deliver(order);
  };
  const only = "webhook_after_deadline at charge.completed#1, refunded at charge#1";
  const { report } = await explored(checkoutShop(reading), flowOf("", "status: paid, delivered: 1"), {
    only,
  });
  expect(report).toMatchObject({ passed: true, findings: [] });
});

it.concurrent("the seller of an order that was refunded early need not be paid", async () => {
  const shares: OnCharge = async (order, event, call) => {
    if (event === "REFUNDED") order.status = "refunded";
    if (event !== "COMPLETED" || order.status !== "open") return;
    order.status = "paid";
    await payOut(order, call);
  };
  const only = "webhook_after_deadline at charge.completed#1, refunded at charge#1";
  const { report } = await explored(checkoutShop(shares), flowOf("", "status: paid"), { only });
  expect(report).toMatchObject({ passed: true, findings: [] });
});

it.concurrent("the history of an order that was refunded early may lack its payment", async () => {
  const histories = new Map<string, string[]>();
  const record: OnCharge = (order, event) => {
    const history = histories.get(order.id) ?? ["open"];
    if (event === "COMPLETED" && order.status === "open") history.push("paid", "shipped");
    if (event === "REFUNDED") history.push("refunded");
    order.status = history.at(-1)!;
    histories.set(order.id, history);
  };
  const shop = checkoutShop(record, async ({ id }) => {
    const history = histories.get(id) ?? ["open"];
    return [200, { history, parcels: history.includes("shipped") ? 1 : 0 }];
  });
  const flow = flowOf("", "status: shipped").replace(
    /observe:.*/s,
    (views) => `${views.trimEnd()}/history\n`,
  );
  const only = "webhook_after_deadline at charge.completed#1, refunded at charge#1";
  const { report } = await explored(shop, flow, { only });
  expect(report).toMatchObject({ passed: true, findings: [] });
});
