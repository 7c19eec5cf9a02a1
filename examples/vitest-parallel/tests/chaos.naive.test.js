import { expect, it } from "vitest";
import { fulfil } from "../src/fulfil.naive.js";
import { useWorld } from "./support/world.js";

const world = useWorld({ fulfil });

it("the naive handler ships twice, and takes old news for new: the bug the right one is for", async () => {
  await world.sandbox("POST", "/scenarios/webhook_chaos/activate");
  const order = await world.shop.order({ id: "1", email: "ada@example.com", price: "500.00" });
  await world.advance("1m");
  world.wrong = ["paid_not_marked", "delivered_twice"];
  expect(order).toMatchObject({ status: "pending", shipments: 2 });
});
