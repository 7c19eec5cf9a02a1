import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { reportText } from "../../src/cli/report/report.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";

const SNAPSHOT = join(import.meta.dirname, "scenario-runs.txt");

it("prints the reports in scenario-runs.txt", async () => {
  let written = "";
  // Each block is a scenario and its expected report.
  for (const block of readFileSync(SNAPSHOT, "utf8")
    .split(/(?:^> .*\n)+/m)
    .filter(Boolean)) {
    const text = block.replace(/^(?:#.*)?\n/gm, "").trimEnd();
    const steps = text.replace(/^/gm, "  ");
    const file = fileWith(`name: x\n${text.startsWith("- ") ? `steps:\n${steps}` : text}\n`);
    const report = await (await openSandbox()).runFile(file);
    const lines = reportText(reportOfRun(report), 400)
      .replaceAll(file, "x.yaml")
      .replace(/ +(\d+ ms|not run)$/gm, "")
      .trimEnd()
      .split("\n")
      .slice(1)
      .filter((line) => !line.startsWith("  ✓"));
    written += `${block}${[report.outcome, ...lines].map((line) => `> ${line}\n`).join("")}`;
  }
  await expect(written).toMatchFileSnapshot(SNAPSHOT);
});
