import { expect } from "vitest";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { type Api, expectInvalid, okBody, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { createFundedDestination, readSandboxFields, readWithdrawal, withdraw } from "./support/outcomes.js";
import { NAMED_SCENARIOS } from "./support/shipped.js";

async function activate(api: Api, name: string, verb = "activate"): Promise<void> {
  okBody(await api.post(`/_sandbox/scenarios/${name}/${verb}`, {}));
}

interface Asked {
  readonly header?: string | undefined;
  readonly metadata?: string | undefined;
}

/** Creates a charge that names a scenario. */
async function order(api: Api, { header, metadata }: Asked) {
  const body = await api.checkoutBody(metadata ? { metadata: { sandbox_scenario: metadata } } : {});
  return api.whitelabel(body, header ? { "sandbox-scenario": header } : {});
}

/** Returns the scenario that a new charge follows. */
async function followed(api: Api, asked: Asked = {}): Promise<string | null> {
  return (await readSandboxFields(api, (await order(api, asked)).charge_id)).scenario;
}

it("a header's scenario takes precedence over metadata, active scenarios and the default", async ({
  api,
}) => {
  expect(await followed(api)).toBe("default");
  await activate(api, "slow");
  expect(await followed(api)).toBe("slow");
  await activate(api, "stuck");
  expect(await followed(api)).toBe("stuck");
  expect(await followed(api, { metadata: "declined" })).toBe("declined");
  expect(await followed(api, { metadata: "declined", header: "expired" })).toBe("expired");
  expect(await followed(api, { header: "default" })).toBe("default");
  await activate(api, "slow"); // Now it is the latest.
  expect(await followed(api)).toBe("slow");
  await activate(api, "slow", "deactivate");
  expect(await followed(api)).toBe("stuck");
  await activate(api, "stuck", "deactivate");
  expect(await followed(api)).toBe("default");
});

it("a scenario active at startup applies to charges", async () => {
  expect(await followed(await openApi({ scenario: "cancelled" }))).toBe("cancelled");
  expect(await followed(await openApi({ scenario: ["cancelled", "declined"] }))).toBe("declined");
});

it("a header's scenario applies to hosted pages and withdrawals", async ({ api }) => {
  const destination = await createFundedDestination(api);
  const pricing = { base_currency: "KES", amount: "500.00" };
  for (const [headers, metadata] of [
    [{ "sandbox-scenario": "stuck" }, {}],
    [{}, { sandbox_scenario: "stuck" }],
  ] as const) {
    const { checkout_id, charge_id } = okBody(
      await api.post<{ checkout_id: string; charge_id: string }>(
        "/api/v1/payments/checkouts",
        { pricing, metadata },
        headers,
      ),
    );
    okBody(await api.post(`/_sandbox/checkouts/${checkout_id}/pay`, { payment_method: "card" }));
    expect(await readSandboxFields(api, charge_id)).toMatchObject({
      scenario: "stuck",
      scenario_asked: "stuck",
    });
    const { withdrawal_id } = await withdraw(api, destination, headers, { amount: "500.00", metadata });
    await api.sandbox.advance("1d");
    expect((await api.charge(charge_id)).status).toBe("PROCESSING");
    const read = await api.get(`/api/v1/payouts/withdrawals/${withdrawal_id}`);
    expect(read.body).toMatchObject({ status: "PROCESSING" });
  }
});

it("activating a scenario does not change existing charges", async ({ api }) => {
  const { charge_id } = await api.pay();
  await activate(api, "declined");
  await api.sandbox.advance("5s");
  expect((await api.charge(charge_id)).status).toBe("COMPLETED");
});

const NOBODY = { charges: [{ match: { customer_email: "x@*" }, timeline: [] }] };
const TWICE = { charges: [{ timeline: [{ after: "1s", to: "FAILED" }] }], webhooks: [{ copies: 2 }] };

it.each<[string, { header?: string; metadata?: string; active?: string }, string, string[]]>([
  ["the default", { header: "nobody" }, "default", ["nobody"]],
  ["the active one", { metadata: "nobody", active: "declined" }, "declined", ["nobody"]],
  ["the one in the metadata", { header: "nobody", metadata: "twice", active: "slow" }, "twice", ["nobody"]],
  [
    "the default for each name",
    { header: "crypto_confirmations", metadata: "nobody" },
    "default",
    ["crypto_confirmations", "nobody"],
  ],
])(
  "falls back to %s when the named scenario does not match",
  async (_to, { header, metadata, active }, scenario, skipped) => {
    const api = await openApi({ scenario: active ?? [], webhooks: [{ mailbox: "inbox" }] });
    okBody(await api.put("/_sandbox/scenarios/nobody", NOBODY));
    okBody(await api.put("/_sandbox/scenarios/twice", TWICE));
    const { charge_id } = await order(api, { header, metadata });
    const found = await readSandboxFields(api, charge_id);
    expect(found).toMatchObject({ scenario, scenario_asked: header ?? metadata });
    expect(found.notes.map(({ note }) => note)).toEqual(
      skipped.map((name) => `no rule of scenario ${name} matches; ${scenario} applies`),
    );
    await api.sandbox.advance("5s");
    expect((await api.charge(charge_id)).status).toBe(scenario === "default" ? "COMPLETED" : "FAILED");
    // The webhook rules of that scenario apply, too.
    const { total } = okBody(await api.get<{ total: number }>("/_sandbox/deliveries?type=charge.failed"));
    expect(total).toBe(scenario === "default" ? 0 : scenario === "twice" ? 2 : 1);
  },
);

const KNOWN = [...NAMED_SCENARIOS].sort().join(", ");
const MESSAGE = `there is no scenario "declind"; known: ${KNOWN}`;

it("refuses an unknown scenario with a list of known names", async ({ api }) => {
  const destination = await createFundedDestination(api);
  const before = (await api.payins()).total;
  const header = { "sandbox-scenario": "declind" };
  const metadata = { sandbox_scenario: "declind" };
  const pricing = { base_currency: "KES", amount: "500.00" };
  const payout = { destination_id: destination, amount: "500.00", currency: "KES" };
  const operations = OPERATIONS.map(({ method, path }) => `${method} ${path.replace(/:\w+/, "x")}`);
  for (const answer of [
    ...(await Promise.all(
      operations.map((line) => api.ask(line, line.startsWith("GET") ? undefined : {}, header)),
    )),
    await api.post("/api/v1/payments/quotes", { pricing, payment_method: "mobile_money" }, header),
    await api.tryWhitelabel(await api.checkoutBody(), header),
    await api.tryWhitelabel(await api.checkoutBody({ metadata })),
    await api.tryWhitelabel(await api.checkoutBody({ metadata }), { "sandbox-scenario": "success" }),
    await api.post("/api/v1/payments/checkouts", { pricing }, header),
    await api.post("/api/v1/payments/checkouts", { pricing, metadata }),
    await api.post("/api/v1/payouts/withdrawals", payout, header),
    await api.post("/api/v1/payouts/withdrawals", { ...payout, metadata }),
  ]) {
    expect(answer.status).toBe(400);
    expect(answer.details.sandbox_scenario).toBe(MESSAGE);
  }
  const both = await api.post("/api/v1/payments/quotes", { pricing, payment_method: "cash" }, header);
  expectInvalid(both, "sandbox_scenario", "payment_method");
  expect((await api.payins()).total).toBe(before);
  expect(await api.balance("KES")).toBe("1000.00 / 0.00");
});

it("accepts the name of a scenario after it is stored", async ({ api }) => {
  okBody(
    await api.put("/_sandbox/scenarios/declind", {
      charges: [{ timeline: [{ after: "1s", to: "FAILED" }] }],
    }),
  );
  expect(await followed(api, { header: "declind" })).toBe("declind");
});

const CHARGES = 200;
const RARE = "/_sandbox/scenarios/rare";

/** Returns the numbers of the charges to which the rule applied. */
async function taken(probability: number, between?: (api: Api) => Promise<unknown>): Promise<number[]> {
  const api = await openApi({ seed: "chance" });
  okBody(await api.put(RARE, { charges: [{ probability, timeline: [{ after: "1s", to: "FAILED" }] }] }));
  await activate(api, "rare");
  const found: number[] = [];
  for (let n = 0; n < CHARGES; n++) {
    await between?.(api);
    const { charge_id } = await api.whitelabel(await api.checkoutBody());
    if ((await readSandboxFields(api, charge_id)).scenario === "rare") found.push(n);
  }
  return found;
}

it("a rule with a probability sometimes yields to the next rule", async () => {
  const { length } = await taken(0.2);
  expect(length).toBeGreaterThan(CHARGES * 0.1);
  expect(length).toBeLessThan(CHARGES * 0.3);
  expect(await taken(0)).toEqual([]);
  expect(await taken(1)).toHaveLength(CHARGES);
});

it("random rules depend only on the seed", async () => {
  const alone = await taken(0.2);
  expect(await taken(0.2, (api) => api.get("/api/v1/payments/payins"))).toEqual(alone);
});

it("a rule with a probability applies to withdrawals", async ({ api }) => {
  const destination_id = await createFundedDestination(api);
  for (const [probability, status] of [
    [1, "PENDING"],
    [0, "COMPLETED"],
  ] as const) {
    okBody(await api.put(RARE, { withdrawals: [{ probability, timeline: [] }] }));
    await activate(api, "rare");
    const { withdrawal_id } = await withdraw(api, destination_id, {}, { amount: "500.00" });
    await api.sandbox.advance("30d");
    expect((await readWithdrawal(api, withdrawal_id)).status).toBe(status);
  }
});
