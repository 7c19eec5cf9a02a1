import { expect, it } from "vitest";
import type { ProbeRow } from "../../src/core/schema/receiver-report.js";
import { PLANTED } from "./planted.js";
import { checkAt, serve } from "./receivers.js";
import { Shop } from "./shop.js";

it.each(Object.entries(PLANTED))("%s", async (_name, { expected, plant }) => {
  const shop = new Shop();
  plant(shop);
  const running = await serve((incoming) => shop.receive(incoming));
  const streamed: ProbeRow[] = [];
  const { findings, probes, outcome } = await checkAt(
    running.url,
    {},
    { wall: shop.wall, onRow: (row) => streamed.push(row) },
  );
  const found = findings.map(({ fault, severity }) => [severity === "must" ? "FAIL" : "NOTE", fault]);
  expect(found).toEqual(expected === "invisible" ? [] : [expected]);
  expect(outcome).toBe(found.some(([verdict]) => verdict === "FAIL") ? "failed" : "passed");
  // What is said while it goes on still stands at the end.
  expect(streamed.map((row) => [row.probe, row.verdict])).toEqual(
    probes.slice(0, streamed.length).map((row) => [row.probe, row.verdict]),
  );
});
