import { expect } from "vitest";
import { later } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { type Client, openShop } from "../support/receiver-client.js";
import { accept, Receiver, refuseWith } from "../support/receiver-server.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
type Json = any;

async function read(client: Client, id: string): Promise<Json> {
  const kind = id.startsWith("wd_") ? "withdrawals" : "charges";
  return (await client.ask(`GET /_sandbox/${kind}/${id}`)).json;
}

const NONE = { delivered: 0, failing: 0, held: 0, given_up: 0 };

it("GET /_sandbox/charges/{id} names the rule that made a charge fail", async ({
  shop: { client, sandbox },
}) => {
  const id = await client.pay({ email: "declined@shop.test" });
  const why = { scenario: "default", rule: "charges.0" };
  expect((await read(client, id)).why).toEqual({
    ...{ ...why, actor: "api" },
    sentence:
      "It was just created; scenario default (customer_email matches declined@*) will bring it to FAILED.",
  });
  await sandbox.advance("10s");
  const charge = await read(client, id);
  expect(charge.why).toEqual({
    ...{ ...why, actor: "scenario" },
    sentence: "Scenario default, customer_email matches declined@*: FAILED (“declined”).",
  });
  expect([charge.next_step, charge.webhooks, charge.reversals]).toEqual([null, NONE, []]);
  expect((await client.ask("GET /_sandbox/charges")).json.items).toEqual([charge]);
});

it("GET /_sandbox/charges/{id} says who set the status by hand, and what it was", async ({ client }) => {
  const id = await client.pay();
  await client.ask(`POST /_sandbox/charges/${id}/transition`, { to: "CANCELLED", reason: "unwanted" });
  expect((await read(client, id)).why).toEqual({
    sentence: "By hand over the control API (“unwanted”); it was PENDING.",
    ...{ actor: "control", scenario: null, rule: null },
  });
});

it("next_step is the change that is due, with the advance that leads to it", async ({
  shop: { client, sandbox },
}) => {
  const id = await client.pay();
  const { next_step } = await read(client, id);
  expect(next_step).toEqual({
    sentence: "It becomes AWAITING_PAYMENT.",
    at: later(1),
    command: "npx payments-sandbox clock advance 1s",
  });
  expect((await sandbox.advance("next")).to).toBe(next_step.at);
});

it("next_step has no command while a running clock brings the change", async () => {
  const { client } = await openShop({ clock: "real" });
  const { next_step } = await read(client, await client.pay());
  expect(next_step).toMatchObject({ sentence: "It becomes AWAITING_PAYMENT.", command: null });
});

it("next_step of a charge for which nothing is scheduled moves it by hand", async ({
  shop: { client, sandbox },
}) => {
  const id = await client.pay({ email: "stuck@shop.test" });
  await sandbox.advance("10s");
  const { status, why, next_step } = await read(client, id);
  expect([status, why.sentence]).toEqual([
    "PROCESSING",
    expect.stringMatching(/stuck@\*: PROCESSING\. Nothing more is planned\.$/),
  ]);
  expect(next_step).toMatchObject({ at: null, command: `npx payments-sandbox charge ${id} complete` });
});

it("next_step of a hosted charge without a method is the customer's payment", async ({ client }) => {
  const pricing = { base_currency: "KES", amount: "19.99" };
  const made = (await client.ask("POST /api/v1/payments/checkouts", { pricing })).json as Json;
  const { next_step } = await read(client, made.charge_id);
  expect(next_step.sentence).toBe(`The customer pays on the hosted page /checkout/${made.checkout_id}.`);
});

it("a refused webhook is counted, and next_step names its error and its retry", async () => {
  await using receiver = await Receiver.open(refuseWith(500));
  const { client, sandbox } = await openShop({ webhooks: [receiver.url] });
  const id = await client.pay({ email: "declined@shop.test" });
  await sandbox.advance("3s");
  const failing = await read(client, id);
  expect(failing.webhooks).toEqual({ ...NONE, failing: 2 });
  expect(failing.next_step.sentence).toMatch(/^Fix the HTTP 500 at :\d+, then retry the webhook\.$/);
  const { items } = (await client.ask("GET /_sandbox/deliveries")).json as Json;
  const [newest] = items;
  expect([newest.state, failing.next_step.at]).toEqual(["failing", newest.next_attempt_at]);
  expect(failing.next_step.command).toBe(`npx payments-sandbox webhook retry ${newest.delivery_id}`);
  await sandbox.advance("30d");
  const { webhooks } = await read(client, id);
  expect(webhooks).toEqual({ ...NONE, given_up: 2 });
  receiver.handler = accept;
  for (const { delivery_id } of items) await client.ask(`POST /_sandbox/deliveries/${delivery_id}/retry`, {});
  await sandbox.settled();
  const mended = await read(client, id);
  expect([mended.webhooks, mended.next_step]).toEqual([{ ...NONE, delivered: 2 }, null]);
});

