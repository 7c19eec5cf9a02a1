import { describe, expect, it } from "vitest";
import { shopFor } from "../webhooks/support/shop.js";

/** Faults that simulations have found, each in its shortest form. */
describe("found by simulation", () => {
  it("POST /wait for idle returns when a due delivery has gone to a mailbox without a change", async () => {
    const { client } = await shopFor([{ mailbox: "post" }]);
    await client.transition(await client.pay(), "FAILED");
    const { status, json } = await client.ask("POST /_sandbox/wait", { for: "idle", timeout: "5s" });
    expect([status, json.idle]).toEqual([200, true]);
  });
});
