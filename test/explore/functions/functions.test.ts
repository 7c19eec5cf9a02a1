import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import type { ExploreFlow } from "../../../src/library/index.js";
import { ExploreError, type ExploreReport, UserError } from "../../../src/library/index.js";
import { setupSandbox } from "../../../src/testing/index.js";
import { openSandbox } from "../../support/api-client.js";
import { atEnd } from "../../support/lifetime.js";
import { flowOf, openFunctionShop, type ShopOptions, serviceOf } from "./shop.js";

const TWICE = "webhook_twice at charge.completed#1";

async function openShop(options: ShopOptions = {}) {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox, options);
  return { sandbox, shop, flow: flowOf(shop) };
}

afterEach(() => void vi.useRealTimers());

it("a shop of functions with two bugs is red: its message has findings, story and replay", async () => {
  const { sandbox, flow } = await openShop({ hasBugs: true });
  const error = await sandbox.explore(flow).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExploreError);
  const { message, stack, report } = error as ExploreError;
  expect(report.findings.map(({ message }) => message)).toContain(
    "paid twice: 2 completed charges for one order",
  );
  await expect(message).toMatchFileSnapshot("red-message.txt");
  const [frame] = (stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  expect(frame).toContain("functions.test");
});

it("the same shop with its bugs mended is silent at depth 1", async () => {
  const { sandbox, flow } = await openShop();
  const report = await sandbox.explore(flow);
  expect(report).toMatchObject({ passed: true, complete_depth: 1, findings: [] });
  expect(report.looked_at).toEqual(["order.delivered", "order.status"]);
});

it("a right shop runs three times plain, once for each set, and a few times more for its races", async () => {
  const { sandbox, flow } = await openShop();
  await sandbox.explore(flow); // loads modules, for which a run waits
  const { runs, profile } = await sandbox.explore(flow, { profile: true });
  // A press twice is held in three ways, and once not at all.
  expect(profile!.runs! - runs).toBe(3 + 3);
});

it("a view is compared in a run whose assertion fails before the flow's end", async () => {
  const { sandbox, shop } = await openShop({ hasBugs: true });
  const flow = flowOf(shop, {
    async flow({ id, email, press, advance }) {
      await press("order", () => shop.place(id, email));
      await advance("10s");
      assert.equal(shop.orders.get(id)!.delivered, 1);
      await press("unreachable after a second delivery", () => {});
    },
  });
  const { findings } = await sandbox.explore(flow, { only: TWICE, throws: false });
  expect(findings).toMatchObject([{ message: "done more than once: order.delivered is 2, not 1" }]);
});

it("a flow that fails with nothing going wrong is refused, and its own error is the cause", async () => {
  const { sandbox, shop } = await openShop();
  const failing = flowOf(shop, { flow: () => assert.equal("open", "paid") });
  const error: unknown = await sandbox.explore(failing).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as Error).message).toMatch(/^order: the flow fails with nothing going wrong: the flow: /);
  expect((error as Error).cause).toBeInstanceOf(assert.AssertionError);
});

it("only runs one set, and refuses a set that no run has", async () => {
  const { sandbox, flow } = await openShop({ hasBugs: true });
  const report = await sandbox.explore(flow, { only: TWICE, throws: false });
  expect(report).toMatchObject({ runs: 1, findings: [{ seen: { runs: 2, of: 2 } }] });
  await expect(sandbox.explore(flow, { only: "webhook_twise at x" })).rejects.toThrow(
    "only: webhook_twise is no kind of deviation; did you mean webhook_twice?",
  );
  await expect(sandbox.explore(flow, { only: "webhook_twice at charge.failed#1" })).rejects.toThrow(
    "only webhook_twice at charge.failed#1: a run has no such place",
  );
});

it("what one unpaid end shows as a paid order does, and another does not, is a note", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const active = new Set<string>();
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    if (/completed|expired/.test(type)) active.add(data.metadata.order_id);
  });
  const shop = await openFunctionShop(sandbox);
  const see: ExploreFlow["see"] = {
    order: ({ id }) => ({ status: shop.orders.get(id)!.status, active: active.has(id) }),
  };
  const only = "webhook_twice at charge.completed#1, declined at charge#1";
  const { notes } = await sandbox.explore(flowOf(shop, { see }), { only });
  expect(notes).toEqual([
    "nothing is paid: with expired_unpaid alone, active is true as for a paid order; with declined alone, it is false",
  ]);
});

