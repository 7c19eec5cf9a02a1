import { join } from "node:path";
import { expect, it } from "vitest";
import { reportOfExploration } from "../../src/cli/report/explore.js";
import { reportLines } from "../../src/cli/report/report.js";
import { plainPaint } from "../../src/cli/text-layout.js";
import type { ExploreFlowOptions, ExploreReport } from "../../src/library/index.js";
import { FLOW, openCorpus } from "../explore/support.js";
import { temporaryFolder } from "../support/folders.js";
import { fileWith } from "../support/scenario-run.js";
import { markedBlock } from "./support/pages.js";

const PAGE = "docs/explore.md";

/** Runs the page's test with a shop and returns its report. */
async function shown(folder: string) {
  const { sandbox, shop } = await openCorpus("races");
  const reports: ExploreReport[] = [];
  const explore = async (_flow: string, { save, ...options }: ExploreFlowOptions) => {
    const report = await sandbox.explore(fileWith(FLOW), { ...options, save: join(folder, save!) });
    reports.push(report);
    return report;
  };
  let run: (() => Promise<void>) | undefined;
  const test = (_: string, body: typeof run) => {
    run = body;
  };
  const code = markedBlock(PAGE, "test").code;
  new Function("test", "sandbox", "shop", "expect", code)(test, { explore }, shop, expect);
  const failure = await run!().then(
    () => "passed",
    (error: Error) => error.message,
  );
  return { failure, report: reports[0]! };
}

it("the test in docs/explore.md prints the report on the page", async () => {
  const folder = temporaryFolder();
  const { failure, report } = await shown(folder);
  expect(failure).toContain(report.sentence);
  const told = reportLines(reportOfExploration("order.yaml", report), 110, plainPaint)
    .join("\n")
    .replaceAll(join(folder, "/"), "");
  expect(told.startsWith(markedBlock(PAGE, "report").code.trimEnd())).toBe(true);
}, 120_000);
