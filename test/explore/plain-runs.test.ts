import { expect, it } from "vitest";
import type { Deviable } from "../../src/tools/explore/deviable.js";
import { observePlainRuns } from "../../src/tools/explore/plain-runs.js";
import type { ObservedCall, Trace } from "../../src/tools/explore/run-record.js";

const QUIET_MS = 1_000;

/** @param late calls of the quiet end */
const calling = ([operations, late = []]: readonly (readonly string[])[]) =>
  ({
    hasReachedApp: true,
    observed: {
      quietMs: QUIET_MS,
      calls: [...operations!, ...late].map((operation, index) => {
        const method = operation.startsWith("read") ? "GET" : "POST";
        const atMs = index < operations!.length ? QUIET_MS : QUIET_MS + 1;
        return { operation, method, status: 200, atMs } as ObservedCall;
      }),
      deliveries: [],
      charges: [{ status: "COMPLETED" }],
      withdrawals: [],
    } as unknown as Trace["observed"],
  }) as Trace;

it.each([
  ["a call that only one makes", [["readA"]], [["readA", "readB"]], "readB 200"],
  ["a call that one makes more often", [["readA", "readB"]], [["readA", "readB", "readA"]], "readA 200"],
  ["the first call that stands elsewhere", [["readA", "readB"]], [["readB", "readA"]], "readA 200"],
  ["a write of the quiet end", [["readA"]], [["readA"], ["pay"]], "pay 200"],
  ["no read of the quiet end", [["readA"], ["readA"]], [["readA"], ["readA", "readA"]], undefined],
  ["nothing if they are equal", [["readA"]], [["readA"]], undefined],
])("two plain runs differ in %s", async (_, one, other, difference) => {
  const traces = [one, one, other].map(calling);
  const deviable = { source: "order.yaml", observePlain: async () => traces.shift()! };
  const plain = await observePlainRuns(deviable as unknown as Deviable, () => undefined);
  expect(plain.difference).toBe(difference);
});
