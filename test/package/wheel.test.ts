import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { blocksOf } from "../docs/support/pages.js";
import { temporaryFolder } from "../support/folders.js";
import { buildIfMissing, ROOT } from "../support/process-command.js";

const hasRun = (command: string) => spawnSync(command, ["--version"]).status === 0;

/** Defines the fixture `payments` of the pages. */
const USES = `
import os, sys
import payments_sandbox
from payments_sandbox._command import ONE_FILE

assert ONE_FILE.exists(), "the wheel carries the sandbox"
with payments_sandbox.start("--clock", "manual", "--seed", "python") as payments:
    test_a_payment_succeeds(payments)
    worker = payments.namespace("gw0")
    assert worker.api_key != payments.api_key
    assert worker.call("GET", "/api/v1/payments/payins")["total"] == 0
    payments.reset()
    assert payments.call("GET", "/api/v1/payments/payins")["total"] == 0
    same = payments_sandbox.connect(payments.url)
    assert same.environment == payments.environment
    try:
        payments.call("GET", "/api/v1/payments/charges/ch_0")
    except payments_sandbox.SandboxError as error:
        assert (error.status, error.body["error"]["code"]) == (404, "NOT_FOUND")
    else:
        sys.exit("a 404 raises")
print("fine")
`;

const hasPython = hasRun("python3");
/** The wheel, built once for both tests. */
const wheelFolder = temporaryFolder();
const wheel = hasPython ? builtWheel() : "";

function builtWheel(): string {
  buildIfMissing();
  const line = [join(ROOT, "python/build_wheel.py"), wheelFolder];
  return execFileSync("python3", line, { encoding: "utf8" }).trim();
}

it.skipIf(!hasPython)("the Python wheel runs the test of the page (skipped without python3)", () => {
  const folder = temporaryFolder();
  const python = (...args: string[]) =>
    execFileSync("python3", args, {
      encoding: "utf8",
      cwd: folder,
      env: { PATH: process.env.PATH, PYTHONPATH: folder },
    });
  python("-m", "zipfile", "-e", wheel, folder);
  const block = blocksOf("docs/testing.md").find(({ language }) => language === "python")!.code;
  writeFileSync(join(folder, "uses.py"), block + USES);
  expect(python("uses.py")).toBe("fine\n");
});

it.skipIf(!hasPython)("the Python wheel installs without network (skipped without python3)", () => {
  const folder = temporaryFolder();
  const env = { PATH: process.env.PATH };
  const run = (file: string, ...args: string[]) =>
    execFileSync(file, args, { encoding: "utf8", cwd: folder, env });
  run("python3", "-m", "venv", "--without-pip", "venv");
  const bin = join(folder, "venv", "bin");
  const site = run(
    join(bin, "python"),
    "-c",
    "import sysconfig; print(sysconfig.get_path('purelib'))",
  ).trim();
  run("python3", "-m", "pip", "install", "--no-index", "--quiet", "--target", site, wheel);
  // Without the marker, type checkers ignore the types of the package (PEP 561).
  expect(run("unzip", "-l", wheel)).toContain("payments_sandbox/py.typed");
  const module = [join(bin, "python"), "-m", "payments_sandbox"] as const;
  expect(run(...module, "--version")).toBe(
    run(process.execPath, join(ROOT, "bin/payments-sandbox.js"), "--version"),
  );
  const told = "import os; print(os.environ['PAYMENTS_BASE_URL'].startswith('http'))";
  expect(run(...module, "exec", "--", join(bin, "python"), "-c", told)).toBe("True\n");
  // The console script as an installer creates it.
  const script = join(bin, "payments-sandbox");
  writeFileSync(script, `#!${join(bin, "python")}\nfrom payments_sandbox.__main__ import main\nmain()\n`);
  chmodSync(script, 0o755);
  expect(run("unzip", "-p", wheel, "*/entry_points.txt")).toContain(
    "payments-sandbox = payments_sandbox.__main__:main",
  );
  env.PATH = `${bin}:${process.env.PATH}`;
  expect(run(script, "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  env.PATH = bin;
  expect(() => run(script, "--version")).toThrow(/needs Node 20 or newer, Bun or Deno on the PATH/);
});
