import { describe, expect } from "vitest";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { type Api, expectInvalid, okBody, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { behind, fundedDestination, withdraw, withdrawalOf } from "./support/outcomes.js";
import { FATES } from "./support/shipped.js";

async function activate(api: Api, name: string, verb = "activate"): Promise<void> {
  okBody(await api.post(`/_sandbox/scenarios/${name}/${verb}`, {}));
}

/** Whose rule a new charge follows. */
async function followed(
  api: Api,
  asked: { header?: string; metadata?: string } = {},
): Promise<string | null> {
  const body = await api.checkoutBody(
    asked.metadata === undefined ? {} : { metadata: { sandbox_scenario: asked.metadata } },
  );
  const headers: Record<string, string> =
    asked.header === undefined ? {} : { "sandbox-scenario": asked.header };
  const { charge_id } = await api.whitelabel(body, headers);
  return (await behind(api, charge_id)).scenario;
}

describe("choice of the scenario of a charge", () => {
  it("takes the header's, then the metadata's, then the active ones', last activated first, then the default", async ({
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
    await activate(api, "slow"); // again, and so the last
    expect(await followed(api)).toBe("slow");
    await activate(api, "slow", "deactivate");
    expect(await followed(api)).toBe("stuck");
    await activate(api, "stuck", "deactivate");
    expect(await followed(api)).toBe("default");
  });

  it("takes one that is active at startup", async () => {
    expect(await followed(await openApi({ scenario: "cancelled" }))).toBe("cancelled");
    expect(await followed(await openApi({ scenario: ["cancelled", "declined"] }))).toBe("declined");
  });

  it("applies to the hosted page and withdrawals, by header and by metadata", async ({ api }) => {
    const destination = await fundedDestination(api);
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
      expect(await behind(api, charge_id)).toMatchObject({ scenario: "stuck", scenario_asked: "stuck" });
      const { withdrawal_id } = await withdraw(api, destination, headers, { amount: "500.00", metadata });
      await api.sandbox.advance("1d");
      expect((await api.charge(charge_id)).status).toBe("PROCESSING");
      const read = await api.get(`/api/v1/payouts/withdrawals/${withdrawal_id}`);
      expect(read.body).toMatchObject({ status: "PROCESSING" });
    }
  });

  it("is made at creation: a later activation changes nothing", async ({ api }) => {
    const { charge_id } = await api.pay();
    await activate(api, "declined");
    await api.sandbox.advance("5s");
    expect((await api.charge(charge_id)).status).toBe("COMPLETED");
  });

  it("ends with a manual transition", async ({ api }) => {
    const { charge_id } = await api.whitelabel(await api.checkoutBody(), { "sandbox-scenario": "declined" });
    okBody(await api.transition(charge_id, { to: "PROCESSING" }));
    await api.sandbox.advance("1h");
    expect((await api.charge(charge_id)).status).toBe("PROCESSING");
  });
});

describe("a named scenario whose rules do not match", () => {
  it("falls through to the next, and that is recorded", async ({ api }) => {
    const { charge_id } = await api.whitelabel(await api.checkoutBody(), {
      "sandbox-scenario": "crypto_confirmations",
    });
    const { scenario, scenario_asked, notes } = await behind(api, charge_id);
    expect({ scenario, scenario_asked }).toEqual({
      scenario: "default",
      scenario_asked: "crypto_confirmations",
    });
    expect(notes.map(({ note }) => note)).toEqual([
      "no rule of scenario crypto_confirmations matches; default applies",
    ]);
    await api.sandbox.advance("5s");
    expect((await api.charge(charge_id)).status).toBe("COMPLETED");
  });

  it("falls through to the one in the metadata, whose webhook rules apply too", async () => {
    const api = await openApi({ scenario: "slow", webhooks: [{ mailbox: "inbox" }] });
    const named = (name: string, rules: object) => api.put(`/_sandbox/scenarios/${name}`, { name, ...rules });
    okBody(await named("nobody", { charges: [{ match: { customer_email: "x@*" }, timeline: [] }] }));
    const timeline = [{ after: "1s", to: "FAILED" }];
    okBody(await named("twice", { charges: [{ timeline }], webhooks: [{ copies: 2 }] }));
    const { charge_id } = await api.whitelabel(
      await api.checkoutBody({ metadata: { sandbox_scenario: "twice" } }),
      { "sandbox-scenario": "nobody" },
    );
    const { scenario, notes } = await behind(api, charge_id);
    expect([scenario, notes.map(({ note }) => note)]).toEqual([
      "twice",
      ["no rule of scenario nobody matches; twice applies"],
    ]);
    await api.sandbox.advance("1s");
    expect(okBody(await api.get("/_sandbox/deliveries?type=charge.failed"))).toMatchObject({ total: 2 });
  });

  it("is recorded for each name", async ({ api }) => {
    const other = { charges: [{ match: { customer_email: "x@*" }, timeline: [] }] };
    okBody(await api.put("/_sandbox/scenarios/nobody", { name: "nobody", ...other }));
    const body = await api.checkoutBody({ metadata: { sandbox_scenario: "nobody" } });
    const { charge_id } = await api.whitelabel(body, { "sandbox-scenario": "crypto_confirmations" });
    expect((await behind(api, charge_id)).notes.map(({ note }) => note)).toEqual([
      "no rule of scenario crypto_confirmations matches; default applies",
      "no rule of scenario nobody matches; default applies",
    ]);
  });

  it("falls through to an active one before the default", async () => {
    const api = await openApi({ scenario: "declined" });
    const { charge_id } = await api.whitelabel(
      await api.checkoutBody({ metadata: { sandbox_scenario: "crypto_confirmations" } }),
    );
    const { scenario, notes } = await behind(api, charge_id);
    expect(scenario).toBe("declined");
    expect(notes.map(({ note }) => note)).toEqual([
      "no rule of scenario crypto_confirmations matches; declined applies",
    ]);
  });
});

describe("an unknown scenario name", () => {
  const KNOWN = [...FATES].sort().join(", ");
  const MESSAGE = `there is no scenario "declind"; known: ${KNOWN}`;

  it("is refused in each place with a list of known names, and nothing is created", async ({ api }) => {
    const destination = await fundedDestination(api);
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

  it("is known once the scenario is stored", async ({ api }) => {
    okBody(
      await api.put("/_sandbox/scenarios/declind", {
        charges: [{ timeline: [{ after: "1s", to: "FAILED" }] }],
      }),
    );
    expect(await followed(api, { header: "declind" })).toBe("declind");
  });
});

describe("a rule with a probability", () => {
  const CHARGES = 200;
  const RARE = "/_sandbox/scenarios/rare";

  /** Which of so many charges it was taken for; `between` is called before each. */
  async function taken(probability: number, between?: (api: Api) => Promise<unknown>): Promise<number[]> {
    const api = await openApi({ seed: "chance" });
    okBody(await api.put(RARE, { charges: [{ probability, timeline: [{ after: "1s", to: "FAILED" }] }] }));
    await activate(api, "rare");
    const found: number[] = [];
    for (let n = 0; n < CHARGES; n++) {
      await between?.(api);
      const { charge_id } = await api.whitelabel(await api.checkoutBody());
      if ((await behind(api, charge_id)).scenario === "rare") found.push(n);
    }
    return found;
  }

  it("applies about that often, and else falls through to the next rule", async () => {
    const { length } = await taken(0.2);
    expect(length).toBeGreaterThan(CHARGES * 0.1);
    expect(length).toBeLessThan(CHARGES * 0.3);
    expect(await taken(0)).toEqual([]);
    expect(await taken(1)).toHaveLength(CHARGES);
  });

  it("is drawn from the seed, whatever other calls come between", async () => {
    const alone = await taken(0.2);
    expect(await taken(0.2, (api) => api.get("/api/v1/payments/payins"))).toEqual(alone);
  });

  it("works for a withdrawal too", async ({ api }) => {
    const destination_id = await fundedDestination(api);
    for (const [probability, status] of [
      [1, "PENDING"],
      [0, "COMPLETED"],
    ] as const) {
      okBody(await api.put(RARE, { withdrawals: [{ probability, timeline: [] }] }));
      await activate(api, "rare");
      const { withdrawal_id } = await withdraw(api, destination_id, {}, { amount: "500.00" });
      await api.sandbox.advance("30d");
      expect((await withdrawalOf(api, withdrawal_id)).status).toBe(status);
    }
  });

  it("is between 0 and 1", async ({ api }) => {
    const put = (probability: unknown) => api.put(RARE, { charges: [{ probability, timeline: [] }] });
    for (const wrong of [-0.1, 1.1, "often"]) expectInvalid(await put(wrong), "charges.0.probability");
  });
});
