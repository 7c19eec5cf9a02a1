import { expect, it } from "vitest";
import type { Namespace } from "../../src/core/namespace/namespace.js";
import type { Namespaces } from "../../src/core/namespace/namespaces.js";
import { runFormAction } from "../../src/pages/dashboard/dashboard-actions.js";
import { reportsOf } from "../../src/pages/dashboard/reports.js";

it("a run that our own fault has ended does not stand in the way of the next", async () => {
  const told: string[] = [];
  const namespace = {
    name: "default",
    nowMs: () => 0,
    notifyReport: (name: string) => told.push(name),
    engine: { state: { get: () => ({ scenario: { source: { steps: [] } } }) } },
  } as unknown as Namespace;
  const namespaces = {
    options: { scenarios: { run: () => Promise.reject(new Error("ours")) } },
  } as unknown as Namespaces;
  const run = () =>
    runFormAction({
      namespaces,
      namespace,
      form: new URLSearchParams({ do: "run pay" }),
      fetch: () => Promise.reject(new Error("nothing is called")),
    });
  await expect(run()).rejects.toThrow("ours");
  expect(reportsOf(namespace).run).toBeUndefined();
  expect(told).toEqual(["run", "run"]);
  await expect(run()).rejects.toThrow("ours");
});
