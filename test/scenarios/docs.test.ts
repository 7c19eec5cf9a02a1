import { expect, it } from "vitest";
import { reportText } from "../../src/cli/report/report.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { configFaults } from "../../src/library/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { blocksOf, blocksOfKind } from "../docs/support/pages.js";
import { Api, openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";

const PAGES = ["docs/scenarios.md", "docs/coming-from.md"];
const SNIPPETS = PAGES.flatMap((page) => blocksOfKind(page, "scenario")).map(({ name, code }) => ({
  name,
  text: code,
}));

it("every YAML block of the pages on scenarios is valid", () => {
  const yaml = PAGES.flatMap(blocksOf).filter(({ language }) => language === "yaml");
  expect(yaml).toHaveLength(SNIPPETS.length);
});

it.each(SNIPPETS)("block $name is a scenario", async ({ name, text }) => {
  const { faults, warnings } = await validateFile(fileWith(text, name), { environment: {}, configFaults });
  expect({ faults, warnings }).toEqual({ faults: [], warnings: [] });
  expect(text).toContain(`name: ${name.replace(".yaml", "")}\n`);
});

/** `test/docs/pages.test.ts` runs the one that calls an app. */
const ALONE = SNIPPETS.filter(({ text }) => text.includes("\nsteps:") && !text.includes(" app: "));

it.each(ALONE)("block $name passes", async ({ name, text }) => {
  const sandbox = await openSandbox();
  const report = await sandbox.runFile(fileWith(text, name));
  expect(report.passed, reportText(reportOfRun(report))).toBe(true);
});

it.each(SNIPPETS.filter(({ text }) => !text.includes("\nsteps:")))(
  "block $name can be used at startup",
  async (one) => {
    const sandbox = await openSandbox({ scenario: fileWith(one.text, one.name) });
    const { items } = (await new Api(sandbox).get("/_sandbox/scenarios")).json;
    expect(items[0]).toMatchObject({ name: one.name.replace(".yaml", ""), active: true });
  },
);
