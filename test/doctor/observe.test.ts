import { beforeAll, describe, expect, it } from "vitest";
import { reportText } from "../../src/cli/report/report.js";
import { reportOfWebhookCheck } from "../../src/cli/report/webhook.js";
import { ControlClient } from "../../src/core/client/control-client.js";
import { createSandbox, type WebhookReport } from "../../src/library/index.js";
import { NULLABLE_CHARGE_FIELDS } from "../../src/tools/doctor/samples.js";
import { closedAtEnd } from "../support/lifetime.js";
import { openNumberedShop } from "../support/numbered-shop.js";
import { PLANTED } from "./planted.js";
import { checkAt, type Event, type Incoming, type Reply, serve } from "./receivers.js";
import { checkIn, OBSERVE, type World, world } from "./shop.js";

const SEEN = [
  "duplicate",
  "known_id",
  "reordered",
  "retry",
  "null_fields",
  "foreign_charge",
  "other_mode",
  "simultaneous",
  "burst",
  "amount",
];

const faultsOf = ({ findings }: WebhookReport) => findings.map(({ fault }) => fault);

it("a correct receiver passes the probes that need --observe", async () => {
  const { check, sandbox } = await world();
  const report = await check();
  expect(report.findings).toEqual([]);
  const open = report.probes.filter((row) => row.verdict !== "pass");
  expect(open.map(({ probe, came_back }) => [probe, came_back])).toEqual([
    ["early", "not sent: only with --order does the app make a call that a webhook can overtake"],
  ]);
  expect(report.probes.filter((row) => row.seen !== null).map((row) => row.probe)).toEqual(SEEN);
  // The check removes everything but its charges.
  const { items } = await sandbox.control<{ items: { name: string }[] }>("GET", "/_sandbox/scenarios");
  expect(items.map(({ name }) => name)).not.toContain("check-webhook");
  expect(await sandbox.control("GET", "/_sandbox/faults")).toMatchObject({ total: 0 });
});

it("two probes have no result when the app shows no amounts", async () => {
  const { shop, check } = await world();
  shop.read = undefined;
  shop.view = (id) => ({ status: 200, text: shop.orders.get(id)?.status ?? "none" });
  const report = await check();
  expect(report.findings).toEqual([]);
  const open = report.probes.filter((row) => row.verdict === "note" && row.probe !== "early");
  expect(open.map(({ probe, advice }) => [probe, advice])).toEqual([
    ["retry", expect.stringMatching(/^It did its work while the sandbox returned 500/)],
    ["amount", expect.stringMatching(/^Its response shows no amount/)],
  ]);
  expect(reportText(reportOfWebhookCheck(report), 80)).toContain(
    "○ a false amount: check yourself (probe 29)\n      advice      Its response shows no amount",
  );
});

it("an app may process events after its response", async () => {
  const { shop, check } = await world();
  const right = shop.handle.bind(shop);
  shop.handle = async (event) => {
    setImmediate(() => void right(event).catch(() => setImmediate(() => void shop.handle(event))));
  };
  const report = await check();
  expect(report.findings).toEqual([]);
});

describe("an app that knows orders by their number", () => {
  const paidBy = async (isPayment: (event: Event) => boolean) => {
    const { shop, check } = await world();
    const paid = new Set<string>();
    shop.handle = async (event) => {
      if (event.type === "charge.completed" && isPayment(event)) paid.add(event.data.metadata.order_id);
    };
    shop.view = (id) => ({ status: 200, text: paid.has(id) ? "paid" : "open" });
    const report = await check("GET /orders/{metadata.order_id}");
    return { found: faultsOf(report), foreign: report.probes.find((row) => row.probe === "foreign_charge") };
  };

  it("an app fails when a live event pays a test order", async () => {
    expect((await paidBy(() => true)).found).toEqual(["other_mode_paid"]);
  });

  it("an app gets a note when it created none of the charges", async () => {
    const { found, foreign } = await paidBy(({ mode }) => mode === "test");
    expect(found).toEqual([]);
    expect(foreign).toMatchObject({
      verdict: "note",
      advice: expect.stringMatching(/^A foreign charge .* paid it/),
    });
  });
});

it("reports null fields that make an app ignore an event", async () => {
  const { shop, check } = await world();
  const right = shop.handle.bind(shop);
  const alwaysNull = ["payment_provider", "failure_reason"];
  const fields = NULLABLE_CHARGE_FIELDS.filter((field) => !alwaysNull.includes(field));
  shop.handle = async (event) => {
    if (fields.every((field) => event.data[field] !== null)) await right(event);
  };
  const report = await check();
  expect(faultsOf(report)).toEqual(["null_field_dropped"]);
  const { seen } = report.probes.find((row) => row.probe === "null_fields")!;
  expect(seen).toBe(`accepted, and nothing done, with null in ${fields.join(", ")}`);
});

