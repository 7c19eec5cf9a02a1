import { expect, it, vi } from "vitest";
import { ExploredSandbox } from "../../../src/library/explored-sandbox.js";
import { Api, openSandbox } from "../../support/api-client.js";
import { flowOf, openFunctionShop } from "./shop.js";

const LISTS = [
  ["requests", "request_id"],
  ["deliveries", "delivery_id"],
  ["charges", "charge_id"],
  ["withdrawals", "withdrawal_id"],
] as const;

/** Fields that the rows leave out. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  charges: ["why", "next_step", "webhooks", "reversals", "planned"],
  deliveries: ["body", "data"],
};

it("the rows that are newer than one are those of the control API's list, without reports and bodies", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const spy = vi.spyOn(ExploredSandbox.prototype, "nowMs");
  await sandbox.explore(flowOf(await openFunctionShop(sandbox)));
  const explored = spy.mock.contexts.at(-1) as ExploredSandbox;
  const api = new Api(sandbox);
  await sandbox.control("POST /_sandbox/balances", { currency: "KES", amount: "5105.10" });
  const payout = { destination_id: await api.destination(), amount: "519.99", currency: "KES" };
  for (let count = 0; count < 2; count++) await api.post("/api/v1/payouts/withdrawals", payout);
  type Page = { items: Record<string, unknown>[] };
  for (const [list, id] of LISTS) {
    const { items } = await sandbox.control<Page>("GET", `/_sandbox/${list}?limit=100`);
    for (const item of items) for (const field of LEFT_OUT[list] ?? []) delete item[field];
    expect(items.length).toBeGreaterThan(1);
    for (const [index, item] of items.entries()) {
      const rows = await explored.rowsSince(list, String(item[id]), 1);
      expect(JSON.parse(JSON.stringify(rows))).toEqual(items.slice(0, index));
    }
  }
});
