// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import type { StartOptions } from "../../src/core/schema/option-table.js";
import { configFaults, readVocabulary } from "../../src/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { fileWith } from "../support/scenario-run.js";

/** What is warned of in a file, each as line:column, field and message. */
async function warnings(text: string, options: StartOptions = {}, isFault = false): Promise<string[]> {
  const vocabulary = await readVocabulary(options);
  const file = fileWith(`name: x\n${text}\n`);
  const result = await validateFile(file, { environment: {}, configFaults, vocabulary });
  expect(result[isFault ? "warnings" : "faults"]).toEqual([]);
  return result[isFault ? "faults" : "warnings"].map(
    ({ line, column, field, message }) => `${line}:${column} ${field}: ${message}`,
  );
}

const ofRules = (rules: string) => warnings(rules);
/** An expectation of an event type, an operation or a status that there is not is a fault. */
const VOID = /expect_(webhook|delivery|request|sequence|charge): \{ (type|operation|status): \w/;
const ofStep = (step: string) =>
  warnings(`steps:\n  - ${step}`, {}, VOID.test(step) && !/charge\.\*/.test(step));

describe("a name that nothing has is warned of", () => {
  it.each([
    [
      "faults: [{ match: { operation: [createQuote, createQoute] }, drop: after }]",
      "2:46 faults.0.match.operation.1: there is no operation createQoute; did you mean createQuote?",
    ],
    [
      "faults: [{ match: { method: get }, drop: after }]",
      "2:21 faults.0.match.method: there is no HTTP method get; did you mean GET?",
    ],
    [
      "faults: [{ match: { path: /api/v1/payment/quotes }, drop: after }]",
      "2:21 faults.0.match.path: there is nothing at /api/v1/payment/quotes; did you mean /api/v1/payments/quotes?",
    ],
    [
      "webhooks: [{ match: { type: charge.complete }, drop: true }]",
      "2:23 webhooks.0.match.type: is an unknown event type; did you mean charge.completed? Known: ",
    ],
    [
      "charges: [{ match: { currency: Kes }, timeline: [] }]",
      "2:22 charges.0.match.currency: there is no currency Kes; did you mean KES?",
    ],
    [
      "charges: [{ match: { payment_method: mobile-money }, timeline: [] }]",
      "2:22 charges.0.match.payment_method: there is no payment method mobile-money; did you mean mobile_money?",
    ],
    [
      "withdrawals: [{ match: { currency: usd }, timeline: [] }]",
      "2:26 withdrawals.0.match.currency: there is no currency usd; did you mean USD?",
    ],
  ])("in the rule %s", async (rules, expected) => {
    const [warning, ...others] = await ofRules(rules);
    expect(others).toEqual([]);
    expect(warning).toContain(expected);
  });

  it.each([
    [
      "expect_webhook: { type: charge.faild, count: 0 }",
      "expect_webhook.type: is an unknown event type; did",
    ],
    [
      "expect_delivery: { type: charge.faild, count: 0 }",
      "expect_delivery.type: is an unknown event type; did",
    ],
    [
      "expect_request: { operation: createWhitelable, count: 0 }",
      "operation: there is no operation createWhitelable; did you mean createWhitelabel?",
    ],
    ["expect_request: { path: /api/v1/payments/quote, count: 0 }", "did you mean /api/v1/payments/quotes?"],
    ["expect_charge: { currency: Kes, count: 0 }", "currency: there is no currency Kes; did you mean KES?"],
    ["expect_charge: { status: COMPLETD*, count: 0 }", "status: must be one of PENDING, "],
    ["expect_balance: { currency: KSE, change: '0' }", "there is no currency KSE; did you mean KES?"],
    ["{ wait_for: delivery, match: { type: charge.faild } }", "match.type: is an unknown event type"],
    ["{ wait_for: charge, match: { payment_method: cards } }", "there is no payment method cards; did you"],
    [
      "trigger: { type: charge.complete }",
      "trigger.type: is an unknown event type; did you mean charge.completed?",
    ],
    [
      "fault: { match: { operation: createQoute }, drop: after }",
      "fault.match.operation: there is no operation createQoute",
    ],
    [
      "{ request: GET /api/v1/payments/charge/ch_1, expect: { status: 4xx } }",
      "request: there is nothing at /api/v1/payments/charge/ch_1; did you mean /api/v1/payments/charges/ch_1?",
    ],
    [
      "{ request: GET /api/v1/payments/quotes, save: { q: bdy.id } }",
      "save.q: there is no bdy to save; did you mean body?",
    ],
    [
      "{ expect_charge: {}, save: { c: charge } }",
      "save.c: there is no charge to save; did you mean charge_id?",
    ],
    [
      "{ wait_for: charge, save: { c: chargeid } }",
      "save.c: there is no chargeid to save; did you mean charge_id?",
    ],
  ])("in the step %s", async (step, expected) => {
    const [warning, ...others] = await ofStep(step);
    expect(others).toEqual([]);
    expect(warning).toContain(expected);
  });

  it("in a step within a step, where it stands", async () => {
    const nested = "repeat: 2\n    steps:\n      - expect_webhook: { type: charge.complete, count: 0 }";
    expect(await ofStep(nested)).toEqual([
      expect.stringMatching(/^5:27 steps\.0\.steps\.0\.expect_webhook\.type: is an unknown event type; did/),
    ]);
  });
});

it("a file that has neither rules nor steps is warned of", async () => {
  const expected = [expect.stringContaining("has neither rules nor steps")];
  expect(await warnings("steps: []")).toEqual(expected);
  expect(await warnings("charges: []")).toEqual(expected);
});

describe("nothing is said", () => {
  it.each([
    "faults: [{ match: { operation: 'create*', method: POST, path: '/api/*/quotes' }, drop: after }]",
    "faults: [{ match: { path: '*/charges/ch_*' }, drop: after }]",
    "webhooks: [{ match: { type: ['charge.*', withdrawal.failed], currency: [KES, U*] }, drop: true }]",
    "charges: [{ match: { metadata: { currency: none, operation: none } }, timeline: [] }]",
    "vars: { currency: none }\nsteps: [{ advance: 1s }]",
  ])("of %s", async (rules) => expect(await ofRules(rules)).toEqual([]));

  it.each([
    "{ request: GET /api/v1/nothing, expect: { status: 404 } }",
    "{ request: GET /api/v1/nothing, expect: { error: NOT_FOUND } }",
    "{ request: 'GET /api/v1/payments/charges/${run.id}?x=1', expect: { error: NOT_FOUND } }",
    "request: GET /health",
    "{ request: POST /api/v1/payments/quotes, body: { currency: nonsense }, save: { q: body.quote_id } }",
    "trigger: { type: dispute.opened, force: true }",
    "app: GET /anything",
    "expect_sequence: { types: [charge.completed], charge_id: ch_1 }",
  ])("of the step %s", async (step) => expect(await ofStep(step)).toEqual([]));

  it("of names that the service has by its config and fixtures", async () => {
    const fixtures = fileWith(
      "currencies:\n  - { code: XAF, type: fiat, name: Franc, decimals: 0, rate: '600' }",
    );
    const text = `charges: [{ match: { currency: XAF }, timeline: [] }]
steps:
  - request: GET /v2/charges/ch_1
  - trigger: { type: PaymentSuccessful }`;
    const options = {
      fixtures,
      paths: { getCharge: "/v2/charges/{charge_id}" },
      event_names: { "charge.completed": "PaymentSuccessful" },
    };
    expect(await warnings(text, options)).toEqual([]);
    expect(await warnings(text)).toHaveLength(2);
    const own =
      "given: { fixtures: { currencies: [{ code: XAF, type: fiat, name: Franc, decimals: 0, rate: '600' }] } }\nwithdrawals: [{ match: { currency: XAF }, timeline: [] }]";
    expect(await warnings(own)).toEqual([]);
  });
});
