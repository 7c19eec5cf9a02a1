// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { type CallService, foundIn, type Json, openApp } from "./apps.js";
import { checkoutShop, deliver, explored, flowOf, type OnCharge, type Order } from "./checkout-shop.js";

const PAID = flowOf("", "status: paid, delivered: 1");

/** A correct shop: delivers once, and stores final statuses. */
const follow = (order: Order, status: string): void => {
  if (status === "COMPLETED" && order.status !== "paid") deliver(order);
  else if (order.status !== "paid" && /FAILED|CANCELLED|EXPIRED/.test(status))
    order.status = status.toLowerCase();
};

/** Shops with a bug at one status. */
const FAULTS: readonly (readonly [
  title: string,
  at: string,
  act: (order: Order) => void,
  kind: string,
  message: string,
])[] = [
  [
    "a declined payment by a shop that delivers then",
    "FAILED",
    deliver,
    "declined",
    "not paid, but marked as paid",
  ],
  [
    "an expired charge by a shop that delivers then",
    "EXPIRED",
    deliver,
    "expired_unpaid",
    "not paid, but marked as paid",
  ],
  [
    "a refund by a shop whose order waits again",
    "REFUNDED",
    (order) => void (order.status = "pending"),
    "refunded",
    'the charge has ended, and the app waits: body.status is "pending"',
  ],
  [
    "a refund by a shop that delivers again then",
    "REFUNDED",
    deliver,
    "refunded",
    "done more than once: body.delivered is 2",
  ],
];

/** A flow that waits for each event of a payment. */
const IN_TURN = PAID.replace(
  / {2}- close_page.*\n.*\n/,
  '  - request: "POST /_sandbox/checkouts/${checkout}/pay"\n    body: { payment_method: card }\n',
);

