// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { RunPlan } from "../../src/tools/explore/run-plan.js";
import { driveAsPlanned } from "../../src/tools/explore/sandbox/drive.js";
import type { Baseline } from "../../src/tools/explore/sandbox/facts.js";
import { type Flow, flowOf } from "../../src/tools/explore/sandbox/flow.js";
import { FlowLoader } from "../../src/tools/explore/sandbox/flow-loader.js";
import { type AppWaits, FlowRun, SharedClock } from "../../src/tools/explore/sandbox/flow-run.js";
import { flowStops, runHostOf } from "../../src/tools/explore/sandbox/process-course.js";
import type { LoadedStep, RawStep } from "../../src/tools/scenario/loaded-steps.js";
import type { SessionRun } from "../../src/tools/scenario/running/run-session.js";
import { fillAndCheckStep } from "../../src/tools/scenario/running/run-steps.js";

const ORDER = { app: "POST /orders", body: { n: 1 }, save: { first: "body.id" } };
const LATER = { app: "POST /orders", body: { n: 2 }, save: { second: "body.id" } };
const FLOW = flowOf("orders.yaml", {
  name: "orders",
  steps: [ORDER, { advance: "31d" }, LATER, { advance: "10s" }],
  observe: [{ app: "GET /orders/${first}" }, { app: "GET /orders/${second}" }],
  tick: [{ app: "POST /tick" }],
});
const BASELINE = { pages: [], readMatch: { method: "GET" } } as unknown as Baseline;
const VARIANT = { side: "together", isPatient: false } as const;

/** Opens a run whose steps all pass, and are recorded. */
async function openRun(flow: Flow, waits: AppWaits = {}, clock = new SharedClock(1)) {
  const loader = await FlowLoader.open(flow, { runIdOf: () => "7" });
  const loaded = await loader.load("run", {});
  const steps: RawStep[] = [];
  const step = async ({ kind, raw }: LoadedStep) => {
    steps.push(raw);
    for (const name of Object.keys((raw.save ?? {}) as object)) loaded.scope.save(name, "1");
    const report = { number: 1, title: "", kind, line: 1, outcome: "passed", duration_ms: 0 } as const;
    return { report, result: { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" } };
  };
  const session = {
    step,
    fill: (one: LoadedStep) => fillAndCheckStep(one, loaded.scope),
    end: async () => {},
  };
  const run = new FlowRun({
    ...{ loaded, loader, clock, waits, allRuns: [], profile: undefined },
    session: session as unknown as SessionRun,
  });
  return { run, steps };
}

const planOf = () => new RunPlan([], { customerMatch: {}, variant: VARIANT, pace: 1 });

async function drive(plan: RunPlan) {
  const { run, steps } = await openRun(FLOW);
  const host = runHostOf(run, FLOW, plan);
  run.stops = flowStops(host, FLOW, plan, BASELINE);
  await driveAsPlanned(run, host, FLOW, plan, BASELINE);
  return steps.map(({ app, advance }) => app ?? advance);
}

describe("scheduled work in the middle of an advance", () => {
  it("leaves out the view of an order that a later step places", async () => {
    const plan = planOf();
    plan.payLate(30 * 60_000, 30 * 60_000);
    expect(await drive(plan)).toEqual([
      "POST /orders",
      "35m",
      "POST /tick",
      "GET /orders/${first}",
      "30d23h25m",
      "POST /orders",
      "10s",
    ]);
  });

  it("takes its time from the advance in which a webhook arrives", async () => {
    const plan = planOf();
    plan.runJob({ sinceMs: 60_000, concurrent: { webhook: undefined, isReadByHandler: true } });
    const [, before, tick, arrival, after] = await drive(plan);
    expect([before, tick, arrival, after]).toEqual(["59s999ms", "POST /tick", "1s", "30d23h58m59s1ms"]);
  });

  it("runs at the end of the advance whose end is its moment", async () => {
    const plan = planOf();
    plan.runJob({ sinceMs: 31 * 24 * 3_600_000 });
    expect(await drive(plan)).toEqual(["POST /orders", "31d", "POST /tick", "POST /orders", "10s"]);
  });
});

it("an advance of the flow keeps its own quiet period, and waits for a retry", async () => {
  const flow = flowOf("a.yaml", {
    name: "a",
    steps: [ORDER, { advance: "10s", quiet: "2s" }, { advance: "1s" }],
  });
  const { run, steps } = await openRun(flow, { quiet: "40ms", retry: "3s" });
  await driveAsPlanned(run, runHostOf(run, flow), flow, planOf(), BASELINE);
  expect(steps.slice(1)).toEqual([
    { advance: "10s", quiet: "2s", retry: "3s" },
    { advance: "1s", quiet: "40ms", retry: "3s" },
  ]);
});

describe("runs of one clock", () => {
  it("advance it once, when all have come to the advance or have ended", async () => {
    const flow = flowOf("a.yaml", { name: "a", steps: [ORDER, { advance: "10s" }] });
    const clock = new SharedClock(3);
    const opened = await Promise.all([1, 2, 3].map(() => openRun(flow, {}, clock)));
    const [first, second, third] = opened as [(typeof opened)[0], (typeof opened)[0], (typeof opened)[0]];
    const both = Promise.all([first, second].map(({ run }) => run.advance("drive", { advance: "10s" })));
    await third.run.step("drive", ORDER);
    expect(opened.map(({ steps }) => steps.length)).toEqual([0, 0, 1]);
    await third.run.end();
    expect(await both).toHaveLength(2);
    expect(opened.map(({ steps }) => steps.length)).toEqual([1, 0, 1]);
  });

  it("do their own work where it differs", async () => {
    const clock = new SharedClock(2);
    const done: string[] = [];
    const work = (name: string) =>
      clock.do(
        () => name,
        async () => void done.push(name),
      );
    await Promise.all([work("one"), work("other")]);
    expect(done).toEqual(["one", "other"]);
  });
});
