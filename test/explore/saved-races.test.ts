import { expect, it } from "vitest";
import { exploredUntil, openCorpus } from "./support.js";

const FRESH = 10;

it.concurrent.each([
  ["races", "webhook_twice_at_once charge.completed#1"],
  ["job_races", "job_at_once charge.completed#1"],
] as const)("the saved race of the shop %s fails with each of ten new shops", async (kind, where) => {
  const { file, found, sandbox: searched } = await exploredUntil(kind, where);
  expect(found).toContain(`money: ${where}`);
  await searched.close();
  const outcomes: string[] = [];
  for (let fresh = 1; fresh <= FRESH; fresh++) {
    const { sandbox, shop } = await openCorpus(kind);
    outcomes.push((await sandbox.run(file, { app: shop.url })).outcome);
    await shop.close();
    await sandbox.close();
  }
  expect(outcomes).toEqual(Array.from({ length: FRESH }, () => "failed"));
  const right = await openCorpus("right");
  expect(await right.sandbox.run(file, { app: right.shop.url })).toMatchObject({ passed: true });
});
