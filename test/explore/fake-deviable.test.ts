import { expect, it } from "vitest";
import { reportOfExploration } from "../../src/cli/report/explore.js";
import type { Deviable, FlowCoverage } from "../../src/tools/explore/deviable.js";
import {
  type DeviationSet,
  deviationKey,
  deviationSetText,
  type FailOnKind,
} from "../../src/tools/explore/deviation-set.js";
import { explore } from "../../src/tools/explore/explore.js";
import { RunPlan } from "../../src/tools/explore/run-plan.js";
import type {
  ObservedCharge,
  RaceSide,
  RunFailure,
  RunVariant,
  Trace,
} from "../../src/tools/explore/run-record.js";

const CHARGE: ObservedCharge = {
  id: "ch_1",
  status: "COMPLETED",
  email: "ada@shop.test",
  currency: "KES",
  timeline: [],
  metadata: {},
  history: [{ status: "COMPLETED", atMs: 2_000 }],
  isHosted: false,
  expiresMs: 3_601_000,
  amount: "500.00",
  base: { amount: "500.00", currency: "KES" },
  isAutomatic: false,
  createdMs: 1_000,
  endedMs: 1_000,
};

const planOf = (set: DeviationSet = [], variant: RunVariant = { side: "first", isPatient: false }) =>
  new RunPlan(set, { customerMatch: {}, variant, pace: 1 });

/** A service without transport, and an app that pays again after a lost response. */
class FakeDeviable implements Deviable {
  readonly name = "order";
  readonly source = "order.yaml";
  readonly customer: Deviable["customer"] = { presses: [], pages: 0 };
  readonly #needsWebhook: boolean;
  isClosed = false;

  constructor({ needsWebhook = false } = {}) {
    this.#needsWebhook = needsWebhook;
  }

  async observePlain(): Promise<Trace> {
    return this.#run(planOf());
  }

  isolationReason: () => string | undefined = () => "the fake has one customer";
  profile = () => ({});
  openQuestions = () => [];
  wrongPrice = () => undefined;
  flowCoverage = (): FlowCoverage => ({ fields: ["delivered"], notCompared: [], spots: [] });
  planRun = (set: DeviationSet, variant: RunVariant) => planOf(set, variant);
  shapeOf = (_plan: RunPlan) => "";
  lateSets = async () => [];

  async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
    return plans.map((plan) => this.#run(plan));
  }

  async close(): Promise<readonly string[]> {
    this.isClosed = true;
    return [];
  }

  #run({ faults, webhooks }: RunPlan): Trace {
    const isLost = faults.some(({ drop }) => drop === "after");
    const isDropped = this.#needsWebhook && webhooks.some(({ drop }) => drop !== undefined);
    const delivered = isDropped ? 0 : webhooks.some(({ copies }) => copies !== undefined) ? 2 : 1;
    const call = {
      id: "req_1",
      operation: "createWhitelabel",
      method: "POST",
      status: isLost ? null : 201,
      atMs: 1_000,
      isByFlow: false,
      isOwn: true,
      isDeviated: faults.length > 0,
      createdId: "ch_1",
      readId: undefined,
    };
    const delivery = {
      object_id: "ch_1",
      event_id: "evt_1",
      type: "charge.completed",
      attempts: [{ status: 200, atMs: 2_000, durationMs: 1, isLost: false }],
      atMs: 2_000,
    };
    return {
      hasReachedApp: true,
      observed: {
        startMs: 0,
        calls: isLost ? [call, { ...call, status: 201, createdId: "ch_2" }] : [call],
        deliveries: [delivery],
        charges: isLost ? [CHARGE, { ...CHARGE, id: "ch_2" }] : [CHARGE],
        withdrawals: [],
      },
      failure: isLost
        ? failed("paid", "count", 2)
        : delivered !== 1
          ? failed("observe", "body.delivered", delivered)
          : undefined,
    };
  }
}

function failed(role: RunFailure["role"], path: string, got: number): RunFailure {
  const differences = [{ path, expected: 1, got }];
  return { isIncomplete: false, role, title: "a check", message: "differs", isCallToApp: false, differences };
}

