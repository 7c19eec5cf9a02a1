import { expect, it } from "vitest";
import { reportText } from "../../src/cli/report/report.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import type { RunReport } from "../../src/tools/scenario/running/run-report.js";
import { Api, okBody, openSandbox } from "../support/api-client.js";
import { FLOWS } from "./support/shipped.js";

function expectPassed(report: RunReport): void {
  expect(report.passed, reportText(reportOfRun(report))).toBe(true);
  expect(report.warnings).toEqual([]);
  expect(report.never_happened).toEqual([]);
  expect(report.steps.length).toBeGreaterThan(0);
}

it.each(FLOWS)("$name passes in a new sandbox", async ({ path }) => {
  expectPassed(await (await openSandbox()).runFile(path));
});

it("all flows pass twice in one sandbox with a running clock", async () => {
  const sandbox = await openSandbox({ clock: "real" });
  for (const { path } of [...FLOWS, ...FLOWS]) expectPassed(await sandbox.runFile(path));
  expect((await new Api(sandbox).get("/_sandbox/webhook-endpoints")).json.total).toBe(0);
});

it.each(FLOWS)("$name fails when the service behaves differently", async ({ path }) => {
  const sandbox = await openSandbox();
  const fault = { match: { operation: "create*" }, respond: { status: 503 } };
  okBody(await new Api(sandbox).post("/_sandbox/faults", fault));
  expect((await sandbox.runFile(path)).outcome).toBe("failed");
});
