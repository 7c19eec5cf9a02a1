import { expect, it } from "vitest";
import { itIsAlone } from "./support/neighbours.js";
import { useWorld } from "./support/world.js";

const world = useWorld();
itIsAlone(world, { sales: 5 });

it("a refund takes the money back, and the order knows", async () => {
  const order = await world.shop.order({ id: "1", email: "ada@example.com", price: "500.00" });
  await world.advance("10s");
  const { charge_id } = (await world.sandbox("GET", "/charges")).items[0];
  await world.sandbox("POST", `/charges/${charge_id}/refund`);
  await world.sandbox("POST", "/wait", { for: "idle" });
  expect(order).toMatchObject({ status: "refunded", shipments: 1 });
  expect(await world.balance()).toBe("0.00");
});
