// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { briefChecks } from "../../src/tools/explore/sandbox/end-steps.js";
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
  const end = { name: "a plain run", completedCharges: 1, views: [{ body: observed }], isPlain: true };
  const brief = briefChecks(flow, end);
  expect(brief).toEqual(asked.map(({ steady: _steady, ...step }) => ({ step, role: "expect" })));
});
