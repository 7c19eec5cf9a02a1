import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const TESTS = join(import.meta.dirname, "..");

/**
 * The slowest test files, slowest first, measured on two cores. Files that wait for processes or browsers run beside
 * files that compute.
 */
const LONGEST = [
  "explore/right-apps",
  "pages/dashboard-browser",
  "determinism/determinism",
  "examples/examples",
  "explore/shops",
  "pages/checkout-browser",
  "simulation/simulation",
  "kills/kills",
  "explore/incidents",
  "openapi/docs",
  "simulation/endless",
  "library/runners",
  "explore/background-work",
  "explore/races",
  "postgres/processes",
  "postgres/interface",
  "postgres/kills",
  "parallel/workers",
  "library/jest",
  "simulation/lies",
  "package/install",
  "pages/dashboard-jobs-browser",
  "state/import",
  "docs/testing",
  "doctor/observe",
  "cli/exec-mishaps",
  "scenarios/flows",
  "parallel/thousand",
  "cli/exec",
  "http/bad-input",
  "library/types",
  "explore/service-page",
  "explore/fail-on",
  "openapi/control-responses",
  "cli/durability",
  "domain/patterns",
  "cli/exec-lifecycle",
  "library/failed-tests",
  "doctor/good",
  "cli/exec-under",
  "webhooks/storm",
  "package/one-file",
  "runtime/store-damage",
  "cli/exec-artifacts",
  "cli/start",
  "doctor/planted",
  "containers/network",
  "examples/explored",
  "steps/broken-files",
  "library/package",
  "cli/commands",
  "doors/input",
  "runtime/crash-images",
  "cli/advice",
  "package/nodes",
  "explore/command",
].map((name) => join(TESTS, `${name}.test.ts`));

/** Starts the slowest files first, because a slow file that starts last leaves one core idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.filter((file) => !existsSync(file));
    if (gone.length > 0)
      throw new Error(`test/support/longest-first.ts names what is gone: ${gone.join(", ")}`);
    const rank = ({ moduleId }: TestSpecification) => LONGEST.indexOf(moduleId) + 1 || LONGEST.length + 1;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
