import { describe, expect, it } from "vitest";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import { Api, openSandbox } from "../support/api-client.js";
import { cases, expectPassed, failed, pays, runSteps } from "../support/scenario-run.js";

describe("request", () => {
  it("calls the service with the namespace's key, checks the response, and saves from it", async () => {
    const report = await expectPassed(`${pays("a@shop.test")}
  - request: GET /api/v1/payments/payins/\${charge}
    expect: { status: 200, headers: { Content-Type: "application/json*" }, body: { charge_id: "\${charge}", customer_email: "*@shop.test" } }
  - request: GET /_sandbox/clock
    expect: { body: { mode: manual } }`);
    expect(report.outcome).toBe("passed");
    expect(report.steps.map(({ outcome }) => outcome)).toEqual(Array(4).fill("passed"));
  });

  it("requires a success when nothing is expected", async () => {
    const report = await runSteps("  - request: GET /api/v1/payments/charges/ch_none\n  - advance: 1s");
    expect(report.outcome).toBe("failed");
    expect(failed(report)?.failure).toMatchObject({
      message: "status 404, not 2xx",
      got: { status: 404, body: { error: { code: "NOT_FOUND" } } },
      difference: [{ path: "status", expected: "2xx", got: 404 }],
    });
    expect(report.steps[1]).toMatchObject({ outcome: "not_run", title: "advance 1s" });
  });

  it("omits and adds headers, and sends text unchanged", async () => {
    await expectPassed(`
  - { request: GET /api/v1/accounts/balances, headers: { Authorization: null }, expect: { error: UNAUTHORIZED } }
  - { request: GET /api/v1/accounts/balances, headers: { authorization: Bearer sk_test_other }, expect: { body: { account_id: org_other } } }
  - { request: POST /api/v1/payments/quotes, body: "{broken", expect: { status: 4xx, error: VALIDATION_ERROR } }`);
  });

  it("can expect a connection that is cut", async () => {
    const rules = "faults:\n  - { match: { operation: listPayins }, drop: before, times: 1 }";
    await expectPassed(
      "  - { request: GET /api/v1/payments/payins, expect: { dropped: true } }\n  - request: GET /api/v1/payments/payins",
      { rules },
    );
    const bad = await runSteps("  - request: GET /api/v1/payments/payins", { rules });
    expect(failed(bad)?.failure?.message).toBe("no response: the connection was dropped");
  });

  it.each([
    ["body: { a: 1 }", /^the call cannot be sent: .*body/],
    ['headers: { "no name": x }', /^the call cannot be sent: .*header name/],
    ['headers: { x-lines: "a\\nb" }', /^the call cannot be sent: .*header value/s],
  ])("does not confuse an invalid call with a cut connection: %s", async (more, message) => {
    const report = await runSteps(
      `  - { request: GET /api/v1/payments/payins, ${more}, expect: { dropped: true } }`,
    );
    expect(failed(report)?.failure?.message).toMatch(message);
  });

  it("can expect a timeout, and retries with the same key", async () => {
    const rules = "faults: [{ match: { operation: createQuote }, delay: 5s, times: 1 }]";
    const quote =
      "request: POST /api/v1/payments/quotes\n    body: { pricing: { base_currency: KES, amount: '500.00' }, payment_method: card }";
    await expectPassed(
      `
  - ${quote}
    within: 30ms
    expect: { timeout: true }
    save: { late: timeout }
  - ${quote}
    expect: { status: 200 }`,
      { rules },
    );
    const soon = await runSteps(`\n  - ${quote}\n    within: 10s\n    expect:\n      timeout: true`);
    expect(failed(soon)?.failure).toMatchObject({
      message: "status 200, but no response should have arrived in time",
      line: 8,
    });
    const cut = await runSteps(`  - ${quote}\n    expect: { timeout: true }`, {
      rules: rules.replace("delay: 5s", "drop: before"),
    });
    expect(failed(cut)?.failure?.message).toBe(
      "no response: the connection was dropped, but no response should have arrived in time",
    );
    const late = await runSteps(`  - ${quote}\n    within: 30ms`, { rules });
    expect(failed(late)?.failure?.message).toBe("no answer within 0.03 s");
  });
});

