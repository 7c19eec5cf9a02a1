import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderWith, temporaryFolder } from "../support/folders.js";
import { CALL_IMPORTED, CALL_REQUIRED } from "../support/light-fetch.js";
import { Command, isAlive, run } from "../support/process-command.js";
import { carryOut } from "../support/resident-command.js";
import { words } from "../support/words.js";

/** A typical test suite of a shop that acts on every delivery. */
const SUITE = `${CALL_IMPORTED}
import assert from "node:assert";
import { createServer } from "node:http";
import { describe, test } from "node:test";
describe("shop", () => {
  test("quotes a price", async () => {
    assert.equal((await call("POST", "/api/v1/payments/quotes", PRICE)).currency, "NGN");
  });
  test("fulfils an order <once> & only once", async () => {
    let fulfilled = 0;
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (more) => (text += more));
      request.on("end", () => {
        if (JSON.parse(text).type === "charge.completed") fulfilled++;
        response.end();
      });
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    try {
      await call("POST", "/api/v1/webhooks", { url: "http://127.0.0.1:" + server.address().port + "/hooks" });
      await pay();
      await call("POST", "/_sandbox/clock/advance", { until: "idle" });
      assert.equal(fulfilled, 1);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
  test("is paid", async () => {
    const { charge_id } = await pay();
    await call("POST", "/_sandbox/clock/advance", { until: "idle" });
    assert.equal((await call("GET", "/api/v1/payments/charges/" + charge_id)).status, "COMPLETED");
  });
});
`;

/** Returns the matrix, which follows the command's output. */
function matrixOf(stdout: string, command: string): string {
  return stdout
    .slice(stdout.lastIndexOf(`\n${command}`) + 1)
    .replace(/\d+\.\d s/g, "TIME")
    .replace(/ +TIME/g, "  TIME");
}

const NODE = process.execPath;
const shell = (source: string): string[] => ["--", "/bin/sh", "-c", source];

it("exec --under finds the scenarios that break a Node suite", async () => {
  const folder = folderWith({ "node.test.mjs": SUITE });
  const flags = ["--clock", "manual", "--under", "webhook_chaos,declined,success"];
  const command = ["node", "--test", "node.test.mjs"];
  const { code, stdout, stderr } = await run(["exec", ...flags, "--artifacts", "kept", "--", ...command], {
    cwd: folder,
  });
  const runs: [string, number][] = [
    ["run 1 of 4, plain", 0],
    ["run 2 of 4, under webhook_chaos", 1],
    ["run 3 of 4, under declined", 1],
    ["run 4 of 4, under success", 0],
  ];
  const progress = runs.map(([run, exit]) => `${run}: exit ${exit} after TIME`);
  expect(stderr.replace(/\d+\.\d s$/gm, "TIME")).toBe(
    ["every app must survive: webhook_chaos", `run 1 of 4, plain: ${command.join(" ")}`, ...progress]
      .map((line) => `payments-sandbox: ${line}\n`)
      .join(""),
  );
  expect(matrixOf(stdout, "node --test")).toBe(`${command.join(" ")}
  ✓ plain          passed  exit 0  TIME
  ✗ webhook_chaos  failed  exit 1  TIME  2 webhooks swapped, 2 webhooks doubled, 2 webhooks delayed
  ! declined       failed  exit 1  TIME  2 charges
  ✓ success        passed  exit 0  TIME  2 charges, 0 withdrawals

  webhook_chaos
    Payments go well and their webhooks do not: charge.completed comes first and twice, the older
    charge.awaiting_payment between the two, and charge.processing last. An app that counts on
    order, or acts on every delivery, fails here.

Tests fail under 1 of 2 outcomes: declined; a different payment outcome is not an app bug.

To repeat webhook_chaos alone:
  npx payments-sandbox exec --clock manual --artifacts kept --scenario webhook_chaos -- node --test node.test.mjs

Your suite breaks under 1 of 1 mishap: webhook_chaos.
`);
  expect(code).toBe(1);
  const kept = (name: string) => readFileSync(join(folder, "kept", name), "utf8");
  expect(JSON.parse(kept("matrix.json"))).toMatchObject({ passed: false, seed: "payments-sandbox" });
  expect(kept("matrix.txt")).toContain("Your suite breaks under 1 of 1 mishap");
  expect(JSON.parse(kept("plain/exec.json"))).toMatchObject({ exit_code: 0, under: null });
  expect(JSON.parse(kept("under-declined/exec.json"))).toMatchObject({ exit_code: 1, under: "declined" });
  expect(kept("under-declined/timelines.txt")).toContain("FAILED, declined");
});

it("exec --under ends with what a mishap hit first, and with the command that repeats the run", async () => {
  const source = `${CALL_REQUIRED} pay().catch(() => process.exit(1));`;
  const command = [NODE, "-e", source];
  const flags = words`--under=lost_response --clock manual`;
  const { stdout } = await run(["exec", ...flags, "--under", "webhook_twice_at_once", "--", ...command]);
  expect(stdout).toContain("\n    first hit: POST /api/v1/payments/whitelabel → connection cut\n");
  expect(stdout).toMatch(
    /\nTo repeat lost_response alone:\n {2}npx payments-sandbox exec --clock manual --scenario lost_response -- \S+ -e '/,
  );
});

