import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import type * as z from "zod/mini";
import type { webhookSchema } from "../../src/core/schema/responses/webhook-responses.js";
import {
  type Answer,
  type Api,
  expectError,
  expectInvalid,
  okBody,
  openApi,
  START,
} from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";

const WEBHOOKS = "/api/v1/webhooks";
const HOOK = "https://shop.test/hooks";

type Registered = z.infer<typeof webhookSchema>;

const tryRegister = (api: Api, body: unknown): Promise<Answer<Registered>> => api.post(WEBHOOKS, body);
const register = async (api: Api, body: unknown = { url: HOOK }) => okBody(await tryRegister(api, body));
const patch = (api: Api, id: string, body: unknown): Promise<Answer<Registered>> =>
  api.send("PATCH", `${WEBHOOKS}/${id}`, JSON.stringify(body), { "content-type": "application/json" });
const remove = (api: Api, id: string) => api.send("DELETE", `${WEBHOOKS}/${id}`);
const rotate = (api: Api, id: string): Promise<Answer<Registered>> =>
  api.send("POST", `${WEBHOOKS}/${id}/rotate-secret`);
const _stateOf = (api: Api) => JSON.stringify(api.sandbox.snapshot());

async function list(api: Api, query = ""): Promise<[number, ...Registered[]]> {
  const { total, items } = okBody(await api.get<{ total: number; items: Registered[] }>(WEBHOOKS + query));
  return [total, ...items];
}

/** Completes a payment and delivers its events. */
async function payment(api: Api): Promise<void> {
  await api.pay();
  await api.advance({ by: "10s" });
}

it("POST webhook-endpoints subscribes to every event by default [R25.11]", async ({ api }) => {
  const answer = await tryRegister(api, { url: HOOK, colour: "red" });
  expect(okBody(answer)).toEqual({
    webhook_id: expect.any(String),
    url: HOOK,
    events: ["*"],
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    enabled: true,
    created_at: START,
  });
  expect((await api.get(`${WEBHOOKS}/${answer.body.webhook_id}`)).text).toBe(answer.text);
});

it("an endpoint receives only events of its own mode and organization [R1.14]", async ({ api }) => {
  const live = api.as("sk_live_sandbox");
  const receivers = [await Receiver.open(), await Receiver.open(), await Receiver.open()];
  const [mine, liveMine, others] = receivers as [Receiver, Receiver, Receiver];
  await register(api, { url: mine.url });
  await register(live, { url: liveMine.url });
  await register(api.as("sk_test_other"), { url: others.url });
  await payment(api);
  expect(receivers.map((one) => one.received.length)).toEqual([3, 0, 0]);
  await payment(live);
  expect(receivers.map((one) => one.received.length)).toEqual([3, 3, 0]);
  expect(liveMine.received.every((one) => one.event.mode === "live")).toBe(true);
});

it("an endpoint receives only events after its registration", async ({ api }) => {
  const receiver = await Receiver.open();
  await api.pay();
  await api.advance({ by: "1s" });
  await register(api, { url: receiver.url });
  await api.advance({ by: "10s" });
  expect(receiver.types).toEqual(["charge.processing", "charge.completed"]);
});

it("registering the same URL again updates the endpoint", async ({ api }) => {
  const first = await register(api, { url: HOOK, events: ["charge.failed"] });
  okBody(await patch(api, first.webhook_id, { enabled: false }));
  await api.advance({ by: "1m" });
  expect(await register(api, { url: HOOK, events: ["charge.*"] })).toEqual({
    ...first,
    events: ["charge.*"],
  });
  expect(await register(api, { url: "HTTPS://Shop.test:443/hooks" })).toEqual({ ...first, events: ["*"] });
  expect(await list(api)).toHaveLength(2);
});

