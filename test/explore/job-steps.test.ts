// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { flowOf } from "../../src/tools/explore/sandbox/flow.js";
import { withJobs } from "../../src/tools/explore/sandbox/job-steps.js";
import { withRole } from "../../src/tools/explore/sandbox/placed-steps.js";
import { type Baseline, SandboxPlan } from "../../src/tools/explore/sandbox/sandbox-plan.js";

const order = { app: "POST /orders", body: { n: 1 }, save: { first: "body.id" } };
const later = { app: "POST /orders", body: { n: 2 }, save: { second: "body.id" } };
const FLOW = flowOf("orders.yaml", {
  name: "orders",
  steps: [order, { advance: "31d" }, later, { advance: "10s" }],
  observe: [{ app: "GET /orders/${first}" }, { app: "GET /orders/${second}" }],
  tick: [{ app: "POST /tick" }],
});

describe("a look at the app in the middle of a run", () => {
  it("leaves out the view of an order that a later step places", () => {
    const variant = { side: "first", isPatient: false } as const;
    const plan = new SandboxPlan([], { customerMatch: {}, variant, pace: 1 });
    plan.payLate(30 * 60_000);
    const placed = withJobs(withRole("drive", FLOW.drive), FLOW, plan, {} as Baseline, {});
    const atExpiry = placed.filter(({ role }) => role === "tail").map(({ step }) => step.app);
    expect(atExpiry).toEqual(["POST /tick", "GET /orders/${first}"]);
    const isLater = placed.findIndex(({ step }) => step.app === later.app && step.body === later.body);
    expect(isLater).toBe(placed.length - 2);
  });
});
