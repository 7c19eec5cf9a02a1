import { expect, it } from "vitest";
import { PRESSES } from "../explore/support.js";
import { run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";

it.each([
  ["failed", 1, "  - { request: GET /api/v1/payments/payins, expect: { status: 404 } }\n"],
  ["passed", 2, "  - advance: 1h\n"],
])(
  "run prints its report of what %s and exits with %d when JUnit cannot be written",
  async (outcome, expected, step) => {
    const file = fileWith(`name: x\nsteps:\n${step}`);
    const { code, stdout, stderr } = await run(["run", file, "--json", "--junit", "/nope/x.xml"]);
    expect({ code, stderr }).toEqual({
      code: expected,
      stderr: "payments-sandbox: --junit /nope/x.xml cannot be written (ENOENT)\n",
    });
    expect(JSON.parse(stdout).outcome).toBe(outcome);
  },
);

it.each([
  ["run", []],
  ["explore", ["--app", "127.0.0.1:1"]],
])("%s without a sandbox explains how to start one", async (command, flags) => {
  const file = fileWith(command === "run" ? "name: x\nsteps: [{ advance: 1h }]\n" : PRESSES);
  const { code, stdout, stderr } = await run([command, file, ...flags, "--url", "http://127.0.0.1:1"]);
  expect(code).toBe(2);
  expect(stdout + stderr).toContain(
    "the sandbox cannot be reached: there is no sandbox at http://127.0.0.1:1; start one with: npx payments-sandbox start\n",
  );
});
