import { describe, expect } from "vitest";
import { type Answer, type Api, later, okBody, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { accept, Receiver } from "../support/receiver-server.js";
import { createFundedDestination, readSandboxFields, readWithdrawal, withdraw } from "./support/outcomes.js";

interface Arrival {
  /** Event type and the seconds since the order. */
  readonly text: string;
  readonly id: string;
}

/** Opens a sandbox with a receiver that records each webhook. */
async function openWithReceiver(): Promise<{ api: Api; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const receiver = await Receiver.open();
  const api = await openApi({ webhooks: [receiver.url] });
  receiver.handler = async (received) => {
    received.verify();
    const { headers } = await api.get<unknown>("/_sandbox/clock");
    const seconds = (Date.parse(headers.get("sandbox-now") ?? "") - Date.parse(START)) / 1_000;
    arrivals.push({ text: `${seconds} ${received.event.type}`, id: received.event.id });
    accept(received);
  };
  return { api, arrivals };
}

const DAY = 86_400;
/** Seconds until the fourth attempt: 5 s, 5 min and 30 min. */
const FOURTH = 5 + 300 + 1_800;

const PAID = { 1: "awaiting_payment", 3: "processing", 5: "completed" } as const;

/** Webhooks of a paid charge, each repeated after some seconds. */
function sentAgain(afterSeconds: number): string[] {
  return Object.entries(PAID)
    .flatMap(([seconds, status]) =>
      [0, afterSeconds].map((after) => [Number(seconds) + after, status] as const),
    )
    .sort(([one], [other]) => one - other)
    .map((arrival) => arrival.join(" "));
}

/** Scenario → webhooks with their times, and the number of event ids. */
const ARRIVALS: Readonly<Record<string, [arrivals: string[], ids: number]>> = {
  webhook_chaos: [["5 completed", "5 awaiting_payment", "5 completed", "6 processing"], 3],
  webhook_twice_at_once: [sentAgain(0), 3],
  webhook_new_ids: [sentAgain(0), 6],
  webhook_days_later: [sentAgain(3 * DAY), 3],
  webhook_response_lost: [sentAgain(5), 3],
  webhook_outage: [Object.entries(PAID).map(([at, status]) => `${Number(at) + FOURTH} ${status}`), 3],
};

it.each(Object.entries(ARRIVALS))(
  "%s changes the webhooks of a charge",
  async (scenario, [expected, ids]) => {
    const { api, arrivals } = await openWithReceiver();
    const { charge_id } = await api.whitelabel(await api.checkoutBody(), { "sandbox-scenario": scenario });
    await api.sandbox.advance("10d");
    expect(arrivals.map(({ text }) => text.replace("charge.", ""))).toEqual(expected);
    expect(new Set(arrivals.map(({ id }) => id)).size).toBe(ids);
    expect((await api.charge(charge_id)).status).toBe("COMPLETED");
    expect(await api.balance("KES")).toBe("500.00 / 0.00");
  },
);

it("webhook_chaos delays and duplicates webhooks of withdrawals", async () => {
  const { api, arrivals } = await openWithReceiver();
  const destination = await createFundedDestination(api);
  await api.sandbox.settled();
  arrivals.length = 0;
  await withdraw(api, destination, { "sandbox-scenario": "webhook_chaos" });
  await api.sandbox.advance("1h");
  const [processing, completed] = ["6 withdrawal.processing", "8 withdrawal.completed"];
  expect(arrivals.map(({ text }) => text)).toEqual([processing, processing, completed, completed]);
  expect(new Set(arrivals.map(({ id }) => id)).size).toBe(2);
});

it("webhook_first sends the webhook before the response that creates the payment", async () => {
  const { api, arrivals } = await openWithReceiver();
  const body = await api.checkoutBody();
  expect(arrivals).toEqual([]);
  await api.whitelabel(body, { "sandbox-scenario": "webhook_first" });
  expect(arrivals.map(({ text }) => text.split(" ")[1])).toEqual(["charge.completed"]);
});

it("webhook_outage fails three attempts", async ({ api }) => {
  okBody(await api.post("/_sandbox/webhook-endpoints", { url: (await Receiver.open()).url }));
  await api.whitelabel(await api.checkoutBody(), { "sandbox-scenario": "webhook_outage" });
  await api.sandbox.advance("1d");
  type Listed = { items: { attempts: { at: string; error: string | null; status: number | null }[] }[] };
  const { items } = okBody(await api.get<Listed>("/_sandbox/deliveries?type=charge.completed"));
  const failed = "failed by scenario webhook_outage";
  expect(items.map(({ attempts }) => attempts.map(({ at, error, status }) => [at, error ?? status]))).toEqual(
    [
      [
        [later(5), failed],
        [later(10), failed],
        [later(310), failed],
        [later(5 + FOURTH), 200],
      ],
    ],
  );
});

it("stale_reads finds a new charge only at the second read", async ({ api }) => {
  const { charge_id } = await api.whitelabel(await api.checkoutBody());
  const read = () => api.get(`/api/v1/payments/charges/${charge_id}`, { "sandbox-scenario": "stale_reads" });
  expect([(await read()).status, (await read()).status]).toEqual([404, 200]);
});

const CALLS = 400;

it("flaky_api fails, rate-limits and delays some calls", async () => {
  const api = await openApi({ seed: "one", scenario: "flaky_api" });
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async () => {
      const before = performance.now();
      const { status, headers }: Answer<unknown> = await api.get("/api/v1/payments/payins");
      return { status, ms: performance.now() - before, retryAfter: headers.get("retry-after") };
    }),
  );
  let slow = 0;
  for (let offset = 0; offset < CALLS; offset += 100) {
    const page = `/_sandbox/requests?operation=listPayins&status=200&limit=100&offset=${offset}`;
    const { items } = (await api.get<{ items: { fault: string | null }[] }>(page)).body;
    slow += items.filter(({ fault }) => fault !== null).length;
  }
  const count = (status: number) => answers.filter((one) => one.status === status).length;
  expect(count(500)).toBeGreaterThan(CALLS * 0.12);
  expect(count(500)).toBeLessThan(CALLS * 0.28);
  expect(count(429)).toBeGreaterThan(CALLS * 0.03);
  expect(count(429)).toBeLessThan(CALLS * 0.14);
  expect(count(200)).toBe(CALLS - count(500) - count(429));
  for (const { status, retryAfter } of answers) expect(retryAfter).toBe(status === 429 ? "1" : null);
  expect(slow).toBeGreaterThan(0);
  expect(slow).toBeLessThan(CALLS * 0.1);
  // A busy machine may delay others as much.
  const late = answers.filter(({ status, ms }) => status === 200 && ms >= 1_990);
  expect(late.length).toBeGreaterThanOrEqual(slow);
});

