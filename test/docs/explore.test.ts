import { join } from "node:path";
import { expect, it } from "vitest";
import { reportOfExploration } from "../../src/cli/report/explore.js";
import { reportLines } from "../../src/cli/report/report.js";
import { plainPaint } from "../../src/cli/text-layout.js";
import {
  createSandbox,
  type ExploreFlowOptions,
  type ExploreReport,
  type Sandbox,
} from "../../src/library/index.js";
import { temporaryFolder } from "../support/folders.js";
import { ROOT } from "../support/process-command.js";
import { PageRun } from "./support/page-run.js";
import { markedBlock, pageText } from "./support/pages.js";

const PAGE = "docs/explore.md";
const INCIDENT = join(ROOT, /^cd (examples\/incidents\/\S+)$/m.exec(pageText(PAGE))![1]!);
const { withProgram } = await import(join(ROOT, "scripts/incidents/program.mjs"));

/** Runs the page's test with the page's app and returns its report. */
async function shown(sandbox: Sandbox, app: string, folder: string) {
  const reports: ExploreReport[] = [];
  const explore = async (_flow: string, { save, ...options }: ExploreFlowOptions) => {
    const report = await sandbox.explore(join(INCIDENT, "flow.yaml"), {
      ...options,
      save: join(folder, save!),
    });
    reports.push(report);
    return report;
  };
  let run: (() => Promise<void>) | undefined;
  const test = (_: string, body: typeof run) => {
    run = body;
  };
  const code = markedBlock(PAGE, "test").code;
  new Function("test", "sandbox", "shop", "expect", code)(test, { explore }, app, expect);
  const failure = await run!().then(
    () => "passed",
    (error: Error) => error.message,
  );
  return { failure, report: reports[0]! };
}

it("the test in docs/explore.md prints the report on the page, which README.md quotes", async () => {
  const folder = temporaryFolder();
  const { failure, report } = await withProgram(
    createSandbox,
    join(INCIDENT, "app.mjs"),
    ({ sandbox, app }: { sandbox: Sandbox; app: string }) => shown(sandbox, app, folder),
  );
  expect(failure).toContain(report.sentence);
  const relative: ExploreReport = JSON.parse(JSON.stringify(report).replaceAll(join(folder, "/"), ""));
  const told = reportLines(reportOfExploration("flow.yaml", relative), 110, plainPaint).join("\n");
  const { code } = markedBlock(PAGE, "report");
  expect(told.slice(0, code.length)).toBe(code);
  expect(code).toContain(markedBlock("README.md", "printed by explore").code);
}, 120_000);

it("the flow in docs/explore.md finds that the shop of docs/start.md is paid twice", async () => {
  const session = new PageRun("docs/start.md");
  await session.prepare();
  session.project.write("order.yaml", session.codeOf("flow: order.yaml", PAGE));
  const { code, stdout, stderr } = await session.project.shell(session.codeOf("breaks: explore", PAGE));
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(/^✗ money: paid twice: .*\n +deviation +response_lost at createWhitelabel#1: /m);
}, 120_000);
