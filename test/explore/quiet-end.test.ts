import { expect, it } from "vitest";
import { KEY_LIFETIME_MS } from "../../src/core/schema/common.js";
import { durationToMs } from "../../src/core/schema/time.js";
import { flowOf } from "../../src/tools/explore/sandbox/flow.js";
import { quietEnd } from "../../src/tools/explore/sandbox/quiet-end.js";

const TICK = { app: "POST /tick" };
const stepsOf = (more: object, deviatingCalls: number) => {
  const flow = flowOf("a.yaml", { name: "a", steps: [{ app: "POST /orders" }], ...more });
  return quietEnd(flow, { deviations: deviatingCalls, deviatingCalls }).map(({ step }) => step);
};

it.each([0, 1, 5])("the job runs once more than %i failing calls", (calls) => {
  const steps = stepsOf({ tick: [TICK] }, calls);
  const end = steps.findIndex(({ fault }) => fault === "clear");
  const before = steps.slice(0, end);
  expect(before.filter(({ app }) => app === TICK.app)).toHaveLength(calls + 1);
  const passedMs = before.map(({ advance }) => (advance === undefined ? 0 : durationToMs(String(advance))));
  expect(passedMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(KEY_LIFETIME_MS);
  expect(steps[end + 1]).toMatchObject({ advance: "5d" });
  expect(steps.slice(end + 1).some(({ app }) => app === TICK.app)).toBe(true);
});

it("time passes at the end of a run without scheduled jobs", () => {
  const steps = stepsOf({}, 1);
  expect(steps.map(({ advance, fault, wait_for }) => advance ?? fault ?? wait_for)).toEqual([
    "2h",
    "clear",
    "5d",
    "idle",
  ]);
});

it("a partial refund follows the job that may create the charge", () => {
  const flow = flowOf("a.yaml", { name: "a", steps: [{ app: "POST /orders" }], tick: [TICK] });
  const refund = [{ partial_refund: { amount: "5.00" } }];
  const steps = quietEnd(flow, { deviations: 1, deviatingCalls: 1, refund }).map(({ step }) => step);
  const at = steps.indexOf(refund[0]!);
  expect(steps.slice(0, at).filter(({ app }) => app === TICK.app)).toHaveLength(2);
  expect(steps[at + 1]).toMatchObject({ fault: "clear" });
});
