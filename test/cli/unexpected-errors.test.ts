import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { Command } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { freePort } from "../support/servers.js";

/** The command's first write to standard output throws. */
const throwing = (thrown: string) => ({
  NODE_OPTIONS: `--import ${encodeURI(`data:text/javascript,process.stdout.write=()=>{throw ${thrown}}`).replaceAll('"', "%22")}`,
});
const FILE = fileWith("name: one\nsteps: [{ advance: 1s }]\n");

it.each([
  [["guide"], "undefined", 1],
  [["guide"], '""', 1],
  [["guide"], "null", 1],
  [["guide"], "new Error()", 1],
  [["demo"], "new AggregateError([])", 1],
  [["init"], "new Error()", 1],
  [["validate", FILE], "{}", 2],
  [["run", FILE], "new AggregateError([new Error()])", 2],
  [["check-webhook", "localhost:9"], "undefined", 2],
] as const)("a command ends with a sentence, whatever is thrown: %s, %s", async (args, thrown, exitCode) => {
  const { code, stderr } = await new Command(args, { cwd: temporaryFolder(), env: throwing(thrown) }).ended;
  expect(stderr).toMatch(/^payments-sandbox: internal error: \w.+ (was thrown without a message|no error:)/);
  expect(code).toBe(exitCode);
});

it("a bug keeps its stack trace, and is JSON with --json", async () => {
  const env = {
    NODE_OPTIONS: `--import data:text/javascript,URL.canParse=()=>{throw%20TypeError()}`,
  };
  const { code, stdout, stderr } = await new Command(["status", "--json", "--url", "localhost:9"], { env })
    .ended;
  expect(stderr).toMatch(
    /^payments-sandbox: internal error: TypeError was thrown without a message \(.*\)\nTypeError\n +at /,
  );
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: "INTERNAL_ERROR", message: expect.stringMatching(/^internal error: /) },
  });
  expect(code).toBe(1);
});

it.each([
  ["status", "--url"],
  ["charges", "--url"],
  ["requests", "--follow", "--url"],
  ["env", "--url"],
  ["reconcile", "--app-cmd", "true", "--url"],
  ["run", FILE, "--url"],
  ["explore", fileWith("name: one\nsteps: [{ app: POST /orders }]\n"), "--app", "localhost:9", "--url"],
  ["check-webhook"],
  ["start", "--port", "0", "--data"],
])("a command says that nothing listens at localhost: %s", async (...words) => {
  const address = `localhost:${await freePort()}`;
  const args = [...words, words.at(-1) === "--data" ? `postgres://u@${address}/db` : address];
  const { code, stdout, stderr } = await new Command(args).ended;
  expect(stdout + stderr).toMatch(
    /no sandbox at http:\/\/localhost:\d+; start one|connect ECONNREFUSED \S+:\d+/,
  );
  expect(code).toBeGreaterThan(0);
});