describe("app and manual", () => {
  it.each(["app: GET /orders", "reconcile: { app: GET /orders }"])(
    "%s requires the app's URL, before any step runs",
    async (step) => {
      const report = await runSteps(`  - request: GET /api/v1/payments/payins\n  - ${step}`);
      expect(report).toMatchObject({
        outcome: "error",
        error: "some steps call the app under test: give its URL with --app",
      });
      expect(report.steps.map(({ outcome }) => outcome)).toEqual(["not_run", "not_run"]);
    },
  );

  it("shows its text to the user, with the variables filled in", async () => {
    const asked: string[] = [];
    const report = await runSteps("  - manual: Order as $" + "{email}", {
      rules: "vars: { email: a@b.test }",
      manual: async (text) => {
        asked.push(text);
      },
    });
    expect(report.passed).toBe(true);
    expect(asked).toEqual(["Order as a@b.test"]);
  });
});

describe("wait_for", () => {
  it("gets the record, and saves from it", async () => {
    await expectPassed(`${pays("w@shop.test")}
  - wait_for: charge
    match: { customer_email: "w@*" }
    save: { found: charge_id }
  - expect_charge: { charge_id: "\${found}" }
  - wait_for: idle`);
  });

  it("fails with the closest records at the timeout", async () => {
    const report = await runSteps(`${pays("w@shop.test")}
  - wait_for: charge
    match: { customer_email: x@shop.test, currency: KES }
    within: 20ms`);
    const failure = failed(report)?.failure;
    expect(failure?.message).toBe("No charge matched within 20ms");
    expect(failure?.expected).toEqual({ customer_email: "x@shop.test", currency: "KES" });
    expect(JSON.stringify(failure?.nearest)).toContain("customer_email");
  });

  it("counts neither the run's own requests as the app's, nor those of before", async () => {
    const sandbox = await openSandbox();
    const call = () => new Api(sandbox).payins();
    await call();
    const step =
      "  - request: GET /api/v1/payments/payins\n  - { wait_for: request, match: { operation: listPayins }, within: 30ms }";
    expect((await runSteps(step, { sandbox })).outcome).toBe("failed");
    const late = runSteps(
      "  - { wait_for: request, match: { operation: listPayins }, within: 10s }\n  - expect_request: { operation: listPayins, count: 1 }",
      { sandbox },
    );
    await expect
      .poll(async () => (await sandbox.control<{ mode: string }>("GET /_sandbox/clock")).mode)
      .toBe("manual");
    setTimeout(() => void call(), 50);
    expect(failed(await late)).toBeUndefined();
  });

  it("counts the app's request while it is in progress", async () => {
    const sandbox = await openSandbox();
    const api = new Api(sandbox);
    await api.post("/_sandbox/faults", { match: { operation: "listPayins" }, delay: "1h" });
    const steps = `
  - trigger: { type: webhook.test }
  - { wait_for: request, match: { operation: listPayins }, within: 10s }
  - expect_request: { operation: listPayins, in_flight: true, count: 1 }
  - { wait_for: request, match: { operation: listPayins, status: 200 }, within: 20ms }`;
    const running = runSteps(steps, { sandbox });
    await expect
      .poll(async () => (await sandbox.control<{ total: number }>("GET /_sandbox/events")).total)
      .toBe(1);
    const cut = expect(api.payins()).rejects.toThrow();
    const { steps: done } = await running;
    expect(done.map(({ outcome }) => outcome)).toEqual(["passed", "passed", "passed", "failed"]);
    await sandbox.close();
    await cut;
  });
});

