import { expect } from "vitest";
import { it } from "../support/api-test.js";

it("GET /_sandbox/next lists scheduled tasks and possible transitions", async ({
  shop: { client, sandbox },
}) => {
  const next = async (query = "") => (await client.ask(`GET /_sandbox/next${query}`)).json;
  expect(await next()).toEqual({ total: 0, items: [] });
  const [first, id] = [await client.pay(), await client.pay()];
  const { total, items } = await next(`?id=${id}`);
  expect(items.map(({ kind, what }: Record<string, string>) => [kind, what])).toEqual([
    ["task", "timeline"],
    ["task", "expire"],
    ["transition", "PENDING"],
  ]);
  expect(total).toBe(3);
  expect(items[2]).toMatchObject({ id, at: null, to: expect.arrayContaining(["COMPLETED", "EXPIRED"]) });
  expect((await next("?limit=1")).items[0]).toMatchObject({ id: first, kind: "task" });
  const { from, to } = await sandbox.advance("next");
  expect([from < to, to]).toEqual([true, items[0].at]);
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "tests" });
  await client.transition(id, "COMPLETED");
  const delivery = expect.objectContaining({ kind: "delivery", what: "charge.completed" });
  for (const query of [`?id=${id}`, ""]) expect((await next(query)).items).toContainEqual(delivery);
});

it("GET /_sandbox/next of a charge lists what has no time last", async ({ shop: { client, sandbox } }) => {
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "tests" });
  const id = await client.pay();
  await sandbox.advance("3s");
  const { items } = (await client.ask(`GET /_sandbox/next?id=${id}`)).json;
  const times = items
    .filter(({ kind }: { kind: string }) => kind !== "transition")
    .map(({ at }: { at: string | null }) => at !== null);
  expect(times).toEqual([true, true, false]);
});

it("GET /_sandbox/next offers no status for a charge that was charged back", async ({
  shop: { client, sandbox },
}) => {
  const id = await client.pay({ scenario: "instant" });
  await sandbox.advance("1h");
  const moves = async (query: string) =>
    (await client.ask(`GET /_sandbox/next${query}`)).json.items.flatMap(({ to }: { to: string[] }) => to);
  for (const query of [`?id=${id}`, ""]) expect(await moves(query)).toEqual(["REFUNDED"]);
  await client.ask(`POST /_sandbox/charges/${id}/chargeback`, {});
  for (const query of [`?id=${id}`, ""]) expect(await moves(query)).toEqual([]);
});

it("GET /_sandbox/next with a mode lists only tasks, webhooks and statuses of that mode", async ({
  shop: { client, sandbox },
}) => {
  const ids: string[] = [];
  for (const [mode, key] of Object.entries({ test: "sk_test_sandbox", live: "sk_live_sandbox" })) {
    await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: mode, mode });
    ids.push(await client.pay({ key }));
  }
  await sandbox.advance("1s");
  const next = async (query: string) => (await client.ask(`GET /_sandbox/next?${query}`)).json;
  const both = await next("limit=100");
  const objects = ({ items }: { items: { object: string }[] }) => items.map(({ object }) => object);
  for (const [index, mode] of ["test", "live"].entries()) {
    const own = await next(`mode=${mode}`);
    expect(new Set(objects(own))).toEqual(new Set([ids[index]]));
    expect(own.items).toEqual(both.items.filter(({ object }: { object: string }) => object === ids[index]));
    expect(own.total).toBe(own.items.length);
    expect((await next(`mode=${mode}&limit=2&offset=1`)).items).toEqual(own.items.slice(1, 3));
  }
});
