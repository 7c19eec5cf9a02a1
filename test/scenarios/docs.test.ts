import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import type {
  ChargeTimelineEntry,
  Scenario,
  WithdrawalTimelineEntry,
} from "../../src/core/schema/scenario-rules.js";
import { configFaults } from "../../src/library/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { Api, openSandbox } from "../support/api-client.js";
import { ROOT } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { Shop } from "../support/shop.js";
import { FATES, FLOWS, firstSentence, SHIPPED, type ShippedFile } from "./support/shipped.js";

const pageText = (name: string): string => readFileSync(join(ROOT, "docs", name), "utf8");
const PAGE = pageText("scenarios.md");
const ALL = PAGE + pageText("writing-scenarios.md");
const SNIPPETS = [...ALL.matchAll(/<!-- scenario: (\S+) -->\n```yaml\n([\s\S]*?)```/g)].map(
  ([, name, text]) => ({ name: name!, text: text! }),
);

describe("the pages on scenarios", () => {
  it("have every YAML block checked", () => {
    expect(ALL.match(/```yaml/g)).toHaveLength(SNIPPETS.length);
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
      expect(report.passed, reportText(reportOfRun(report))).toBe(true);
    },
  );

  it.each(SNIPPETS.filter(({ text }) => !text.includes("\nsteps:")))(
    "$name can be used at startup",
    async (one) => {
      const sandbox = await openSandbox({ scenario: fileWith(one.text, one.name) });
      const { items } = (await new Api(sandbox).get("/_sandbox/scenarios")).json;
      expect(items[0]).toMatchObject({ name: one.name.replace(".yaml", ""), active: true });
    },
  );
});

describe("the tables of docs/scenarios.md", () => {
  const named = (name: string) => SHIPPED.find(({ value }) => value.name === name)!;
  const builtIn = FATES.map(named);

  it("are written from the built-in files (`vitest run -u` writes them)", async () => {
    const tables = {
      "magic values": magicTable(named("default")),
      outcomes: nameTable(builtIn.filter(({ value }) => value.kind === "outcome")),
      mishaps: nameTable(builtIn.filter(({ value }) => value.kind === "mishap")),
      flows: nameTable(FLOWS),
    };
    const generated = Object.entries(tables).reduce((page, [name, table]) => {
      const between = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
      return page.replace(between, (_, begin, end) => `${begin}${table}\n${end}`);
    }, PAGE);
    await expect(generated).toMatchFileSnapshot("../../docs/scenarios.md");
  });

  it("have every built-in scenario, each with a kind", () => {
    for (const { value } of builtIn) expect(value.kind, value.name).toMatch(/^(mishap|outcome)$/);
    for (const { name } of SHIPPED) expect(PAGE).toContain(`(../scenarios/${name})`);
  });
});

function magicTable({ value }: ShippedFile): string {
  const { charges = [], withdrawals = [] } = value;
  return table("| give | and this happens |", [
    ...charges.flatMap(({ match, timeline }) =>
      match === undefined ? [] : [[given(match), story(timeline)]],
    ),
    ...withdrawals.flatMap(({ match, timeline }) =>
      match === undefined ? [] : [[`a withdrawal with ${given(match)}`, story(timeline)]],
    ),
  ]);
}

const WORDS: Readonly<Record<string, string>> = {
  customer_email: "the e-mail address",
  phone_number: "the phone number",
  base_amount: "the price",
  reference: "the reference",
};

type Match = NonNullable<NonNullable<Scenario["charges"]>[number]["match"]>;

function given({ payment_method, ...match }: Match): string {
  const parts = Object.entries(match).map(([field, glob]) => `${WORDS[field] ?? field} \`${String(glob)}\``);
  return parts.join(" and ") + (payment_method === undefined ? "" : ` (\`${String(payment_method)}\` only)`);
}

function story(timeline: readonly (ChargeTimelineEntry | WithdrawalTimelineEntry)[]): string {
  return timeline
    .map((entry) => {
      const when = "after_expiry" in entry ? `${entry.after_expiry} after expiry` : entry.after;
      const why = entry.reason === undefined ? "" : ` \`${entry.reason}\``;
      return `${when}: ${entry.to}${why}`;
    })
    .join(", ");
}

function nameTable(files: readonly ShippedFile[]): string {
  const nameOf = ({ name }: ShippedFile) => name.replace(/^flow_|\.yaml$/g, "");
  return table(
    "| name | |",
    files.map((file) => [`[\`${nameOf(file)}\`](../scenarios/${file.name})`, firstSentence(file)]),
  );
}

function table(heading: string, rows: readonly (readonly string[])[]): string {
  return [heading, "|---|---|", ...rows.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
}
