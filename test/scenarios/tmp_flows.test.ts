import { readdirSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { reportText } from "../../src/cli/report.js";
import { cleanUp, sandboxWith } from "../support/scenario-run.js";
afterEach(cleanUp);
const flows = readdirSync("scenarios").filter((n) => n.startsWith("flow_"));
it.each(flows)("%s", async (name) => {
  const report = await (await sandboxWith()).run(`scenarios/${name}`);
  expect(report.passed, reportText(report)).toBe(true);
  expect(report.warnings).toEqual([]);
});
