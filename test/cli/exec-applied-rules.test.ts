import { expect, it } from "vitest";
import { effectsText, listActiveScenarios } from "../../src/cli/exec/applied-rules.js";
import type { ScenarioView } from "../../src/core/schema/control-scenario-responses.js";
import { webhookRuleSchema } from "../../src/core/schema/scenario-rules.js";
import { Api, openSandbox } from "../support/api-client.js";

const view = (part: Partial<ScenarioView>): ScenarioView => ({
  name: "x",
  active: true,
  applied: {},
  ...part,
});

it("adds up what happened, in words", () => {
  const scenario = view({
    faults: [{ drop: "after" }, { drop: "after" }, { delay: "1s" }],
    webhooks: [{ copies: 2 }],
    charges: [{ timeline: [] }],
    applied: { "faults.0": 1, "faults.1": 2, "faults.2": 1, "webhooks.0": 0, "charges.0": 9 },
  });
  expect(effectsText(scenario)).toBe("3 answers lost, 1 call delayed, 0 webhooks doubled");
});

/** Words that only say more of what another does, or of where. */
const BESIDE = ["match", "at_once", "ids", "attempt", "times", "skip"];

it.each(Object.keys(webhookRuleSchema.shape).filter((word) => !BESIDE.includes(word)))(
  "has words for what %s does to a webhook",
  (word) => {
    const rule = { [word]: word === "copies" ? 2 : true };
    expect(effectsText(view({ webhooks: [rule] }))).not.toContain("changed");
  },
);

it("counts a late payment when the money has come, not when it was planned", async () => {
  const sandbox = await openSandbox({ scenario: ["late_payment"], clock: "manual" });
  const api = new Api(sandbox);
  const happened = async () => (await listActiveScenarios(sandbox)).map(effectsText);
  await api.pay();
  expect(await happened()).toEqual(["0 payments came late"]);
  await sandbox.advance("2h");
  expect(await happened()).toEqual(["1 payment came late"]);
});
