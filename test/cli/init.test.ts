import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readStartOptions } from "../../src/cli/options.js";
import { startOptionsSchema } from "../../src/core/schema/option-table.js";
import { folderWith } from "../support/folders.js";
import { Command, type Finished, run } from "../support/process-command.js";

const CONFIG = "payments-sandbox.config.yaml";
const SCENARIO = "payments-sandbox.scenario.yaml";

/** Runs `init` in a folder with the given files. */
async function runInit(
  before: Readonly<Record<string, string>> = {},
): Promise<{ folder: string; ended: Finished; read: (name: string) => string }> {
  const folder = folderWith(before);
  const ended = await run(["init"], { cwd: folder });
  return { folder, ended, read: (name) => readFileSync(join(folder, name), "utf8") };
}

it("init writes a config and a scenario, and prints the next commands", async () => {
  const { folder, ended } = await runInit();
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toMatch(new RegExp(`^${CONFIG}: written\n${SCENARIO}: written\n\n`));
  expect(readdirSync(folder).sort()).toEqual([CONFIG, SCENARIO]);
  const workflow = parse(ended.stdout.slice(ended.stdout.indexOf("\nname: ")));
  const commands = workflow.jobs.test.steps.map((step: { run?: string }) => step.run).filter(Boolean);
  expect(commands).toEqual([
    "npm ci",
    `npx payments-sandbox run ${SCENARIO} --junit payments.xml`,
    "npx payments-sandbox exec -- npm test",
  ]);
});

it.each([
  ["this folder's package", ".", "node_modules/payments-sandbox/scenarios/schema.json"],
  [
    "the package of a folder above",
    "packages/shop",
    "../../node_modules/payments-sandbox/scenarios/schema.json",
  ],
])("the generated scenario names the editor schema of %s", async (_which, cwd, schema) => {
  const folder = folderWith({
    "node_modules/payments-sandbox/scenarios/schema.json": "{}",
    "packages/shop/package.json": "{}",
  });
  await run(["init"], { cwd: join(folder, cwd) });
  const [first] = readFileSync(join(folder, cwd, SCENARIO), "utf8").split("\n");
  expect(first).toBe(`# yaml-language-server: $schema=${schema}`);
});

it("the generated scenario names the editor schema before the package is installed", async () => {
  const { read } = await runInit();
  expect(read(SCENARIO)).toMatch(
    /^# yaml-language-server: \$schema=node_modules\/payments-sandbox\/scenarios\/schema\.json\n/,
  );
});

it("init keeps existing files and reports them", async () => {
  const { ended, read } = await runInit({ [CONFIG]: "seed: mine\n", [SCENARIO]: "name: mine\n" });
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const unchanged = "already exists; left unchanged";
  expect(ended.stdout).toMatch(new RegExp(`^${CONFIG}: ${unchanged}\n${SCENARIO}: ${unchanged}\n`));
  expect([read(CONFIG), read(SCENARIO)]).toEqual(["seed: mine\n", "name: mine\n"]);
});

it.each(["yml", "json"])("init writes no config beside an existing one ending in .%s", async (ending) => {
  const name = `payments-sandbox.config.${ending}`;
  const { folder, ended } = await runInit({ [name]: "{}\n" });
  expect(ended.stdout).toContain(`${name}: already exists`);
  expect(readdirSync(folder).sort()).toEqual([name, SCENARIO].sort());
});

it.runIf(existsSync("/proc/self"))("init reports a file that it cannot write", async () => {
  const { code, stdout, stderr } = await run(["init"], { cwd: "/proc" });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^payments-sandbox: payments-sandbox\.config\.yaml cannot be written[^\n]+\n$/);
});

it("the generated files pass validate without warnings", async () => {
  const { folder } = await runInit();
  expect(await run(["validate", CONFIG, SCENARIO], { cwd: folder })).toEqual({
    code: 0,
    signal: null,
    stdout: `${CONFIG}: valid config\n${SCENARIO}: valid scenario\n`,
    stderr: "",
  });
});

it("the generated config changes no option of start", async () => {
  const { folder } = await runInit();
  expect(await readStartOptions({ config: join(folder, CONFIG) }, {})).toEqual({});
  const command = new Command(["--json", "-p", "0"], { cwd: folder });
  const { url } = await command.ready();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await command.stop()).code).toBe(0);
});

it("the generated config has every key once", async () => {
  const { folder, read } = await runInit();
  const off = read(CONFIG)
    .split("\n")
    .filter((line) => line.startsWith("#") && !line.startsWith("# "));
  expect(off.map((line) => line.slice(1, line.indexOf(":"))).sort()).toEqual(
    Object.keys(startOptionsSchema.shape).sort(),
  );
  for (const line of off) {
    const turnedOn = read(CONFIG).replace(`\n${line}\n`, `\n${line.slice(1)}\n`);
    const file = join(folder, "one.yaml");
    writeFileSync(file, turnedOn);
    const { describeConfigFault: _describe, ...options } = await readStartOptions({ config: file }, {});
    expect(options).toEqual(parse(line.slice(1)));
  }
  writeFileSync(join(folder, CONFIG), read(CONFIG).replace(/^#(?! )/gm, ""));
  writeFileSync(join(folder, "fixtures.yaml"), "{}\n");
  expect((await run(["validate", CONFIG], { cwd: folder })).stdout).toBe(`${CONFIG}: valid config\n`);
});

it("the generated scenarios pass", async () => {
  const { folder } = await runInit();
  const ran = await run(["run", SCENARIO, "--json"], { cwd: folder });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  const [report] = JSON.parse(ran.stdout).files;
  expect(report.outcome).toBe("passed");
  const command = new Command(["--json", "-p", "0", "--scenario", SCENARIO], { cwd: folder });
  const { url } = await command.ready();
  const active = await run(["scenario", "list", "--json", "--url", url]);
  expect(JSON.parse(active.stdout).items).toContainEqual(
    expect.objectContaining({ name: "example", active: true }),
  );
  expect((await command.stop()).code).toBe(0);
});
