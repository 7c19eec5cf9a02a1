// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import type { Sandbox } from "../../src/library/index.js";
import { Api, openSandbox } from "../support/api-client.js";
import { expectPassed, failed, runSteps } from "../support/scenario-run.js";

const LIST = "request: GET /api/v1/payments/payins";

/** Reads the state that a run must restore. */
async function readState(sandbox: Sandbox, ...more: string[]): Promise<unknown[]> {
  const read = <T>(path: string) => sandbox.control<T>("GET", `/_sandbox/${path}`);
  const { items } = await read<{ items: { name: string; description: string; active: boolean }[] }>(
    "scenarios?limit=100",
  );
  const scenarios = items.map(({ name, description, active }) => [name, description, active]);
  const { mode } = await read<{ mode: string }>("clock");
  return [mode, scenarios, ...(await Promise.all(["faults", ...more].map(read)))];
}

it("a failed run restores the clock and the active scenarios", async () => {
  const sandbox = await openSandbox({ clock: "60x", scenario: ["declined", "slow"] });
  const before = await readState(sandbox);
  const report = await runSteps(
    `
  - { request: GET /_sandbox/clock, expect: { body: { mode: manual } } }
  - { pay: { amount: "19.99", as: a, until: PENDING } }
  - expect_charge: { charge_id: "\${a}", sandbox: { scenario: flow } }
  - scenario: instant
  - scenario: { drop: flow }
  - { pay: { amount: "19.99", as: b, until: PENDING } }
  - expect_charge: { charge_id: "\${b}", status: COMPLETED }
  - scenario: { drop: instant }
  - scenario: { drop: slow }
  - pay: { amount: "19.99", until: FAILED }
  - fault: { match: { operation: listPayins }, respond: { status: 503 } }
  - ${LIST}`,
    { sandbox, rules: "charges: [{ timeline: [{ after: 1s, to: COMPLETED }] }]" },
  );
  expect(failed(report)?.number).toBe(12);
  expect(report.warnings).toEqual([]);
  expect(await readState(sandbox)).toEqual(before);
});

it.each([
  ["passes", ""],
  ["resets", "\n  - reset: true"],
  ["fails", "\n  - { request: GET /api/v1/nowhere }"],
])("`isolation: snapshot` restores the whole state when a run %s", async (end, last) => {
  const sandbox = await openSandbox({ clock: "real" });
  const all = ["rates", "webhook-endpoints", "charges", "balances", "snapshots"];
  const before = await readState(sandbox, ...all);
  const report = await runSteps(
    `
  - { request: PUT /_sandbox/rates, body: { KES: "1" } }
  - { request: POST /_sandbox/webhook-endpoints, body: { mailbox: inbox } }
  - pay: { amount: "500.00" }
  - advance: 1d${last}`,
    { sandbox, rules: "isolation: snapshot\ncharges: [{ timeline: [{ after: 1s, to: COMPLETED }] }]" },
  );
  expect(report).toMatchObject({ outcome: end === "fails" ? "failed" : "passed", warnings: [] });
  expect(await readState(sandbox, ...all)).toEqual(before);
});

it("a run renames its rules when a scenario of that name exists", async () => {
  const sandbox = await openSandbox();
  await new Api(sandbox).put("/_sandbox/scenarios/flow", { description: "theirs" });
  const before = await readState(sandbox);
  const steps = `
  - { pay: { amount: "19.99", as: a, until: PENDING } }
  - expect_charge: { charge_id: "\${a}", sandbox: { scenario: "flow.*" } }`;
  await expectPassed(steps, { sandbox, rules: "charges: [{ timeline: [] }]" });
  expect(await readState(sandbox)).toEqual(before);
});

it("run ids repeat with the same seed, but not within one sandbox", async () => {
  const [one, two] = [await openSandbox({ seed: "s" }), await openSandbox({ seed: "s" })];
  const idIn = async (sandbox: Sandbox) => (await runSteps(`- ${LIST}`, { sandbox })).run_id;
  const first = await idIn(one);
  expect(await idIn(two)).toBe(first);
  expect(await idIn(one)).not.toBe(first);
});

it("a cancelled run restores the sandbox", async () => {
  const sandbox = await openSandbox({ clock: "real" });
  const before = await readState(sandbox);
  const abort = new AbortController();
  const steps =
    "  - fault: { respond: { status: 500 } }\n  - { wait_for: charge, within: 1h }\n  - advance: 1s";
  const report = await runSteps(steps, {
    sandbox,
    signal: abort.signal,
    onStepBegin: (_title, number) => {
      if (number === 2) abort.abort();
    },
  });
  expect(report.outcome).toBe("error");
  expect(failed(report)).toMatchObject({ number: 2, failure: { message: "interrupted" } });
  expect(await readState(sandbox)).toEqual(before);
});

it("a run checks only events after its start", async () => {
  const sandbox = await openSandbox();
  const flow = `
  - { pay: { amount: "500.00", as: c } }
  - expect_webhook: { type: charge.completed, count: 1, data: { charge_id: "\${c}", status: COMPLETED } }
  - expect_balance: { currency: KES, change: "+500.00" }`;
  await expectPassed(flow, { sandbox });
  await expectPassed(`${flow}\n  - expect_balance: { currency: KES, available_balance: "1000" }`, {
    sandbox,
  });
  const later = await runSteps("- expect_webhook: { type: charge.completed }", { sandbox });
  expect(failed(later)?.failure?.message).toBe("no event at all");
});

