import { expect, it } from "vitest";
import { openSandbox } from "../../support/api-client.js";
import { BUGS, openShop } from "./shop.js";

it.each(BUGS)("a shop with the fault %s is found, by depth 1 or by lives", async (bug) => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const { findings } = await sandbox.explore(await openShop(sandbox, bug), { lives: 400, throws: false });
  expect(findings).not.toEqual([]);
});

it("the right shop is silent in 1,000 lives", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const report = await sandbox.explore(await openShop(sandbox), { lives: 1_000 });
  expect(report).toMatchObject({ findings: [], lives: { lives: 1_000 } });
});
