import { expect, it } from "vitest";
import { itIsAlone } from "./support/neighbours.js";
import { useWorld } from "./support/world.js";

const world = useWorld();
itIsAlone(world, { sales: 4 });

async function orderInChaos() {
  await world.sandbox("POST", "/scenarios/webhook_chaos/activate");
  const order = await world.shop.order({ id: "1", email: "ada@example.com", price: "500.00" });
  await world.advance("1m");
  return order;
}

it("told twice and in the wrong order, the shop ships once", async () => {
  const order = await orderInChaos();
  expect((await world.sandbox("GET", "/deliveries?type=charge.completed")).total).toBe(2);
  expect(order).toMatchObject({ status: "paid", shipments: 1 });
});

it("the books are right on a bad day, and nothing else is asked for", async () => {
  await orderInChaos();
});
