import { expect, it } from "vitest";
import type { Deviable } from "../../src/tools/explore/deviable.js";
import { observePlainRuns } from "../../src/tools/explore/plain-runs.js";
import type { ObservedCall, Trace } from "../../src/tools/explore/run-record.js";

const calling = (operations: readonly string[]) =>
  ({
    hasReachedApp: true,
    observed: {
      calls: operations.map((operation) => ({ operation, method: "GET", status: 200 }) as ObservedCall),
      deliveries: [],
      charges: [{ status: "COMPLETED" }],
      withdrawals: [],
    } as unknown as Trace["observed"],
  }) as Trace;

it.each([
  ["a call that only one makes", ["readA"], ["readA", "readB"], "readB 200"],
  ["a call that one makes more often", ["readA", "readB"], ["readA", "readB", "readA"], "readA 200"],
  ["the first call that stands elsewhere", ["readA", "readB"], ["readB", "readA"], "readA 200"],
  ["nothing if they are equal", ["readA"], ["readA"], undefined],
])("two plain runs differ in %s", async (_, one, other, difference) => {
  const traces = [one, one, other].map(calling);
  const deviable = { source: "order.yaml", observePlain: async () => traces.shift()! };
  const plain = await observePlainRuns(deviable as unknown as Deviable, () => undefined);
  expect(plain.difference).toBe(difference);
});