describe("advance", () => {
  it("moves the clock by a duration, to an instant, to the next task and until idle", async () => {
    const sandbox = await openSandbox({ startTime: "2026-01-01T00:00:00Z" });
    const report = await runSteps(
      `${pays("a@shop.test")}
  - advance: 1s
  - expect_charge: { charge_id: "\${charge}", status: AWAITING_PAYMENT }
  - advance: next
  - expect_charge: { charge_id: "\${charge}", status: PROCESSING }
  - advance: idle
  - expect_charge: { charge_id: "\${charge}", status: COMPLETED }
  - advance: 2026-01-02T00:00:00Z
  - request: GET /_sandbox/clock
    expect: { body: { now: "2026-01-02T00:00:00.000Z" } }
  - advance: 2026-01-01T00:00:00Z`,
      { sandbox },
    );
    expect(failed(report)).toMatchObject({
      number: 11,
      failure: { message: "the sandbox refused: Invalid request parameters" },
    });
  });
});

describe("expect_webhook", () => {
  it("counts the events since the start of the run, exactly when a count is given", async () => {
    const sandbox = await openSandbox();
    const once = `${pays("a@shop.test")}
  - advance: 10s
  - expect_webhook: { type: charge.completed, count: 1, data: { charge_id: "\${charge}", status: COMPLETED } }
  - expect_webhook: { type: "charge.*" }
  - expect_webhook: { type: charge.failed, count: 0 }`;
    await expectPassed(once, { sandbox });
    await expectPassed(once, { sandbox });
    const report = await runSteps("  - expect_webhook: { type: charge.completed }", { sandbox });
    expect(failed(report)?.failure?.message).toBe("no event at all");
  });
});