it("kinds that a flow in a process cannot have are not tried, each with a reason", async () => {
  const { sandbox, flow } = await openShop();
  const { not_tried } = await sandbox.explore(flow);
  const reasons = Object.fromEntries(not_tried.map(({ kind, reason }) => [kind, reason]));
  expect(reasons).toMatchObject({
    app_killed: "a flow in a process cannot outlive its app: only exec --explore with --kill kills it",
    returned_unpaid: "the flow has no open",
    meanwhile: "the flow has no meanwhile",
    job_at_once: "the flow has no tick",
  });
});

it("two explorations give the same report but for their durations", async () => {
  const reports: string[] = [];
  for (let count = 0; count < 2; count++) {
    const { sandbox, flow } = await openShop({ hasBugs: true });
    const report: ExploreReport = await sandbox.explore(flow, { throws: false });
    reports.push(JSON.stringify({ ...report, ms: 0 }));
  }
  expect(reports[0]).toBe(reports[1]);
});

it("a run in which nothing is held is not repeated, as another one would be the same", async () => {
  const { sandbox, flow } = await openShop();
  const { profile } = await sandbox.explore(flow, { only: "pressed_twice at order#1", profile: true });
  // Three without deviations, one pressed again, and one for each of the ways in which two presses meet.
  expect(profile).toEqual({ runs: 3 + 1 + 4 });
});

it("a second exploration at the same time is refused, and the first goes on", async () => {
  const { sandbox, flow } = await openShop();
  const first = sandbox.explore(flow, { only: TWICE });
  await expect(sandbox.explore(flow)).rejects.toThrow(
    "explore: another exploration has the timers of this process: run one test at a time",
  );
  expect(await first).toMatchObject({ passed: true });
});

it("a test that begins beside an exploration is refused, and so is an exploration in a concurrent test", async () => {
  type Run = (context?: unknown) => Promise<void>;
  const runs: Record<string, Run> = {};
  const hookOf = (name: string) => (run: Run) => {
    runs[name] = run;
  };
  const hooks = Object.fromEntries(
    ["beforeAll", "beforeEach", "afterEach", "afterAll"].map((name) => [name, hookOf(name)]),
  );
  const sandbox = setupSandbox({ hooks: hooks as never, server: false, listen: false, rateLimit: "off" });
  await runs.beforeAll!();
  await runs.beforeEach!({ task: { concurrent: true } });
  const flow = flowOf(await openFunctionShop(sandbox as never));
  await expect(sandbox.explore(flow)).rejects.toThrow("in a test that runs alone, without test.concurrent");
  await runs.beforeEach!({});
  const again = flowOf(await openFunctionShop(sandbox as never));
  const exploring = sandbox.explore(again, { only: TWICE });
  await expect(runs.beforeEach!({})).rejects.toThrow("explore: it has the timers of this process: await it");
  expect(await exploring).toMatchObject({ passed: true });
  await runs.beforeEach!({});
  await runs.afterAll!();
});

it("fake timers are refused, before an exploration and in its flow", async () => {
  const { sandbox, shop, flow } = await openShop();
  vi.useFakeTimers();
  await expect(sandbox.explore(flow)).rejects.toThrow(
    "explore: setTimeout is not Node's own: end the fake timers first, and use no browser environment",
  );
  vi.useRealTimers();
  const faking = flowOf(shop, { flow: () => void vi.useFakeTimers() });
  await expect(sandbox.explore(faking)).rejects.toThrow("the flow replaces setTimeout");
  vi.useRealTimers();
  await pause(1);
  expect(await sandbox.explore(flow, { only: TWICE })).toMatchObject({ passed: true });
});

it("the timers of the process are its own again after an exploration, also after an error", async () => {
  const own = [setTimeout, setInterval, clearTimeout, clearInterval, setImmediate, pause];
  const { sandbox, shop, flow } = await openShop();
  await sandbox.explore(flow, { only: TWICE });
  const failing = flowOf(shop, { setup: () => assert.fail("no database") });
  await expect(sandbox.explore(failing)).rejects.toThrow("no database");
  expect([setTimeout, setInterval, clearTimeout, clearInterval, setImmediate, pause]).toEqual(own);
  await pause(1);
  expect(await sandbox.control("GET /_sandbox/clock")).toMatchObject({ mode: "manual", advancing: false });
  const { items } = await sandbox.control<{ items: { name: string }[] }>("GET /_sandbox/scenarios");
  expect(items.map(({ name }) => name)).not.toContain("explore");
});

