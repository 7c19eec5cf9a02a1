import { describe, expect, it } from "vitest";
import { effectsText, listActiveScenarios } from "../../src/cli/exec/applied-rules.js";
import { Matrix, type MatrixRun } from "../../src/cli/exec/matrix.js";
import type { ScenarioView } from "../../src/core/schema/control-scenario-responses.js";
import { webhookRuleSchema } from "../../src/core/schema/scenario-rules.js";
import { Api, openSandbox } from "../support/api-client.js";

const textOf = (matrix: Matrix): string => matrix.toText(100, false);

function matrixRun(label: string, code: number): MatrixRun {
  return { label, scenario: label === "plain" ? null : label, code, durationMs: 1_250 };
}

const slow = {
  name: "slow",
  kind: "mishap",
  active: true,
  charges: [{ timeline: [{ after: "2m", to: "COMPLETED" }] }],
  applied: { "charges.0": 1 },
} as const;

describe("the matrix of exec --under", () => {
  it("has a line a run", () => {
    const matrix = new Matrix(
      ["npm", "test"],
      [matrixRun("plain", 0), matrixRun("declined", 1), matrixRun("stuck", 0)],
      [],
    );
    expect(textOf(matrix)).toBe(`npm test
  ✓ plain     passed  exit 0  1.3 s
  ✗ declined  failed  exit 1  1.3 s
  ✓ stuck     passed  exit 0  1.3 s

Your suite breaks under 1 of 2 mishaps: declined.
`);
    expect(matrix.isAllPassed).toBe(false);
    expect(matrix.toJson()).toMatchObject({
      passed: false,
      runs: [{ passed: true }, { passed: false }, { passed: true }],
    });
  });

  it("does not blame a scenario that was cut short", () => {
    const run = (label: string, steps: number, under?: typeof slow): MatrixRun => ({
      ...matrixRun(label, under === undefined ? 0 : 1),
      scenarioView: under as unknown as MatrixRun["scenarioView"],
      due: { steps, attempts: 0 },
    });
    const early = new Matrix(["x"], [run("plain", 1), run("slow", 2, slow)], []);
    expect(textOf(early)).toBe(`x
  ✓ plain  passed        exit 0  1.3 s
  ? slow   inconclusive  exit 1  1.3 s  1 charge; 1 status change still due

Your suite passes plain and under 0 of 1 mishap. Inconclusive, because the run ended too early (advance the clock further in the tests): slow.
`);
    expect(early.toJson()).toMatchObject({ passed: false, inconclusive: ["slow"] });
    const late = new Matrix(["x"], [run("plain", 1), run("slow", 1, slow)], []);
    expect(textOf(late)).toContain("Your suite breaks under 1 of 1 mishap: slow.");
  });

  it("describes the mishaps that broke the suite, with new advice", () => {
    const advice = (times: number) => ({
      id: "x",
      advice: "Retry.",
      why: "a call was not repeated",
      times,
      example: "POST /quotes",
      docs: "docs/advice.md",
    });
    const under = { ...slow, description: "Payments take long." } as unknown as MatrixRun["scenarioView"];
    const matrix = new Matrix(
      ["x"],
      [
        { ...matrixRun("plain", 0), advice: [advice(1)] as never },
        { ...matrixRun("slow", 1), scenarioView: under, isRare: true, advice: [advice(3)] as never },
      ],
      [],
    );
    expect(textOf(matrix)).toContain(
      "\n  slow (rare)\n    Payments take long.\n    advice: Retry. A call was not repeated 2 times: POST /quotes",
    );
  });

  it("lists what was not run, and why", () => {
    const matrix = new Matrix(["x"], [matrixRun("plain", 4)], ["declined", "stuck"]);
    expect(textOf(matrix)).toBe(`x
  ✗ plain     failed  exit 4  1.3 s
  - declined  not run
  - stuck     not run

The plain run did not pass: there is nothing to compare the other runs with.
`);
    const cut = new Matrix(["x"], [matrixRun("plain", 0), matrixRun("declined", 0)], ["stuck"]);
    expect(textOf(cut)).toContain("Your suite passes plain and under 1 of 2 mishaps. 1 of 2 were not run.\n");
    expect(cut.toJson().passed).toBe(false);
  });

  it("makes no comparison with a plain run that --strict fails", () => {
    const strict = (label: string): MatrixRun => ({ ...matrixRun(label, 0), passesStrict: false });
    expect(textOf(new Matrix(["x"], [strict("plain")], ["declined"]))).toBe(`x
  ✗ plain     failed  exit 0  1.3 s
  - declined  not run

The plain run did not pass: there is nothing to compare the other runs with.
`);
    expect(textOf(new Matrix(["x"], [strict("plain"), strict("declined")], []))).toContain(
      "\nThe plain run did not pass",
    );
  });

  it("fits the command to the width, has colour on request, and no control characters", () => {
    const runs = [matrixRun("plain", 0), matrixRun("declined", 1)];
    expect(new Matrix(["x".repeat(200)], runs, []).toText(80, false).split("\n")[0]).toHaveLength(80);
    const matrix = new Matrix(["x\u001b[2J"], runs, []);
    expect(textOf(matrix)).not.toContain("\u001b");
    expect(matrix.toText(100, true)).toContain("\u001b[31m✗\u001b[39m");
  });
});

const view = (part: Partial<ScenarioView>): ScenarioView => ({
  name: "x",
  active: true,
  applied: {},
  ...part,
});

it("sums up mishaps in words", () => {
  const scenario = view({
    faults: [{ drop: "after" }, { drop: "after" }, { delay: "1s" }],
    webhooks: [{ copies: 2 }],
    charges: [{ timeline: [] }],
    applied: { "faults.0": 1, "faults.1": 2, "faults.2": 1, "webhooks.0": 0, "charges.0": 9 },
  });
  expect(effectsText(scenario)).toBe("3 responses lost, 1 call delayed, 0 webhooks doubled");
});

/** Words that only say more of what another does, or of where. */
const BESIDE = ["match", "at_once", "ids", "attempt", "times", "skip"];

it.each(Object.keys(webhookRuleSchema.shape).filter((word) => !BESIDE.includes(word)))(
  "describes what %s does to a webhook",
  (word) => {
    const rule = { [word]: word === "copies" ? 2 : true };
    expect(effectsText(view({ webhooks: [rule] }))).not.toContain("changed");
  },
);

it("counts a late payment when it arrives, not when it is planned", async () => {
  const sandbox = await openSandbox({ scenario: ["paid_late"], clock: "manual" });
  const api = new Api(sandbox);
  const happened = async () => (await listActiveScenarios(sandbox)).map(effectsText);
  await api.pay();
  expect(await happened()).toEqual(["0 payments came late"]);
  await sandbox.advance("2h");
  expect(await happened()).toEqual(["1 payment came late"]);
});