it("flaky_api changes nothing in a failed call", async ({ api }) => {
  const body = await api.checkoutBody();
  await api.post("/_sandbox/scenarios/flaky_api/activate", {});
  const statuses: number[] = [];
  for (let call = 0; call < 40 || !statuses.includes(429); call++)
    statuses.push((await api.tryWhitelabel(body)).status);
  await api.post("/_sandbox/scenarios/flaky_api/deactivate", {});
  expect(statuses).toContain(500);
  expect((await api.payins()).total).toBe(statuses.filter((status) => status === 200).length);
});

const asked = { "sandbox-scenario": "lost_response" };

it("lost_response charges twice when the app retries without a key", async ({ api }) => {
  const body = await api.checkoutBody();
  await expect(api.whitelabel(body, asked)).rejects.toThrow("fetch failed");
  const { total, items } = await api.payins();
  expect(total).toBe(1);
  const second = await api.whitelabel(body, asked);
  expect((await api.payins()).total).toBe(2);
  await api.sandbox.advance("5s");
  expect((await api.charge(items[0]!.charge_id)).status).toBe("COMPLETED");
  expect((await api.charge(second.charge_id)).status).toBe("COMPLETED");
});

it("lost_response cuts the connection", async ({ api }) => {
  const { url } = await api.sandbox.listen({ port: 0 });
  const headers = { authorization: `Bearer ${api.key}`, "content-type": "application/json", ...asked };
  const body = JSON.stringify({ pricing: { base_currency: "KES", amount: "500.00" } });
  const send = () => fetch(`${url}/api/v1/payments/checkouts`, { method: "POST", headers, body });
  await expect(send()).rejects.toThrow("fetch failed");
  expect((await api.payins()).total).toBe(1);
  expect((await send()).status).toBe(200);
});

