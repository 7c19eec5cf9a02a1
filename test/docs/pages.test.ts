import { beforeAll, describe, expect, it } from "vitest";
import { run } from "../support/process-command.js";
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
    await beginShop(fixed);
    const check = await fixed.project.shell(fixed.codeOf("fixed: check"), fixed.environment);
    expect(check.code, check.stdout).toBe(0);
    expect(await runScenario(fixed)).toMatchObject({ code: 0 });
  }, 120_000);
});

async function beginShop(session: PageRun): Promise<void> {
  for (const name of ["sandbox", "shop"]) await session.begin(session.codeOf(`terminal: ${name}`));
}

/** Runs the test of docs/scenarios.md beside a sandbox and a shop. */
function runScenario(session: PageRun) {
  const page = "docs/scenarios.md";
  session.project.write("webhook-twice.yaml", session.codeOf("scenario: webhook-twice.yaml", page));
  return session.project.shell(session.codeOf("run: twice", page), session.environment);
}

it("the test in docs/scenarios.md fails with the shop of docs/start.md as the page says", async () => {
  const session = new PageRun("docs/start.md");
  await session.prepare();
  await beginShop(session);
  const { code, stdout } = await runScenario(session);
  expect(code).toBe(1);
  expect(stdout).toContain(markedBlock("docs/scenarios.md", "printed by run").code);
}, 60_000);

it.each([
  ["docs/shared-sandbox.md adds a namespace and reads it", "worker-1"],
  ["docs/control-api.md advances the clock and adds a fault", "fault_id"],
  ["docs/webhooks.md takes a delivery from a mailbox and acknowledges it", '"status":"delivered"'],
])("%s", async (title, told) => {
  const session = new PageRun(title.split(" ")[0]!);
  await session.prepare();
  await session.begin("npx payments-sandbox");
  expect(await session.carryOut(session.steps[0]!)).toContain(told);
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

  it("the payment in README.md ends COMPLETED, and its secret is the default one", async () => {
    const session = new PageRun("README.md");
    await session.prepare();
    await session.begin(session.codeOf("terminal: sandbox"));
    const { code, stdout, stderr } = await session.project.shell(
      session.codeOf("run: first"),
      session.environment,
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^status +COMPLETED$/m);
    expect(stdout).toContain(`"checkout_url":"${session.url}/checkout/`);
    const env = await session.project.shell("npx payments-sandbox env", session.environment);
    expect(pageText("README.md")).toContain(/whsec_[\w=+/]+/.exec(env.stdout)![0]);
  }, 60_000);

  it("README.md shows the output of demo", async () => {
    const unnumbered = (text: string) =>
      text.replace(/\d\d:\d\d:\d\d/g, "time").replace(/_[0-9a-f]{4}…/g, "_…");
    const { code, stdout } = await run(["demo"]);
    expect(code).toBe(0);
    expect(unnumbered(stdout)).toContain(unnumbered(markedBlock("README.md", "printed by demo").code));
  });
});
