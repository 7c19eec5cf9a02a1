import { expect, it } from "vitest";
import { deliveries, shopAndReceiver, useRules } from "./support/shop.js";

/** Starts a shop with these webhook rules and returns its deliveries. */
async function shopWith(...rules: readonly object[]) {
  const { client, ...shop } = await shopAndReceiver();
  const webhooks = rules.map((rule) => ({ match: { type: "charge.completed" }, ...rule }));
  await useRules(client, webhooks);
  const sent = () => deliveries(client, "&type=charge.completed");
  const secondsOf = ({ created_at, attempts }: { created_at: string; attempts: { at: string }[] }) =>
    attempts.map(({ at }) => (Date.parse(at) - Date.parse(created_at)) / 1_000);
  const applied = async () => (await client.ask("GET /_sandbox/scenarios/mishaps")).json.applied;
  return { ...shop, client, sent, secondsOf, applied };
}

it("a rule for the second attempt delays only that attempt", async () => {
  const { sandbox, sent, secondsOf, applied, sell } = await shopWith(
    { attempt: 2, delay: "10m" },
    { response_lost: true },
  );
  await sell("1m");
  expect(await applied()).toEqual({ "webhooks.0": 1, "webhooks.1": 1 });
  await sandbox.advance("1h");
  const [delivery] = await sent();
  expect(secondsOf(delivery)).toEqual([0, 605]);
  expect(delivery.mishap).toMatchObject({
    response_lost: true,
    retried: [{ attempt: 2, delay_ms: 600_000, copies: 1, response_lost: false }],
  });
});

it("a rule for the second attempt can duplicate it", async () => {
  const { sent, secondsOf, sell } = await shopWith({ response_lost: true }, { attempt: 2, copies: 2 });
  await sell("1h");
  const all = await sent();
  expect(all.map(({ status, attempts }) => [status, attempts.length])).toEqual([
    ["delivered", 2],
    ["delivered", 1],
  ]);
  expect(all[1].event_id).toBe(all[0].event_id);
  expect(all[1].created_at).toBe(all[0].attempts[1].at);
  expect(secondsOf(all[1])).toEqual([0]);
});

it("a rule for the second attempt can lose its response", async () => {
  const { sent, applied, sell } = await shopWith(
    { response_lost: true, times: 1 },
    { attempt: 2, response_lost: true },
  );
  await sell("1h");
  await sell("1h");
  const statuses = (await sent()).map(({ attempts }) =>
    attempts.map(({ status }: { status: number }) => status),
  );
  expect(statuses).toEqual([[null, null, 200], [200]]);
  expect(await applied()).toEqual({ "webhooks.0": 1, "webhooks.1": 1 });
});

it("`times` and `skip` of a rule count events, not receivers", async () => {
  const { client, sent, sell } = await shopWith({ skip: 1, times: 1, drop: true });
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "m", events: ["charge.completed"] });
  const pay = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await sell("1m");
    }
    const all = (await sent()).filter(({ url }) => url !== null);
    return all.map(({ status }) => (status === "dropped" ? "-" : "+")).join("");
  };
  expect(await pay(4)).toBe("+-++");
  await client.ask("POST /_sandbox/scenarios/mishaps/activate");
  expect(await pay(2)).toBe("+-+++-");
});
