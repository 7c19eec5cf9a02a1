import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command as Program } from "commander";
import { expect, it } from "vitest";
import { addCommands } from "../../src/cli/commands.js";
import { addStartOptions } from "../../src/cli/options.js";
import { OUTPUT_OPTIONS } from "../../src/cli/output-files.js";
import { PRESSES } from "../explore/support.js";
import { temporaryFolder } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { REFUSING_URL } from "../support/receiver-server.js";
import { fileWith } from "../support/scenario-run.js";

const PASSES = "name: good\nsteps:\n  - advance: 1h\n";

it("every option that names a file is one to read, or is prepared before the command runs", () => {
  const root = new Program("payments-sandbox").enablePositionalOptions();
  addStartOptions(root.command("start"));
  addCommands(root);
  const named = root.commands
    .flatMap(({ options }) => options)
    .filter(({ flags }) => /<[^>]*(file|folder|dir|path)/.test(flags))
    .map((option) => option.attributeName());
  const read = [
    "config",
    "fixtures",
    "tlsCert",
    "tlsKey",
    "scenario",
    "file",
    "map",
    "set",
    "against",
    "received",
  ];
  // The storage makes the folder of `data`, which a config file may name too.
  expect([...new Set(named)].sort()).toEqual([...read, "data", ...Object.keys(OUTPUT_OPTIONS)].sort());
});

it("run --junit makes the missing folders", async () => {
  const cwd = temporaryFolder();
  const { code } = await run(["run", fileWith(PASSES), "--junit", "reports/new/x.xml"], { cwd });
  expect(code).toBe(0);
  expect(readFileSync(join(cwd, "reports/new/x.xml"), "utf8")).toContain('<testsuite name="good" tests="1"');
});

it("exec --artifacts and --data make the missing folders", async () => {
  const cwd = temporaryFolder();
  const flags = ["--artifacts", "kept/here", "--data", "states/new/x.data"];
  const { code, stderr } = await run(["exec", ...flags, "--", "true"], { cwd });
  expect({ code, stderr: stderr.replace(/^.*made no call.*\n/m, "") }).toEqual({ code: 0, stderr: "" });
  expect(readdirSync(join(cwd, "kept/here"))).toContain("exec.json");
  expect(existsSync(join(cwd, "states/new/x.data"))).toBe(true);
});

it.each([
  ["run --junit", ["run", fileWith(PASSES), "--junit", "taken/x.xml"]],
  ["check-webhook --junit", ["check-webhook", REFUSING_URL, "--junit", "taken/x.xml"]],
  ["reconcile --junit", ["reconcile", "--file", "-", "--junit", "taken/x.xml"]],
  ["explore --save", ["explore", fileWith(PRESSES), "--app", REFUSING_URL, "--save", "taken/found"]],
  ["exec --artifacts", ["exec", "--artifacts", "taken/kept", "--", "touch", "ran"]],
])("%s refuses a folder that cannot be made, before anything runs", async (name, args) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "taken"), "");
  const flag = name.split(" ")[1];
  expect(await run(args, { cwd })).toMatchObject({
    code: 2,
    stdout: "",
    stderr: `payments-sandbox: ${flag} ${args[args.indexOf(flag!) + 1]} cannot be written: there is a file in place of a folder\n`,
  });
  expect(readdirSync(cwd)).toEqual(["taken"]);
});

it("run --junit refuses a folder in place of the file, before anything runs", async () => {
  const cwd = temporaryFolder();
  expect(await run(["run", fileWith(PASSES), "--junit", "."], { cwd })).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "payments-sandbox: --junit . cannot be written: it is a folder\n",
  });
});

it("run --junit leaves an earlier report alone until the new one is written", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "x.xml"), "earlier");
  const { code } = await run(["run", "--junit", "x.xml", "nowhere.yaml", "--seed", "1", "--url", "x y"], {
    cwd,
  });
  expect(code).toBe(2);
  expect(readFileSync(join(cwd, "x.xml"), "utf8")).toBe("earlier");
});
