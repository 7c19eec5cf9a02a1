import { describe, expect, it } from "vitest";
import type { Shop } from "../support/receiver-client.js";
import { type Received, Receiver, refuseWith } from "../support/receiver-server.js";
import { deliveries, shopFor } from "../webhooks/support/shop.js";

/** The order of events must not depend on how fast an app responds. */
describe("the speed of the machine", () => {
  const FIVE_SECONDS = { charges: [{ timeline: [{ after: "5s", to: "AWAITING_PAYMENT" }] }] };

  /** A retry and a new charge's task are due at the same time. */
  async function firedAfter(pause: (shop: Shop) => Promise<unknown>): Promise<unknown> {
    const receiver = await Receiver.open(refuseWith(500));
    const shop = await shopFor([{ url: receiver.url }]);
    const { client } = shop;
    await client.ask("PUT /_sandbox/scenarios/in_five", FIVE_SECONDS);
    await client.transition(await client.pay(), "CANCELLED");
    await pause(shop);
    await client.pay({ scenario: "in_five" });
    const { json } = await client.advance({ by: "5s" });
    return json.fired.map(({ task, ref }: { task: string; ref: string }) => `${task} ${ref}`);
  }

  it("a retry and a task due at the same time run in a fixed order", async () => {
    const slowCaller = await firedAfter(({ sandbox }) => sandbox.settled());
    const quickCaller = await firedAfter(async () => {});
    expect(quickCaller).toEqual(slowCaller);
    expect(slowCaller).toHaveLength(3);
  });

  /** The second webhook of a charge waits for the response to the first. */
  async function firedOf(isAnsweredBefore: boolean): Promise<unknown> {
    const receiver = await Receiver.open(() => {});
    const { client, sandbox } = await shopFor([{ url: receiver.url }]);
    const charge = await client.pay();
    await client.transition(charge, "AWAITING_PAYMENT");
    await client.transition(charge, "CANCELLED");
    const first = await receiver.arrived(1);
    receiver.handler = (received) => received.answer();
    if (isAnsweredBefore) {
      first.answer();
      await sandbox.settled();
    }
    const advancing = client.advance({ by: "1s" });
    if (!isAnsweredBefore) first.answer();
    const { json } = await advancing;
    expect(receiver.types).toEqual(["charge.awaiting_payment", "charge.cancelled"]);
    return json;
  }

  it("the speed of the app does not change which tasks an advance reports", async () => {
    expect(await firedOf(false)).toEqual(await firedOf(true));
  });

  /** One webhook gets a 410, early or late. */
  async function sentWhenGone(isGoneFirst: boolean): Promise<unknown> {
    const receiver = await Receiver.open(() => {});
    const { client, sandbox } = await shopFor([{ url: receiver.url }]);
    await client.ask("PUT /_sandbox/scenarios/both", {
      charges: [
        {
          timeline: [
            { after: "0s", to: "AWAITING_PAYMENT" },
            { after: "0s", to: "PROCESSING" },
          ],
        },
      ],
    });
    const [kept, lost] = [await client.pay({ scenario: "both" }), await client.pay({ scenario: "both" })];
    const advancing = client.advance({ by: "1s" });
    await receiver.arrived(2);
    const about = (id: string) => receiver.about(id)[0] as Received;
    receiver.handler = (received) => received.answer();
    const answers = [() => about(kept).answer(200), () => about(lost).answer(410)];
    if (isGoneFirst) answers.reverse();
    answers[0]!();
    // Waits until the sandbox has processed the first response.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    answers[1]!();
    expect((await advancing).status).toBe(200);
    await sandbox.settled();
    return (await deliveries(client)).map(({ type, status, attempts }) => [type, status, attempts.length]);
  }

  it("a late 410 stops the same webhooks as an early one", async () => {
    expect(await sentWhenGone(true)).toEqual(await sentWhenGone(false));
  });
});
