import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportText } from "../../src/cli/report/run-text.js";
import { configFaults } from "../../src/options.js";
import { STEP_KINDS } from "../../src/scenario/steps/kinds.js";
import { validateFile } from "../../src/scenario/validation.js";
import {
  chargeMatchSchema,
  faultRuleSchema,
  webhookRuleSchema,
  withdrawalMatchSchema,
} from "../../src/schema/scenario.js";
import { Api, openSandbox } from "../support/api-client.js";
import { ROOT } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { Shop } from "../support/shop.js";
import { FATES, FLOWS, SHIPPED } from "./support/shipped.js";
import { fileTable, magicTable, nameTable } from "./support/tables.js";

const PAGE = readFileSync(join(ROOT, "docs/scenarios.md"), "utf8");
const SNIPPETS = [...PAGE.matchAll(/<!-- scenario: (\S+) -->\n```yaml\n([\s\S]*?)```/g)].map(
  ([, name, text]) => ({ name: name!, text: text! }),
);

describe("docs/scenarios.md", () => {
  it("has every YAML block checked", () => {
    expect(PAGE.match(/```yaml/g)).toHaveLength(SNIPPETS.length);
  });

  it.each(SNIPPETS)("$name is a scenario", async ({ name, text }) => {
    const { faults, warnings } = await validateFile(fileWith(text, name), { environment: {}, configFaults });
    expect({ faults, warnings }).toEqual({ faults: [], warnings: [] });
    expect(text).toContain(`name: ${name.replace(".yaml", "")}\n`);
  });

  it.each(SNIPPETS.filter(({ text }) => text.includes("\nsteps:")))(
    "$name passes",
    async ({ name, text }) => {
      const shop = new Shop();
      const app = await shop.listen();
      const sandbox = await openSandbox({ webhooks: [`${app}/webhooks`] });
      const { url } = await sandbox.listen();
      shop.service = { url, apiKey: sandbox.apiKey, webhookSecret: sandbox.webhookSecret };
      const report = await sandbox.run(fileWith(text, name), { app });
      expect(report.passed, reportText(report)).toBe(true);
    },
  );

  it.each(SNIPPETS.filter(({ text }) => !text.includes("\nsteps:")))(
    "$name can be started with",
    async (one) => {
      const sandbox = await openSandbox({ scenario: fileWith(one.text, one.name) });
      const { items } = (await new Api(sandbox).get("/_sandbox/scenarios")).json;
      expect(items[0]).toMatchObject({ name: one.name.replace(".yaml", ""), active: true });
    },
  );

  it("tells of every action, field and mishap there is", () => {
    for (const kind of STEP_KINDS) expect(PAGE).toContain(`| \`${kind}:`);
    const section = (title: string): string => PAGE.split(`### ${title}\n`)[1]!.split("\n##")[0]!;
    for (const field of [
      ...Object.keys(chargeMatchSchema.shape),
      ...Object.keys(withdrawalMatchSchema.shape),
    ])
      expect(section("match")).toContain(`\`${field}\``);
    for (const word of Object.keys(webhookRuleSchema.shape))
      expect(section("webhooks")).toContain(`${word}:`);
    for (const word of Object.keys(faultRuleSchema.shape))
      expect(section("faults")).toMatch(new RegExp(`${word}:|\`${word}\``));
  });

  it("links to places that are there", () => {
    const headings = [...PAGE.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!.toLowerCase().replaceAll(" ", "-"),
    );
    for (const [, anchor] of PAGE.matchAll(/\]\(#([^)]*)\)/g)) expect(headings).toContain(anchor);
  });
});

describe("its tables", () => {
  const between = (what: string): string =>
    PAGE.split(`<!-- ${what} -->\n`)[1]?.split(`\n<!-- /${what} -->`)[0] ?? "";
  const named = (name: string) => SHIPPED.find(({ value }) => value.name === name)!;

  it("have the magic values of default.yaml", () => {
    expect(between("magic values")).toBe(magicTable(named("default")));
  });

  it("have every shipped scenario, with the first sentence of its description", () => {
    expect(between("shipped scenarios")).toBe(nameTable(FATES.map(named)));
    expect(between("shipped flows")).toBe(fileTable(FLOWS));
    for (const { value } of FATES.map(named)) expect(value.kind, value.name).toMatch(/^(mishap|outcome)$/);
  });
});
