import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT, run } from "../support/process-command.js";
import { Client } from "../support/receiver-client.js";
import { PageRun, runBlock } from "./support/page-run.js";
import { blocksOf, markedBlock, PAGES, pageText } from "./support/pages.js";

describe("code blocks", () => {
  /** Pages whose YAML is taken as a whole by ci.test.ts and test/containers. */
  const YAML_TAKEN = ["docs/ci.md", "docs/containers.md"];

  it("all have a mark, by which a test finds them or which says why none runs them", () => {
    const unmarked = PAGES.flatMap(blocksOf).filter(
      ({ page, marker, language }) =>
        marker === undefined && !(language === "yaml" && YAML_TAKEN.includes(page)),
    );
    expect(unmarked.map(({ page, code }) => `${page}: ${code}`)).toEqual([]);
  });

  it.each(PAGES)("%s installs no unpublished package from npm", (page) => {
    expect(pageText(page)).not.toMatch(/npm (?:install|i) [^\n`]*\bpayments-sandbox(?![-/])/);
  });
});

/** What the text of a page says that a block prints. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "run: pay": /"checkout_url":"http:\/\/127\.0\.0\.1:\d+\/checkout\/co_.*^ch_\w+ +COMPLETED.* 1,?142\.67/ms,
  "run: wait": /ch_.*"failure_reason":"declined"/s,
  "run: retry": /^\{.*\}$/s,
};

describe.each(["docs/start-here.md", "docs/getting-started.md", "docs/control.md"])("%s", (page) => {
  const session = new PageRun(page);
  beforeAll(() => session.prepare());

  it.each(session.steps)(
    "$marker does what the page says",
    async (block) => {
      if (block.marker === "run: wait") {
        // The examples before it have made calls fail.
        await fetch(`${session.url}/_sandbox/reset`, { method: "POST" });
        session.environment.CHARGE_ID = await Client.at(session.url).pay({ email: "ada@example.com" });
      }
      expect(await session.carryOut(block)).toMatch(PRINTED[block.marker!] ?? "");
    },
    120_000,
  );
});

describe("docs/start-here.md", () => {
  it("has a shop that survives webhook_chaos once its line is replaced, and fails webhooks_lost", async () => {
    const session = new PageRun("docs/start-here.md");
    await session.prepare();
    const shop = session.codeOf("file: shop.mjs").split("\n");
    const at = shop.findIndex((line) => line.includes('type === "charge.completed"'));
    shop[at] = session.codeOf("fix: charge.completed").trimEnd();
    session.project.write("shop.mjs", shop.join("\n"));
    const exec = session.codeOf("breaks: chaos");
    expect(await session.project.shell(exec)).toMatchObject({ code: 0 });
    const { stdout } = await session.project.shell(exec.replace("webhook_chaos", "webhooks_lost"));
    expect(stdout).toContain("Your suite breaks under 1 of 1 mishap: webhooks_lost.");
  }, 120_000);
});

describe("docs/getting-started.md", () => {
  it("has tests that fail when the app does not verify webhooks", async () => {
    const session = new PageRun("docs/getting-started.md");
    await session.prepare();
    session.project.write(
      "app.mjs",
      session.codeOf("file: app.mjs").replace("webhook.verify(body, headers)", "undefined.id"),
    );
    const { code, stdout } = await session.project.shell(session.codeOf("run: ci"));
    expect(code).not.toBe(0);
    // The default reporter of `node --test` without a terminal is TAP on Node 20, and another since.
    expect(stdout).toMatch(/^(not ok|✖)/m);
  });
});

it("docs/writing-scenarios.md runs a folder of files, in separate sandboxes and in a running one", async () => {
  const session = new PageRun("docs/writing-scenarios.md");
  await session.prepare();
  const { project } = session;
  mkdirSync(join(project.folder, "flows"));
  for (const name of ["flow_card.yaml", "flow_refund.yaml"])
    copyFileSync(join(ROOT, "scenarios", name), join(project.folder, "flows", name));
  await session.begin("npx payments-sandbox --rate-limit off");
  const { code, stdout, stderr } = await project.shell(session.codeOf("run: run"), session.environment);
  expect(code, stderr).toBe(0);
  expect(stdout.match(/2 of 2 scenarios passed/g)).toHaveLength(3);
  expect(readFileSync(join(project.folder, "report.xml"), "utf8")).toContain("<testsuite");
});

describe("README.md", () => {
  it("has at most 900 words", () => {
    expect(pageText("README.md").split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
  });

  it("has a test that passes unchanged", async () => {
    const name = "first.test.mjs";
    const { code, stdout, stderr } = await runBlock(name, markedBlock("README.md", `file: ${name}`).code);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  });

  it("shows the output of demo", async () => {
    const unnumbered = (text: string) =>
      text.replace(/\d\d:\d\d:\d\d/g, "time").replace(/_[0-9a-f]{4}…/g, "_…");
    const { code, stdout } = await run(["demo"]);
    expect(code).toBe(0);
    expect(unnumbered(stdout)).toContain(unnumbered(markedBlock("README.md", "printed by demo").code));
  });
});
