// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Client } from "../support/receiver-client.js";
import { failed, pays, runSteps } from "../support/scenario-run.js";

it("POST /wait names the field of an invalid matcher", async ({ client }) => {
  await client.pay();
  const waited = await client.ask("POST /_sandbox/wait", {
    for: "charge",
    match: { customer_email: { contains: "@" }, metadata: { order: { exists: false } } },
    count: { gte: 1, lt: 2 },
  });
  expect(waited.status).toBe(200);
  const late = await client.ask("POST /_sandbox/wait", {
    for: "charge",
    match: { customer_email: { lt: 5 } },
    count: { gte: 1 },
    timeout: "10ms",
  });
  expect(late.json.error).toMatchObject({
    message: 'No charge matched within 10ms (0 of {"gte":1})',
    details: { [waited.json.charge_id]: expect.stringContaining("cannot be compared with a number") },
  });
  const refused = await client.ask("POST /_sandbox/wait", {
    for: "charge",
    match: { metadata: { a: { matches: "(a" } } },
    count: { gte: "1" },
  });
  expect(Object.keys(refused.json.error.details)).toEqual(["match.metadata.a.matches", "count.gte"]);
});

it("a fault applies only to matching calls", async () => {
  const sandbox = await openSandbox();
  await Client.of(sandbox).ask("POST /_sandbox/faults", {
    match: { customer_email: { not: "ada@*" } },
    respond: { status: 503 },
  });
  const report = await runSteps(pays("bob@shop.test"), { sandbox });
  expect(failed(report)?.failure?.message).toContain("503");
});

it.each([
  ["a variable of the run", "x{600}${status}"],
  ["a class with the characters of a variable", "[$${]x{600}"],
])("a step refuses a pattern that %s makes too large, once it is filled in", async (_, pattern) => {
  const report = await runSteps(`
  - request: GET /api/v1/payments/payins
    save: { status: status }
  - expect_charge: { metadata: { k: { matches: "${pattern}" } } }
`);
  expect(failed(report)?.failure?.message).toContain(
    "expect_charge.metadata.k.matches: is too large: with its repetitions written out, it has more than 500 steps",
  );
});
