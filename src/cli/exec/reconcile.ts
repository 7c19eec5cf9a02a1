import { join } from "node:path";
import { readNamespaceNames } from "../../core/reports/namespace-export.js";
import type { BookReport } from "../../core/schema/reconciliation.js";
import { formatCount } from "../../core/schema/text-format.js";
import type { Sandbox } from "../../sandbox.js";
import { compareAppRows, runRowsCommand } from "../books/app-rows.js";
import { isFixableByUser, printErrorMessage } from "../errors.js";
import { booksReport } from "../report/books.js";
import { junitXml } from "../report/junit.js";
import { reportLines } from "../report/text.js";
import { lineWidth, printErrorLine } from "../terminal.js";
import { plainPaint } from "../text-layout.js";
import { controlClientOf, type ExecPlan, type MatrixRunPlan } from "./plan.js";

const COULD_NOT = 2;

/** `exec --reconcile`: compares the app's records with the ledger. Returns exit code 1 with findings, 2 on errors. */
export async function reconcileAfterRun(
  sandbox: Sandbox,
  { artifacts, notice }: ExecPlan,
  {
    command,
    environment,
    under,
  }: {
    readonly command: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly under: MatrixRunPlan | undefined;
  },
): Promise<number> {
  try {
    const text = await runRowsCommand(command, environment);
    const report = await compareAppRows(text, "--reconcile", {}, (body) =>
      sandbox.control<BookReport>("POST /_sandbox/reconcile", body),
    );
    const folder = under?.folder ?? "";
    artifacts?.write(join(folder, "reconcile.json"), `${JSON.stringify(report, null, 2)}\n`);
    artifacts?.write(join(folder, "reconcile.xml"), junitXml([booksReport(report)]));
    const lines = reportLines(booksReport(report), lineWidth(), plainPaint);
    if (report.passed) for (const line of lines) notice(line);
    else for (const line of lines) printErrorLine(line, "");
    await warnOfOtherNamespaces(sandbox, notice);
    return report.passed ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Error && isFixableByUser(error))) throw error;
    printErrorMessage(error);
    return COULD_NOT;
  }
}

/** Warns that charges of other namespaces are not compared. */
async function warnOfOtherNamespaces(sandbox: Sandbox, notice: ExecPlan["notice"]): Promise<void> {
  for (const name of await readNamespaceNames(controlClientOf(sandbox))) {
    if (name === "default") continue;
    const { total } = await controlClientOf(sandbox, name).call<{ total: number }>(
      "GET /_sandbox/charges?limit=1",
    );
    if (total > 0)
      notice(
        `--reconcile looks at the namespace default: ${name} has ${formatCount(total, "charge")} too (sandbox.reconcile() in its tests)`,
      );
  }
}