it("exec --under starts each run with a fresh sandbox of the same seed", async () => {
  const mine =
    "name: my-own_mishap\nfaults: [{ match: { operation: createQuote }, respond: { status: 503 } }]\n";
  const cwd = folderWith({ "mine.yaml": mine });
  const source = `${CALL_REQUIRED}
      call("POST", "/api/v1/payments/quotes", PRICE).then(({ quote_id }) => quote_id, ({ message }) => message)
        .then((outcome) => [process.env.PAYMENTS_SANDBOX_UNDER, outcome])
        .then((run) => require("node:fs").appendFileSync("runs", JSON.stringify(run) + "\\n"));
    `;
  const flags = words`--quiet --scenario stuck --under instant --under ${"mine.yaml, instant"}`;
  const { code, stdout, stderr } = await run(words`exec ${flags} -- ${NODE} -e ${source}`, { cwd });
  expect([code, stderr]).toEqual([
    0,
    "payments-sandbox: --under instant decides the outcome of all charges and withdrawals: there, those rules of --scenario stuck never apply\n",
  ]);
  const runs = readFileSync(join(cwd, "runs"), "utf8").trim().split("\n");
  const outcomes = runs.map((line) => JSON.parse(line));
  expect(outcomes).toEqual([
    ["", outcomes[0][1]],
    ["instant", outcomes[0][1]],
    ["my-own_mishap", "/api/v1/payments/quotes answered 503"],
  ]);
  expect(outcomes[0][1]).toMatch(/^qt_/);
  expect(stdout).toMatch(
    /\nNot exercised \(nothing matched\): instant\.\n\nYour suite passes plain and under 1 of 1 mishap\.\n$/,
  );
});

it("exec --under shows the output of a run only if it fails", async () => {
  const cwd = temporaryFolder();
  const source = 'echo "out $PAYMENTS_SANDBOX_UNDER"; [ "$PAYMENTS_SANDBOX_UNDER" != declined ]';
  const { code, stdout } = await run(
    ["exec", "--under", "declined,success", "--artifacts", "kept", ...shell(source)],
    { cwd },
  );
  expect([code, stdout.match(/^out.*$/gm)]).toEqual([1, ["out ", "out declined"]]);
  const keptOutput = (name: string) => readFileSync(join(cwd, "kept", `under-${name}`, "output.txt"), "utf8");
  expect([keptOutput("declined"), keptOutput("success")]).toEqual(["out declined\n", "out success\n"]);
});

it("exec --under stops when the first run fails", async () => {
  const { code, stdout } = await run(["exec", "--under", "declined,success", ...shell("exit 4")]);
  expect(code).toBe(4);
  expect(stdout).toContain("- declined  not run\n");
  expect(stdout).toMatch(/The plain run did not pass: there is nothing to compare the other runs with\.\n$/);
});

it("exec --under warns about a scenario that overrides another one", async () => {
  const { code, stderr } = await run(
    words`exec --scenario declined --under declined,insufficient_funds ${shell("true")}`,
  );
  expect(code).toBe(0);
  expect(stderr).toContain(
    "--under declined: --scenario activates it in the plain run too, so both runs are the same",
  );
  expect(stderr).toContain(
    "--under insufficient_funds decides the outcome of all charges: there, those rules of --scenario declined never apply",
  );
});

it("exec --under stops when the current run is interrupted", async () => {
  const file = join(temporaryFolder(), "runs");
  const command = new Command([
    "exec",
    "--under",
    "declined,success",
    ...shell(`echo $$ >> ${file}; [ -z "$PAYMENTS_SANDBOX_UNDER" ] || exec sleep 1000`),
  ]);
  const readPids = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  await expect.poll(() => readPids().length).toBe(2);
  const { code, stdout } = await command.stop("SIGINT");
  const pids = readPids();
  expect([code, pids.length, isAlive(Number(pids[1]))]).toEqual([130, 2, false]);
  expect(stdout).toContain("- success   not run\n");
});

it.each([
  [
    ["--under", "declind"],
    '--under: there is no scenario "declind"; did you mean declined? Known: cancelled, ',
  ],
  [["--under", "nope"], "(mishaps and all stand for many)"],
  [["--under", "success,./nowhere.yaml"], "./nowhere.yaml: there is no such file"],
  [["--under", ","], "--under takes the names of scenarios, separated by commas"],
  [
    ["--under", "declined", "--data", "d"],
    "--under gives each run a fresh sandbox: --data cannot go with it",
  ],
])("exec --under refuses %j before the command runs", async (flags, expected) => {
  const folder = temporaryFolder();
  const { code, stdout, stderr } = await carryOut(["exec", ...flags, ...shell("echo ran")], {
    cwd: folder,
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^payments-sandbox: .+\n$/);
  expect(stderr).toContain(expected);
  expect(existsSync(join(folder, "d"))).toBe(false);
});
