import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT, run } from "../support/process-command.js";
import { listening } from "../support/servers.js";
import { PageRun, runBlock } from "./support/page-run.js";
import { blocksOf, markedBlock, PAGES, pageText } from "./support/pages.js";

describe("code blocks", () => {
  /** `npm run docs` writes these pages. */
  const isGenerated = ({ marker = "" }: { marker?: string | undefined }) => marker.startsWith("fields: ");

  it("every code block is marked with its test", () => {
    const unmarked = PAGES.flatMap(blocksOf).filter(
      (block) => block.marker === undefined && !isGenerated(block),
    );
    expect(unmarked.map(({ page, code }) => `${page}: ${code}`)).toEqual([]);
  });

  it.each(PAGES)("%s installs no unpublished package from npm", (page) => {
    expect(pageText(page)).not.toMatch(/npm (?:install|i) [^\n`]*\bpayments-sandbox(?![-/])/);
  });
});

describe("docs/start.md", () => {
  const session = new PageRun("docs/start.md");
  beforeAll(() => session.prepare());

  it.each(session.steps)(
    "block $marker of docs/start.md does what the page says",
    async (block) => {
      const printed = await session.carryOut(block);
      if (block.marker === "run: pay")
        expect(printed).toMatch(
          /"checkout_url":"http:\/\/127\.0\.0\.1:\d+\/checkout\/co_.*^ch_\w+ +COMPLETED.* 1,?142\.67/ms,
        );
    },
    120_000,
  );

  it("the fix in docs/start.md makes the shop pass webhook_chaos and check-webhook", async () => {
    const fixed = new PageRun("docs/start.md");
    await fixed.prepare();
    const shop = fixed.codeOf("file: shop.mjs").split("\n");
    const at = shop.findIndex((line) => line.includes('type === "charge.completed"'));
    shop[at] = fixed.codeOf("fix: charge.completed").trimEnd();
    fixed.project.write("shop.mjs", shop.join("\n"));
    const exec = fixed.codeOf("breaks: chaos");
    expect(await fixed.project.shell(exec)).toMatchObject({ code: 0 });
    const { stdout } = await fixed.project.shell(exec.replace("webhook_chaos", "webhooks_lost"));
    expect(stdout).toContain("Your suite breaks under 1 of 1 mishap: webhooks_lost.");
    for (const terminal of ["sandbox", "shop"]) await fixed.begin(fixed.codeOf(`terminal: ${terminal}`));
    const check = await fixed.project.shell(fixed.codeOf("fixed: check"), fixed.environment);
    expect(check.code, check.stdout).toBe(0);
  }, 120_000);
});

it("docs/shared-sandbox.md adds a namespace and reads it", async () => {
  const session = new PageRun("docs/shared-sandbox.md");
  await session.prepare();
  await session.begin("npx payments-sandbox");
  expect(await session.carryOut(session.steps[0]!)).toContain("worker-1");
});

it("docs/scenarios.md runs a folder of files", async () => {
  const session = new PageRun("docs/scenarios.md");
  await session.prepare();
  const { project } = session;
  mkdirSync(join(project.folder, "flows"));
  for (const name of ["flow_card.yaml", "flow_refund.yaml"])
    copyFileSync(join(ROOT, "scenarios", name), join(project.folder, "flows", name));
  await session.begin("npx payments-sandbox --rate-limit off");
  const commands = session.codeOf("run: run");
  // The last command waits for the app.
  await listening(createServer(), Number(/--app localhost:(\d+)/.exec(commands)![1]));
  const { code, stdout, stderr } = await project.shell(commands, session.environment);
  expect(code, stderr).toBe(0);
  expect(stdout.match(/2 of 2 scenarios passed/g)).toHaveLength(3);
  expect(readFileSync(join(project.folder, "report.xml"), "utf8")).toContain("<testsuite");
});

describe("README.md", () => {
  it("README.md has at most 900 words", () => {
    expect(pageText("README.md").split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
  });

  it("the test in README.md passes unchanged", async () => {
    const name = "first.test.mjs";
    const { code, stdout, stderr } = await runBlock(name, markedBlock("README.md", `file: ${name}`).code);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  });

  it("README.md shows the output of demo", async () => {
    const unnumbered = (text: string) =>
      text.replace(/\d\d:\d\d:\d\d/g, "time").replace(/_[0-9a-f]{4}…/g, "_…");
    const { code, stdout } = await run(["demo"]);
    expect(code).toBe(0);
    expect(unnumbered(stdout)).toContain(unnumbered(markedBlock("README.md", "printed by demo").code));
  });
});
