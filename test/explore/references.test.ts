// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { type Answer, type CallService, foundIn, type Json, openApp } from "./apps.js";
import {
  checkoutShop,
  deliver,
  explored,
  flowOf,
  type OnCharge,
  type Order,
  payOut,
  type Work,
} from "./checkout-shop.js";

const PAID = flowOf("", "status: paid");

/** A correct shop: delivers once, and keeps final statuses. */
const follow: OnCharge = (order, status) => {
  if (status === "COMPLETED" && order.status !== "paid") deliver(order);
  else if (status === "REFUNDED" || (order.status !== "paid" && /FAILED|CANCELLED|EXPIRED/.test(status)))
    order.status = status.toLowerCase();
};

/** A shop with another view of its orders. */
const showing =
  (viewOf: (order: Order) => object, onCharge: OnCharge = follow, pay = "status") =>
  (call: CallService): Answer => {
    const orders = new Map<string, Order>();
    const answer = checkoutShop((order, status, service) => {
      orders.set(order.id, order);
      return onCharge(order, status, service);
    })(call);
    return async (route, body) => {
      const [code, view] = await answer(route, body);
      const [, id = ""] = /^GET \/orders\/([^/]+)$/.exec(route) ?? [];
      const shown = id === "" ? undefined : (orders.get(id) ?? ({ ...(view as object), id } as Order));
      return shown === undefined ? [code, view] : [code, { [pay]: shown.status, ...viewOf(shown) }];
    };
  };

/** Counts what the shop has done with each order. */
const journal = () => {
  const events = new Map<string, string[]>();
  const noting: OnCharge = (order, status, call) => {
    events.set(order.id, [...(events.get(order.id) ?? []), status]);
    return follow(order, status, call);
  };
  return { noting, of: ({ id }: Order) => events.get(id) ?? [] };
};

/** Leaves out the events that come after the payment is complete. */
const inTime =
  (noting: OnCharge, of: (order: Order) => readonly string[]): OnCharge =>
  (order, status, call) =>
    /PROCESSING|AWAITING/.test(status) && of(order).includes("COMPLETED")
      ? undefined
      : noting(order, status, call);

const CODES: Readonly<Record<string, number>> = { paid: 1, failed: 2, cancelled: 2, expired: 2, refunded: 3 };

/** A shop whose view is a number for the status. */
const shownByCode = (onCharge: OnCharge) =>
  showing(({ status }) => ({ status: undefined, code: CODES[status] ?? 0 }), onCharge);

/** A customer places and pays two orders, one after the other; the shop names the second. */
const TWO_ORDERS = `${flowOf(
  `
  - app: POST /orders
    body: { order: "second-\${run.id}", email: "\${email}" }
    save: { second_page: body.checkout_id, second: body.order }
  - close_page: { checkout_id: "\${second_page}", payment_method: card }
  - advance: 10s
  - app: GET /orders/\${second}`,
  "status: paid",
)}  - app: GET /orders/\${second}\n`;

/** Answers a new order with its name. */
const naming =
  (shop: (call: CallService) => Answer) =>
  (call: CallService): Answer => {
    const answer = shop(call);
    return async (route, body) => {
      const [code, view] = await answer(route, body);
      return [code, route === "POST /orders" ? { ...(view as object), order: body.order } : view];
    };
  };

