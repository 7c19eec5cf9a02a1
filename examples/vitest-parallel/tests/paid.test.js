import { expect, it } from "vitest";
import { itIsAlone } from "./support/neighbours.js";
import { useWorld } from "./support/world.js";

const world = useWorld();
itIsAlone(world, { sales: 3 });

it("an order is shipped when it is paid, and not before", async () => {
  const order = await world.shop.order({ id: "1", email: "ada@example.com", price: "500.00" });
  await world.advance("2s");
  expect(order).toMatchObject({ status: "pending", shipments: 0 });
  await world.advance("10s");
  expect(order).toMatchObject({ status: "paid", shipments: 1 });
  expect(await world.balance()).toBe("500.00");
});
