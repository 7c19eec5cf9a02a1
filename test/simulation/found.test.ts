import { describe, expect, it } from "vitest";
import { shopFor } from "../webhooks/support/shop.js";

/** What simulations have found, each as short as it can be told. */
describe("found by simulation", () => {
  it("POST /wait for idle returns when a due delivery has gone to a mailbox without a change", async () => {
    const { client } = await shopFor([{ mailbox: "post" }]);
    await client.transition(await client.pay(), "FAILED");
    const { status, json } = await client.ask("POST /_sandbox/wait", { for: "idle", timeout: "5s" });
    expect([status, json.idle]).toEqual([200, true]);
  });
});