it("the connections of fetch stay open while sandbox time passes", async () => {
  const { sandbox, shop } = await openShop();
  let connections = 0;
  const server = createServer((_, response) => void response.end("{}"));
  server.on("connection", () => connections++);
  atEnd(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const setup = async () => (await fetch(`http://127.0.0.1:${port}`)).text();
  const { runs } = await sandbox.explore(flowOf(shop, { setup }));
  expect(connections).toBeLessThan(runs / 4);
});

it("the timers of the app fire at their sandbox times, an interval of seconds a hundred times in an advance", async () => {
  const { sandbox, shop } = await openShop();
  const firedAfterMs: number[] = [];
  let polled = 0;
  const now = async () => Date.parse((await sandbox.control<{ now: string }>("GET /_sandbox/clock")).now);
  const flow = flowOf(shop, {
    async flow({ id, email, press, advance }) {
      const sinceMs = await now();
      const polling = setInterval(() => polled++, 1_000);
      void pause(7_000).then(async () => firedAfterMs.push((await now()) - sinceMs));
      await press("order", () => shop.place(id, email));
      await advance("1d");
      clearInterval(polling);
    },
  });
  const { notes } = await sandbox.explore(flow, { only: TWICE });
  expect(new Set(firedAfterMs)).toEqual(new Set([7_000]));
  // The end of the day adds one.
  expect(polled / firedAfterMs.length).toBe(101);
  expect(notes).toContain(
    "a timer of this app fires again and again: 100 times while sandbox time passes, then once at the end",
  );
});

it("time limits of calls that the app does not clear all fire, and are no timers without end", async () => {
  let fired = 0;
  const { sandbox, shop } = await openShop({
    deliver: async (order) => {
      Object.assign(order, { status: "paid", delivered: 1 });
      for (let call = 0; call < 1_500; call++) setTimeout(() => fired++, 10_000);
    },
  });
  const { findings, notes, runs } = await sandbox.explore(flowOf(shop), { only: TWICE, throws: false });
  expect([findings, notes]).toEqual([[], []]);
  expect(fired).toBeGreaterThan(1_500 * runs);
});

it("a hold ends if a webhook waits for a lock that the held work of the app has", async () => {
  let lock: Promise<unknown> | undefined;
  let read = async (): Promise<unknown> => undefined;
  const { sandbox, shop } = await openShop({
    deliver: async (order) => {
      await lock;
      await read();
      Object.assign(order, { status: "paid", delivered: 1 });
    },
  });
  const call = serviceOf(sandbox);
  const flow = flowOf(shop, {
    tick: async () => {
      // The webhook comes while the second job pauses.
      if (lock !== undefined) return pause(900).then(() => pause(900));
      lock = read().finally(() => {
        lock = undefined;
      });
      return lock;
    },
    async flow({ id, email, press, advance }) {
      const { charge_id } = (await press("order", () => shop.place(id, email))) as { charge_id: string };
      read = () => call("GET", `charges/${charge_id}`);
      await advance("10s");
    },
  });
  const report = await sandbox.explore(flow, { only: "job_twice at charge.completed#1" });
  expect(report).toMatchObject({ passed: true, findings: [] });
});

it.each([
  ["nothing", undefined, "explore: needs the path of a file, or { see, flow }"],
  ["no view", { see: {}, flow: () => {} }, "explore: see must name at least one view of the app"],
  ["a view that is no function", { see: { a: 1 }, flow: () => {} }, "explore: see.a must be a function"],
  [
    "an act of others that is no function",
    { see: { order: () => 1 }, meanwhile: { edit: 1 }, flow: () => {} },
    "explore: meanwhile.edit must be a function",
  ],
  [
    "another key",
    { see: { a: () => 1 }, flow: () => {}, ticks: 1 },
    "a flow has no ticks; did you mean tick?",
  ],
])("a flow with %s is refused", async (_what, flow, message) => {
  const { sandbox } = await openShop();
  await expect(sandbox.explore(flow as never)).rejects.toThrow(message);
});
