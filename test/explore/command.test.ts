import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type RunningShop, startShop } from "../corpus/start-shop.js";
import { temporaryFolder } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";
import { startServer } from "../support/started.js";
import { words } from "../support/words.js";
import { FLOW, PRESSES, pressedApp } from "./support.js";

describe("payments-sandbox explore", () => {
  let url: string;
  let shop: RunningShop;
  beforeAll(async () => {
    const { ready } = await startServer();
    url = ready.url;
    shop = await startShop("pays_again", { baseUrl: url, apiKey: ready.api_key });
  });
  // Without the path that --var sets, the plain run fails.
  const flow = fileWith(
    FLOW.replace("vars: {", "vars: { orders: /nowhere,").replace("POST /orders", `POST \${orders}`),
  );
  const explore = (...flags: string[]) =>
    run(["explore", flow, "--url", url, "--app", shop.url, "--var", "orders=/orders", ...flags]);

  it("explore prints one line of JSON and exits with 1 for a finding", async () => {
    const save = temporaryFolder();
    const junit = join(save, "explore.xml");
    const flags = words`--depth 1 --json --save ${save} --junit ${junit} --profile`;
    const { code, stdout, stderr } = await explore(...flags);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const report = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
    expect(report).toMatchObject({
      complete_depth: 1,
      findings: [{ oracle: "money", deviations: [{ kind: "response_lost", at: "createWhitelabel#1" }] }],
      notes: [expect.stringMatching(/^foreign_charge at /)],
      clock: { before: expect.any(String), now: expect.any(String) },
    });
    expect(report.runs).toBe(report.choices);
    expect(report.profile).toMatchObject({ "drive: app": expect.any(Number) });
    expect(readFileSync(junit, "utf8")).toMatch(
      /<testcase name="response_lost at createWhitelabel#1" classname="explore"[^>]*>\s*<failure [^>]*type="money"/,
    );
    const again = await run(["run", report.findings[0].file, "--url", url, "--app", shop.url]);
    expect(again.code).toBe(1);
    expect(again.stdout).toContain("money: paid twice: 2 completed charges for one order");
  });

  it("--lives carries out lives, and a case of the JUnit report says how far they went", async () => {
    const junit = join(temporaryFolder(), "lives.xml");
    const { stdout } = await explore("--lives", "5", "--json", "--junit", junit);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1)!).lives).toMatchObject({ of: 5, lives: 5 });
    expect(readFileSync(junit, "utf8")).toContain('<testcase name="lives" classname="explore"');
  });

  it.each([
    ["--lives x", '--lives "x": must be a whole number'],
    ["--lives 0", '--lives "0": must be 1 to 100000'],
    ["--only life", "--only: life names no life: give it as a report does, such as life 42:17:3"],
  ])("%s is refused", async (flags, message) => {
    const { code, stderr } = await explore(...flags.split(" "));
    expect({ code, stderr }).toEqual({ code: 2, stderr: `payments-sandbox: ${message}\n` });
  });

  it("prints the final sandbox time in its last line", async () => {
    const app = createServer(pressedApp());
    const flow = fileWith(PRESSES.replace("steps:", "steps:\n  - advance: 40d"));
    const options = ["--url", url, "--app", `127.0.0.1:${await listening(app)}`, "--depth", "1"];
    const { stdout } = await run(["explore", flow, ...options]);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(
      /^the sandbox's clock stands at \S+Z \(before: \S+Z\) until the sandbox ends, or until npx payments-sandbox reset, which deletes every charge$/,
    );
  });

  it("explore stops at its time limit, even during the first run", async () => {
    const { code, stdout, stderr } = await explore("--budget", "1ms");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^.*: the budget was over before the app was seen to go right\n$/);
  });

  it("reports the error code in JSON when the flow checks nothing", async () => {
    const blind = fileWith(`${FLOW}never:\n  - { app: "GET /orders/\${order}", body: { delivred: 2 } }\n`);
    const { code, stdout, stderr } = await run(["explore", blind, "--url", url, "--app", shop.url, "--json"]);
    expect({ code, lines: stderr.trimEnd().split("\n") }).toEqual({
      code: 2,
      lines: [expect.stringContaining("did you mean delivered?")],
    });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "LOOKS_AT_NOTHING" } });
  });

  it("prints one line and exits with 2 when it cannot run the flow", async () => {
    for (const [flags, message] of [
      [["--depth", "0"], '--depth "0": must be 1, 2 or max'],
      [["--lanes", "99"], '--lanes "99": must be 1 to 16'],
      [["--budget", "soon"], '--budget "soon": '],
      [["--fail-on", "webhook_droped"], "did you mean webhook_dropped?"],
      [["--from", "nowhere.jsonl"], "nowhere.jsonl: cannot be read: "],
      [
        ["--from", "x.jsonl", "--only", "declined at charge#1"],
        "--only and --from both name the sets to run",
      ],
      [["--var", "emial=x@shop.test"], "--var emial: no file has that variable; did you mean email?"],
      [["--app", "ftp://x"], "--app must be an http or https URL"],
      [["--url", "http://127.0.0.1:1"], "cannot be reached"],
      [["--app", "http://127.0.0.1:1"], "nothing listens there: start it first, or give its right URL"],
    ] as const) {
      const { code, stdout, stderr } = await explore(...flags);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(message);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    }
  });
});
