import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Repair } from "../../../src/tools/compare/compare.js";
import { temporaryFolder } from "../../support/folders.js";
import { ROOT } from "../../support/process-command.js";

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
/** Tests whose titles name a rule of the service. */
const SUITE = ["run", "test/http", "test/webhooks", "-t", "\\[R\\d", "--reporter=json"];

interface Results {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
    }[];
  }[];
}

/** Runs the tests of the service's rules against a sandbox with the repair; returns how many passed, and what failed. */
export async function runConformance({ config = {}, fixtures }: Repair) {
  const options = Object.entries(config).map(([name, value]) => [
    name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    value,
  ]);
  const file = join(temporaryFolder(), "results.json");
  const env = {
    ...process.env,
    SANDBOX_TEST_OPTIONS: JSON.stringify({
      ...Object.fromEntries(options),
      ...(fixtures === undefined ? {} : { fixtures }),
    }),
  };
  const args = [VITEST, ...SUITE, `--outputFile=${file}`];
  // Failing tests end the command with 1.
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env }).catch(() => {});
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as Results;
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const titlesOf = (wanted: string) =>
    all.filter(({ status }) => status === wanted).map(({ title }) => title);
  return { passed: titlesOf("passed").length, failed: [...new Set(titlesOf("failed"))].sort() };
}
