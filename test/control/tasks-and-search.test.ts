import { expect } from "vitest";
import type { Charge } from "../../src/core/domain/charge-transition.js";
import type { RecordPut } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import { openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { chargeWith } from "../support/charges.js";
import { Client } from "../support/receiver-client.js";
import { Receiver } from "../support/receiver-server.js";

const asked = (path: string) => `GET /_sandbox/${path}`;

it("GET /_sandbox/tasks lists tasks in order with their resulting statuses", async ({ shop: { client } }) => {
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "tests" });
  const first = await client.pay();
  const second = await client.pay();
  const { total, items } = (await client.ask(asked("tasks"))).json;
  expect(items.map(({ id, to }: Record<string, string>) => [id, to])).toEqual([
    [first, "AWAITING_PAYMENT"],
    [second, "AWAITING_PAYMENT"],
    [first, "EXPIRED"],
    [second, "EXPIRED"],
  ]);
  expect(total).toBe(4);
  const page = (await client.ask(asked("tasks?limit=1&offset=1"))).json;
  expect([page.total, page.items[0].id]).toEqual([4, second]);
  expect((await client.ask(asked(`tasks?id=${second}`))).json.total).toBe(2);
  await client.transition(first, "FAILED");
  // Mailbox deliveries are never due, so these are the other charge's tasks.
  expect((await client.ask(asked("tasks"))).json).toMatchObject({ total: 2, items: [{}, {}] });
  const attempt = (await client.ask(asked("deliveries"))).json.items[0];
  const task = (await client.ask(asked(`tasks?id=${attempt.delivery_id}`))).json.items[0];
  expect(task).toMatchObject({
    kind: "attempt",
    event_type: "charge.failed",
    webhook_id: attempt.webhook_id,
  });
});

it("GET /_sandbox/tasks includes quotes and destinations of every key", async ({ shop: { client } }) => {
  await client.pay();
  const [quote] = (await client.ask(asked("quotes"))).json.items;
  expect(quote).toMatchObject({ mode: "test", organization_id: "org_sandbox" });
  expect((await client.ask(asked("destinations"))).json).toEqual({ total: 0, items: [] });
});

const stateWith = (...charges: Partial<Charge>[]) => {
  const state = new State();
  const puts = charges.map((one, seq): RecordPut => ["charges", one.charge_id!, chargeWith({ ...one, seq })]);
  state.apply({ seq: 1, at: 0, puts, counters: {} });
  return state;
};
const ids = (found: Charge[]) => found.map(({ charge_id }) => charge_id);

it("search finds charges by the beginning of a word, newest first", () => {
  const state = stateWith(
    {
      charge_id: "ch_00aa11",
      customer_email: "Ada.Obi@shop.test",
      metadata: { order: "A-1042" },
      pricing: { base_currency: "KES", amount: "1105.10" },
      amount: "1132.73",
    },
    {
      charge_id: "ch_00bb22",
      customer_name: "Yamada Tarō",
      provider_reference: "PSBH8",
      metadata: {},
      status: "FAILED",
      failure_reason: "insufficient_funds",
      scenario: "declined",
    },
  );
  for (const [text, found] of [
    ["ch_00aa", ["ch_00aa11"]],
    ["00", ["ch_00bb22", "ch_00aa11"]],
    ["ada.obi@SHOP", ["ch_00aa11"]],
    ["a-1042", ["ch_00aa11"]],
    ["1042 obi", ["ch_00aa11"]],
    ["Order A-1042", ["ch_00aa11"]],
    ["#1042", ["ch_00aa11"]],
    ["order #1042", ["ch_00aa11"]],
    ["order", []],
    ["tarō", ["ch_00bb22"]],
    ["psbh", ["ch_00bb22"]],
    ["failed insufficient_funds", ["ch_00bb22"]],
    ["declined", ["ch_00bb22"]],
    ["042", []],
    ["1042 yamada", []],
    ["%", []],
    ["kes 1,105.10", ["ch_00aa11"]],
    ["1105", ["ch_00aa11"]],
    ["1132.73", ["ch_00aa11"]],
    ["05.10", []],
  ] as const)
    expect([text, ids(state.chargesWithWords(text))]).toEqual([text, found]);
});

it("search can be combined with filters", async ({ shop: { client } }) => {
  const id = await client.pay();
  await client.pay();
  expect((await client.ask(asked(`charges?q=${id}`))).json).toMatchObject({
    total: 1,
    items: [{ charge_id: id }],
  });
  expect((await client.ask(asked(`charges?q=${id}&status=FAILED`))).json.total).toBe(0);
  expect((await client.ask(asked(`charges?q=${id}&metadata.none=1`))).json.total).toBe(0);
  expect((await client.ask(asked("charges?q="))).status).toBe(400);
});

