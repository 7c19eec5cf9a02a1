import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { NUMBERED_FLOW, openNumberedShop } from "../support/numbered-shop.js";
import { type FoundOptions, foundIn } from "./apps.js";

async function explored(shop: { deduplicates: boolean }, options: FoundOptions) {
  const sandbox = await openSandbox({ webhookTimeout: "10m" });
  const { app, webhooks } = await openNumberedShop(sandbox, shop);
  await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: webhooks });
  return foundIn({ sandbox, app }, NUMBERED_FLOW, options);
}

it.concurrent("finds nothing in a right shop whose view has the order's own number", async () => {
  const { report } = await explored({ deduplicates: true }, { depth: 1 });
  expect(report).toMatchObject({ findings: [], complete_depth: 1, notes: [] });
});

it.concurrent("finds the shop whose view has the order's own number and that delivers twice", async () => {
  const { found } = await explored({ deduplicates: false }, { only: "webhook_twice at charge.completed#1" });
  expect(found).toEqual(["money: webhook_twice charge.completed#1"]);
});
