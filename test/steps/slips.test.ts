import { describe, expect, it } from "vitest";
import { configFaults } from "../../src/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { fileWith } from "../support/scenario-run.js";

async function faults(text: string): Promise<string[]> {
  const checked = await validateFile(fileWith(`name: x\n${text}\n`), { environment: {}, configFaults });
  return checked.faults.map(({ line, column, field, message }) => `${line}:${column} ${field}: ${message}`);
}

describe("a slip is told in one line, with what to do", () => {
  it.each([
    ["steps:\n  - pay: { amount: 500 }", "3:12 steps.0.pay.amount: must be a string: put it in quotes"],
    ["steps:\n  pay: { amount: '5.00' }", "2:1 steps: must be a list of steps: each begins with -"],
    [
      "steps:\n  - reset",
      "3:5 steps.0: must be a step: an action, a colon and what it takes, such as advance: 10s",
    ],
    [
      "steps:\n  - request: { method: GET }",
      "3:5 steps.0.request: must be a method and a path, such as POST /api/v1/payments/quotes",
    ],
    [
      "steps:\n  - expect: { status: 200 }",
      "3:5 steps.0: expect belongs to the step of an action: remove the dash before it, or add an action",
    ],
    [
      "steps:\n  - request: GET /health\n    expect: 200",
      "4:5 steps.0.expect: must have fields, such as { name: value }",
    ],
    [
      "steps:\n  - partial_refund: { charge: x, amount: '1.00' }",
      "3:23 steps.0.partial_refund.charge: unknown field; did you mean charge_id?",
    ],
    [
      "steps:\n  - expect_sequence: charge.completed",
      "3:5 steps.0.expect_sequence: must be a list of types, or have one under types",
    ],
    [
      "steps:\n  - repeat: 2\n    steps: { advance: 1s }",
      "4:5 steps.0.steps: must be a list of steps: each begins with -",
    ],
    [
      "faults: [{ operation: createQuote, drop: after }]",
      "2:12 faults.0.operation: goes under match: { operation: … }",
    ],
    [
      "webhooks: [{ match: charge.completed, drop: true }]",
      "2:14 webhooks.0.match: must have fields, such as { name: value }",
    ],
    ["webhooks: [{ drop: yes }]", "2:14 webhooks.0.drop: must be true or false"],
    [
      "webhooks: [{ delay: 5 }]",
      "2:14 webhooks.0.delay: must be a duration such as 500ms, 30s, 10m, 2h, 1d or 1h30m",
    ],
    [
      "charges: [{ match: { email: a@b.test }, timeline: [] }]",
      "2:22 charges.0.match.email: unknown field; did you mean customer_email?",
    ],
    [
      "charges: [{ match: { customer_email: *@b.test }, timeline: [] }]",
      "2:38 : there is no anchor &@b.test before this; put a text that begins with * in quotes",
    ],
    [
      "description: Refunds: partial",
      "2:14 : is a field within a line that has one already: look at the indentation; a text with a colon and a space is put in quotes",
    ],
    [
      "steps:\n  - request: GET /a\n     body: {}",
      "3:14 : is a field within a line that has one already: look at the indentation; a text with a colon and a space is put in quotes",
    ],
    [
      "steps:\n  - pay { amount: '5.00' }\n  - advance: 1s",
      "3:26 : is not expected here: look for a colon or a bracket that is missing before it",
    ],
    ["steps:\n\t- advance: 1s", "3:1 : tabs are not allowed as indentation: use spaces"],
  ])("%s", async (text, expected) => expect(await faults(text)).toEqual([expected]));
});