describe("expect_delivery", () => {
  it("counts attempts and the app's responses", async () => {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen();
    // That path of the sandbox has no POST: every attempt gets a 405.
    const report = await runSteps(
      `
  - request: POST /_sandbox/webhook-endpoints
    body: { url: "${url}/health" }
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
      failure: { message: "no delivery attempt with type=webhook.test attempt=2 answered=2xx" },
    });
    expect(failed(report)?.failure?.difference).toEqual([{ path: "answered", expected: "2xx", got: 405 }]);
  });
});

describe("a delivery that a rule dropped", () => {
  it("counts for expect_delivery with status dropped, which has its mishap", async () => {
    const steps = (dropped: number) => `
  - request: POST /_sandbox/webhook-endpoints
    body: { mailbox: inbox }
  - trigger: { type: webhook.test }
  - expect_delivery: { type: webhook.test, status: dropped, count: ${dropped}, mishap: { drop: true, scenario: flow } }
  - expect_delivery: { type: webhook.test, count: 0 }`;
    const rules = "webhooks: [{ match: { type: webhook.test }, drop: true }]";
    await expectPassed(steps(1), { rules });
    expect(failed(await runSteps(steps(1)))?.failure?.message).toContain("0 delivery attempts");
  });
});

describe("expect_balance", () => {
  it("checks by value, and by the change since the start of the run", async () => {
    const sandbox = await openSandbox();
    const flow = `${pays("a@shop.test", "500.00")}
  - advance: 10s
  - expect_balance: { currency: KES, change: "+500.00", pending_balance: "0.00" }`;
    await expectPassed(`${flow}\n  - expect_balance: { currency: KES, available_balance: "500" }`, {
      sandbox,
    });
    const second = await runSteps(
      `${flow}\n  - expect_balance: { currency: KES, available_balance: "500.00" }`,
      { sandbox },
    );
    expect(failed(second)?.failure).toMatchObject({
      message: "the KES balance differs",
      got: { available_balance: "1000.00" },
      difference: [{ path: "available_balance", expected: "500.00", got: "1000.00" }],
    });
  });

  it("takes a currency without a payment as zero", async () => {
    await expectPassed('  - expect_balance: { currency: UGX, available_balance: "0.00", change: "0" }');
  });
});

describe("transition, fault, scenario, reset", () => {
  it("sets faults, clears them, and removes the rest at the end", async () => {
    const sandbox = await openSandbox();
    const list = "request: GET /api/v1/payments/payins";
    await expectPassed(
      `
  - fault: { match: { operation: listPayins }, respond: { status: 500 } }
  - { ${list}, expect: { error: INTERNAL_ERROR } }
  - fault: clear
  - ${list}
  - fault: { match: { operation: listPayins }, respond: { status: 503 } }
  - { ${list}, expect: { status: 503 } }`,
      { sandbox },
    );
    expect(await sandbox.control("GET /_sandbox/faults")).toMatchObject({ total: 0 });
  });

  it("fault: clear ends the file's faults and webhook rules, but not its outcomes", async () => {
    const sandbox = await openSandbox();
    const rules = `
charges: [{ timeline: [{ after: 1s, to: FAILED }] }]
webhooks: [{ copies: 2 }]
faults: [{ match: { operation: listPayins }, respond: { status: 503 } }]`;
    const list = "request: GET /api/v1/payments/payins";
    const report = await expectPassed(
      `
  - { ${list}, expect: { status: 503 } }
  - fault: clear
  - { ${list} }
${pays("a@shop.test").replace(/^\n/, "")}
  - advance: 10s
  - expect_charge: { charge_id: "\${charge}", status: FAILED }`,
      { rules, sandbox },
    );
    expect(report.applied).toEqual({ "charges.0": 1, "webhooks.0": 0, "faults.0": 1 });
  });

  it("activates and deactivates scenarios, and restores them at the end", async () => {
    const sandbox = await openSandbox({ scenario: ["declined", "slow"] });
    const active = async () => {
      const path = "GET /_sandbox/scenarios?limit=100";
      const { items } = await sandbox.control<{ items: { name: string; active: boolean }[] }>(path);
      return items.filter((one) => one.active).map((one) => one.name);
    };
    const before = await active();
    const report = await runSteps(
      `
  - scenario: instant${pays("a@shop.test")}
  - expect_charge: { charge_id: "\${charge}", status: COMPLETED }
  - scenario: { drop: instant }
  - scenario: { drop: slow }${pays("b@shop.test")}
  - advance: 10s
  - expect_charge: { charge_id: "\${charge}", status: FAILED }
  - scenario: { use: nonsense }`,
      { sandbox },
    );
    expect(failed(report)).toMatchObject({
      number: 11,
      failure: { message: 'the sandbox refused: There is no scenario "nonsense"' },
    });
    expect(await active()).toEqual(before);
  });

  it("resets, keeps the file's rules, and counts from there", async () => {
    await expectPassed(
      `${pays("a@shop.test")}
  - advance: 10s
  - expect_charge: { charge_id: "\${charge}", status: FAILED }
  - reset: true
  - expect_charge: { count: 0 }
  - expect_webhook: { count: 0 }
  - reset: { ids: repeat }${pays("a@shop.test")}
  - advance: 10s
  - expect_charge: { charge_id: "\${charge}", status: FAILED }
  - expect_balance: { currency: KES, change: "0" }`,
      { rules: "charges:\n  - timeline: [{ after: 1s, to: FAILED }]" },
    );
  });
});

describe("a run", () => {
  it("freezes the clock, activates the rules first, and leaves nothing behind", async () => {
    const sandbox = await openSandbox({ clock: "60x", scenario: "declined" });
    const before = await sandbox.control("GET /_sandbox/scenarios?limit=100");
    const report = await runSteps(
      `${pays("a@shop.test")}
  - request: GET /_sandbox/clock
    expect: { body: { mode: manual } }
  - expect_charge: { charge_id: "\${charge}", sandbox: { scenario: flow } }
  - expect_charge: { charge_id: none }`,
      {
        sandbox,
        rules:
          "charges:\n  - timeline: [{ after: 1s, to: COMPLETED }]\nfaults:\n  - { match: { operation: getBalances }, respond: { status: 500 } }",
      },
    );
    expect(failed(report)?.number).toBe(5);
    expect(report.warnings).toEqual([]);
    expect(await sandbox.control("GET /_sandbox/clock")).toMatchObject({ mode: "60x" });
    expect(await sandbox.control("GET /_sandbox/scenarios?limit=100")).toEqual(before);
  });

  it("uses another name for its rules when the sandbox has the scenario already", async () => {
    const sandbox = await openSandbox();
    const flow = `${pays("a@shop.test")}\n  - expect_charge: { charge_id: "\${charge}", sandbox: { scenario: "flow*" } }\n  - request: GET /_sandbox/scenarios/flow`;
    await new Api(sandbox).put("/_sandbox/scenarios/flow", { description: "theirs" });
    await expectPassed(flow, { sandbox, rules: "charges:\n  - timeline: []" });
    expect(await sandbox.control("GET /_sandbox/scenarios/flow")).toMatchObject({
      description: "theirs",
      active: false,
    });
  });

  it("has the same id with the same seed, and a new one each time in the same sandbox", async () => {
    const step = "  - request: GET /api/v1/payments/payins";
    const [one, two] = [await openSandbox({ seed: "s" }), await openSandbox({ seed: "s" })];
    const first = (await runSteps(step, { sandbox: one })).run_id;
    expect((await runSteps(step, { sandbox: two })).run_id).toBe(first);
    expect((await runSteps(step, { sandbox: one })).run_id).not.toBe(first);
  });

  it("ends when it is cancelled, and restores what it has changed", async () => {
    const sandbox = await openSandbox({ clock: "real" });
    const abort = new AbortController();
    const running = runSteps(
      "  - fault: { respond: { status: 500 } }\n  - { wait_for: charge, within: 1h }\n  - advance: 1s",
      {
        sandbox,
        signal: abort.signal,
        onStepBegin: (_title, number) => {
          if (number === 2) abort.abort();
        },
      },
    );
    const report = await running;
    expect(report).toMatchObject({ outcome: "error" });
    expect(failed(report)).toMatchObject({ number: 2, failure: { message: "interrupted" } });
    expect(await sandbox.control("GET /_sandbox/clock")).toMatchObject({ mode: "real" });
    expect(await sandbox.control("GET /_sandbox/faults")).toMatchObject({ total: 0 });
  });
});

describe("a step that fails", () => {
  it.each([
    [
      "request: GET /api/v1/payments/payins\n    expect:\n      status: 200\n      body:\n        total: 7",
      8,
    ],
    ["expect_balance:\n      currency: KES\n      pending_balance: '7.00'", 6],
    ["expect_charge:\n      status: FAILED\n      count: 7", 6],
    ["request: GET /api/v1/payments/payins\n    expect:\n      headers:\n        X-Nope: '*'", 7],
  ])("names the line of the difference: %s", async (step, line) => {
    const report = await runSteps(`  - ${step}`);
    expect(failed(report)).toMatchObject({ line: 4, failure: { line } });
    expect(reportText(reportOfRun(report))).toContain(`scenario.yaml:${line}\n`);
    expect(junitXml([reportOfRun(report)])).toContain(` line="${line}"`);
  });

  it.each(
    cases(`
  - request: GET /api/v1/payments/supported-currencies
    expect: { status: 201, body: { fiat: [USD], crypto: "*" } }
✗ status 200, not 201
✗ body.fiat
✗ body.crypto
  - { request: GET /api/v1/payments/charges/ch_none, expect: { error: NOT_FOUND } }
  - { request: GET /api/v1/payments/charges/ch_none, expect: { error: FORBIDDEN } }
✗ error is "NOT_FOUND", not "FORBIDDEN"
  - { request: GET /api/v1/payments/payins, expect: { dropped: true } }
✗ status 200, but the connection should have been cut
  - { request: GET /api/v1/payments/payins, expect: { headers: { X-Nope: '*' } } }
✗ the response differs at headers.X-Nope
✗ "content-type":"application/json; charset=utf-8"
  - { request: GET /api/v1/payments/payins, save: { one: body.items.0.charge_id } }
✗ there is no body.items.0.charge_id to save as one
  - { request: GET /api/v1/payments/payins, save: { list: body } }
  - expect_charge: { count: "\${list.items}" }
✗ expect_charge.count: must be
${pays("a@shop.test")}${pays("b@shop.test")}
  - expect_charge: { customer_email: "*@shop.test", count: 2 }
  - expect_charge: { customer_email: c@shop.test, count: 0 }
  - expect_charge: { customer_email: "*@shop.test", count: 1 }
✗ 2 charges with customer_email=*@shop.test, not 1
✗ count is 2, not 1
${pays("a@shop.test")}
  - advance: 10s
  - expect_charge: { charge_id: "\${charge}", status: FAILED, amount: { gte: "1000" } }
✗ status is "COMPLETED", not "FAILED"
✗ amount is "512.50", not {"gte":"1000"}
  - trigger: { type: webhook.test, data: { hello: world } }
    save: { event: event_id }
  - expect_webhook: { event_id: "\${event}", data: { hello: w* } }
  - expect_webhook: { type: webhook.test, count: 2 }
✗ 1 event with type=webhook.test, not 2
${pays("a@shop.test")}
  - expect_request: { count: 0 }
  - expect_request: { operation: createQuote }
✗ no request at all
✗ the steps' own 1 does not count
${pays("a@shop.test")}
  - transition: { charge_id: "\${charge}", to: FAILED, reason: by hand }
    save: { why: failure_reason }
  - expect_charge: { charge_id: "\${charge}", failure_reason: "\${why}" }
  - transition: { charge_id: "\${charge}", to: COMPLETED, expect: { error: INVALID_TRANSITION } }
  - transition: { charge_id: "\${charge}", to: COMPLETED }
    expect: { status: 409 }
  - transition: { charge_id: "\${charge}", to: COMPLETED }
✗ status 409, not 2xx
  - request: GET /_sandbox/namespaces
    expect: { body: { items: [] } }
✗ body.items has 1 element, not 0
  - { request: POST /_sandbox/webhook-endpoints, body: { mailbox: b } }
  - pay: { amount: "500.00" }
  - expect_delivery: { type: charge.awaiting_payment }
✗ no delivery attempt at all
✗ 1 waits in mailbox b to be taken
`),
  )("gives the reason: %s", async (steps, said) => {
    const report = await runSteps(steps);
    // The last step is the one that fails.
    expect(report.steps.map(({ outcome }) => outcome)).toEqual([
      ...report.steps.slice(1).map(() => "passed"),
      "failed",
    ]);
    const text = reportText(reportOfRun(report), 200);
    for (const line of said) expect(text).toContain(line.slice(2));
  });
});

describe("a failure adds notes", () => {
  const failure = async (step: string) => (await runSteps(step))?.steps.at(-1)?.failure;

  it("that the steps' own requests do not count", async () => {
    const waits = await failure(
      "  - request: GET /api/v1/payments/payins\n  - { wait_for: request, match: { operation: listPayins }, within: 20ms }",
    );
    expect(waits?.expected).toEqual({ operation: "listPayins" });
    expect(waits?.nearest?.[0]?.difference[0]?.expected).toBe("it is one of the steps' own");
  });

  it("that deliveries wait in a mailbox", async () => {
    const box = `
  - { request: POST /_sandbox/webhook-endpoints, body: { mailbox: b } }
  - pay: { amount: "500.00" }`;
    const waits = `${box}\n  - { wait_for: delivery, match: { status: delivered }, within: 20ms }`;
    expect((await failure(waits))?.nearest?.map(({ id }) => id)).toEqual(
      Array(3).fill(expect.stringMatching(/^(dl|del|dlv)/)),
    );
  });

  it("with a charge's possible next statuses, and the time", async () => {
    const moved = `${pays("a@shop.test")}\n  - transition: { charge_id: "\${charge}", to: REFUNDED }`;
    expect(await failure(moved)).toMatchObject({
      got: {
        body: { error: { details: { status: expect.stringMatching(/^PENDING may become .*CANCELLED/) } } },
      },
    });
    expect(await failure("  - advance: 2020-01-01T00:00:00Z")).toMatchObject({
      got: { error: { details: { to: expect.stringMatching(/the time it is: 20\d\d-.*Z$/) } } },
    });
  });
});