it("next_step of a payment that has not ended is its own, then that of its webhook", async () => {
  await using receiver = await Receiver.open(refuseWith(500));
  const { client, sandbox } = await openShop({ webhooks: [receiver.url] });
  const id = await client.pay();
  const stuck = await client.pay({ scenario: "stuck" });
  await sandbox.advance("2s");
  const fix = "Fix the HTTP 500 at :\\d+, then retry the webhook.";
  const step = async (of: string) => (await read(client, of)).next_step;
  expect(await step(id)).toMatchObject({
    sentence: expect.stringMatching(`^It becomes PROCESSING. ${fix}$`),
    command: "npx payments-sandbox clock advance 1s",
  });
  await sandbox.advance("10s");
  expect((await step(id)).sentence).toMatch(new RegExp(`^${fix}$`));
  const { sentence, at } = await step(stuck);
  expect(sentence).toMatch(new RegExp(`^Nothing is scheduled: move it by hand. ${fix}$`));
  const { items } = (await client.ask(`GET /_sandbox/deliveries?charge_id=${stuck}`)).json;
  expect(at).toBe(items[0].next_attempt_at);
});

it("a webhook that nothing listens for is held, and next_step is to start the app", async () => {
  const { client } = await openShop({ clock: "real", webhooks: ["http://127.0.0.1:9/hooks"] });
  const id = await client.pay();
  await client.transition(id, "FAILED");
  await client.ask("POST /_sandbox/wait", { for: "delivery", match: { state: "held" } });
  const { webhooks, next_step } = await read(client, id);
  expect(webhooks).toEqual({ ...NONE, held: 1 });
  expect(next_step).toEqual({
    sentence: "Start your app at :9; its held webhooks will then be sent.",
    ...{ at: null, command: null },
  });
});

it("a webhook for a receiver that is turned off is off, and counts as no failure", async () => {
  await using receiver = await Receiver.open(refuseWith(500));
  const { client, sandbox } = await openShop({ webhooks: [receiver.url] });
  const id = await client.pay();
  await sandbox.advance("1s");
  const [{ webhook_id }] = ((await client.ask("GET /_sandbox/webhook-endpoints")).json as Json).items;
  await client.ask(`PATCH /_sandbox/webhook-endpoints/${webhook_id}`, { enabled: false });
  expect((await read(client, id)).webhooks).toEqual(NONE);
  expect(((await client.ask("GET /_sandbox/deliveries")).json as Json).items[0].state).toBe("off");
});

it("a reversal stands in why, and in reversals with its amount", async ({ shop: { client, sandbox } }) => {
  const id = await client.pay({ scenario: "instant" });
  await sandbox.advance("3d");
  const made = await client.ask(`POST /_sandbox/charges/${id}/chargeback`, { reason: "fraudulent" });
  const { why, reversals, currency, amount } = await read(client, id);
  expect(reversals).toEqual([made.json]);
  expect(why).toEqual({
    sentence: `${currency} ${amount} returned by hand (“fraudulent”); it was COMPLETED before.`,
    ...{ actor: "control", scenario: null, rule: null },
  });
});

it("the next step of a checkout that was paid is no status that it has", async ({ shop: { client } }) => {
  const { json } = await client.ask("POST /api/v1/payments/checkouts", {
    pricing: { base_currency: "KES", amount: "19.99" },
  });
  const { checkout_id, charge_id } = json as Json;
  await client.ask(`POST /_sandbox/checkouts/${checkout_id}/pay`, { payment_method: "card" });
  const { status, next_step } = await read(client, charge_id);
  expect([status, next_step.sentence]).toEqual(["AWAITING_PAYMENT", "It becomes PROCESSING."]);
});

it("GET /_sandbox/withdrawals/{id} says why a payout failed and what comes next", async ({
  shop: { client, sandbox },
}) => {
  await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "1105.10" });
  const { withdrawal_id: id } = await client.withdraw({ currency: "KES", amount: "519.99" });
  const { why, next_step, webhooks } = await read(client, id);
  expect([why.actor, webhooks]).toEqual(["api", NONE]);
  const to = /^It becomes (\w+)\.$/.exec(next_step.sentence)?.[1];
  expect((await sandbox.advance("next")).to).toBe(next_step.at);
  expect((await read(client, id)).status).toBe(to);
});

it("the service's own responses carry none of it", async ({ client }) => {
  const { json } = await client.charge(await client.pay());
  expect(Object.keys(json as object)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(why|next_step|webhooks|reversals)$/)]),
  );
});