it("explores any service that implements Deviable", async () => {
  const deviable = new FakeDeviable();
  const saved: string[] = [];
  const save = (set: DeviationSet | string, description: string): string => {
    saved.push(deviationSetText(set as DeviationSet));
    return description;
  };
  const report = await explore(async () => deviable, { depth: 2, lanes: 4, save });
  const found = report.findings.map(({ deviations: [deviation], message }) => [
    `${deviation!.kind} ${deviation!.at}`,
    message,
  ]);
  const twice = "done more than once: body.delivered is 2, not 1";
  expect(found).toEqual([
    ["response_lost createWhitelabel#1", "paid twice: 2 completed charges for one order"],
    ["webhook_twice charge.completed#1", twice],
    ["webhook_twice_at_once charge.completed#1", twice],
  ]);
  expect(report.findings.map(({ seen }) => seen)).toEqual(Array(3).fill({ runs: 2, of: 2 }));
  expect(report.findings[0]?.file).toBe(
    "paid twice: 2 completed charges for one order; createWhitelabel#1: it is done, and its response is lost",
  );
  expect(report).toMatchObject({ passed: false, complete_depth: 2, choices: 11 });
  expect(report.notes).toEqual(["one lane: the fake has one customer"]);
  expect(report.saved.holds_a_failing_set).toBeGreaterThan(0);
  expect(saved).toEqual([
    "response_lost at createWhitelabel#1",
    "webhook_twice at charge.completed#1",
    "webhook_twice_at_once at charge.completed#1",
  ]);
  expect(deviable.isClosed).toBe(true);
});

it("is not green if all fields that it compared are free at the end", async () => {
  class LearnsAllFree extends FakeDeviable {
    #coverages = 0;
    override flowCoverage = (): FlowCoverage =>
      this.#coverages++ === 0
        ? { fields: ["delivered"], notCompared: [], spots: [] }
        : {
            fields: [],
            notCompared: [{ field: "delivered", reason: "differs between plain runs" }],
            spots: [{ path: ["observe"], message: "nothing that the flow looks at can be compared" }],
          };
    override async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
      const traces = await super.observe(plans);
      return traces.map(({ failure: _failure, ...trace }) => trace);
    }
  }
  const { passed, findings, sentence } = await explore(async () => new LearnsAllFree(), { depth: 1 });
  expect({ passed, findings }).toEqual({ passed: false, findings: [] });
  expect(sentence).toMatch(/: nothing that the flow looks at can be compared: fix that first$/);
});

it.each([
  [1, false],
  [2, false],
  ["max", true],
] as const)("with a budget at depth %s, larger sets are drawn: %s", async (depth, areDrawn) => {
  /** An app that withstands all that happens to three events. */
  class Withstanding extends FakeDeviable {
    override async observePlain(): Promise<Trace> {
      return withEvents(await super.observePlain());
    }
    override async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
      return (await super.observe(plans)).map(withEvents);
    }
  }
  const withEvents = ({ failure: _failure, observed, ...trace }: Trace): Trace => {
    const [last] = observed.deliveries;
    const earlier = ["awaiting_payment", "processing"].map((status) => ({
      ...last!,
      type: `charge.${status}`,
      event_id: status,
    }));
    return { ...trace, observed: { ...observed, deliveries: [...earlier, last!] } };
  };
  const { drawn } = await explore(async () => new Withstanding(), { depth, budgetMs: 60_000 });
  expect(drawn > 0).toBe(areDrawn);
});

it("notes a lost webhook, and reports it as a finding on request", async () => {
  const exploring = (failOn?: readonly FailOnKind[]) =>
    explore(async () => new FakeDeviable({ needsWebhook: true }), { depth: 1, failOn });
  const message = "the end differs from that of a plain run: body.delivered is 0, not 1";
  const noted = await exploring();
  expect(noted.notes).toContain(
    `webhook_dropped at charge.completed#1 (the webhook never arrives, on no attempt): ${message}`,
  );
  const dropped = { kind: "webhook_dropped", at: "charge.completed#1" };
  expect(noted.findings.map(({ deviations }) => deviations[0])).not.toContainEqual(dropped);
  expect(noted.singles).toContainEqual({ ...dropped, outcome: "wrong" });
  expect(noted.singles).toHaveLength(noted.runs);
  expect(noted).toMatchObject({ choices: noted.runs });
  expect(noted.sentence).toContain(`order: ${noted.runs} single deviations, `);
  const { cases } = reportOfExploration("order.yaml", noted);
  expect(cases.map(({ name }) => name)).toContain("webhook_dropped at charge.completed#1");
  const raised = await exploring(["webhook_dropped"]);
  expect(raised.findings).toContainEqual(expect.objectContaining({ message, deviations: [dropped] }));
  expect(raised.notes.join()).not.toContain("webhook_dropped");
});

it("notes a repeated payment, and reports it as a finding on request", async () => {
  class Repeating extends FakeDeviable {
    override async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
      const traces = await super.observe(plans);
      return traces.map(({ failure: _failure, ...trace }) => trace);
    }
  }
  const exploring = (failOn?: readonly FailOnKind[]) =>
    explore(async () => new Repeating(), { depth: 1, failOn });
  const message = "the app calls createWhitelabel again without checking the outcome of the first call";
  const noted = await exploring();
  expect(noted).toMatchObject({ passed: true, findings: [] });
  expect(noted.notes).toContain(`manners: response_lost at createWhitelabel#1: ${message}`);
  const raised = await exploring(["manners"]);
  expect(raised).toMatchObject({ passed: false, findings: [{ oracle: "manners", message }] });
});