describe.concurrent("explore accepts a correct shop", () => {
  it("that lists its shipments", async () => {
    const shop = showing(({ delivered }) => ({
      shipments: Array.from({ length: delivered }, () => ({ parcels: 1 })),
    }));
    expect((await explored(shop, PAID)).found).toEqual([]);
  });

  it("whose version and history grow with each event, and says that they are not compared", async () => {
    const { noting, of } = journal();
    const shop = showing((order) => ({ version: of(order).length, history: of(order) }), noting);
    const { found, report } = await explored(shop, PAID);
    expect(found).toEqual([]);
    expect(report.looked_at).toEqual(["status"]);
    expect(report.not_compared).toEqual(
      ["version", "history"].map((field) => ({ field, reason: "grows with every event" })),
    );
  });

  it("whose status is a number that the flow expects", async () => {
    const { found, report } = await explored(shownByCode(follow), flowOf("", "code: 1"));
    expect(found).toEqual([]);
    expect(report.looked_at).toEqual(["code"]);
  });

  it("that credits a late payment to the customer", async () => {
    const late: OnCharge = (order, status, call) => {
      if (status === "COMPLETED" && order.status === "expired") order.status = "credited to your wallet";
      else return follow(order, status, call);
    };
    const shop = showing(() => ({}), late);
    expect((await explored(shop, PAID, { only: "paid_late at charge#1" })).found).toEqual([]);
  });

  it("whose time in seconds changes only later, and says that it is not compared", async () => {
    let runs = 0;
    // Both plain runs begin within the same second.
    const shop = showing(({ id }) => ({ paid_at: secondOf.get(id) ?? 0 }));
    const secondOf = new Map<string, number>();
    const timed = (call: CallService): Answer => {
      const answer = shop(call);
      return (route, body) => {
        if (route === "POST /orders" && !secondOf.has(body.order))
          secondOf.set(body.order, 1_000_000_000 + Math.max(0, ++runs - 3));
        return answer(route, body);
      };
    };
    const { report } = await explored(timed, PAID, { only: "webhook_twice at charge.completed#1" });
    expect(report).toMatchObject({
      findings: [],
      not_compared: [{ field: "paid_at", reason: "differs between equal runs" }],
    });
  });

  it("whose history shows only the states that it heard of in time", async () => {
    const { noting, of } = journal();
    const entries: ((state: string) => unknown)[] = [(state) => state, (state) => ({ status: state })];
    for (const entryOf of entries) {
      const shop = showing(
        (order) => ({ log: ["open", ...of(order)].map((state) => entryOf(state)) }),
        inTime(noting, of),
      );
      const { found } = await explored(shop, PAID, { only: "webhook_late at charge.processing#1" });
      expect(found).toEqual([]);
    }
  });

  it("whose version counts the events of each of two orders that came in time", async () => {
    const { noting, of } = journal();
    const shop = naming(showing((order) => ({ version: of(order).length }), inTime(noting, of)));
    const { found, report } = await explored(shop, TWO_ORDERS);
    expect(found).toEqual([]);
    expect(report.not_compared).toContainEqual({ field: "version", reason: "grows with every event" });
  });

  it("that lists two orders of a customer who presses twice", async () => {
    const flow = `name: cart
vars: { email: "qa+\${run.id}@shop.test" }
steps:
  - { app: POST /orders, body: { email: "\${email}" }, save: { order: body.id } }
  - advance: 10s
observe:
  - app: GET /orders?email=\${email}
`;
    const shop = (call: CallService): Answer => {
      const orders: { id: string; email: string; status: string }[] = [];
      return async (route, body) => {
        if (route === "POST /webhooks") {
          const order = orders.find(({ id }) => id === body.data.metadata.order);
          if (order !== undefined && body.data.status === "COMPLETED") order.status = "paid";
          return [200];
        }
        const email = decodeURIComponent(route.split("=")[1] ?? "");
        if (route.startsWith("GET "))
          return [200, { orders: orders.filter((one) => one.email === email).map(({ status }) => status) }];
        const order = { id: `o${orders.length + 1}`, email: body.email as string, status: "open" };
        orders.push(order);
        const asked = {
          pricing: { base_currency: "KES", amount: "1105.10" },
          payment_method: "mobile_money",
          customer_email: order.email,
        };
        const { quote_id } = (await call("POST", "payments/quotes", asked)) as Json;
        const more = {
          quote_id,
          phone_number: "+254700000001",
          metadata: { order: order.id, cart: order.email },
        };
        await call("POST", "payments/whitelabel", { ...asked, ...more });
        return [201, { id: order.id }];
      };
    };
    for (const press of ["pressed_again", "pressed_twice"])
      expect(
        (await foundIn(await openApp(shop), flow, { only: `${press} at POST /orders#1` })).found,
      ).toEqual([]);
  });

  it("whose view of a declined payment has a code of its own in each run", async () => {
    const codes = new Map<string, number>();
    const coding: OnCharge = (order, status, call) => {
      if (status === "FAILED" && !codes.has(order.id)) codes.set(order.id, codes.size + 1);
      return follow(order, status, call);
    };
    const shop = showing(({ id }) => ({ help_code: codes.get(id) ?? "" }), coding);
    const only = "webhook_twice at charge.processing#1, declined at charge#1";
    const { found, report } = await explored(shop, PAID, { only });
    expect(found).toEqual([]);
    expect(report.not_compared).toEqual([{ field: "help_code", reason: "differs between equal runs" }]);
  });

  it("that hears of no expiry, and takes a late payment for one in time", async () => {
    const late: OnCharge = (order, status, call) => {
      if (status === "COMPLETED" && order.status === "expired") order.status = "credited to your wallet";
      else if (!order.status.startsWith("credited")) return follow(order, status, call);
    };
    const shop = showing(() => ({}), late);
    const only = "webhook_dropped at charge.expired#1, paid_late at charge#1";
    expect((await explored(shop, PAID, { only })).found).toEqual([]);
  });

  it("whose job ends a declined order as an expired one before the webhook", async () => {
    const giveUp: Work = async (order, call) => {
      if (order.status !== "open" || order.charge_id === undefined) return;
      const { status } = await call("GET", `payments/charges/${order.charge_id}`);
      if (/FAILED|EXPIRED/.test(status)) order.status = "expired";
    };
    const only = "webhook_late at charge.failed#1, declined at charge#1";
    const flow = `${flowOf("\n  - app: POST /tick", "status: paid")}tick:\n  - app: POST /tick\n`;
    const first: OnCharge = (order, status, call) =>
      order.status === "open" || status === "REFUNDED" ? follow(order, status, call) : undefined;
    const shop = checkoutShop(first, undefined, giveUp);
    const { found } = await explored(shop, flow, { only });
    expect(found).toEqual([]);
  });

  it("whose flow allows another end of a declined payment", async () => {
    const waiting: OnCharge = (order, status, call) => {
      if (status === "FAILED") order.status = "processing";
      else return follow(order, status, call);
    };
    const only = "declined at charge#1";
    const shop = showing(() => ({ level: "basic" }), waiting);
    expect((await explored(shop, PAID, { only })).found).toEqual(["liveness: declined charge#1"]);
    const allowing = `${PAID}allow:\n  declined: { status: { in: [failed, processing] } }\n`;
    expect((await explored(shop, allowing, { only })).found).toEqual([]);
  });
});