const FAULTY: Readonly<
  Record<string, readonly [plant: (shop: World["shop"]) => void, found: readonly string[]]>
> = {
  ...Object.fromEntries(
    Object.entries(PLANTED).flatMap(([name, { seen, plant }]) => (seen ? [[name, [plant, [seen]]]] : [])),
  ),
  "a 5xx of its own to the first event, and the retry taken for a duplicate": [
    (shop) => {
      const right = shop.handle.bind(shop);
      let isFirst = true;
      shop.handle = async (event) => {
        if (!isFirst) return right(event);
        isFirst = false;
        throw new Error("starting");
      };
      shop.undo = () => {};
      shop.repeated = () => ({ status: 200, text: "ok" });
    },
    ["first_request_fails", "lost"],
  ],
};

describe("a fault is observed", () => {
  const reports = new Map<string, WebhookReport>();
  // Each check takes seconds, so they run concurrently.
  beforeAll(async () => {
    const checks = Object.entries(FAULTY).map(async ([name, [plant]]) => {
      const { shop, check } = await world();
      plant(shop);
      reports.set(name, await check());
    });
    await Promise.all(checks);
  });

  it.each(Object.entries(FAULTY).map(([name, [, found]]) => ({ name, found })))(
    "reports the fault $name as $found",
    ({ name, found }) => {
      expect(faultsOf(reports.get(name)!)).toEqual(found);
      expect(reports.get(name)!.outcome).toBe("failed");
    },
  );
});

it("reports a path without an order only once", async () => {
  const { check } = await world();
  const report = await check("GET /nowhere/{metadata.order_id}x");
  expect(faultsOf(report)).toEqual(["nothing_seen"]);
  expect(report.probes[1]!.came_back).toMatch(
    /GET http:.*\/nowhere\/check-.*x \(404\) is the same before and after/,
  );
});