/** An app that delivers twice only the first time; `isStill` makes it fail again. */
class FailsOnce extends FakeDeviable {
  readonly #isStill: boolean;
  #hasFailed = false;

  constructor(isStill: boolean) {
    super();
    this.#isStill = isStill;
  }

  override async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
    const traces = await super.observe(plans);
    return traces.map(({ failure, ...trace }, index) => {
      const isTwice = plans[index]!.webhooks.some(
        ({ copies, at_once }) => copies === 2 && at_once === undefined,
      );
      if (!isTwice || this.#hasFailed) return trace;
      this.#hasFailed = true;
      return { ...trace, failure, checkAgain: async () => (this.#isStill ? failure : undefined) };
    });
  }
}

const TWICE = "done more than once: body.delivered is 2, not 1";

it("finds a duplicate that occurs in one of two runs", async () => {
  const save = (_set: DeviationSet | string, description: string) => description;
  const { passed, findings, notes } = await explore(async () => new FailsOnce(true), { depth: 1, save });
  expect(passed).toBe(false);
  expect(findings).toMatchObject([{ message: TWICE, seen: { runs: 1, of: 2 } }]);
  expect(findings[0]?.file).toMatch(/; seen in 1 of 2 runs$/);
  expect(notes.join()).not.toContain("could not be repeated");
});

it("notes a duplicate that is gone at the next read", async () => {
  const { passed, notes } = await explore(async () => new FailsOnce(false), { depth: 1 });
  expect(passed).toBe(true);
  expect(notes).toContain(
    `happened once and could not be repeated: webhook_twice at charge.completed#1: ${TWICE}`,
  );
});

it("lists deviations that it tried or could not apply", async () => {
  const { looked_at, not_tried } = await explore(async () => new FakeDeviable(), { depth: 1 });
  expect(looked_at).toEqual(["delivered"]);
  const noJob = { at: "*", reason: "the flow has no tick" };
  expect(not_tried).toContainEqual({ kind: "job_at_once", ...noJob });
  const noPlace = { at: "*", reason: "the plain run has no place for it" };
  expect(not_tried).toContainEqual({ kind: "paid_late", ...noPlace });
  const noPage = { at: "*", reason: "the customer pays on no page of the service" };
  expect(not_tried).toContainEqual({ kind: "cancelled_then_paid", ...noPage });
  expect(not_tried.map(({ kind }) => kind)).not.toContain("webhook_dropped");
});

it.each([
  ["429", true, /depth 1 complete; --depth 2 adds \d+ pairs$/],
  [
    "",
    false,
    /depth 0 complete: 10 of 10 runs could not be judged \(no charge to wait for\): fix that first$/,
  ],
])("completes a depth when changes with %j cannot be compared: %s", async (text, passed, sentence) => {
  class Unjudged extends FakeDeviable {
    override async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
      const traces = await super.observe(plans);
      return traces.map(({ failure: _failure, ...trace }, index) => {
        const { faults, webhooks } = plans[index]!;
        if (![...faults, ...webhooks].some((rule) => JSON.stringify(rule).includes(text))) return trace;
        const message = "no charge to wait for";
        return { ...trace, failure: { ...failed("drive", "", 0), isIncomplete: true, message } };
      });
    }
  }
  const report = await explore(async () => new Unjudged(), { depth: 1 });
  expect(report).toMatchObject({ passed, findings: [], sentence: expect.stringMatching(sentence) });
});

/** An app of many customers that goes right, however a run deviates. */
class Concurrent extends FakeDeviable {
  override readonly customer: Deviable["customer"] = { presses: [], pages: 1, canReturn: true };
  override isolationReason = () => undefined;
  override shapeOf = ({ set }: RunPlan) => String(set.some(({ kind }) => kind === "webhook_late"));
  readonly runs: (readonly RunPlan[])[] = [];

  override async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
    this.runs.push(plans);
    // The status makes each set another behaviour, so that the search skips no pair.
    const status = 200 + this.runs.length;
    return (await super.observe(plans)).map(({ observed, ...trace }) => ({
      hasReachedApp: trace.hasReachedApp,
      observed: {
        ...observed,
        charges: [{ ...CHARGE, isHosted: true }],
        calls: observed.calls.map((call) => ({ ...call, status })),
      },
    }));
  }

  override async observePlain(): Promise<Trace> {
    const [trace] = await this.observe([planOf()]);
    return trace!;
  }
}

