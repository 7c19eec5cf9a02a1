import { join } from "node:path";
import { expect, it } from "vitest";
import { reportOfExploration } from "../../src/cli/report/explore.js";
import { reportLines } from "../../src/cli/report/report.js";
import { plainPaint } from "../../src/cli/text-layout.js";
import { createSandbox, type ExploreReport, type Sandbox } from "../../src/library/index.js";
import { temporaryFolder } from "../support/folders.js";
import { ROOT } from "../support/process-command.js";
import { PageRun } from "./support/page-run.js";
import { markedBlock, pageText } from "./support/pages.js";

const PAGE = "docs/explore.md";
const INCIDENT = join(ROOT, /^cd (examples\/incidents\/\S+)$/m.exec(pageText(PAGE))![1]!);
const { withProgram } = await import(join(ROOT, "scripts/incidents/program.mjs"));

it("the command in docs/explore.md prints the report on the page, which README.md quotes", async () => {
  const folder = temporaryFolder();
  const report = await withProgram(
    createSandbox,
    join(INCIDENT, "app.mjs"),
    ({ sandbox, app }: { sandbox: Sandbox; app: string }) =>
      sandbox.explore(join(INCIDENT, "flow.yaml"), { app, depth: 1, save: join(folder, "found") }),
  );
  const relative: ExploreReport = JSON.parse(JSON.stringify(report).replaceAll(join(folder, "/"), ""));
  const told = reportLines(reportOfExploration("flow.yaml", relative), 110, plainPaint).join("\n");
  const code = markedBlock(PAGE, "report").code.replace(/ +…\n$/, "");
  expect(told.slice(0, code.length)).toBe(code);
  expect(code).toContain(markedBlock("README.md", "printed by explore").code);
}, 120_000);

it("the test in docs/explore.md fails with the shop of docs/start.md", async () => {
  const session = await prepareFlow();
  session.project.write("explore.node.mjs", session.codeOf("file: explore.node.mjs", PAGE));
  const { code, stdout } = await session.project.shell("node --test explore.node.mjs");
  expect(code, stdout).toBe(1);
  expect(stdout).toMatch(/paid twice: \d+ completed charges for one order/);
}, 120_000);

/** Writes the shop of docs/start.md and the flow of docs/explore.md. */
async function prepareFlow(): Promise<PageRun> {
  const session = new PageRun("docs/start.md");
  await session.prepare();
  session.project.write("order.yaml", session.codeOf("flow: order.yaml", PAGE));
  return session;
}

it("the flow in docs/explore.md finds that the shop of docs/start.md is paid twice", async () => {
  const session = await prepareFlow();
  const { code, stdout, stderr } = await session.project.shell(session.codeOf("breaks: explore", PAGE));
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(/^✗ money: paid twice: .*\n +deviation +response_lost at createWhitelabel#1: /m);
}, 120_000);