it("lost_response pays out once when the app retries with the same key", async ({ api }) => {
  const destination = await createFundedDestination(api);
  const headers = { ...asked, "idempotency-key": "payout-17" };
  await expect(withdraw(api, destination, headers)).rejects.toThrow("fetch failed");
  expect(await api.balance("KES")).toBe("400.00 / 0.00");
  const { withdrawal_id } = await withdraw(api, destination, headers);
  expect(await api.balance("KES")).toBe("400.00 / 0.00");
  await api.sandbox.advance("3s");
  expect((await readWithdrawal(api, withdrawal_id)).status).toBe("COMPLETED");
  const list = await api.get<{ total: number }>("/api/v1/payouts/withdrawals");
  expect(list.body.total).toBe(1);
});

const isLost = (api: Api): Promise<boolean> =>
  api.pay().then(
    () => false,
    () => true,
  );
const change = (api: Api, name: string, verb: string) => api.post(`/_sandbox/scenarios/${name}/${verb}`, {});

it("counts uses of a fault from each activation", async ({ api }) => {
  for (let round = 0; round < 2; round++) {
    await change(api, "lost_response", "activate");
    expect([await isLost(api), await isLost(api)]).toEqual([true, false]);
    await change(api, "lost_response", "deactivate");
    expect(await isLost(api)).toBe(false);
  }
});

it("counts uses of a fault again when the rules are replaced", async ({ api }) => {
  const scenario = { faults: [{ match: { operation: "createWhitelabel" }, drop: "after", times: 1 }] };
  for (let round = 0; round < 2; round++) {
    await api.put("/_sandbox/scenarios/mine", scenario);
    await change(api, "mine", "activate");
    expect([await isLost(api), await isLost(api)]).toEqual([true, false]);
  }
});

describe("magic customers and amounts under a mishap", async () => {
  const { items } = (
    await (await openApi()).get<{ items: { name: string; kind?: string }[] }>("/_sandbox/scenarios?limit=100")
  ).body;
  const mishaps = items.filter(({ kind }) => kind === "mishap").map(({ name }) => name);

  it("each magic customer and amount is tested with three scenarios", () =>
    expect(mishaps).toEqual(expect.arrayContaining(["webhook_chaos", "slow", "paid_late"])));

  it.for(mishaps)("magic values keep their results under %s", async (name) => {
    const api = await openApi({ scenario: [name], rateLimit: "off", holdLimit: "50ms" });
    const create = async (order: Record<string, unknown>): Promise<string> => {
      for (let tries = 0; tries < 20; tries++) {
        const body = await api.checkoutBody(order).catch(() => undefined);
        const made = body && (await api.tryWhitelabel(body).catch(() => undefined));
        if (made?.status === 200) return made.body.charge_id;
      }
      throw new Error(`no checkout under ${name}`);
    };
    const charges = await Promise.all([
      create({ customer_email: "declined@shop.test" }),
      create({ phone_number: "+254700000049", payment_method: "mobile_money" }),
      create({ customer_email: "ada@shop.test" }),
    ]);
    await api.sandbox.advance("3h");
    const outcomes: string[] = [];
    for (const id of charges) outcomes.push((await api.charge(id)).status);
    expect(outcomes).toEqual(["FAILED", "FAILED", "COMPLETED"]);
  });

  it("magic values have no effect when a later scenario decides the outcome", async () => {
    const api = await openApi({ scenario: ["instant", "slow"] });
    const body = await api.checkoutBody({ customer_email: "declined@shop.test" });
    const { charge_id } = await api.whitelabel(body);
    expect((await readSandboxFields(api, charge_id)).scenario).toBe("slow");
  });

  it("magic values apply when a random rule does not", async () => {
    const api = await openApi();
    const rare = { charges: [{ probability: 0.000001, timeline: [{ after: "1s", to: "COMPLETED" }] }] };
    await api.put("/_sandbox/scenarios/rare", { name: "rare", ...rare });
    for (const name of ["rare", "slow"]) await api.post(`/_sandbox/scenarios/${name}/activate`, {});
    const body = await api.checkoutBody({ customer_email: "declined@shop.test" });
    const { charge_id } = await api.whitelabel(body);
    expect((await readSandboxFields(api, charge_id)).scenario).toBe("default");
  });
});