it("a run counts how often its rules and faults applied, even across a reset", async () => {
  const quote = `
  - { request: POST /api/v1/payments/quotes, body: { pricing: { base_currency: KES, amount: "5.00" }, payment_method: card } }`;
  const { applied, never_happened, never_happened_at } = await expectPassed(
    `${quote}
  - reset: true
${quote}
  - { name: balances fail, fault: { match: { operation: getBalances }, respond: { status: 500 } } }
  - { request: GET /api/v1/accounts/balances, expect: { status: 500 } }
  - fault: clear
  - { name: payins fail, fault: { match: { operation: listPayins }, respond: { status: 500 } } }`,
    { rules: "faults: [{ match: { operation: createQuote }, delay: 1ms }]" },
  );
  expect({ applied, never_happened, never_happened_at }).toEqual({
    applied: { "faults.0": 2, "balances fail": 1, "payins fail": 0 },
    never_happened: ["payins fail"],
    never_happened_at: [{ rule: "payins fail", line: 11 }],
  });
});

it.each([
  ["body: { a: 1 }", /^the call cannot be sent: .*body/],
  ['headers: { "no name": x }', /^the call cannot be sent: .*header name/],
  ['headers: { x-lines: "a\\nb" }', /^the call cannot be sent: .*header value/s],
])("a request that cannot be sent does not count as a cut connection: %s", async (more, message) => {
  const report = await runSteps(`- { ${LIST}, ${more}, expect: { dropped: true } }`);
  expect(failed(report)?.failure?.message).toMatch(message);
});

it("the JUnit report shows a failure at the line of its first difference", async () => {
  const steps =
    "- request: GET /api/v1/payments/payins\n    expect:\n      status: 200\n      body:\n        total: 7";
  const report = await runSteps(`  ${steps}`);
  expect(failed(report)).toMatchObject({ line: 4, failure: { line: 8 } });
  expect(junitXml([reportOfRun(report)])).toMatch(/<failure [^>]*>[^<]*:8</);
});

it("a manual step prints its text with variables filled in", async () => {
  const shown: string[] = [];
  const rules = "vars: { email: a@b.test }";
  await expectPassed("- manual: Order as ${email}", { rules, manual: async (text) => void shown.push(text) });
  expect(shown).toEqual(["Order as a@b.test"]);
});

it("`repeat` reports its progress", async () => {
  const shown: string[] = [];
  await runSteps("- { repeat: 2, as: n, steps: [{ advance: 1s }] }", {
    onStepBegin: (title, number, of) => shown.push(`${number}/${of} ${title}`),
  });
  expect(shown).toEqual(["1/1 repeat 2", "1/1 repeat 2: n 1", "1/1 repeat 2: n 2"]);
});

it("`parallel` branches have separate variables", async () => {
  const shown: string[] = [];
  const report = await expectPassed(
    `
  - parallel:
      - - { ${LIST}, save: { code: status } }
        - wait_for: idle
        - manual: "lane 1 \${code}"
      - - { request: GET /_sandbox/clock, save: { code: body.mode } }
        - manual: "lane 2 \${code}"
  - manual: "after \${code}"`,
    { manual: async (text) => void shown.push(text) },
  );
  const parts = ["lane 1", "lane 1", "lane 1", "lane 2", "lane 2"];
  expect(report.steps[0]?.steps?.map(({ part }) => part)).toEqual(parts);
  expect(shown.sort()).toEqual(["after manual", "lane 1 200", "lane 2 manual"]);
});

it("a run waits for requests of the app, but not for its own", async () => {
  const sandbox = await openSandbox();
  const api = new Api(sandbox);
  await api.payins();
  const wait = (within: string) =>
    `  - { wait_for: request, match: { operation: listPayins }, within: ${within} }`;
  expect((await runSteps(`  - ${LIST}\n${wait("30ms")}`, { sandbox })).outcome).toBe("failed");
  const running = runSteps(`${wait("10s")}\n  - expect_request: { operation: listPayins, count: 1 }`, {
    sandbox,
    onStepBegin: (_title, number) => {
      if (number === 1) void api.payins();
    },
  });
  expect(failed(await running)).toBeUndefined();
});

it("counts requests of the app that are still in progress", async () => {
  const sandbox = await openSandbox();
  const api = new Api(sandbox);
  await api.post("/_sandbox/faults", { match: { operation: "listPayins" }, delay: "1h" });
  let cut: Promise<unknown> | undefined;
  const { steps } = await runSteps(
    `
  - { wait_for: request, match: { operation: listPayins }, within: 10s }
  - expect_request: { operation: listPayins, in_flight: true, count: 1 }
  - { wait_for: request, match: { operation: listPayins, status: 200 }, within: 20ms }`,
    {
      sandbox,
      onStepBegin: (_title, number) => {
        if (number === 1) cut = expect(api.payins()).rejects.toThrow();
      },
    },
  );
  expect(steps.map(({ outcome }) => outcome)).toEqual(["passed", "passed", "failed"]);
  await sandbox.close();
  await cut;
});

it("`expect_delivery` counts attempts by the app's responses", async () => {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  // This path responds to POST with 405.
  const report = await runSteps(
    `
  - { request: POST /_sandbox/webhook-endpoints, body: { url: "${url}/health" } }
  - trigger: { type: webhook.test }
  - expect_delivery: { type: webhook.test, count: 1, answered: 405 }
  - expect_delivery: { type: webhook.test, count: 0, answered: 2xx }
  - advance: 5s
  - expect_delivery: { type: webhook.test, count: 2, answered: 4xx, status: pending }
  - expect_delivery: { type: webhook.test, answered: none, count: 0 }
  - expect_delivery: { type: webhook.test, attempt: 2, answered: 2xx }`,
    { sandbox },
  );
  expect(failed(report)).toMatchObject({
    number: 8,
    failure: {
      message: "no delivery attempt with type=webhook.test attempt=2 answered=2xx",
      difference: [{ path: "answered", expected: "2xx", got: 405 }],
    },
  });
});
