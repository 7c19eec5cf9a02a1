import { expect, it } from "vitest";
import { openSandbox } from "../../support/api-client.js";
import { flowOf, openFunctionShop } from "./shop.js";

it("an app that has hung once is not accused of the runs after it", { timeout: 60_000 }, async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off", webhookTimeout: "6s" });
  let hasHung = false;
  const shop = await openFunctionShop(sandbox, {
    deliver: (order) => {
      const isCopy = order.delivered > 0;
      Object.assign(order, { status: "paid", delivered: 1 });
      if (!isCopy || hasHung) return;
      hasHung = true;
      return new Promise(() => {});
    },
  });
  const report = await sandbox.explore(flowOf(shop), { throws: false });
  expect(hasHung).toBe(true);
  expect(report.findings.map(({ message, deviations }) => [message, deviations])).toEqual([]);
  expect(report.complete_depth).toBe(1);
});
