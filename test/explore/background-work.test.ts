// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Answer, type CallService, foundIn, openApp, shopOf } from "./apps.js";
import { checkoutShop, deliver, flowOf } from "./checkout-shop.js";
import { FLOW } from "./support.js";

const QUEUE_MS = 20;
const QUEUED = FLOW.replace("{ status: 201 }", "{ status: 202 }").replace(
  "  - advance: 10s",
  "  - { wait_for: charge, match: { customer_email: '${email}' } }\n$&",
);

/** A shop that queues orders and webhooks, and drops failed jobs. */
const queuedShop = (call: CallService): Answer => {
  const shop = shopOf()(call);
  let queue = Promise.resolve();
  const later = (route: string, body: unknown) => {
    queue = queue.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, QUEUE_MS));
      const charge = (body as { data?: { charge_id: string } }).data;
      // Webhooks only trigger a read of the charge.
      const work = async () => {
        if (charge === undefined) await shop(route, body);
        else await shop(route, { data: await call("GET", `payments/charges/${charge.charge_id}`) });
      };
      await work().catch(() => {});
    });
  };
  return async (route, body) => {
    if (route.startsWith("GET") || route === "POST /tick") {
      await queue;
      return shop(route, body);
    }
    later(route, body);
    return [202];
  };
};

it.concurrent("finds a queue that drops a failed job", async () => {
  const deaf = QUEUED.replace("POST /tick", "POST /nothing");
  const { found } = await foundIn(await openApp(queuedShop), deaf, { only: "request_lost at getCharge#3" });
  // Time must not advance while the job is still queued.
  expect(found).toEqual(["money: request_lost getCharge#3"]);
});

