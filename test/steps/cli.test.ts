// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Command, run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { startServer } from "../support/started.js";

const PASSES = "name: good\nsteps:\n  - request: GET /api/v1/payments/payins\n  - advance: 1h\n";
const FAILS = `name: bad
steps:
  - name: Look
    request: GET /api/v1/payments/payins
    expect: { body: { total: 7 } }
  - advance: 1h
`;
describe("run", () => {
  it("exits with 0 and prints a line for each step when all passed", async () => {
    const { code, stdout, stderr } = await run(["run", fileWith(PASSES)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^✓ good {2}\S+\n {2}✓ request GET \/api\/v1\/payments\/payins +\d+ ms\n {2}✓ advance 1h +\d+ ms\n\n1 of 1 scenario passed {2}\(2 steps passed\)\n$/,
    );
  });

  it("exits with 1, and prints expected and actual values, when a step failed", async () => {
    const file = fileWith(FAILS);
    const { code, stdout } = await run(["run", fileWith(PASSES), file]);
    expect(code).toBe(1);
    expect(stdout).toContain("✗ bad");
    expect(stdout.split("\n").slice(-9)).toEqual([
      expect.stringMatching(/^ {2}✗ Look +\d+ ms$/),
      `      the response differs at body.total  ${file}:5`,
      '      expected    {"body":{"total":7}}',
      '      got         {"status":200,"body":{"total":0,"items":[]}}',
      "      difference  body.total is 0, not 7",
      expect.stringMatching(/^ {2}○ advance 1h +not run$/),
      "",
      "1 of 2 scenarios passed  (2 steps passed, 1 failed, 1 not run)",
      "",
    ]);
  });

  it("does not wait for a fault's delay after the delayed step has failed", async () => {
    const file = fileWith(`name: slow
faults: [{ match: { operation: getBalances }, delay: 100d }]
steps:
  - { request: GET /api/v1/accounts/balances, within: 100ms }
`);
    const { code, stdout } = await run(["run", file]);
    expect(code).toBe(1);
    expect(stdout).toContain("no answer within 0.1 s");
  });

  it("reports a rule that never applied; with --strict it exits with 1 and fails a JUnit test case", async () => {
    const file = fileWith(
      `${PASSES}faults: [{ match: { operation: createQuote }, respond: { status: 503 } }]\n`,
    );
    const plain = await run(["run", file]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toContain("\n  ○ faults.0: never applied  ");
    const strict = await run(["run", file, "--strict", "--json", "--junit", `${file}.xml`]);
    expect(strict.code).toBe(1);
    expect(JSON.parse(strict.stdout)).toMatchObject({
      outcome: "failed",
      files: [{ outcome: "passed", applied: { "faults.0": 0 }, never_happened: ["faults.0"] }],
    });
    expect(readFileSync(`${file}.xml`, "utf8")).toMatch(
      /failures="1"[\s\S]*<failure message="never applied"/,
    );
  });

  it("fails with --strict when no step checks anything", async () => {
    const file = fileWith("name: idle\nsteps: [{ advance: 1h }]\n");
    const outcomes = [await run(["run", file]), await run(["run", file, "--strict"])];
    expect(outcomes.map(({ code }) => code)).toEqual([0, 1]);
    for (const { stdout } of outcomes) expect(stdout).toContain("no step checks anything");
  });

  it("exits with 2 when a file is faulty or missing; the others still run", async () => {
    const broken = fileWith("name: x\nsteps:\n  - advence: 1s\n  - reset: maybe\n");
    const files = [fileWith(PASSES), broken, "/nowhere.yaml", fileWith(FAILS)];
    const report = join(dirname(broken), "report.xml");
    const { code, stdout, stderr } = await run(["run", ...files, "--junit", report]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      [
        `${broken}:3:5 steps.0.advence: unknown field; did you mean advance?`,
        `${broken}:4:5 steps.1.reset: must be true`,
        "/nowhere.yaml: there is no such file",
      ]
        .map((line) => `payments-sandbox: ${line}\n`)
        .join(""),
    );
    expect(stdout).toContain("✓ good  ");
    expect(stdout).toContain("✗ bad  ");
    expect(stdout).toContain("1 of 4 scenarios passed  (2 steps passed, 1 failed, 1 not run)");
    const xml = readFileSync(report, "utf8");
    expect(xml).toMatch(/<testsuites name="payments-sandbox" tests="6" failures="1" errors="2" skipped="1" /);
    expect(xml).toContain(
      `<error message="${broken}:3:5 steps.0.advence: unknown field; did you mean advance?&#10;${broken}:4:5 steps.1.reset: must be true" type="CannotRun"/>`,
    );
    expect(xml).toContain('<error message="/nowhere.yaml: there is no such file" type="CannotRun"/>');
    const asJson = await run(["run", ...files, "--json"]);
    expect(asJson.code).toBe(2);
    const steps = [{ outcome: "failed", line: 3 }, { outcome: "not_run" }];
    const outcomes = [
      { outcome: "passed" },
      { outcome: "error" },
      { outcome: "error" },
      { outcome: "failed", steps },
    ];
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      outcome: "error",
      files: outcomes.map((outcome, index) => ({ file: files[index], ...outcome })),
    });
  });

  it.each([
    [["run", "GOOD", "--url", "localhost:1", "--seed", "x"], "--seed is for a fresh sandbox: "],
    [["run", "GOOD", "--url", "localhost:1", "-c", "x.yaml"], "--config is for a fresh sandbox: "],
    [["run", "GOOD", "--url", "127.0.0.1:1"], "could not run: the sandbox cannot be reached:"],
    [["run", "GOOD", "--url", "URL", "--namespace", "nope"], 'could not run: There is no namespace "nope"'],
    [["run", "GOOD", "--url", "ftp://x"], '--url must be an http or https URL, not "ftp://x"'],
    [["run", "GOOD", "--namespace", "w1"], "--namespace is for a sandbox that runs: "],
    [["run", "GOOD", "--control-token", "x"], "--control-token is for a sandbox that runs: "],
    [
      ["run", "GOOD", "--junit", "/nowhere/at/all.xml"],
      "--junit /nowhere/at/all.xml cannot be written (ENOENT)",
    ],
    [["run", "GOOD", "--var", "nonsense"], '--var takes name=value, not "nonsense"'],
    [["run", "GOOD", "--var", "m=1"], "--var m: no file has that variable"],
    [["run", "EMPTY"], "steps: the file has none: nothing to run"],
    [["run", "/nowhere.yaml"], "payments-sandbox: /nowhere.yaml: there is no such file"],
    [["run"], "missing required argument 'file'"],
    [["run", "--bogus", "x"], "unknown option '--bogus'"],
    [["validate"], "missing required argument 'file'"],
  ])("exits with 2 for %j", async (args, message) => {
    const words: Record<string, string> = { GOOD: fileWith(PASSES), EMPTY: fileWith("name: x") };
    if (args.includes("URL")) words.URL = (await startServer()).url;
    const { code, stdout, stderr } = await run(args.map((arg) => words[arg] ?? arg));
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(message);
    if (!/^(could not run|--junit)/.test(message)) expect(stdout).toBe("");
  });

  it("takes variables, and prints the same run for the same seed", async () => {
    const text =
      "name: s\nvars: { n: 1 }\nsteps:\n  - { name: '${run.id}', request: GET /api/v1/payments/payins, expect: { body: { total: '${n}' } } }\n";
    const title = async (...args: string[]) => {
      const { code, stdout } = await run(["run", fileWith(text), "--var", "n=0", "--json", ...args]);
      expect(code).toBe(0);
      return (JSON.parse(stdout) as { files: { steps: { title: string }[] }[] }).files[0]!.steps[0]!.title;
    };
    const first = await title();
    expect(first).toMatch(/^[0-9a-f]{8}$/);
    expect(await title()).toBe(first);
    expect(await title("--seed", "other")).not.toBe(first);
  });

  it.each([
    ["interrupted", "SIGINT"],
    ["killed", "SIGKILL"],
  ] as const)("leaves a running sandbox unchanged when it is %s", async (how, signal) => {
    const { url } = await startServer();
    const text = `name: long
charges: [{ timeline: [] }]
steps:
  - fault: { match: { operation: getBalances }, respond: { status: 500 } }
  - { wait_for: charge, within: 1h }
  - advance: 1h
`;
    const running = new Command(["run", fileWith(text), "--url", url]);
    const read = async (path: string) =>
      (await (await fetch(`${url}/_sandbox${path}`)).json()) as Record<string, unknown>;
    await expect.poll(async () => (await read("/faults")).total).toBe(1);
    expect(await read("/clock")).toMatchObject({ mode: "manual" });
    expect(JSON.stringify(await read("/scenarios?limit=100"))).toContain('"long"');
    const ended = await running.stop(signal);
    if (signal === "SIGINT") expect(ended).toMatchObject({ code: 130, stdout: expect.stringContaining(how) });
    await expect.poll(async () => (await read("/clock")).mode).toBe("real");
    expect(await read("/faults")).toMatchObject({ total: 0 });
    expect(JSON.stringify(await read("/scenarios?limit=100"))).not.toContain('"long"');
  });

  it("uses a namespace of its own when another run holds the default, and exits with 2 when that was named", async () => {
    const { url } = await startServer();
    const lease = { method: "POST", headers: { "sandbox-run": "other", "content-type": "application/json" } };
    await fetch(`${url}/_sandbox/lease`, { ...lease, body: "{}" });
    const elsewhere = await run(["run", fileWith(PASSES), "--url", url]);
    expect(elsewhere.code).toBe(0);
    expect(elsewhere.stdout).toMatch(
      /\n {2}○ in its own namespace run-\w+: another run is using the one requested\n/,
    );
    const named = await run(["run", fileWith(PASSES), "--url", url, "--namespace", "default"]);
    expect(named.code).toBe(2);
    expect(named.stdout).toContain(
      'could not run: Run other has the namespace "default" until it ends: try again then, or name another\n',
    );
  });
});