it("runs are concurrent only if they have the same steps", async () => {
  const deviable = new Concurrent();
  await explore(async () => deviable, { depth: 2 });
  const groups = deviable.runs.filter((plans) => plans.length > 1);
  expect(groups.length).toBeGreaterThan(1);
  for (const group of groups) expect(new Set(group.map(deviable.shapeOf)).size).toBe(1);
});

it("a pair with a race runs once for each side", async () => {
  const deviable = new Concurrent();
  await explore(async () => deviable, { depth: 2 });
  const sides = new Map<string, RaceSide[]>();
  for (const {
    set,
    variant: { side },
  } of deviable.runs.flat())
    if (set.length === 2 && set.some(({ kind }) => kind === "returned_unpaid")) {
      const key = set.map(deviationKey).join();
      sides.set(key, [...(sides.get(key) ?? []), side]);
    }
  expect(sides.size).toBeGreaterThan(1);
  for (const ran of sides.values()) expect(ran).toEqual(["first", "second"]);
});

it("a press with two calls runs once for each hold, and three times with nothing held", async () => {
  class Pressed extends Concurrent {
    override readonly customer = {
      presses: ["POST /orders"] as never[],
      pages: 0,
      canReturn: true,
      pressHolds: [2],
    };
  }
  const deviable = new Pressed();
  await explore(async () => deviable, { depth: 1 });
  const sides = deviable.runs
    .flat()
    .flatMap(({ set, variant: { side } }) =>
      set.some(({ kind }) => kind === "pressed_twice") ? [side] : [],
    );
  expect(sides).toEqual(["first", "second", "early", "together", "together", "together"]);
});

it("with nothing held, a webhook arrives twice at once in one run, and four times in another", async () => {
  const deviable = new Concurrent();
  await explore(async () => deviable, { depth: 1 });
  const copies = deviable.runs
    .flat()
    .filter(({ set }) => set.some(({ kind }) => kind === "webhook_twice_at_once"))
    .map(({ webhooks }) => webhooks[0]?.copies);
  expect(copies).toEqual([2, 4]);
});

const REFUSED = new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:4402")]);

it.each([
  ["a run", "observe", 7, REFUSED, "connect ECONNREFUSED 127.0.0.1:4402"],
  ["a run, without a message", "observe", 7, new TypeError(), "TypeError was thrown without a message"],
  ["a run that throws nothing", "observe", 7, undefined, "something was thrown that is no error: undefined"],
  ["the watch for late calls", "lateSets", 1, REFUSED, "connect ECONNREFUSED 127.0.0.1:4402"],
] as const)(
  "an exploration that breaks off reports what it has found: %s",
  async (_, method, call, error, text) => {
    const deviable = new FakeDeviable();
    const works = deviable[method].bind(deviable) as (...args: unknown[]) => unknown;
    let calls = 0;
    const breaking = (...args: unknown[]): unknown => {
      if (++calls < call) return works(...args);
      throw error;
    };
    Object.assign(deviable, { [method]: breaking });
    const report = await explore(async () => deviable, { depth: 1 });
    expect(report.findings.map(({ deviations: [found] }) => found?.kind)[0]).toBe("response_lost");
    expect(report.passed).toBe(false);
    expect(report.runs).toBeGreaterThan(0);
    expect(report.sentence).toContain(`: it broke off: ${text}`);
    expect(report.not_tried[0]?.reason).toContain(`it broke off: ${text}`);
    expect(deviable.isClosed).toBe(true);
  },
);

it("an exploration that cannot save a file reports what it has found", async () => {
  const save = () => {
    throw REFUSED;
  };
  const report = await explore(async () => new FakeDeviable(), { depth: 1, save });
  expect(report.findings.map(({ deviations: [found] }) => found?.kind)).toEqual(["response_lost"]);
  expect(report.sentence).toContain(": it broke off: connect ECONNREFUSED 127.0.0.1:4402");
});

it("an exploration that breaks off without findings does not pass", async () => {
  class Ending extends FakeDeviable {
    override async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
      if (plans.some(({ webhooks }) => webhooks.some(({ drop }) => drop !== undefined))) throw REFUSED;
      return (await super.observe(plans)).map(({ failure: _failure, ...trace }) => trace);
    }
  }
  const { passed, complete_depth, sentence } = await explore(async () => new Ending(), { depth: 1 });
  expect({ passed, complete_depth }).toEqual({ passed: false, complete_depth: 1 });
  expect(sentence).toMatch(/depth 1 complete: it broke off: connect ECONNREFUSED/);
});

it("an exploration reports what it has found when its rules cannot be put back", async () => {
  class Unclosable extends FakeDeviable {
    override async close(): Promise<never> {
      throw REFUSED;
    }
  }
  const report = await explore(async () => new Unclosable(), { depth: 1 });
  expect(report.findings).toHaveLength(3);
  expect(report.notes).toContain("connect ECONNREFUSED 127.0.0.1:4402");
});