it("each change of status in a timeline has its cause", async ({ shop: { client, sandbox } }) => {
  const causes = async (id: string) =>
    (await client.ask(asked(`charges/${id}/timeline`))).json.items
      .filter(({ kind }: { kind: string }) => kind === "transition")
      .map(({ status, by }: { status: string; by: object }) => [status, ...Object.values(by)]);
  const scenario = {
    charges: [
      { match: { currency: "USD" }, timeline: [] },
      { timeline: [{ after: "1s", to: "AWAITING_PAYMENT" }] },
    ],
  };
  await client.ask("PUT /_sandbox/scenarios/slow", scenario);
  await client.ask("POST /_sandbox/scenarios/slow/activate");
  const [expired, failed] = [await client.pay(), await client.pay()];
  await sandbox.advance("1s");
  await client.transition(failed, "FAILED");
  await sandbox.advance("2h");
  const begun = [
    ["PENDING", "api", null, null],
    ["AWAITING_PAYMENT", "scenario", "slow", "charges.1"],
  ];
  expect(await causes(failed)).toEqual([...begun, ["FAILED", "control", null, null]]);
  expect(await causes(expired)).toEqual([...begun, ["EXPIRED", "clock", null, null]]);
});

it("a change of status that a rule planned has the conditions of the rule", async ({
  shop: { client, sandbox },
}) => {
  const id = await client.pay({ email: "declined@example.com" });
  await sandbox.advance("1m");
  expect((await client.ask(asked(`charges/${id}/timeline`))).json.items).toContainEqual(
    expect.objectContaining({ status: "FAILED", match: "customer_email matches declined@*" }),
  );
});

it("a pending delivery has its reason", async () => {
  const sandbox = await openSandbox({ clock: "real", scenario: "instant" });
  const client = new Client((path, init) => sandbox.fetch(new Request(`http://sandbox${path}`, init)));
  const receiver = await Receiver.open();
  await receiver[Symbol.asyncDispose]();
  await client.ask("POST /_sandbox/webhook-endpoints", { url: receiver.url });
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "tests" });
  await client.ask("POST /_sandbox/events", { type: "webhook.test" });
  const holds = async () =>
    (await client.ask(asked("deliveries"))).json.items.map(
      ({ hold }: { hold: { reason: string } | null }) => hold?.reason,
    );
  await expect
    .poll(holds)
    .toEqual(["waits in mailbox tests to be taken", `nothing listens on ${new URL(receiver.url).host}`]);
  const [held] = (await client.ask(asked("webhook-endpoints"))).json.items.slice(-1);
  expect((await client.ask(asked(`deliveries?webhook_id=${held.webhook_id}`))).json).toMatchObject({
    total: 1,
    items: [{ webhook_id: held.webhook_id }],
  });
});

it("the change stream names each changed object once per message", async () => {
  const sandbox = await openSandbox({ scenario: "instant" });
  const { url } = await sandbox.listen();
  const client = Client.at(url);
  expect((await fetch(`${url}/_sandbox/stream?view=heavy`)).status).toBe(400);
  const response = await fetch(`${url}/_sandbox/stream?view=light`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  const id = await client.pay();
  await client.transition(id, "COMPLETED");
  while (!text.includes("COMPLETED")) text += (await reader.read()).value!;
  await reader.cancel();
  const [hello, ...news] = text.trim().split("\n\n");
  expect(hello).toMatch(/^event: hello/);
  const messages = news.map((one) => JSON.parse(one.replace(/^event: news\ndata: /, "")));
  expect(messages.at(-1).items).toContainEqual({ kind: "charge", id, status: "COMPLETED" });
  const changes = messages.reduce((sum, { counts }) => sum + (counts.charge ?? 0), 0);
  expect(changes).toBeGreaterThanOrEqual(2);
  expect(messages.at(-1).items.filter((one: { id: string }) => one.id === id)).toHaveLength(1);
});

it("the change stream names an event when it is created and removed", async () => {
  const sandbox = await openSandbox({ scenario: "instant", retention: { events: 1 } });
  const { url } = await sandbox.listen();
  const client = Client.at(url);
  const response = await fetch(`${url}/_sandbox/stream?view=light`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  const ids = [await client.pay(), await client.pay(), await client.pay()];
  for (const id of ids) await client.transition(id, "COMPLETED");
  const messages = () =>
    text
      .trim()
      .split("\n\n")
      .slice(1)
      .map((one) => JSON.parse(one.replace(/^event: news\ndata: /, "")));
  const counted = () => messages().reduce((sum, { counts }) => sum + (counts.event ?? 0), 0);
  // The log keeps three events.
  while (counted() < 5) text += (await reader.read()).value!;
  await reader.cancel();
  const named = messages().flatMap(({ items }) =>
    items.filter(({ kind }: { kind: string }) => kind === "event"),
  );
  const statuses = new Map(named.map(({ id, status }) => [id, status]));
  expect([...statuses.values()]).toEqual(["gone", "gone", null]);
  const { items } = (await client.ask("GET /_sandbox/events")).json;
  expect(items.map(({ event_id }: { event_id: string }) => event_id)).toEqual([[...statuses.keys()].at(-1)]);
});
