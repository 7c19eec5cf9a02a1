import { expect, it } from "vitest";
import { effectsText, listActiveScenarios } from "../../src/cli/exec/applied-rules.js";
import { Matrix, type MatrixRun } from "../../src/cli/exec/matrix.js";
import type { ScenarioView } from "../../src/core/schema/control-scenario-responses.js";
import { webhookRuleSchema } from "../../src/core/schema/scenario-rules.js";
import { Api, openSandbox } from "../support/api-client.js";

function matrixRun(label: string, code: number, rest: Partial<MatrixRun> = {}): MatrixRun {
  return { label, scenario: label === "plain" ? null : label, code, durationMs: 1_250, ...rest };
}

const SLOW = {
  name: "slow",
  description: "Payments take long.",
  kind: "mishap",
  active: true,
  charges: [{ timeline: [{ after: "2m", to: "COMPLETED" }] }],
  applied: { "charges.0": 1 },
} as unknown as MatrixRun["scenarioView"];

const due = (steps: number): Partial<MatrixRun> => ({ due: { steps, attempts: 0 } });
const advice = (times: number) =>
  [
    {
      id: "x",
      advice: "Retry.",
      why: "a call was not repeated",
      times,
      example: "POST /quotes",
      docs: "docs/api.md#advice",
    },
  ] as unknown as MatrixRun["advice"];
const unmet = { passesStrict: false };

const repeat = (label: string) => `npx payments-sandbox exec --scenario ${label} -- npm test`;

/** Results of runs, and the scenarios that did not run. */
const MATRICES: Readonly<Record<string, [runs: readonly MatrixRun[], notRun?: readonly string[]]>> = {
  "a mishap breaks the suite": [[matrixRun("plain", 0), matrixRun("declined", 1), matrixRun("stuck", 0)]],
  "a run ends with more tasks due than the plain run": [
    [matrixRun("plain", 0, due(1)), matrixRun("slow", 1, { scenarioView: SLOW, ...due(2) })],
  ],
  "a run ends with as many tasks due as the plain run": [
    [matrixRun("plain", 0, due(1)), matrixRun("slow", 1, { scenarioView: SLOW, ...due(1) })],
  ],
  "a rare mishap breaks the suite, with advice that the plain run has less often": [
    [
      matrixRun("plain", 0, { advice: advice(1) }),
      matrixRun("slow", 1, {
        scenarioView: SLOW,
        isRare: true,
        advice: advice(3),
        firstHit: "PENDING ch_1",
      }),
    ],
  ],
  "two mishaps break the suite, and it does not meet a third": [
    [
      matrixRun("plain", 0),
      matrixRun("declined", 1),
      matrixRun("stuck", 1),
      matrixRun("slow", 0, { scenarioView: { ...SLOW!, applied: { "charges.0": 0 } } }),
    ],
  ],
  "the plain run fails": [[matrixRun("plain", 4)], ["declined", "stuck"]],
  "a signal ends the runs": [[matrixRun("plain", 0), matrixRun("declined", 0)], ["stuck"]],
  "--strict fails the plain run": [[matrixRun("plain", 0, unmet)], ["declined"]],
  "--strict fails both runs": [[matrixRun("plain", 0, unmet), matrixRun("declined", 0, unmet)]],
};

it("the matrix of exec --under matches its snapshot as text and JSON", async () => {
  const texts = Object.entries(MATRICES).map(([name, [runs, notRun = []]]) => {
    const matrix = new Matrix(["npm", "test"], runs, notRun, repeat);
    const json = { ...matrix.toJson(), all_passed: matrix.isAllPassed };
    return `# ${name}\n${matrix.toText(100, false)}${JSON.stringify(json)}\n`;
  });
  await expect(texts.join("\n")).toMatchFileSnapshot("snapshots/matrix.txt");
});

it("the matrix fits the terminal width", () => {
  const runs = [matrixRun("plain", 0), matrixRun("declined", 1)];
  expect(new Matrix(["x".repeat(200)], runs, [], repeat).toText(80, false).split("\n")[0]).toHaveLength(80);
  const matrix = new Matrix(["x\u001b[2J"], runs, [], repeat);
  expect(matrix.toText(100, false)).not.toContain("\u001b");
  expect(matrix.toText(100, true)).toContain("\u001b[31m✗\u001b[39m");
});

const view = (part: Partial<ScenarioView>): ScenarioView => ({
  name: "x",
  active: true,
  applied: {},
  ...part,
});

it("the matrix says that mishaps of webhooks need a receiver", () => {
  const scenarioView = view({ webhooks: [{ drop: true }], applied: { "webhooks.0": 0 } });
  const runs = [matrixRun("plain", 0), matrixRun("webhooks_lost", 0, { scenarioView })];
  expect(new Matrix(["npm"], runs, [], repeat).toText(100, false)).toContain(
    "\nNot exercised (no webhook matched; --webhook-url sends them): webhooks_lost.\n",
  );
  expect(new Matrix(["npm"], runs, [], repeat, true).toText(100, false)).toContain(
    "\nNot exercised (no matching webhook was sent before the command ended): webhooks_lost.\n",
  );
});

it("the matrix does not count an inconclusive mishap among those that the suite met", () => {
  const inconclusive = matrixRun("slow", 1, { scenarioView: { ...SLOW!, applied: { "charges.0": 0 } } });
  const runs = [matrixRun("plain", 0), matrixRun("stuck", 1), inconclusive];
  expect(new Matrix(["npm"], runs, [], repeat).toText(100, false)).toContain(
    "\nYour suite breaks under the 1 mishap it met: stuck.\n",
  );
});

it("summarizes mishaps in words", () => {
  const scenario = view({
    faults: [{ drop: "after" }, { drop: "after" }, { delay: "1s" }],
    webhooks: [{ copies: 2 }],
    charges: [{ timeline: [] }],
    applied: { "faults.0": 1, "faults.1": 2, "faults.2": 1, "webhooks.0": 0, "charges.0": 9 },
  });
  expect(effectsText(scenario)).toBe("3 responses lost, 1 call delayed, 0 webhooks doubled");
});

/** Words that say nothing on their own. */
const BESIDE = ["match", "at_once", "ids", "attempt", "times", "skip"];

it.each(Object.keys(webhookRuleSchema.shape).filter((word) => !BESIDE.includes(word)))(
  "the matrix describes the effect of %s on a webhook",
  (word) => {
    const rule = { [word]: word === "copies" ? 2 : true };
    expect(effectsText(view({ webhooks: [rule] }))).not.toContain("changed");
  },
);

it("the matrix counts a late payment when it happens", async () => {
  const sandbox = await openSandbox({ scenario: ["paid_late"], clock: "manual" });
  const api = new Api(sandbox);
  const happened = async () => (await listActiveScenarios(sandbox)).map(effectsText);
  await api.pay();
  expect(await happened()).toEqual(["0 payments came late"]);
  await sandbox.advance("2h");
  expect(await happened()).toEqual(["1 payment came late"]);
});