describe.concurrent("explore finds", () => {
  it("a late payment that leaves an order expired whose status is a number", async () => {
    const final: OnCharge = (order, status, call) =>
      order.status === "expired" ? undefined : follow(order, status, call);
    const { found } = await explored(shownByCode(final), flowOf("", "code: 1"));
    expect(found).toEqual(["money: paid_late charge#1"]);
  });

  it("a late copy of a payment that undoes its refund", async () => {
    const deaf: OnCharge = (order, status) => {
      if (status === "COMPLETED") order.status = "paid";
      else if (/REFUNDED|FAILED|CANCELLED|EXPIRED/.test(status)) order.status = status.toLowerCase();
    };
    const only = "webhook_again_later at charge.completed#1, refunded at charge#1";
    const { found, report } = await explored(
      showing(() => ({}), deaf),
      PAID,
      { only },
    );
    expect(found).toEqual(["money: webhook_again_later charge.completed#1 + refunded charge#1"]);
    expect(report.findings[0]?.message).toContain('body.status is "paid", not "refunded"');
  });

  it("an unpaid order that is shown in the app's own words for a paid one", async () => {
    const always: OnCharge = (order, status) => {
      if (/COMPLETED|FAILED/.test(status)) order.status = "hotovo";
    };
    const shop = showing(({ status }) => ({ vstup: status === "hotovo" }), always, "stav");
    const flow = flowOf("", "stav: hotovo");
    const { found, report } = await explored(shop, flow, { only: "declined at charge#1" });
    expect(found).toEqual(["money: declined charge#1"]);
    expect(report.findings[0]?.message).toContain(
      "not paid, and the app shows all that it shows for a payment",
    );
  });

  it("a wallet that a declined payment fills", async () => {
    const balances = new Map<string, number>();
    const filling: OnCharge = (order, status, call) => {
      if (/COMPLETED|FAILED/.test(status)) balances.set(order.id, 1105.1);
      return follow(order, status, call);
    };
    const shop = showing(({ id }) => ({ balance: balances.get(id) ?? 0 }), filling);
    const { found } = await explored(shop, PAID, { only: "declined at charge#1" });
    expect(found).toEqual(["money: declined charge#1"]);
  });

  it("an app that says it refunded a late payment, and did not", async () => {
    const lying: OnCharge = (order, status, call) => {
      if (status === "COMPLETED" && order.status === "expired") order.status = "refunded";
      else if (order.status !== "refunded") return follow(order, status, call);
    };
    const only = "paid_late at charge#1";
    const { report } = await explored(
      showing(() => ({}), lying),
      PAID,
      { only },
    );
    expect(report.findings).toMatchObject([
      {
        oracle: "money",
        message: 'not refunded, but marked as refunded by the app: body.status is "refunded"',
      },
    ]);
    const honest: OnCharge = async (order, status, call) => {
      if (status === "COMPLETED" && order.status === "expired") await payOut(order, call);
      return lying(order, status, call);
    };
    expect(
      (
        await explored(
          showing(() => ({}), honest),
          PAID,
          { only },
        )
      ).found,
    ).toEqual([]);
  });

  it("late money that is kept by an app that shows the second of each order", async () => {
    const secondOf = new Map<string, number>();
    const forgetting: OnCharge = (order, status, call) =>
      status === "COMPLETED" && order.status === "expired" ? undefined : follow(order, status, call);
    const begunAt = Math.floor(Date.now() / 1_000);
    const view = ({ id }: Order) => {
      // All plain runs begin within the same second.
      secondOf.set(id, secondOf.get(id) ?? begunAt + Math.max(0, secondOf.size - 2));
      return { created_at: secondOf.get(id) };
    };
    const { found } = await explored(showing(view, forgetting), PAID, { only: "paid_late at charge#1" });
    expect(found).toEqual(["money: paid_late charge#1"]);
  });

  it("a ticket that a duplicate adds to a list", async () => {
    const events = new Map<string, string[]>();
    const issuing: OnCharge = (order, status, call) => {
      if (status === "COMPLETED") events.set(order.id, [...(events.get(order.id) ?? []), "ticket"]);
      return follow(order, status, call);
    };
    const shop = showing(({ id }) => ({ log: ["open", ...(events.get(id) ?? [])] }), issuing);
    const { found } = await explored(shop, PAID, { only: "webhook_twice at charge.completed#1" });
    expect(found).toEqual(["convergence: webhook_twice charge.completed#1"]);
  });

  it("a count that a duplicate raises, and names the field to ignore", async () => {
    const counts = new Map<string, number>();
    const counting: OnCharge = (order, status, call) => {
      if (status === "COMPLETED") counts.set(order.id, (counts.get(order.id) ?? 0) + 1);
      return follow(order, status, call);
    };
    const shop = showing(({ id }) => ({ tries: counts.get(id) ?? 0 }), counting);
    const { report } = await explored(shop, PAID, { only: "webhook_twice at charge.completed#1" });
    expect(report.findings).toMatchObject([{ hint: "if that may differ, add ignore: [tries] to observe" }]);
  });
});

