import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";

it("each ledger entry begins with the balance that the one before it left, over all pages", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const client = Client.of(sandbox);
  for (let count = 0; count < 5; count++) await client.pay();
  await sandbox.advance("3d");
  for (const amount of ["10.00", "5.00"]) await sandbox.run("fundBalance", { currency: "KES", amount });
  const first = await sandbox.run("listLedger", { limit: 7 });
  const entries = [...first.items];
  while (entries.length < first.total)
    entries.push(...(await sandbox.run("listLedger", { limit: 7, offset: entries.length })).items);
  const held = new Map<string, string>();
  for (const { currency, before, after } of entries.reverse()) {
    expect([currency, before]).toEqual([currency, held.get(currency) ?? before]);
    held.set(currency, after);
  }
  const { items: balances } = await sandbox.run("listBalances");
  expect(Object.fromEntries(held)).toEqual(
    Object.fromEntries(balances.map((one) => [one.currency, one.available_balance])),
  );
});
