import { expect, it } from "vitest";
import { itIsAlone } from "./support/neighbours.js";
import { useWorld } from "./support/world.js";

const world = useWorld();
itIsAlone(world, { sales: 4 });

it("told twice and in the wrong order, the shop ships once", async () => {
  await world.sandbox("POST", "/scenarios/webhook_chaos/activate");
  const order = await world.shop.order({ id: "1", email: "ada@example.com", price: "500.00" });
  await world.advance("1m");
  expect((await world.sandbox("GET", "/deliveries?type=charge.completed")).total).toBe(2);
  expect(order).toMatchObject({ status: "paid", shipments: 1 });
});
