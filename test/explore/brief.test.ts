// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { RunPlan } from "../../src/tools/explore/run-plan.js";
import { briefly, endSteps } from "../../src/tools/explore/sandbox/end-steps.js";
import { flowOf } from "../../src/tools/explore/sandbox/flow.js";

const GET = "GET /orders/${order}";
const look = (expect: object, more: { app?: string; steady?: string } = {}) => ({
  app: GET,
  ...more,
  expect,
});

it("several checks of the same fields share a read", () => {
  const told = [look({ body: { status: "paid" } }), look({ body: { items: [1], by: { name: "Ada" } } })];
  const asked = [
    look({ status: 200 }),
    look({ body: { status: "sold" } }),
    look({ body: { delivered: { gte: 1 } } }),
    look({ body: { note: "x" } }),
    look({ body: { status: "paid" } }, { steady: "1s" }),
    look({ body: { status: "paid" } }, { app: "GET /others" }),
  ];
  const steps = [{ app: "POST /orders" }, ...told, ...asked];
  const flow = flowOf("a.yaml", { name: "a", steps, observe: [{ app: GET }] });
  const observed = { status: "paid", delivered: 1, items: [1], by: { name: "Ada", id: 7 } };
  const baseline = {
    customerMatch: {},
    chargeMatch: {},
    plain: { completedCharges: 1, bodies: [observed] },
    payableMs: 0,
    free: [],
    refusedTypes: [],
    readMatch: {},
    pressMatches: [],
    pages: [],
  };
  const end = { name: "a plain run", completedCharges: 1, views: [{ body: observed }], isPlain: true };
  const plan = new RunPlan([], {
    customerMatch: {},
    variant: { side: "first", isPatient: false },
    pace: 1,
  });
  const brief = briefly(endSteps(flow, plan, baseline, end));
  const looks = brief.flatMap(({ step, role }) => (role === "expect" ? [step] : []));
  expect(looks).toEqual(asked.map(({ steady: _steady, ...one }) => one));
  expect(brief.map(({ role }) => role)).toContain("observe");
});
