import { expect } from "vitest";
import { parseEventType, SERVICE_EVENT_TYPES } from "../../src/core/schema/event-types.js";
import { type Api, expectError, expectInvalid, okBody, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { eventFaults } from "../support/openapi-answers.js";
import { Receiver } from "../support/receiver-server.js";

interface TriggeredEvent {
  type: string;
  data: Record<string, unknown>;
  payload: { type: string };
  deliveries: number;
}

it("lists events newest first, filtered by type, charge and mode", async ({ shop: { sandbox, client } }) => {
  const mine = await client.pay();
  await sandbox.advance("10s");
  const live = await client.pay({ key: "sk_live_sandbox" });
  await sandbox.advance("10s");
  const list = async (query: string) => (await client.ask(`GET /_sandbox/events?${query}`)).json;
  expect((await list("")).total).toBe(6);
  expect(
    (await list("type=charge.completed")).items.map((one: { charge_id: string }) => one.charge_id),
  ).toEqual([live, mine]);
  expect((await list(`charge_id=${mine}&type=*.completed`)).items).toMatchObject([
    { type: "charge.completed", mode: "test", data: { charge_id: mine, status: "COMPLETED" } },
  ]);
  expect((await list("mode=live")).total).toBe(3);
  expect((await list("limit=1&offset=5")).items).toMatchObject([
    { type: "charge.awaiting_payment", charge_id: mine },
  ]);
});

it("cannot create events of an unknown type or charge", async ({ api }) => {
  const far = await api.post("/_sandbox/events", { type: "nonsense.type" });
  expectInvalid(far, "type");
  for (const type of SERVICE_EVENT_TYPES) expect(far.details.type).toContain(type);
  expect((await api.get<{ total: number }>("/_sandbox/events")).body.total).toBe(0);
  expectError(
    await api.post("/_sandbox/events", { type: "charge.completed", charge_id: "ch_x" }),
    404,
    "NOT_FOUND",
  );
});

const made = (api: Api, body: object) => api.post<TriggeredEvent>("/_sandbox/events", body).then(okBody);
const objectTypes = SERVICE_EVENT_TYPES.filter((type) => parseEventType(type) !== undefined);

it.for(objectTypes)(
  "POST /_sandbox/events without a charge sends a sample with the status of %s",
  async (type, { api }) => {
    const before = api.sandbox.snapshot().collections;
    const { data, payload } = await made(api, { type });
    const { object, status } = parseEventType(type)!;
    expect(data.status).toBe(status);
    expect(eventFaults(type, payload)).toEqual([]);
    if (object === "charge") {
      const history = data.status_history as { status: string; at: string }[];
      expect(history.at(-1)).toMatchObject({ status, at: START });
      expect(data).toMatchObject({ payment_method: "bank_transfer", fees: { total_fee: "581.25" } });
      expect(Date.parse(String(data.expires_at)) > Date.parse(START)).toBe(status !== "EXPIRED");
    }
    const { events, ...after } = api.sandbox.snapshot().collections;
    expect(events).toHaveLength(1);
    expect({ ...after, events: [] }).toEqual(before);
  },
);

it("POST /_sandbox/events without a charge uses new ids each time", async () => {
  const course = async (...types: string[]) => {
    const api = await openApi({ seed: "samples" });
    const events = [];
    for (const type of types) events.push((await made(api, { type })).data);
    return { events, id: (await api.pay()).charge_id };
  };
  const type = "charge.refunded";
  const [one, same, none] = [await course(type, type), await course(type, type), await course()];
  expect(one).toEqual(same);
  expect(one.events[0]!.charge_id).not.toBe(one.events[1]!.charge_id);
  expect(one.id).toBe(none.id);
  expect(one.events.map(({ charge_id }) => charge_id)).not.toContain(one.id);
});

it("POST /_sandbox/events without a charge merges the given data", async ({ api }) => {
  const given = {
    amount: "1.00",
    metadata: { order_id: "7", more: "x" },
    fees: { total_fee: "0.50" },
    extra: [1],
  };
  const { data } = await made(api, { type: "charge.completed", data: given });
  const { fees, ...flat } = given;
  expect(data).toMatchObject({ ...flat, status: "COMPLETED" });
  expect(data.fees).toMatchObject({ ...fees, fee_breakdown: {} });
});

it("POST /_sandbox/events without a charge applies the rules of scenarios", async () => {
  await using receiver = await Receiver.open();
  const api = await openApi({ webhooks: [receiver.url] });
  const rule = { match: { customer_email: "ada@*", type: "charge.completed" }, copies: 2 };
  okBody(await api.put("/_sandbox/scenarios/twice", { webhooks: [rule] }));
  okBody(await api.post("/_sandbox/scenarios/twice/activate", {}));
  expect(await made(api, { type: "charge.completed" })).toMatchObject({ deliveries: 2 });
  expect(await made(api, { type: "withdrawal.failed" })).toMatchObject({ deliveries: 1 });
  (await receiver.arrived(3)).verify();
  const live = await made(api, { type: "charge.completed", mode: "live" });
  expect(live).toMatchObject({ mode: "live", payload: { mode: "live" }, deliveries: 0 });
});

it("POST /_sandbox/events without a charge accepts configured and default names", async () => {
  const api = await openApi({ eventNames: { "charge.completed": "PaymentSuccessful" } });
  for (const type of ["charge.completed", "PaymentSuccessful"])
    expect(await made(api, { type })).toMatchObject({
      type: "charge.completed",
      data: { status: "COMPLETED" },
      payload: { type: "PaymentSuccessful" },
    });
  const slip = await api.post("/_sandbox/events", { type: "PaymentSucessful" });
  expect(slip.details.type).toContain("did you mean PaymentSuccessful?");
});

it("POST /_sandbox/events without a charge accepts any type with force", async ({ api }) => {
  expect(await made(api, { type: "dispute.opened", force: true })).toMatchObject({
    type: "dispute.opened",
    data: {},
  });
  const data = { only: "this" };
  expect((await made(api, { type: "charge.completed", data, force: true })).data).toEqual(data);
  const charge_id = (await api.pay()).charge_id;
  const about = await made(api, { type: "charge.disputed", charge_id, data, force: true });
  expect(about).toMatchObject({ charge_id, data: { charge_id, only: "this" } });
});
