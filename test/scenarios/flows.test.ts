import { describe, expect, it } from "vitest";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import type { RunReport } from "../../src/tools/scenario/running/run-report.js";
import { Api, okBody, openSandbox } from "../support/api-client.js";
import { ROOT, run } from "../support/process-command.js";
import { startServer } from "../support/started.js";
import { FLOWS } from "./support/shipped.js";

const FILES = FLOWS.map(({ name }) => `scenarios/${name}`);

function expectPassed(report: RunReport): void {
  expect(report.passed, reportText(reportOfRun(report))).toBe(true);
  expect(report.warnings).toEqual([]);
  expect(report.never_happened).toEqual([]);
  expect(report.steps.length).toBeGreaterThan(0);
}

describe("in this process", () => {
  it.each(FLOWS)("$name passes in a sandbox of its own", async ({ path }) => {
    expectPassed(await (await openSandbox()).run(path));
  });

  it("all pass one after the other and once more in one sandbox whose clock runs", async () => {
    const sandbox = await openSandbox({ clock: "real" });
    for (const { path } of [...FLOWS, ...FLOWS]) expectPassed(await sandbox.run(path));
    expect((await new Api(sandbox).get("/_sandbox/webhook-endpoints")).json.total).toBe(0);
  });

  it.each(FLOWS)("$name fails where the service behaves otherwise", async ({ path }) => {
    const sandbox = await openSandbox();
    const fault = { match: { operation: "create*" }, respond: { status: 503 } };
    okBody(await new Api(sandbox).post("/_sandbox/faults", fault));
    expect((await sandbox.run(path)).outcome).toBe("failed");
  });
});

describe("by the command", () => {
  it("pass in sandboxes of their own", async () => {
    const { code, stdout, stderr } = await run(["run", ...FILES], { cwd: ROOT });
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
    for (const { value } of FLOWS) expect(stdout).toContain(`✓ ${value.name} `);
  });

  it("pass against a running server, and leave its clock as it was", async () => {
    const { url } = await startServer();
    const { code, stdout } = await run(["run", ...FILES, "--url", url], { cwd: ROOT });
    expect(code, stdout).toBe(0);
    const clock = (await (await fetch(`${url}/_sandbox/clock`)).json()) as { mode: string };
    expect(clock.mode).toBe("real");
  });

  it("are fine to `validate`, as are all others", async () => {
    const { code, stdout } = await run(["validate", ...FILES], { cwd: ROOT });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: FILES.map((file) => `${file}: valid scenario\n`).join(""),
    });
  });
});
