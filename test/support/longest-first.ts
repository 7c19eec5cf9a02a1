import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const TESTS = join(import.meta.dirname, "..");

/** The slowest test files, slowest first. */
const LONGEST = `
  explore/right-apps pages/dashboard-browser determinism/determinism explore/shops examples/examples
  pages/checkout-browser explore/service-page explore/fail-on pages/zoom-browser simulation/simulation
  openapi/call-examples explore/killed doors/input explore/printed-state kills/kills explore/background-work openapi/docs
  simulation/endless explore/incidents explore/refused-events library/runners
  postgres/processes explore/payment-ends postgres/interface postgres/kills explore/right-ends
  parallel/workers library/jest explore/races simulation/lies package/install explore/payouts
  pages/dashboard-jobs-browser pages/dashboard-rows-browser explore/lists state/import cli/exec-explore
  doors/operations docs/testing docs/explore cli/exec-mishaps explore/session corpus/shops
  postgres/forwarding scenarios/flows parallel/thousand cli/exec http/bad-input library/types
  cli/durability domain/patterns cli/exec-lifecycle library/failed-tests
  doctor/good cli/exec-under webhooks/storm package/one-file runtime/store-damage cli/exec-artifacts
  cli/start doctor/planted containers/network examples/explored steps/broken-files library/package
  cli/commands runtime/crash-images cli/advice package/nodes explore/command
`
  .trim()
  .split(/\s+/)
  .map((name) => join(TESTS, `${name}.test.ts`));

/** Starts the slowest files first, so that no core is idle at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.filter((file) => !existsSync(file));
    if (gone.length > 0)
      throw new Error(`test/support/longest-first.ts names what is gone: ${gone.join(", ")}`);
    const rank = ({ moduleId }: TestSpecification) => LONGEST.indexOf(moduleId) + 1 || LONGEST.length + 1;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
