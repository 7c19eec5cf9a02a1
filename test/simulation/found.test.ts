import { describe, expect, it } from "vitest";
import { shopFor } from "../webhooks/support/shop.js";

/** What simulations have found, each as short as it can be told. */
describe("found by simulation", () => {
  it("whoever waits for idle is told when what was due has gone to a mailbox, which commits nothing", async () => {
    const { client } = await shopFor([{ mailbox: "post" }]);
    await client.transition(await client.pay(), "FAILED");
    const { status, json } = await client.ask("POST /_sandbox/wait", { for: "idle", timeout: "5s" });
    expect([status, json.idle]).toEqual([200, true]);
  });
});
