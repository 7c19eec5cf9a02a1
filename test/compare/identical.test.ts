import { expect, it } from "vitest";
import { documented } from "../support/documented.js";
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

it("a service that renames quote_id has no difference from a sandbox whose config does too", async () => {
  documented.isChecked = false;
  const { quote_renamed: service } = await startServices(["quote_renamed"]);
  const wire = [{ operation: "createQuote", rename: { quote_id: "id" } }];
  const { differences, calls } = await compareWith(service!, { base: { wire } });
  expect(differences).toEqual([]);
  expect(calls).toBeGreaterThan(80);
});
