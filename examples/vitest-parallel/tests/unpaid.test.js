import { expect, it } from "vitest";
import { itIsAlone } from "./support/neighbours.js";
import { useWorld } from "./support/world.js";

const world = useWorld();
itIsAlone(world, { sales: 2 });

it.each([
  ["declined@example.com", "failed"],
  ["cancelled@example.com", "cancelled"],
  ["expired@example.com", "expired"],
])("nothing is shipped to %s", async (email, status) => {
  const order = await world.shop.order({ id: "1", email, price: "500.00" });
  await world.advance("2h");
  expect(order).toMatchObject({ status, shipments: 0 });
  expect(await world.balance()).toBe("0.00");
});
