import { expect, it } from "vitest";
import { findRule, type MatchSubject, matchesRule } from "../../src/core/domain/rule-matching.js";
import { listApplicableScenarios, readRequestedScenario } from "../../src/core/engine/scenario-lookup.js";
import { State } from "../../src/core/engine/state.js";
import { type ChargeMatch, type Scenario, scenarioSchema } from "../../src/core/schema/scenario-rules.js";

const subject: MatchSubject = {
  fields: {
    customer_email: "ada@shop.test",
    customer_name: null,
    payment_method: "mobile_money",
    currency: "KES",
    amount: "512.50",
    base_amount: "500.00",
    phone_number: "+254700000049",
  },
  metadata: { plan: "gold", order: "17" },
};

/** Applies a match as a scenario file would. */
function says(match: ChargeMatch | undefined): boolean {
  expect(scenarioSchema.safeParse({ name: "x", charges: [{ match, timeline: [] }] }).success).toBe(true);
  return matchesRule(match, subject);
}

it("a match without fields matches everything", () => {
  expect(says(undefined)).toBe(true);
  expect(says({})).toBe(true);
  expect(says({ metadata: {} })).toBe(true);
  expect(matchesRule({}, { fields: {}, metadata: {} })).toBe(true);
});

it.each<[boolean, ChargeMatch]>([
  [true, { customer_email: "*@shop.test" }],
  [false, { customer_email: "*@other.test" }],
  [true, { currency: ["UGX", "KES"] }],
  [false, { currency: ["UGX", "NGN"] }],
  [false, { currency: "kes" }],
  [true, { phone_number: "*049", payment_method: "mobile_money" }],
  [false, { phone_number: "*049", payment_method: "card" }],
  [true, { metadata: { plan: "g*", order: ["16", "17"] } }],
  [false, { metadata: { plan: "gold", order: "18" } }],
  [false, { metadata: { missing: "*" } }],
  [false, { metadata: { toString: "*" } }],
  [false, { customer_name: "*" }],
  [false, { bank_account_number: "*" }],
])("returns %s for the fields of %j", (expected, match) => {
  expect(says(match)).toBe(expected);
});

it.each<[boolean, ChargeMatch]>([
  [true, { base_amount: "500.00" }],
  [false, { base_amount: "500" }],
  [true, { base_amount: "500*" }],
  [true, { base_amount: ["1.00", "500.00"] }],
  [true, { base_amount: { gte: "500" } }],
  [false, { base_amount: { gt: "500" } }],
  [true, { base_amount: { gt: "499.999999", lt: "500.01" } }],
  [true, { base_amount: { lte: "500.0" } }],
  [false, { base_amount: { lt: "500.000" } }],
  [false, { base_amount: { gte: "100", lt: "200" } }],
  [true, { amount: { gt: "99" } }],
])("returns %s for the globs and bounds of %j", (expected, match) => {
  expect(says(match)).toBe(expected);
});

it.each<[boolean, ChargeMatch]>([
  [true, { customer_email: { not: "*@other.test" } }],
  [false, { customer_email: { not: ["*@other.test", "ada@*"] } }],
  [true, { currency: { in: ["UGX", "K*"] } }],
  [true, { customer_email: { contains: "@shop." } }],
  [false, { customer_email: { contains: "*" } }],
  [true, { customer_name: { exists: false }, customer_email: { exists: true } }],
  [false, { bank_account_number: { exists: true } }],
  [true, { metadata: { missing: { exists: false }, order: { gte: 17, lt: "18" } } }],
  [false, { metadata: { plan: { gte: 1 } } }],
  [false, { metadata: { plan: { not: { gte: 1 } } } }],
  [true, { phone_number: { matches: "^\\+254\\d{9}$" } }],
  [false, { phone_number: { matches: "^254" } }],
  [true, { base_amount: { gte: "500", not: { gt: "500" } } }],
  [true, { customer_name: { not: "*" } }],
])("returns %s for the combined conditions of %j", (expected, match) => {
  expect(says(match)).toBe(expected);
});

it("bounds do not match an unknown amount", () => {
  const unpriced: MatchSubject = { fields: { amount: null }, metadata: {} };
  expect(matchesRule({ amount: { gte: "0" } }, unpriced)).toBe(false);
  expect(matchesRule({ amount: "*" }, unpriced)).toBe(false);
});

const scenario = (name: string, ...wanted: (string | undefined)[]): Scenario => ({
  name,
  charges: wanted.map((email) => ({
    ...(email === undefined ? {} : { match: { customer_email: email } }),
    timeline: [{ after: "1s", to: "FAILED", reason: `${name}:${email ?? "any"}` }],
  })),
});

const reason = (scenarios: Scenario[]) => findRule("charges", scenarios, subject)?.rule.timeline[0]?.reason;

it("uses the first matching rule of a file", () => {
  expect(reason([scenario("one", "bob@*", "ada@*", undefined)])).toBe("one:ada@*");
  expect(reason([scenario("one", undefined, "ada@*")])).toBe("one:any");
});

it("uses the next scenario when no rule of the first matches", () => {
  expect(reason([scenario("one", "bob@*"), scenario("two"), scenario("three", "ada@*")])).toBe("three:ada@*");
});

it("uses no rule when none matches", () => {
  expect(findRule("charges", [scenario("one", "bob@*")], subject)).toBeUndefined();
  expect(findRule("withdrawals", [scenario("one", undefined)], subject)).toBeUndefined();
});

/** Creates a state with scenarios, numbered by activation; 0 means inactive. */
function stateWith(activations: Record<string, number>): State {
  const state = new State();
  state.apply({
    seq: 1,
    at: 0,
    counters: {},
    puts: Object.entries(activations).map(([name, activated]) => [
      "scenarios",
      name,
      { name, activated, scenario: scenario(name, undefined) },
    ]),
  });
  return state;
}
const known = stateWith({ default: 0, idle: 0, older: 1, newer: 2 });
const order = (state: State, ...asked: string[]) =>
  listApplicableScenarios(state, asked).map(({ name }) => name);

it("skips a deactivated default scenario", () => {
  expect(order(stateWith({ older: 1 }))).toEqual(["older"]);
});

it("the scenario of the header takes precedence over the metadata", () => {
  const asking = (sandbox_scenario: unknown) => ({ metadata: { sandbox_scenario } });
  const nameOf = (header: string | null, body: unknown) => readRequestedScenario(known, header, body);
  expect(nameOf("idle", asking("older"))).toEqual({ name: "idle", faults: {} });
  expect(nameOf(null, asking("older"))).toEqual({ name: "older", faults: {} });
  expect(nameOf("idle", asking("oldr")).faults.sandbox_scenario).toContain('"oldr"');
  for (const body of [{ metadata: {} }, {}, undefined, null, asking(7)])
    expect(nameOf(null, body)).toEqual({ name: null, faults: {} });
});