describe.concurrent("explore", () => {
  it.each(FAULTS)("finds %s", async (_, at, act, kind, message) => {
    const shop = checkoutShop((order, status) => (status === at ? act(order) : follow(order, status)));
    const { report } = await explored(shop, PAID, { only: `${kind} at charge#1` });
    expect(report.findings).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  it.each([
    ["a customer", undefined, PAID],
    [
      "a customer with a session",
      "sid=1",
      PAID.replace("app: POST /orders", "$&\n    headers: { cookie: sid=1 }"),
    ],
    [
      "a customer whose order no variable names",
      undefined,
      PAID.replace(', order: "order-${run.id}"', "").replaceAll("${order}", "order-${run.id}"),
    ],
  ])("finds a shop to which the return of %s is a payment", async (_, cookie, flow) => {
    const shop = (call: CallService) => {
      const answer = checkoutShop(follow)(call);
      const visited = new Set<string>();
      return async (route: string, body: never, headers?: IncomingHttpHeaders) => {
        const [, thanked] = /^GET \/thanks\?order=(.*)$/.exec(route) ?? [];
        if (thanked !== undefined && headers?.cookie !== cookie) return [303] as const;
        if (thanked !== undefined) return [200, visited.add(thanked)] as const;
        const [status, view] = await answer(route, body);
        const isPaid = route.startsWith("GET /orders/") && visited.has(route.slice("GET /orders/".length));
        return [status, isPaid ? { ...(view as object), status: "paid" } : view] as const;
      };
    };
    const { found, report } = await explored(shop as never, flow, { only: "returned_unpaid at page#1" });
    expect(found).toEqual(["money: returned_unpaid page#1"]);
    expect(report.findings[0]?.message).toContain("not paid, but marked as paid by the app");
  });

  /** A shop that shows `confirmed` for paid, and `extra` fields. */
  const confirming =
    (onCharge: OnCharge, extra: (status: string) => object = () => ({})) =>
    (call: CallService) => {
      const answer = checkoutShop(onCharge)(call);
      return async (route: string, body: never) => {
        const [code, view] = await answer(route, body);
        const { status } = (view ?? {}) as { status?: string };
        if (!route.startsWith("GET /orders/") || status === undefined) return [code, view] as const;
        return [code, { status: status === "paid" ? "confirmed" : status, ...extra(status) }] as const;
      };
    };

  it("finds a shop that confirms an order when its payment is declined", async () => {
    const shop = confirming((order, status) => {
      if (status === "FAILED") deliver(order);
      else follow(order, status);
    });
    const only = "declined at charge#1";
    const { report } = await explored(shop as never, flowOf("", "status: confirmed"), { only });
    const message = expect.stringContaining("not paid, but delivered: body.status");
    expect(report.findings).toMatchObject([{ message }]);
  });

  it("accepts an unpaid order that is confirmed if another field says that it is unpaid", async () => {
    const shop = confirming(follow, (status) => ({ status: "confirmed", payment: status }));
    const { found } = await explored(shop as never, flowOf("", "status: confirmed, payment: paid"));
    expect(found).toEqual([]);
  });

  it.each(["paid", "confirmed"])(
    "finds a shop that treats a partial refund of a %s order as a full one",
    async (word) => {
      const shop = (call: CallService) => {
        const answer = checkoutShop(follow)(call);
        const refunded = new Set<string>();
        const charges = new Map<string, string>();
        return async (route: string, body: Json) => {
          const order: string = body?.data?.metadata.order ?? route.slice("GET /orders/".length);
          if (body?.type?.includes("refund") === true) refunded.add(order);
          if (route === "POST /webhooks") charges.set(order, body.data.status);
          const [code, view] = await answer(route, body);
          if (!route.startsWith("GET /orders/")) return [code, view] as const;
          const { status } = view as { status: string };
          const shown = refunded.has(order) ? "refunded" : status === "paid" ? word : status;
          // The charge itself is shown as it is.
          return [code, { status: shown, charges: [charges.get(order)] }] as const;
        };
      };
      const only = "partly_refunded at charge#1";
      const { found, report } = await explored(shop, flowOf("", `status: ${word}`), { only });
      expect(found).toEqual(["money: partly_refunded charge#1"]);
      expect(report.findings[0]?.message).toContain(
        "a part was refunded, and the app takes it for the whole",
      );
    },
  );

  it("compares a balance after half a refund with the one before the payment", async () => {
    const shop = (isWhole: boolean, before: number) => (call: CallService) => {
      const answer = checkoutShop(follow)(call);
      const refunded = new Set<string>();
      return async (route: string, body: Json) => {
        const order: string = body?.data?.metadata.order ?? route.slice("GET /orders/".length);
        if (body?.type?.includes("refund") === true) refunded.add(order);
        const [code, view] = await answer(route, body);
        if (!route.startsWith("GET /orders/")) return [code, view] as const;
        const { status } = view as { status: string };
        const isCredited = status === "paid" && !(isWhole && refunded.has(order));
        return [code, { balance: before + (isCredited ? 1105.1 : 0) }] as const;
      };
    };
    const only = "partly_refunded at charge#1";
    const flow = (balance: number) => flowOf("", `balance: ${balance}`);
    expect((await explored(shop(false, -1105.1), flow(0), { only })).found).toEqual([]);
    expect((await explored(shop(false, 200), flow(1305.1), { only })).found).toEqual([]);
    for (const [before, balance] of [
      [-1105.1, 0],
      [200, 1305.1],
    ] as const) {
      const { found } = await explored(shop(true, before), flow(balance), { only });
      expect(found).toEqual(["convergence: partly_refunded charge#1"]);
    }
  });

  it("finds a shop that cancels an order before its payment's webhook", async () => {
    const late: OnCharge = (order, status) => {
      if (order.status !== "given up") follow(order, status);
    };
    // The job runs one hour after the order, before the webhook.
    const flow = `${PAID}tick:\n  - app: POST /tick\n`;
    const giveUp = async (order: Order) => {
      if (order.status === "open") order.status = "given up";
    };
    const only = "webhook_after_deadline at charge.completed#1";
    const { found } = await explored(checkoutShop(late, undefined, giveUp), flow, { only });
    expect(found.join()).toContain("webhook_after_deadline charge.completed#1");
  });

  it("--fail-on foreign_charge finds a shop that fulfils another shop's charge", async () => {
    const byMetadata = (call: CallService) => {
      const answer = checkoutShop(follow)(call);
      const paid = new Set<string>();
      return async (route: string, body: { type?: string; data?: { metadata: { order: string } } }) => {
        if (body?.type === "charge.completed") paid.add(body.data!.metadata.order);
        const [status, view] = await answer(route, body as never);
        const isPaid = route.startsWith("GET /orders/") && paid.has(route.slice("GET /orders/".length));
        return [status, isPaid ? { ...(view as object), status: "paid" } : view] as const;
      };
    };
    const app = await openApp(byMetadata as never);
    const raised = { failOn: ["foreign_charge"], only: "foreign_charge at charge#1" };
    const { found, report } = await foundIn(app, PAID, raised);
    expect(found).toEqual(["money: foreign_charge charge#1"]);
    expect(report.findings[0]?.message).toContain("not paid, but marked as paid by the app");
    const { found: noted, report: notes } = await foundIn(await openApp(byMetadata as never), PAID);
    expect(noted).toEqual([]);
    expect(notes.notes.join()).toContain("foreign_charge at charge#1");
  });

  it("finds a shop that ignores an event no newer than the last", async () => {
    const shop = (call: CallService) => {
      const answer = checkoutShop(follow)(call);
      const newest = new Map<string, string>();
      return async (route: string, body: { timestamp?: string; data?: { charge_id: string } }) => {
        const { charge_id = "" } = body?.data ?? {};
        const { timestamp } = body ?? {};
        if (timestamp !== undefined && timestamp <= (newest.get(charge_id) ?? "")) return [200] as const;
        if (timestamp !== undefined) newest.set(charge_id, timestamp);
        return answer(route, body as never);
      };
    };
    const { found } = await explored(shop as never, IN_TURN, { only: "events_at_once at charge#1" });
    expect(found.join()).toContain("events_at_once charge#1");
  });
});

it.concurrent("explore finds nothing in a correct shop", async () => {
  const { found, report } = await explored(checkoutShop(follow), PAID);
  expect(found).toEqual([]);
  expect(report.singles.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining([
      "webhook_after_deadline",
      "declined",
      "expired_unpaid",
      "returned_unpaid",
      "refunded",
      "partly_refunded",
      "settled_late",
      "events_at_once",
      "pressed_again",
    ]),
  );
});

describe.concurrent("a price", () => {
  /** A shop that charges a hundredth of a price without decimals. */
  const shop =
    (call: CallService) => async (route: string, body: { id: string; price: number; email: string }) => {
      if (route.startsWith("GET ")) return [200, { cost: "1999", money: "JPY", status: "paid" }] as const;
      if (route !== "POST /bookings") return [200] as const;
      await call("POST", "payments/checkouts", {
        pricing: { base_currency: "KES", amount: "19.99" },
        customer_email: body.email,
      });
      return [201] as const;
    };
  const flow = (view: string) =>
    `name: booking\nsteps:\n  - app: POST /bookings\n    body: { email: "a-\${run.id}@shop.test" }\nobserve:\n  - app: GET /bookings\n${view}`;

  it.each([
    ["    price: cost\n", "the app asks for 19.99 KES, and its price is 1999 KES"],
    ["    price: cost\n    currency: money\n", "the app asks for 19.99 KES, and its price is 1999 JPY"],
  ])("compares a price in the app's response with the base amount: %j", async (view, message) => {
    const only = "pressed_twice at POST /bookings#1";
    const { report } = await foundIn(await openApp(shop as never), flow(view), { only });
    expect(report.findings[0]).toMatchObject({ oracle: "money", deviations: [] });
    expect(report.findings[0]?.message).toBe(`with nothing going wrong: ${message}`);
  });

  it("refuses a price that no response has before it runs a deviation, and lists the fields", async () => {
    await expect(foundIn(await openApp(shop as never), flow("    price: nowhere\n"))).rejects.toThrow(
      "observe.0.price: no response of the app to the plain runs has nowhere; it has cost, money, status",
    );
  });

  it("accepts a price in cents unless the flow names its path", async () => {
    const { report } = await foundIn(await openApp(shop as never), flow(""));
    expect(report.findings.map(({ message }) => message).join()).not.toContain("its price");
  });
});
