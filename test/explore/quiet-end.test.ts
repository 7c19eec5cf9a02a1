import { expect, it } from "vitest";
import { KEY_LIFETIME_MS } from "../../src/core/schema/common.js";
import { durationToMs } from "../../src/core/schema/time.js";
import { endQuietly } from "../../src/tools/explore/course.js";
import { RunPlan } from "../../src/tools/explore/run-plan.js";
import { flowOf } from "../../src/tools/explore/sandbox/flow.js";
import { runHostOf } from "../../src/tools/explore/sandbox/process-course.js";
import type { LoadedScenario } from "../../src/tools/scenario/files.js";
import type { RawStep } from "../../src/tools/scenario/loaded-steps.js";
import type { ServiceAccess } from "../../src/tools/scenario/steps/request.js";

const TICK = { app: "POST /tick" };
/** The steps after a flow whose plan makes calls fail. */
async function stepsOf(
  more: object,
  failingCalls: number,
  deviate: (plan: RunPlan) => void = () => {},
): Promise<RawStep[]> {
  const flow = flowOf("a.yaml", { name: "a", steps: [{ app: "POST /orders" }], ...more });
  const variant = { side: "first", isPatient: false } as const;
  const plan = new RunPlan([], { customerMatch: {}, variant, pace: 1 });
  const call = { operation: "createQuote", earlierCount: 0, isOwn: false };
  for (let count = 0; count < failingCalls; count++) plan.deviateCall(call, { drop: "before" });
  deviate(plan);
  const steps: RawStep[] = [];
  const callOrFail = async (operation: string, input: object) => {
    steps.push({ [operation]: input });
    return { items: [{ charge_id: "ch_1", amount: "10.00" }] };
  };
  const run = {
    loaded: { runId: "7" } as LoadedScenario,
    access: { client: { callOrFail } } as unknown as ServiceAccess,
    step: async (_role: string, step: RawStep) => void steps.push(step),
    advance: async (_role: string, step: RawStep) => {
      steps.push(step);
      return { fromMs: 0, toMs: 0 };
    },
    advanceInStop: async () => {},
    ownPart: (view: unknown) => view,
    race: async () => {},
    knows: () => true,
    isAlone: true,
  };
  await endQuietly(runHostOf(run, flow, plan), plan, "5d");
  return steps;
}

it.each([0, 1, 5])("the job runs once more than %i failing calls", async (calls) => {
  const steps = await stepsOf({ tick: [TICK] }, calls);
  const end = steps.findIndex(({ fault }) => fault === "clear");
  const before = steps.slice(0, end);
  expect(before.filter(({ app }) => app === TICK.app)).toHaveLength(calls + 1);
  const passedMs = before.map(({ advance }) => (advance === undefined ? 0 : durationToMs(String(advance))));
  expect(passedMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(KEY_LIFETIME_MS);
  expect(steps[end + 1]).toMatchObject({ advance: "5d" });
  expect(steps.slice(end + 1).some(({ app }) => app === TICK.app)).toBe(true);
});

it("time passes at the end of a run without scheduled jobs", async () => {
  const steps = await stepsOf({}, 1);
  expect(steps.map(({ advance, fault }) => advance ?? fault)).toEqual(["2h", "clear", "5d"]);
});

it("a partial refund follows the job that may create the charge", async () => {
  const steps = await stepsOf({ tick: [TICK] }, 1, (plan) => {
    plan.end = "partly_refunded";
  });
  const at = steps.findIndex(({ refundPart }) => refundPart !== undefined);
  expect(steps.slice(0, at).filter(({ app }) => app === TICK.app)).toHaveLength(2);
  expect(steps[at + 1]).toMatchObject({ fault: "clear" });
});

it("the job runs after late money and an hour later, before days pass", async () => {
  const steps = await stepsOf({ tick: [TICK] }, 0, (plan) => plan.payLate(32 * 86_400_000, 3_600_000));
  const end = steps.findIndex(({ fault }) => fault === "clear");
  const after = steps.slice(end + 1).map(({ advance, app }) => advance ?? app);
  expect(after).toEqual(["1h10m", TICK.app, "1h", TICK.app, "5d", TICK.app]);
});
