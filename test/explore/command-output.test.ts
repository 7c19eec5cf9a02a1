import { afterEach, expect, it, vi } from "vitest";
import { parseExplorationFlags, reportExploration } from "../../src/cli/explore-report.js";
import { ProgressLine } from "../../src/cli/terminal.js";
import { BUDGET_OVER, type ExploreReport } from "../../src/tools/explore/exploration.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const FINDING = {
  oracle: "money" as const,
  message: "paid twice: 2 completed charges for one order",
  deviations: [{ kind: "response_lost" as const, at: "createWhitelabel#1" }],
  seen: { runs: 2, of: 2 },
};

const COMPLETE: ExploreReport = {
  passed: true,
  complete_depth: 1,
  runs: 9,
  drawn: 0,
  choices: 9,
  behaviours: 4,
  ms: 100,
  saved: { holds_a_failing_set: 0, absorbed: 0, alike: 0, independent: 0, unmet: 0 },
  findings: [],
  singles: [],
  looked_at: ["status"],
  not_compared: [],
  not_tried: [],
  notes: [],
  sentence: "order: 9 single deviations",
};
const CUT = { not_tried: [{ kind: "webhook_late" as const, at: "charge.completed#1", reason: BUDGET_OVER }] };

it.each([
  ["depth 1 is complete and nothing is found", {}, {}, 0],
  ["something is found", { passed: false, findings: [FINDING] }, {}, 1],
  [
    "the budget ends before depth 1 is complete, and something is found",
    { passed: false, complete_depth: 0, findings: [FINDING], ...CUT },
    {},
    2,
  ],
  ["the budget ends before depth 1 is complete", { passed: false, complete_depth: 0, ...CUT }, {}, 2],
  ["the budget ends before depth 2 is complete", {}, { depth: "2" }, 0],
  ["the budget ends before depth 2 is complete, with --strict", {}, { depth: "2", strict: true }, 1],
])("explore exits with the code of its result: %s", async (_, changes, flags, code) => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const exit = await reportExploration("order.yaml", { json: true, ...flags }, async () => ({
    ...COMPLETE,
    ...changes,
  }));
  expect(exit).toBe(code);
});

it("explore names the comma if a plus separates the deviations of --only", () => {
  const only = "webhook_twice at charge.failed#1 + declined at charge#1";
  expect(() => parseExplorationFlags({ app: "127.0.0.1:3000", only })).toThrow(
    "--only: a comma separates deviations: webhook_twice at charge.failed#1, declined at charge#1",
  );
});

it("explore --from prints what the log shows before it runs, and the replay names the set", async () => {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const argv = ["explore", "order.yaml", "--from", "log.jsonl", "--app", "localhost:3000"];
  vi.spyOn(process, "argv", "get").mockReturnValue(["node", "payments-sandbox", ...argv]);
  const { deviations } = FINDING;
  const shown = [{ ...deviations[0]!, reason: "the call at 14:00 got no response" }];
  const textBefore: string[] = [];
  const code = await reportExploration("order.yaml", { from: "log.jsonl", shown }, async () => {
    textBefore.push(...printed.mock.calls.map(([text]) => String(text)));
    return { ...COMPLETE, passed: false, complete_depth: 0, findings: [FINDING] };
  });
  expect(code).toBe(1);
  expect(textBefore.join("")).toBe(
    "log.jsonl shows\n  response_lost at createWhitelabel#1: the call at 14:00 got no response\n\n",
  );
  expect(printed.mock.calls.flat().join("").replace(/\s+/g, " ")).toContain(
    "explore order.yaml --app localhost:3000 --only 'response_lost at createWhitelabel#1'",
  );
});

it.each([
  ["a set", FINDING],
  ["a life", { ...FINDING, deviations: [], only: "life 42:17:3", acts: ["Ada places order 1"] }],
])("explore prints the command that repeats %s, unless a file does", async (_, finding) => {
  const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const hasCommand = async (found: ExploreReport["findings"][number]) => {
    printed.mockClear();
    await reportExploration("order.yaml", {}, async () => ({
      ...COMPLETE,
      passed: false,
      findings: [found],
    }));
    return printed.mock.calls.flat().join("").includes("to run it again:");
  };
  expect(await hasCommand(finding)).toBe(true);
  expect(await hasCommand({ ...finding, file: "found/order.yaml" })).toBe(false);
});

it("progress goes to the error output every 15 s if the output is a pipe", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const progress = new ProgressLine(true, "explore order.yaml");
  for (let seconds = 1; seconds <= 31; seconds++) {
    vi.advanceTimersByTime(1_000);
    progress.show(`${seconds} runs`);
  }
  expect(write.mock.calls).toEqual([["explore order.yaml: 15 runs\n"], ["explore order.yaml: 30 runs\n"]]);
});
