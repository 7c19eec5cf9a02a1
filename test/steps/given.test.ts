// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { configFaults } from "../../src/library/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { Api, openSandbox } from "../support/api-client.js";
import { temporaryFile } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { expectPassed, fileWith, runSteps } from "../support/scenario-run.js";
import { startServer } from "../support/started.js";

const FLOW = `
name: given-state
vars: { year: 2027 }
given:
  start_time: "\${year}-01-31T22:00:00Z"
  seed: mine
  rate_limit: 2
  limits: { quote_valid: 5s }
  fixtures:
    currencies: [{ code: KES, rate: "100" }]
steps:
  - { request: GET /_sandbox/clock, expect: { body: { now: "2027-01-31T22:00:00.000Z" } } }
  - { request: GET /_sandbox, expect: { body: { seed: mine } } }
  - { request: GET /_sandbox/rates, expect: { body: { rates: { KES: "100" } } } }
  - request: POST /api/v1/payments/quotes
    body: { pricing: { base_currency: KES, amount: "500.00" }, payment_method: card }
    save: { quote: body }
  - advance: 6s
  - request: POST /api/v1/payments/whitelabel
    body: { quote_id: "\${quote.quote_id}", pricing: { base_currency: KES, amount: "500.00" }, payment_method: card, customer_email: a@shop.test }
    expect: { status: 400, body: { error: { details: { quote_id: "Quote expired*" } } } }
  - { request: GET /api/v1/payments/payins, expect: { status: 429 } }
`;

const code = async (...args: string[]) => run(["run", ...args]);

it("`given` sets the start time, seed, limits and rates of a run", async () => {
  const { code: exit, stdout } = await code(fileWith(FLOW));
  expect(exit, stdout).toBe(0);
});

it("`given` overrides the config file, and flags override `given`", async () => {
  const config = temporaryFile("c.yaml", "seed: theirs\nstart_time: 2030-01-01T00:00:00Z\n");
  const file = fileWith(`name: x
given: { seed: mine, start_time: "2027-01-01T00:00:00Z" }
steps:
  - { request: GET /_sandbox, expect: { body: { seed: "\${seed}" } } }
  - { request: GET /_sandbox/clock, expect: { body: { now: "\${now}" } } }
vars: { seed: mine, now: "2027-01-01T00:00:00.000Z" }`);
  expect((await code(file, "-c", config)).code).toBe(0);
  const told = ["--seed", "told", "--start-time", "2028-01-01T00:00:00Z"];
  const { code: exit, stdout } = await code(
    ...[file, ...told, "--var", "seed=told", "--var", "now=2028-01-01T00:00:00.000Z"],
  );
  expect(exit, stdout).toBe(0);
  expect(await code(file, "--url", "localhost:1", ...told.slice(2))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^payments-sandbox: --start-time is for a fresh sandbox/),
  });
});

it("`given` reads fixtures inline or from a file", async () => {
  const fixtures = temporaryFile("f.yaml", "currencies: [{ code: KES, decimals: many }]\n");
  const file = fileWith(`name: x\ngiven: { fixtures: "${fixtures}" }\nsteps: [{ advance: 1s }]`);
  const { faults } = await validateFile(file, { environment: {}, configFaults });
  expect(faults).toMatchObject([{ file: fixtures, line: 1, field: "currencies.0.decimals" }]);
  expect(await code(file)).toMatchObject({ code: 2, stdout: expect.stringContaining("could not run: ") });
  const inline = fileWith("name: x\ngiven:\n  fixtures:\n    currencies: [{ code: KES, decimals: many }]\n");
  expect((await validateFile(inline, { environment: {}, configFaults })).faults).toMatchObject([
    { file: inline, line: 4, field: "given.fixtures.currencies.0.decimals" },
  ]);
  const none = fileWith("name: x\ngiven: { fixtures: none.yaml }");
  expect((await validateFile(none, { environment: {}, configFaults })).faults).toMatchObject([
    { line: 2, field: "given.fixtures", message: expect.stringContaining("there is no such file") },
  ]);
});

const SHARED = `given: { start_time: "2027-01-31T22:00:00Z", seed: mine }`;
const LOOK = `
  - { request: GET /_sandbox, expect: { body: { namespace: "\${ns}", seed: mine } } }
  - { request: GET /_sandbox/clock, expect: { body: { now: "2027-01-31T22:00:00.000Z" } } }`;

it("`given` creates a temporary namespace in a running sandbox", async () => {
  const sandbox = await openSandbox();
  const report = await expectPassed(LOOK, { sandbox, rules: `${SHARED}\nvars: { ns: "run-\${run.id}" }` });
  expect(report).toMatchObject({ outcome: "passed", warnings: [] });
  expect((await new Api(sandbox).get("/_sandbox/namespaces")).json.total).toBe(1);
});

it("`given` creates the named namespace, but does not change an existing one", async () => {
  const { url } = await startServer();
  const file = fileWith(`name: x\n${SHARED}\nvars: { ns: world }\nsteps:${LOOK}`);
  const { code: exit, stdout } = await code(file, "--url", url, "--namespace", "world");
  expect(exit, stdout).toBe(0);
  expect(await code(file, "--url", url, "--namespace", "default")).toMatchObject({
    code: 2,
    stdout: expect.stringContaining(
      'given: no namespace could be created with it: There is a namespace "default" already',
    ),
  });
});

it("`given` refuses settings that a running sandbox cannot change", async () => {
  const report = await runSteps("  - advance: 1s", { rules: "given: { rate_limit: 5, limits: {} }" });
  expect(report).toMatchObject({
    outcome: "error",
    error:
      "given: rate_limit, limits cannot be set on a running sandbox: start it that way, or run the file without --url",
  });
});