describe.concurrent("an app that knows only its own charges", () => {
  const ORDER = 'POST /orders {"email": "{email}"}';
  const OWN = "GET /orders/{metadata.order_id}";
  interface Ways {
    /** Handles an event of an unknown charge. */
    keep: (event: Event) => void;
    /** True while the app waits for the sandbox's response. */
    isOrdering: boolean;
    /** True if customers pay on the service's page. */
    isHosted: boolean;
    /** True if it responds to an order before it calls the service. */
    worksLater: boolean;
  }

  async function ownOrders() {
    const { shop, sandbox } = await world();
    const made = new Set<string>();
    const right = shop.chargeOf.bind(shop);
    const kept: Event[] = [];
    const ways: Ways = {
      keep: (event) => void kept.push(event),
      isOrdering: false,
      isHosted: false,
      worksLater: false,
    };
    shop.chargeOf = async (event) => {
      if (made.has(event.data.charge_id)) return right(event);
      ways.keep(event);
      return undefined;
    };
    const call = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return (await sandbox.fetch(`/api/v1/payments${path}`, init)).json();
    };
    const pricing = { base_currency: "KES", amount: "900.00" };
    const charge = async (customer_email: string): Promise<void> => {
      ways.isOrdering = true;
      const wish = {
        pricing,
        customer_email,
        metadata: { order_id: `mine-${made.size + 1}`, customer_email },
      };
      const card = { ...wish, payment_method: "card" };
      const { charge_id } = ways.isHosted
        ? await call("/checkouts", wish)
        : await call("/whitelabel", { ...card, quote_id: (await call("/quotes", card)).quote_id });
      ways.isOrdering = false;
      made.add(charge_id);
      emails.set(customer_email, charge_id);
      for (const event of kept) if (event.data.charge_id === charge_id) await shop.handle(event);
    };
    const emails = new Map<string, string>();
    const order = async ({ method, path, body }: Incoming): Promise<Reply> => {
      const email = method === "PUT" ? path.split("=")[1]! : JSON.parse(body.toString()).email;
      if (!ways.worksLater) await charge(email);
      else setTimeout(() => void charge(email), 100);
      return { status: ways.worksLater ? 202 : 201 };
    };
    const idOf = (name: string) => emails.get(name) ?? [...made][Number(name.split("-").at(-1)) - 1] ?? "";
    const { url } = await serve((incoming) => {
      if (incoming.path.startsWith("/orders") && !/^\/orders\/./.test(incoming.path)) return order(incoming);
      const path =
        incoming.method === "GET" ? `/orders/${idOf(incoming.path.split("/").at(-1)!)}` : incoming.path;
      return shop.receive({ ...incoming, path });
    });
    const check = (observe = OWN, order = ORDER) => checkIn(sandbox, shop, url, { observe, order });
    return { shop, sandbox, url, made, ways, idOf, check };
  }

  it("an app passes when the check places orders with it", async () => {
    const { sandbox, made, check } = await ownOrders();
    const report = await check();
    expect(report.findings).toEqual([]);
    expect(report.summary).toMatchObject({ fail: 0, note: 0 });
    expect(report.probes.at(-1)).toMatchObject({
      probe: "early",
      seen: "an event that arrived before the response to its call was handled",
    });
    // The check removes everything but its charges.
    for (const left of ["faults", "webhook-endpoints"])
      expect(await sandbox.control("GET", `/_sandbox/${left}`)).toMatchObject({ total: 0 });
    const { items } = await sandbox.control<{ items: { charge_id: string }[] }>(
      "GET",
      "/_sandbox/charges?limit=100",
    );
    expect(new Set(items.map((one) => one.charge_id))).toEqual(made);
  });

  it("an app fails when it ignores events of new charges", async () => {
    const { ways, check } = await ownOrders();
    ways.keep = () => {};
    const report = await check();
    expect(faultsOf(report)).toEqual(["lost_early"]);
    expect(report.outcome).toBe("failed");
  });

  it("an app may refuse an event while its own call is pending", async () => {
    const { shop, ways, check } = await ownOrders();
    let refused = 0;
    shop.first = () => {
      if (!ways.isOrdering) return undefined;
      refused++;
      return { status: 503 };
    };
    expect(faultsOf(await check())).toEqual([]);
    expect(refused).toBe(1);
  });

  it("sends no payment event before the app has the hosted page's URL", async () => {
    const { ways, check } = await ownOrders();
    ways.isHosted = true;
    ways.keep = () => {};
    const report = await check();
    expect(report.findings).toEqual([]);
    expect(report.probes.at(-1)).toMatchObject({
      probe: "early",
      verdict: "pass",
      seen: "it creates hosted checkouts, which nobody can pay before it has their URL",
    });
  });

  it("an app may respond to an order before it calls the service", async () => {
    const { ways, check } = await ownOrders();
    ways.worksLater = true;
    expect(await check()).toMatchObject({ findings: [], summary: { fail: 0, note: 0 } });
  });

  it("an app may accept any payment method", async () => {
    const { made, check } = await ownOrders();
    const report = await check("GET /orders/{metadata.customer_email}", "PUT /orders?email={email}");
    expect(report.findings).toEqual([]);
    expect(made.size).toBeGreaterThan(10);
  });

  it("an app fails when it accepts a payment for another order", async () => {
    const { shop, idOf, check } = await ownOrders();
    const right = shop.handle.bind(shop);
    shop.handle = (event) => {
      const { metadata = {}, charge_id } = event.data;
      return right({
        ...event,
        data: { ...event.data, charge_id: idOf(metadata.order_id ?? "") || charge_id },
      });
    };
    expect(faultsOf(await check())).toEqual(["foreign_charge_fulfilled"]);
    shop.isOurs = () => true;
    expect(faultsOf(await check())).toEqual(["foreign_charge_fulfilled", "other_mode_paid"]);
  });

  it("an app fails when it processes an event twice", async () => {
    const { shop, check } = await ownOrders();
    PLANTED.handles_twice!.plant(shop);
    expect(faultsOf(await check())).toEqual(["handled_twice"]);
  });

  it("reports an app whose orders create no charge", async () => {
    const { shop, sandbox, url } = await world();
    shop.first = ({ path }) => (path === "/orders" ? { status: 200, text: "thanks" } : undefined);
    await expect(sandbox.checkWebhook(url, { observe: OWN, order: ORDER })).rejects.toThrow(
      /--order: POST http:.*\/orders answered 200 thanks, and no charge was created in the sandbox within 5 s/,
    );
    await expect(sandbox.checkWebhook(url, { order: ORDER })).rejects.toThrow("so it needs observe");
  });
});

it("the sandbox's rate limit is not reported as a fault of the app", async () => {
  const { url, shop } = await world();
  const limited = closedAtEnd(await createSandbox({ rateLimit: 40 }));
  const authorization = `Bearer ${limited.apiKey}`;
  shop.read = (id) => limited.fetch(`/api/v1/payments/charges/${id}`, { headers: { authorization } });
  await expect(limited.checkWebhook(url, { observe: OBSERVE })).rejects.toThrow(
    "the sandbox rejected calls with 429, so the findings do not count: start it with --rate-limit off",
  );
});

it.concurrent.each([
  ["right", true, []],
  ["without deduplication", false, ["handled_twice", "goes_back"]],
])(
  "a shop that numbers its orders is judged by what an event changes: %s",
  async (_, deduplicates, faults) => {
    const sandbox = closedAtEnd(await createSandbox({ rateLimit: "off" }));
    const { webhooks } = await openNumberedShop(sandbox, { deduplicates });
    const options = { observe: "GET /orders/{metadata.order}", order: 'POST /orders {"email":"{email}"}' };
    const report = await checkAt(webhooks, options, { sandbox: new ControlClient({ fetch: sandbox.fetch }) });
    expect(faultsOf(report)).toEqual(faults);
    expect(report.probes.find(({ probe }) => probe === "early")).toMatchObject({ verdict: "pass" });
  },
);
