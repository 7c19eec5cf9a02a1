import { expect, it } from "vitest";
import { shopFor } from "../webhooks/support/shop.js";

/** Bugs that simulations found, each with its shortest sequence of calls. */

it("POST /wait for idle returns when a delivery moves to a mailbox", async () => {
  const { client } = await shopFor([{ mailbox: "post" }]);
  await client.transition(await client.pay(), "FAILED");
  const { status, json } = await client.ask("POST /_sandbox/wait", { for: "idle", timeout: "5s" });
  expect([status, json.idle]).toEqual([200, true]);
});
