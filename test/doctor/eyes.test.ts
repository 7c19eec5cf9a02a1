import { expect, it } from "vitest";
import type { WebhookReport } from "../../src/index.js";
import { PLANTED } from "./planted.js";
import { world } from "./shop.js";

/** What only eyes can tell. */
const SEEN = ["duplicate", "known_id", "reordered", "retry", "simultaneous", "burst", "amount"];

const faultsOf = ({ findings }: WebhookReport) => findings.map(({ fault }) => fault);

it("a good receiver passes what no answer shows", async () => {
  const { check, sandbox } = await world();
  const report = await check();
  expect(report.findings).toEqual([]);
  expect(report.probes.filter((row) => row.verdict !== "pass")).toEqual([]);
  expect(report.probes.filter((row) => row.seen !== null).map((row) => row.probe)).toEqual(SEEN);
  // The sandbox is as it was but for the charges.
  const { items } = await sandbox.control<{ items: { name: string }[] }>("GET", "/_sandbox/scenarios");
  expect(items.map(({ name }) => name)).not.toContain("check-webhook");
  expect(await sandbox.control("GET", "/_sandbox/faults")).toMatchObject({ total: 0 });
});

it("one that works after it has answered passes, too", async () => {
  const { shop, check } = await world();
  const right = shop.handle.bind(shop);
  shop.handle = async (event) => {
    setImmediate(() => void right(event).catch(() => setImmediate(() => void shop.handle(event))));
  };
  const report = await check();
  expect(report.findings).toEqual([]);
});

it.each(Object.entries(PLANTED).flatMap(([name, { seen, plant }]) => (seen ? [{ name, seen, plant }] : [])))(
  "$name is seen: $seen",
  async ({ seen, plant }) => {
    const { shop, check } = await world();
    plant(shop);
    const report = await check();
    expect(faultsOf(report)).toEqual([seen]);
    expect(report.outcome).toBe("failed");
  },
);

it("a 5xx of its own to the first event, and the retry taken for a duplicate: lost", async () => {
  const { shop, check } = await world();
  const right = shop.handle.bind(shop);
  let isFirst = true;
  shop.handle = async (event) => {
    if (!isFirst) return right(event);
    isFirst = false;
    throw new Error("starting");
  };
  shop.undo = () => {};
  shop.repeated = () => ({ status: 200, text: "ok" });
  expect(faultsOf(await check())).toEqual(["first_request_fails", "lost"]);
});

it("a path that shows nothing is a fault, told once", async () => {
  const { check } = await world();
  const report = await check("GET /nowhere/{metadata.order_id}x");
  expect(faultsOf(report)).toEqual(["nothing_seen"]);
  expect(report.probes[1]!.came_back).toMatch(
    /GET http:.*\/nowhere\/check-.*x \(404\) is the same before and after/,
  );
});
