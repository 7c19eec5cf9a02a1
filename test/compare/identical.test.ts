import { expect, it } from "vitest";
import { compareWith, startServices } from "./support/compared.js";

it("a service that is a sandbox of another seed has no difference, also when it is compared again", async () => {
  const services = Object.values(await startServices(["identical#1", "identical#2", "identical#3"]));
  const compared = await Promise.all(
    services.map((service, index) => compareWith(service, { payouts: true, burst: index === 2 })),
  );
  expect(compared.map(({ differences }) => differences)).toEqual([[], [], []]);
  for (const { calls } of compared) expect(calls).toBeLessThanOrEqual(100);
  expect(compared[2]!.calls).toBe(100);
  expect(compared[0]!.left).toEqual([
    "hosted pages: a customer has to press a button there",
    "the rate limit: give --burst to look for it",
  ]);
});