describe("validate", () => {
  it("distinguishes scenario, fixtures and config files", async () => {
    const files = [
      fileWith(PASSES),
      fileWith("charges:\n  - { timeline: [] , match: { currency: KES } }\nname: x"),
      fileWith("currencies:\n  - { code: KES, rate: '130' }"),
      fileWith(
        "charges:\n  - { id: one, currency: KES, amount: '5.00', payment_method: card, customer_email: a@b.test, organization_id: org_sandbox, mode: test, status: PENDING }",
      ),
      fileWith("webhooks:\n  - { url: localhost:3000/hooks }"),
      fileWith("port: 5000\nclock: manual"),
      fileWith('{ "clock": "10x" }', "payments-sandbox.config.json"),
    ];
    const { code, stdout } = await run(["validate", ...files]);
    const kinds = ["scenario", "scenario", "fixtures", "fixtures", "config", "config", "config"];
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: files.map((file, index) => `${file}: valid ${kinds[index]}\n`).join(""),
    });
  });

  it("reports a fault of a file that a config names in that file, and exits with 2", async () => {
    const scenario = fileWith("name: mine\ncharges:\n  - timeline: [{ after: 1s, to: PAID }]\n");
    const config = fileWith(`scenario: [${scenario}]\nrates: { EUR: "1" }\n`);
    const { code, stdout } = await run(["validate", config, fileWith(PASSES)]);
    expect(code).toBe(2);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      expect.stringContaining(`${config}:2:10 rates.EUR: there is no such currency; `),
      expect.stringContaining(`${scenario}:3:29 charges.0.timeline.0.to: must be one of`),
    ]);
  });

  it("checks a file with the given variables", async () => {
    const file = fileWith("name: x\nvars: { pause: 1s }\nsteps: [{ advance: '${pause}' }]\n");
    const { code, stdout } = await run(["validate", file, "--var", "pause=long"]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/:3:11 steps\.0\.advance: must be a duration/);
    expect(await run(["validate", file, "--var", "puase=2s"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "payments-sandbox: --var puase: no file has that variable; did you mean pause?\n",
    });
  });

  it("refuses a device, a folder and a pipe in one line each", async () => {
    const pipe = join(dirname(fileWith("")), "pipe");
    execFileSync("mkfifo", [pipe]);
    const files = ["/dev/zero", dirname(pipe), pipe];
    const { code, stdout } = await run(["validate", ...files]);
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: `/dev/zero: is not a plain file\n${dirname(pipe)}: is a folder\n${pipe}: is not a plain file\n`,
    });
  });

  it("prints warnings, and with --strict treats them as faults, as `run` does", async () => {
    const file = fileWith(`${PASSES}webhooks: [{ match: { type: charge.complete }, drop: true }]\n`);
    const place = `${file}:${readFileSync(file, "utf8").split("\n").length - 1}:`;
    const warned = /: warning: is an unknown event type; did you mean charge\.completed\?/;
    const lenient = await run(["validate", file]);
    expect([lenient.code, lenient.stdout.startsWith(place)]).toEqual([0, true]);
    expect(lenient.stdout).toMatch(warned);
    const strict = await run(["validate", "--strict", file]);
    expect(strict.code).toBe(2);
    // Long lines are cut at a fixed width.
    expect(strict.stdout.slice(0, 100)).toBe(lenient.stdout.replace("warning: ", "").slice(0, 100));
    const ran = await run(["run", file, "--json", "--junit", `${file}.xml`]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(warned);
    expect(JSON.parse(ran.stdout).files[0].warnings[0]).toContain("is an unknown event type");
    expect(readFileSync(`${file}.xml`, "utf8")).toMatch(
      /<system-out>warning: [^<]*: is an unknown event type; did you mean charge\.completed\?[^<]*<\/system-out>/,
    );
    const refused = await run(["run", "--strict", file]);
    expect([refused.code, refused.stderr]).toEqual([2, `payments-sandbox: ${strict.stdout}`]);
  });

  it("refuses an unreadable config or fixtures file, as run does, and reports a broken config once", async () => {
    const file = fileWith(PASSES);
    const config = fileWith('port: "x"\n', "payments-sandbox.config.yaml");
    for (const [flags, fault] of [
      [["-c", "/nowhere.yaml"], "/nowhere.yaml: there is no such file"],
      [["--fixtures", "/nowhere.yaml"], "/nowhere.yaml: there is no such file"],
      [["-c", config], `${config}:1:1 port: must be a number`],
    ] as const)
      expect(await run(["validate", ...flags, file])).toMatchObject({
        code: 2,
        stdout: `${file}: valid scenario\n`,
        stderr: `payments-sandbox: ${fault}\n`,
      });
    const json = await run(["validate", "--json", "-c", "/nowhere.yaml", file]);
    expect([json.code, JSON.parse(json.stdout)]).toEqual([2, [expect.objectContaining({ file })]]);
    const cwd = dirname(config);
    const broken = fileWith("name: x\nsteps: [{ advance: soon }]\n");
    expect(await run(["validate", broken], { cwd })).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("advance"),
      stderr: "payments-sandbox: payments-sandbox.config.yaml:1:1 port: must be a number\n",
    });
    const env = { PAYMENTS_SANDBOX_PORT: "tcp://10.0.0.1:4402" };
    expect(await run(["validate", file], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(await run(["validate", config, file], { cwd })).toMatchObject({
      code: 2,
      stdout: `${config}:1:1 port: must be a number\n${file}: valid scenario\n`,
      stderr: "",
    });
  });
});