it("registering the URL in another mode creates a separate endpoint", async ({ api }) => {
  const found = new Set<string>();
  for (const key of ["sk_test_sandbox", "sk_live_sandbox", "sk_test_other"]) {
    const { webhook_id, secret } = await register(api.as(key));
    found.add(webhook_id).add(secret);
  }
  expect(found.size).toBe(6);
});

it("registering a URL of the start options updates that endpoint", async () => {
  const receiver = await Receiver.open();
  const api = await openApi({ webhooks: [receiver.url] });
  const [, started] = await list(api);
  const again = await register(api, { url: receiver.url, events: ["charge.completed"] });
  expect([again.webhook_id, again.secret]).toEqual([started!.webhook_id, api.sandbox.webhookSecret]);
  await payment(api);
  expect(receiver.types).toEqual(["charge.completed"]);
});

it.for(["http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/computeMetadata/v1/"])(
  "POST webhook-endpoints refuses a cloud's metadata address: %s",
  async (url, { api }) => {
    expectInvalid(await tryRegister(api, { url }), "url");
    const { webhook_id } = await register(api);
    expectInvalid(await patch(api, webhook_id, { url }), "url");
  },
);

it.each([
  "http://localhost:3000/",
  "http://10.0.0.5/hooks",
  "http://192.168.1.7:8080/",
  "http://app.internal/",
])("POST webhook-endpoints accepts a private address: %s", async (url) => {
  expect((await tryRegister(await openApi(), { url })).status).toBe(200);
});

it("GET webhook-endpoints lists the newest endpoints first, in pages", async ({ api }) => {
  const made: Registered[] = [];
  for (const path of ["a", "b", "c"]) made.unshift(await register(api, { url: `${HOOK}/${path}` }));
  expect(await list(api)).toEqual([3, ...made]);
  expect(await list(api, "?limit=1&offset=1")).toEqual([3, made[1]]);
  expect(await list(api.as("sk_live_sandbox"))).toEqual([0]);
  expect(await list(api.as("sk_test_other"))).toEqual([0]);
  expectInvalid(await api.get(`${WEBHOOKS}?limit=0&offset=-1`), "limit", "offset");
});

it("GET webhook-endpoints includes the endpoints of the start options", async () => {
  const api = await openApi({ webhooks: [HOOK, { url: `${HOOK}/live`, mode: "live" }] });
  for (const key of ["sk_test_sandbox", "sk_test_other"])
    expect((await list(api.as(key))).slice(1)).toMatchObject([{ url: HOOK }]);
  expect((await list(api.as("sk_live_sandbox"))).slice(1)).toMatchObject([{ url: `${HOOK}/live` }]);
});

it("PATCH webhook-endpoints changes only the given fields", async ({ api }) => {
  const made = await register(api, { url: HOOK, events: ["charge.*"] });
  const steps: [object, Partial<Registered>][] = [
    [{ events: ["withdrawal.*"] }, { events: ["withdrawal.*"] }],
    [{ url: `${HOOK}/new` }, { url: `${HOOK}/new` }],
    [{ enabled: false }, { enabled: false }],
    [{}, {}],
  ];
  let expected = made;
  for (const [body, change] of steps) {
    expected = { ...expected, ...change };
    expect(okBody(await patch(api, made.webhook_id, body))).toEqual(expected);
  }
  expect(okBody(await api.get(`${WEBHOOKS}/${made.webhook_id}`))).toEqual(expected);
});

it("PATCH webhook-endpoints refuses a URL that is already registered", async () => {
  const api = await openApi({ webhooks: [`${HOOK}/started`] });
  const [one, two] = [await register(api), await register(api, { url: `${HOOK}/two` })];
  await register(api.as("sk_test_other"), { url: `${HOOK}/theirs` });
  for (const url of [HOOK, "HTTPS://Shop.test:443/hooks", `${HOOK}/started`])
    expectInvalid(await patch(api, two.webhook_id, { url }), "url");
  expect(okBody(await api.get(`${WEBHOOKS}/${two.webhook_id}`))).toEqual(two);
  expect(okBody(await patch(api, one.webhook_id, { url: HOOK }))).toEqual(one);
  // Another organization may use the same URL.
  expect((await patch(api, two.webhook_id, { url: `${HOOK}/theirs` })).status).toBe(200);
});

