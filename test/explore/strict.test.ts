import { expect, it, vi } from "vitest";
import { reportExploration } from "../../src/cli/explore-report.js";
import { summarySentence } from "../../src/tools/explore/exploration.js";
import { EXPLORED } from "../support/explored.js";

const PARTIAL = { ...EXPLORED, passed: true, findings: [], complete_depth: 1 };

it.each([
  ["a depth that is not complete", { strict: true, depth: "2" }, PARTIAL, 1],
  ["a depth that is not complete, without --strict", { depth: "2" }, PARTIAL, 0],
  ["the default depth", { strict: true }, PARTIAL, 0],
  ["the requested depth", { strict: true, depth: "1" }, PARTIAL, 0],
  ["no depth", { strict: true }, { ...PARTIAL, passed: false, complete_depth: 0 }, 2],
])("explore --strict with %s", async (_, flags, report, code) => {
  const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  expect(await reportExploration("order.yaml", flags, async () => report)).toBe(code);
  const lines = printed.mock.calls.flat().filter((text) => String(text).includes("--strict"));
  expect(lines).toEqual(code === 1 ? ["payments-sandbox: --strict: depth 2 is not complete\n"] : []);
  printed.mockRestore();
  output.mockRestore();
});

it.each([
  [1, 1, /; depth 1 complete$/],
  [1, 2, /; depth 1 complete, depth 2 not complete$/],
  [0, 2, /; depth 0 complete$/],
])("the summary of depth %d of %d names the incomplete depth", (complete_depth, depth, sentence) => {
  expect(summarySentence("order", { ...EXPLORED, complete_depth }, [3], depth)).toMatch(sentence);
});
