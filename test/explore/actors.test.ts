import { expect, it } from "vitest";
import { exploredUntil, openCorpus } from "./support.js";

it.concurrent.each([
  ["job_pays", "job_meanwhile charge.awaiting_payment#1"],
  ["reads_late", "read_held getCharge#2"],
] as const)(
  "explore finds the shop that %s, and saves a file that fails with it and passes with the right shop",
  async (kind, where) => {
    const { found, sandbox, shop, file } = await exploredUntil(kind, where);
    expect(found).toContain(`money: ${where}`);
    for (let time = 1; time <= 3; time++)
      expect(await sandbox.run(file, { app: shop.url })).toMatchObject({ outcome: "failed" });
    const right = await openCorpus("right");
    expect(await right.sandbox.run(file, { app: right.shop.url })).toMatchObject({ passed: true });
  },
);
