// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { docsOf } from "../../src/core/schema/descriptions.js";
import { RESPONSE_SCHEMAS } from "../../src/core/schema/responses/by-operation.js";
import { configFaults, readVocabulary } from "../../src/options.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { fileWith } from "../support/scenario-run.js";

async function ofStep(step: string): Promise<string[]> {
  const file = fileWith(`name: x\nsteps:\n  - ${step}\n`);
  const result = await validateFile(file, {
    environment: {},
    configFaults,
    vocabulary: await readVocabulary({}),
  });
  // An unknown status is a fault, an unknown field a warning.
  const isFault = result.faults.length > 0;
  expect(isFault).toBe(step.includes("COMPLETD"));
  return (isFault ? result.faults : result.warnings).map(
    ({ line, column, field, message }) => `${line}:${column} ${field}: ${message}`,
  );
}

const UNKNOWN = "unknown field; did you mean";
const PAYMENTS = "/api/v1/payments";

describe("a field that nothing has is warned of at its place", () => {
  it.each([
    [
      "expect_charge: { fees: { totl_fee: '1.00' } }",
      `3:30 steps.0.expect_charge.fees.totl_fee: ${UNKNOWN} total_fee?`,
    ],
    [
      "expect_charge: { fees: { not: { fee_breakdown: { gatway_fee: '*' } } }, count: 0 }",
      `3:54 steps.0.expect_charge.fees.not.fee_breakdown.gatway_fee: ${UNKNOWN} gateway_fee?`,
    ],
    [
      "expect_charge: { status_history: { contains: { staus: EXPIRED } } }",
      `3:52 steps.0.expect_charge.status_history.contains.staus: ${UNKNOWN} status?`,
    ],
    [
      "expect_charge: { sandbox: { scenari: declined } }",
      `3:33 steps.0.expect_charge.sandbox.scenari: ${UNKNOWN} scenario?`,
    ],
    [
      "expect_webhook: { type: charge.failed, data: { reson: x }, count: 0 }",
      "steps.0.expect_webhook.data.reson: unknown field; known: charge_id, ",
    ],
    [
      "expect_webhook: { type: withdrawal.*, data: { charge_id: x } }",
      "steps.0.expect_webhook.data.charge_id: unknown field; known: withdrawal_id",
    ],
    ["expect_webhook: { data: { status: COMPLETD }, count: 0 }", "data.status: must be one of PENDING, "],
    ["expect_webhook: { payload: { dat: {} } }", `payload.dat: ${UNKNOWN} data?`],
    ["expect_delivery: { data: { amunt: '1' } }", `data.amunt: ${UNKNOWN} amount?`],
    ["expect_delivery: { mishap: { forgd: true } }", `mishap.forgd: ${UNKNOWN} forged?`],
    [
      "expect_request: { operation: createQuote, response_body: { fes: {} } }",
      `response_body.fes: ${UNKNOWN} fees?`,
    ],
    [
      "{ wait_for: charge, match: { fees: { totl_fee: '1.00' } } }",
      `match.fees.totl_fee: ${UNKNOWN} total_fee?`,
    ],
    [
      `{ request: POST ${PAYMENTS}/quotes, expect: { body: { exchnge_rate: '1' } } }`,
      `expect.body.exchnge_rate: ${UNKNOWN} exchange_rate?`,
    ],
    [
      "{ request: GET /api/v1/accounts/balances, expect: { body: { balances: [{ avalable_balance: '1' }] } } }",
      `expect.body.balances.0.avalable_balance: ${UNKNOWN} available_balance?`,
    ],
    [
      `{ request: 'GET ${PAYMENTS}/charges/\${run.id}', expect: { status: 404, body: { error: { cod: x } } } }`,
      `expect.body.error.cod: ${UNKNOWN} code?`,
    ],
    [
      `{ request: POST ${PAYMENTS}/quotes, save: { q: body.quoteid } }`,
      "save.q: there is no quoteid to save; did you mean quote_id?",
    ],
    [
      `{ request: POST ${PAYMENTS}/quotes, save: { q: quote_id } }`,
      "save.q: there is no quote_id to save; did you mean body.quote_id?",
    ],
    [
      "{ expect_charge: {}, save: { f: fees.totl_fee } }",
      "save.f: there is no totl_fee to save; did you mean total_fee?",
    ],
  ])("of the step %s", async (step, expected) => {
    const [warning, ...others] = await ofStep(step);
    expect(others).toEqual([]);
    expect(warning).toContain(expected);
  });
});

it.each([
  "expect_charge: { metadata: { anything: { exists: true } }, fees: { exists: false } }",
  "expect_charge: { payment_instructions: { currency: USDT, network: TRC20 }, payment_method: crypto }",
  "expect_webhook: { type: sandbox.charge.*, data: { sandbox_extension: { amount: '1.00' }, charge_id: x } }",
  "expect_webhook: { type: webhook.test, data: { hello: 1 }, payload: { id: '*', data: { hello: 1 } } }",
  "expect_webhook: { data: { withdrawal_id: x, reference: y } }",
  "expect_delivery: { request_headers: { webhook-id: '*' }, answered: 2xx, status: delivered }",
  "expect_request: { request_body: { meta_data: 1 }, response_body: { x: 1 } }",
  "{ wait_for: delivery, match: { mishap: { forged: true } } }",
  `{ request: POST ${PAYMENTS}/quotes, expect: { status: { gte: 200 }, body: { error: {}, quote_id: x } } }`,
  `{ request: GET ${PAYMENTS}/payins, save: { n: body.items.length, first: body.items.0.charge_id } }`,
  `{ request: POST ${PAYMENTS}/quotes, expect: { error: X, body: { error: { details: { a.b: y } } } } }`,
  "{ request: GET /_sandbox/clock, expect: { body: { anything: 1 } }, save: { n: body.now } }",
  "{ app: GET /orders, expect: { body: { anything: 1 } }, save: { n: body.now } }",
])("nothing is said of the step %s", async (step) => expect(await ofStep(step)).toEqual([]));

it("the answers that fields are looked up in are those of the operations", () => {
  for (const { id, response } of OPERATIONS) expect(docsOf(RESPONSE_SCHEMAS[id])?.name, id).toBe(response);
});