it.concurrent("explore says which fields differ between plain runs", async () => {
  let sold = 0;
  const selling: OnCharge = (order, status, call) => {
    if (status === "COMPLETED") sold++;
    return follow(order, status, call);
  };
  const { report } = await explored(
    showing(() => ({ sold_today: sold }), selling),
    PAID,
    { only: "webhook_late at charge.completed#1" },
  );
  expect(report).toMatchObject({
    findings: [],
    looked_at: ["status"],
    not_compared: [{ field: "sold_today", reason: "differs between plain runs" }],
  });
});

it.concurrent.each([
  ["", ""],
  ["your order\nwith the code x", "word 4 of line 2 of "],
])("explore names the text that differs between plain runs: %j", async (text, place) => {
  let printed = 0;
  const shop = (call: CallService): Answer => {
    const answer = showing(() => ({}))(call);
    return async (route, body) =>
      route.startsWith("GET /receipts/") ? [200, `${text}${++printed}`] : answer(route, body);
  };
  const flow = `${PAID}  - app: GET /receipts/\${order}\n`;
  const { report } = await explored(shop, flow, { only: "webhook_late at charge.completed#1" });
  expect(report.not_compared).toEqual([
    { field: `${place}body of GET /receipts/\${order}`, reason: "differs between plain runs" },
  ]);
  // No wait for a text to become steady that is new with each read.
  expect(printed).toBeLessThan(300);
});

it.concurrent("explore notes what one unpaid end shows and another does not", async () => {
  const active = new Set<string>();
  const opening: OnCharge = (order, status, call) => {
    if (/COMPLETED|EXPIRED/.test(status)) active.add(order.id);
    return follow(order, status, call);
  };
  const view = ({ id, status }: Order) => ({ messages: active.has(id) ? 1_000 : 0, plan: "basic", status });
  const { report } = await explored(showing(view, opening), PAID, {
    only: "webhook_twice at charge.processing#1, declined at charge#1",
  });
  expect(report).toMatchObject({
    findings: [],
    notes: [
      "nothing is paid: with expired_unpaid alone, messages is 1000 as for a paid order; with declined alone, it is 0",
    ],
  });
});