it("PATCH webhook-endpoints with enabled: false stops deliveries", async ({ api }) => {
  const receiver = await Receiver.open();
  const { webhook_id } = await register(api, { url: receiver.url });
  await api.pay();
  await api.advance({ by: "1s" });
  okBody(await patch(api, webhook_id, { enabled: false }));
  await api.advance({ by: "10s" });
  expect(receiver.types).toEqual(["charge.awaiting_payment"]);
  okBody(await patch(api, webhook_id, { enabled: true }));
  await payment(api);
  expect(receiver.received).toHaveLength(4);
});

it("DELETE webhook-endpoints returns the id and removes the endpoint", async ({ api }) => {
  const { webhook_id } = await register(api);
  expect(okBody(await remove(api, webhook_id))).toEqual({ webhook_id, deleted: true });
  expect(await list(api)).toEqual([0]);
  expectError(await remove(api, webhook_id), 404, "NOT_FOUND", []);
});

it("DELETE webhook-endpoints drops pending deliveries", async ({ api }) => {
  const receiver = await Receiver.open();
  receiver.handler = refuseWith(500);
  const { webhook_id } = await register(api, { url: receiver.url });
  await api.pay();
  await api.advance({ by: "1s" });
  okBody(await remove(api, webhook_id));
  await api.advance({ until: "idle" });
  expect(receiver.received).toHaveLength(1);
});

it("both secrets sign for 24 hours after a rotation", async ({ api }) => {
  const receiver = await Receiver.open();
  const old = await register(api, { url: receiver.url, events: ["charge.completed"] });
  const rotated = okBody(await rotate(api, old.webhook_id));
  expect(rotated).toEqual({ ...old, secret: expect.stringMatching(/^whsec_/) });
  expect(rotated.secret).not.toBe(old.secret);
  expect(okBody(await api.get(`${WEBHOOKS}/${old.webhook_id}`))).toEqual(rotated);

  await payment(api);
  const within = receiver.received[0]!;
  expect(String(within.headers["webhook-signature"]).split(" ")).toHaveLength(2);
  for (const secret of [old.secret, rotated.secret]) within.verify(secret);

  await api.advance({ to: later24h(-1) });
  await complete(api);
  expect(() => receiver.received[1]!.verify(old.secret)).not.toThrow();
  await api.advance({ to: later24h(0) });
  await complete(api);
  const after = receiver.received[2]!;
  expect(String(after.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  after.verify(rotated.secret);
  expect(() => after.verify(old.secret)).toThrow();
});

it("two rotations keep only the last two secrets", async ({ api }) => {
  const receiver = await Receiver.open();
  const first = await register(api, { url: receiver.url });
  const second = okBody(await rotate(api, first.webhook_id));
  const third = okBody(await rotate(api, first.webhook_id));
  await payment(api);
  const [event] = receiver.received;
  for (const { secret } of [second, third]) event!.verify(secret);
  expect(() => event!.verify(first.secret)).toThrow();
});

it("POST rotate-secret ignores a body", async ({ api }) => {
  const { webhook_id } = await register(api);
  const answer = await api.post<Registered>(`${WEBHOOKS}/${webhook_id}/rotate-secret`, "{broken");
  expect(okBody(answer).secret).not.toBe("");
  expect(() => new Webhook(answer.body.secret)).not.toThrow();
});

async function complete(api: Api): Promise<void> {
  const { charge_id } = await api.pay();
  okBody(await api.transition(charge_id, { to: "COMPLETED" }));
  await api.sandbox.settled();
}

function later24h(ms: number): string {
  return new Date(Date.parse(START) + 24 * 60 * 60 * 1000 + ms).toISOString();
}