it.concurrent("waits longer for reads when two plain runs end differently", async () => {
  const placed: string[] = [];
  /** A shop that handles webhooks after the second read of an order. */
  const lateShop = (call: CallService): Answer => {
    const shop = shopOf()(call);
    const unread: unknown[] = [];
    let reads = 0;
    return async (route, body) => {
      if (route === "POST /webhooks") return [200, void unread.push(body)];
      if (route === "POST /orders") {
        placed.push(body.order);
        reads = 0;
      }
      const [status, view] = await shop(route, body);
      const response = { ...(view as object) };
      if (route.startsWith("GET /orders/") && ++reads === 2)
        for (const event of unread.splice(0)) await shop("POST /webhooks", event);
      return [status, response];
    };
  };
  const flow = FLOW.replace(/\n {4}expect: \{ body.*/, "").replace(
    /tick:[\s\S]*/,
    "    ignore: [charge_id]\n",
  );
  await foundIn(await openApp(lateShop), flow, { only: "pressed_again at POST /orders#1" });
  // Four plain runs, because the third differs, and the first run with a deviation, which orders twice.
  expect(placed.findIndex((order, index) => placed.indexOf(order) < index)).toBe(5);
});

const RETRIED = `
name: retries
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { order: "\${order}", email: "\${email}" }
  - wait_for: charge
    match: { customer_email: "\${email}" }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { status: paid } }
observe:
  - app: GET /orders/\${order}
`;

/** A shop that pays after its response and retries after a pause. */
const retryingShop =
  ({ looksFirst, pauseMs = 500 }: { looksFirst: boolean; pauseMs?: number }) =>
  (call: CallService): Answer => {
    const statuses = new Map<string, string>();
    const pay = async (order: string, customer_email: string) => {
      const pricing = { base_currency: "KES", amount: "1105.10" };
      const asked = { pricing, payment_method: "mobile_money", customer_email };
      const { quote_id } = await call("POST", "payments/quotes", asked);
      const more = { quote_id, phone_number: "+254700000001", metadata: { order } };
      await call("POST", "payments/whitelabel", { ...asked, ...more });
    };
    const isPaid = async (order: string) => {
      const { items } = await call("GET", "payments/payins?limit=20");
      for (const { charge_id } of items)
        if ((await call("GET", `payments/charges/${charge_id}`)).metadata.order === order) return true;
      return false;
    };
    const keepTrying = async (order: string, email: string) => {
      for (let left = 3; left > 0; left--)
        try {
          if (left === 3 || !looksFirst || !(await isPaid(order))) await pay(order, email);
          return;
        } catch {
          await pause(pauseMs);
        }
    };
    return async (route, body) => {
      const [, id = ""] = /^GET \/orders\/(.*)$/.exec(route) ?? [];
      if (id !== "") return [200, { status: statuses.get(id) }];
      if (route === "POST /orders") {
        if (statuses.has(body.order)) return [202];
        statuses.set(body.order, "open");
        void keepTrying(body.order, body.email);
        return [202];
      }
      if (body.data.status === "COMPLETED") statuses.set(body.data.metadata.order, "paid");
      return [200];
    };
  };

// Not concurrent, and once more if red: on a loaded machine the app's retry can come after the wait for it.
it("finds nothing in an app that repeats a failed call after a pause", { retry: 2 }, async () => {
  const { report } = await foundIn(await openApp(retryingShop({ looksFirst: true })), RETRIED);
  expect(report).toMatchObject({ findings: [], complete_depth: 1 });
  expect(report.notes.join()).not.toContain("could not be repeated");
});

it.concurrent("finds an app that pays again some time after the response was lost", async () => {
  const { found, report } = await foundIn(await openApp(retryingShop({ looksFirst: false })), RETRIED);
  expect(found).toEqual(["money: response_lost createWhitelabel#1"]);
  expect(report.findings[0]).toMatchObject({
    message: "paid twice: 2 completed charges for one order",
    seen: { runs: 2, of: 2 },
  });
});

it.concurrent("repeats a run when the app pays again after its end", async () => {
  const only = "response_lost at createWhitelabel#1";
  const { found } = await foundIn(await openApp(retryingShop({ looksFirst: false })), RETRIED, { only });
  expect(found).toEqual(["money: response_lost createWhitelabel#1"]);
});

it.concurrent("a longer run passes an app that repeats a failed call late", async () => {
  const app = await openApp(retryingShop({ looksFirst: true, pauseMs: 3_000 }));
  const { report } = await foundIn(app, RETRIED, { only: "request_lost at createQuote#1" });
  expect(report.singles, report.notes.join("; ")).toContainEqual({
    kind: "request_lost",
    at: "createQuote#1",
    outcome: "right",
  });
  expect(report.notes.join()).not.toContain("could not be repeated");
});

/** A shop that creates the page of an order in scheduled work, and tries again in the next. */
const scheduledShop = (call: CallService): Answer => {
  const shop = checkoutShop((order, status) => {
    if (status === "COMPLETED" && order.status !== "paid") deliver(order);
    else if (order.status !== "paid" && /FAILED|CANCELLED|EXPIRED/.test(status)) order.status = "failed";
  })(call);
  const waiting = new Map<string, unknown>();
  const pages = new Map<string, object>();
  return async (route, body) => {
    if (route === "POST /orders") return [202, void waiting.set(body.order, body)];
    if (route.startsWith("GET /pages/")) return [200, pages.get(route.slice("GET /pages/".length)) ?? {}];
    if (route !== "POST /tick") return shop(route, body);
    for (const [id, order] of waiting) {
      const [, page] = await shop("POST /orders", order as never).catch(() => [503] as const);
      if (page !== undefined && waiting.delete(id)) pages.set(id, page as object);
    }
    return [200];
  };
};

it.concurrent("accepts an app whose scheduled work repeats a failed call the next time", async () => {
  const flow = flowOf("", "status: paid, delivered: 1").replace(
    "    save: { checkout: body.checkout_id }",
    "  - app: POST /tick\n  - app: GET /pages/${order}\n$&",
  );
  const { found } = await foundIn(await openApp(scheduledShop), `${flow}tick:\n  - app: POST /tick\n`);
  expect(found).toEqual([]);
});
