import assert from "node:assert/strict";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, vi } from "vitest";
import { createSandbox, type WebhookHandler } from "../../src/library/index.js";
import { START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { temporaryFolder } from "../support/folders.js";
import { Client, openShop } from "../support/receiver-client.js";
import { Receiver } from "../support/receiver-server.js";

afterEach(() => void vi.useRealTimers());

/** A handler that records event types and responds with 204. */
function listener(): { readonly types: string[]; readonly handler: WebhookHandler } {
  const types: string[] = [];
  return { types, handler: async (request) => void types.push((await request.json()).type) };
}

interface Attempt {
  readonly at: string;
  readonly status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
}

async function attempts(client: Client): Promise<Attempt[]> {
  const { items } = (await client.ask("GET /_sandbox/deliveries?type=charge.completed")).json;
  expect(items).toHaveLength(1);
  return items[0].attempts;
}

const at = (seconds: number): string => new Date(Date.parse(START) + seconds * 1000).toISOString();

function fail(): never {
  throw new RangeError("no such order");
}

it("the handler gets a Request with the webhook's bytes and headers", async () => {
  const receiver = await Receiver.open();
  const { sandbox, client } = await openShop({ webhooks: [receiver.url] });
  const got: { request: Request; body: Buffer }[] = [];
  await sandbox.onWebhook(
    async (request) => void got.push({ request, body: Buffer.from(await request.arrayBuffer()) }),
  );
  await client.pay({ metadata: { note: "zoë 🦊" } });
  await sandbox.advance("10s");
  expect(got).toHaveLength(3);
  for (const [index, { request, body }] of got.entries()) {
    const other = receiver.received[index]!;
    expect(request).toBeInstanceOf(Request);
    expect([request.method, request.url]).toEqual(["POST", "http://localhost/webhooks"]);
    expect(body.toString()).toBe(other.body);
    for (const name of ["content-type", "content-length", "user-agent", "webhook-id"])
      expect(request.headers.get(name)).toBe(other.headers[name]);
    const headers = Object.fromEntries(request.headers) as Record<string, string>;
    expect(new Webhook(sandbox.webhookSecret).verify(body, headers)).toEqual(other.event);
  }
});

it("advance() waits for the handler", async ({ shop: { sandbox, client } }) => {
  const heard: string[] = [];
  let [under, most] = [0, 0];
  await sandbox.onWebhook(async (request) => {
    most = Math.max(most, ++under);
    const { type } = await request.json();
    await new Promise((resolve) => setImmediate(resolve));
    heard.push(`${type} ${(await client.clock()).json.now}`);
    under--;
  });
  await client.pay();
  await sandbox.advance("10s");
  expect(heard).toEqual([
    `charge.awaiting_payment ${at(1)}`,
    `charge.processing ${at(3)}`,
    `charge.completed ${at(5)}`,
  ]);
  expect(most).toBe(1);
});

it("the handler can call the sandbox during an advance", async ({ shop: { sandbox, client } }) => {
  const seen: unknown[] = [];
  let second: string | undefined;
  await sandbox.onWebhook(async (request) => {
    const { data } = await request.json();
    seen.push((await client.charge(data.charge_id)).json.status);
    second ??= await client.pay();
  });
  const first = await client.pay();
  await sandbox.advance("10s");
  expect(seen.filter((status) => status === "COMPLETED")).toHaveLength(2);
  for (const charge of [first, second!]) expect((await client.charge(charge)).json.status).toBe("COMPLETED");
});

it("the handler can refund the payment of its event with transition()", async ({
  shop: { sandbox, client },
}) => {
  const { types, handler } = listener();
  await sandbox.onWebhook(handler);
  const refund: WebhookHandler = async (request) =>
    void (await sandbox.transition((await request.json()).data.charge_id, "REFUNDED"));
  await sandbox.onWebhook(refund, { events: ["charge.completed"] });
  await client.pay();
  await sandbox.advance("10s");
  expect(types.slice(2)).toEqual(["charge.completed", "charge.refunded"]);
});

it.each<[string, () => unknown, Partial<Attempt>]>([
  ["nothing", () => undefined, { status: 204, response_body: "", error: null }],
  ["a status", () => 202, { status: 202, response_body: "", error: null }],
  ["a Response", () => new Response("thanks"), { status: 200, response_body: "thanks", error: null }],
  [
    "a Response of another library",
    () => ({ status: 201, headers: new Map(), text: async () => "made" }),
    { status: 201, response_body: "made", error: null },
  ],
  [
    "a Response whose text() is no promise",
    () => ({ status: 200, headers: new Map(), text: () => "ok" }),
    { status: 200, response_body: "ok", error: null },
  ],
  [
    "a Response without text",
    () => ({ status: 200, headers: new Map(), text: () => undefined }),
    { status: 200, response_body: null, error: null },
  ],
])("the handler may return %s", async (_what, answer, expected) => {
  const { sandbox, client } = await openShop({ scenario: "instant" });
  await sandbox.onWebhook(answer as WebhookHandler);
  await client.pay();
  await sandbox.settled();
  expect(await attempts(client)).toMatchObject([expected]);
});

it.each<[string, () => unknown, RegExp]>([
  ["an error", fail, /^the webhook handler threw RangeError: no such order$/],
  ["a rejection", () => Promise.reject("not today"), /^the webhook handler threw not today$/],
  ["an invalid response", () => "ok", /TypeError: instead of answering a Response.*: string$/],
  ["an invalid status", () => 42, /RangeError/],
  [
    "a Response with an invalid status",
    () => ({ status: 42, headers: new Headers(), text: () => Promise.reject(new RangeError()) }),
    /RangeError: status 42 is not a whole number from 200 to 599$/,
  ],
  [
    "a Response whose status is no integer",
    () => ({ status: 200.5, headers: new Headers(), text: async () => "" }),
    /RangeError: status 200.5 is not a whole number/,
  ],
  [
    "a Response with invalid headers",
    () => ({ status: 200, headers: { get: () => 5 }, text: async () => "" }),
    /^the webhook handler threw TypeError/,
  ],
])("%s fails the attempt, which is retried", async (_what, answer, text) => {
  const { sandbox, client } = await openShop({ scenario: "instant" });
  let calls = 0;
  await sandbox.onWebhook((() => (++calls === 1 ? answer() : 200)) as WebhookHandler);
  await client.pay();
  await sandbox.settled();
  const failed = { at: START, status: 500, response_body: expect.stringMatching(text) };
  expect(await attempts(client)).toMatchObject([failed]);
  await sandbox.advance("5s");
  expect(await attempts(client)).toMatchObject([failed, { at: at(5), status: 200 }]);
  expect(calls).toBe(2);
});

it("the handler's response is recorded up to the size limit", async () => {
  const { sandbox, client } = await openShop({ scenario: "instant" });
  const answers = [new Response("x".repeat(5_000), { status: 503, headers: { "retry-after": "90" } }), 200];
  await sandbox.onWebhook(() => answers.shift() as Response);
  await client.pay();
  await sandbox.advance("89s");
  const [first, ...others] = await attempts(client);
  expect(first!.response_body).toBe("x".repeat(4_096));
  expect(others).toEqual([]);
  await sandbox.advance("1s");
  expect(await attempts(client)).toHaveLength(2);
});

it("returning 410 disables the handler", async ({ shop: { sandbox, client } }) => {
  const handler = vi.fn(() => 410);
  await sandbox.onWebhook(handler);
  await client.pay();
  await sandbox.advance("1d");
  expect(handler).toHaveBeenCalledTimes(1);
});

it("the handler has the timeout of a receiver", async () => {
  const { sandbox, client } = await openShop({ scenario: "instant", webhookTimeout: "20ms" });
  let calls = 0;
  await sandbox.onWebhook(() => (++calls === 1 ? new Promise<number>(() => {}) : 200));
  await client.pay();
  await sandbox.settled();
  expect(await attempts(client)).toMatchObject([{ status: null, error: "no answer within 0.02 s" }]);
});

it("scenarios apply to deliveries to the handler", async ({ shop: { sandbox, client } }) => {
  const ids: (string | null)[] = [];
  const forged: boolean[] = [];
  await sandbox.onWebhook(async (request) => {
    const body = await request.text();
    ids.push(request.headers.get("webhook-id"));
    try {
      new Webhook(sandbox.webhookSecret).verify(body, Object.fromEntries(request.headers));
      forged.push(false);
    } catch {
      forged.push(true);
    }
  });
  await client.ask("PUT /_sandbox/scenarios/mischief", {
    webhooks: [
      { match: { type: "charge.completed" }, copies: 3 },
      { match: { type: "charge.processing" }, bad_signature: true },
    ],
  });
  await client.ask("POST /_sandbox/scenarios/mischief/activate");
  await client.pay();
  await sandbox.advance("10s");
  expect(forged).toEqual([false, true, false, false, false]);
  expect(new Set(ids.slice(2)).size).toBe(1);
});

it("the handler can filter by type and mode", async ({ shop: { sandbox, client } }) => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const live: Request[] = [];
  await sandbox.onWebhook((request) => void live.push(request), {
    events: ["*.completed"],
    mode: "live",
    secret,
    signature: "stripe",
    url: "shop.test/api/hooks?from=pay",
  });
  const test = listener();
  await sandbox.onWebhook(test.handler, { events: ["*.processing"] });
  await client.pay();
  await client.pay({ key: sandbox.liveApiKey });
  await sandbox.advance("10s");
  expect(test.types).toEqual(["charge.processing"]);
  expect(live.map((request) => request.url)).toEqual(["http://shop.test/api/hooks?from=pay"]);
  expect(live[0]!.headers.get("stripe-signature")).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
});

it.each([
  ["node:assert", () => assert.equal(1, 2)],
  ["Chai, as in Vitest", () => expect(1).toBe(2)],
  ["Jest", () => Promise.reject(Object.assign(new Error("1, not 2"), { matcherResult: { pass: false } }))],
])("a failed assertion in the handler fails the test's wait: %s", async (_whose, check) => {
  const { sandbox, client } = await openShop({ scenario: "instant" });
  await sandbox.onWebhook(check);
  const thrown = async (wait: Promise<unknown>) => expect(wait).rejects.toThrow(/2/);
  await client.pay();
  await thrown(sandbox.settled());
  expect(await attempts(client)).toMatchObject([{ status: 500 }]);
  await client.pay();
  await thrown(sandbox.advance("1s"));
  await client.pay();
  await client.ask("POST /_sandbox/wait", { for: "idle" });
  await thrown(sandbox.close());
});

it("the handler stops at the end of a `using` block", async ({ shop: { sandbox, client } }) => {
  const [called, block] = [listener(), listener()];
  const stop = await sandbox.onWebhook(called.handler);
  {
    using _subscription = await sandbox.onWebhook(block.handler);
    await client.pay();
    await sandbox.advance("1s");
  }
  await sandbox.advance("2s");
  stop();
  stop();
  await sandbox.advance("10s");
  expect(block.types).toEqual(["charge.awaiting_payment"]);
  expect(called.types).toEqual(["charge.awaiting_payment", "charge.processing"]);
  expect((await client.ask("GET /_sandbox/webhook-endpoints")).json.total).toBe(0);
});

it("the handler stays registered after a reset", async () => {
  const { sandbox, client } = await openShop({ scenario: "instant" });
  let letGo: (status: number) => void = () => {};
  const answers: (number | Promise<number>)[] = [new Promise<number>((resolve) => (letGo = resolve)), 200];
  const handler = vi.fn(() => answers.shift());
  await sandbox.onWebhook(handler);
  await client.pay();
  await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(1));
  await sandbox.reset();
  letGo(200);
  await sandbox.settled();
  expect((await client.ask("GET /_sandbox/deliveries")).json.total).toBe(0);
  await client.pay();
  await sandbox.settled();
  expect(handler).toHaveBeenCalledTimes(2);
  expect(await attempts(client)).toMatchObject([{ status: 200 }]);
  await sandbox.reset({ keep: [] });
  await client.pay();
  await sandbox.settled();
  expect(handler).toHaveBeenCalledTimes(2);
});

it("the handler gets no delivery from before a reset or after close()", async () => {
  const { sandbox, client } = await openShop({ scenario: "instant" });
  const { types, handler } = listener();
  const stop = await sandbox.onWebhook(handler);
  await client.pay();
  await sandbox.reset();
  await sandbox.settled();
  await client.pay();
  await sandbox.close();
  stop();
  expect(types).toEqual([]);
});

it("reopening the data drops deliveries to the handler", async () => {
  const options = { data: join(temporaryFolder(), "data.json"), clock: "manual" } as const;
  {
    await using sandbox = await createSandbox(options);
    await sandbox.onWebhook(() => 500);
    await Client.of(sandbox).pay({ scenario: "instant" });
    await sandbox.settled();
  }
  {
    await using sandbox = await createSandbox(options);
    await sandbox.advance("1m");
    const { items } = (await Client.of(sandbox).ask("GET /_sandbox/deliveries")).json;
    expect(items).toMatchObject([{ status: "dropped", url: "in-process://handler-1" }]);
  }
  {
    await using sandbox = await createSandbox(options);
    const { types, handler } = listener();
    await sandbox.onWebhook(handler);
    await Client.of(sandbox).pay({ scenario: "instant" });
    await sandbox.settled();
    expect(types).toEqual(["charge.completed"]);
  }
});

it("the handler is listed as an endpoint", async ({ shop: { sandbox, client } }) => {
  await sandbox.onWebhook(() => 200);
  const { items } = (await client.ask("GET /_sandbox/webhook-endpoints")).json;
  expect(items).toMatchObject([{ url: "in-process://handler-1", events: ["*"], enabled: true }]);
  expect((await client.ask("GET /api/v1/webhooks")).status).toBe(200);
  const wanted = { url: "in-process://handler-1" };
  for (const path of ["/_sandbox/webhook-endpoints", "/api/v1/webhooks"])
    expect((await client.post(path, wanted)).status).toBe(400);
});

it("the handler is called while a test uses fake timers", async ({ shop: { sandbox, client } }) => {
  const { types, handler } = listener();
  await sandbox.onWebhook(handler);
  vi.useFakeTimers();
  await client.pay();
  await sandbox.advance("10s");
  await sandbox.settled();
  expect(types).toHaveLength(3);
});

it("fetch() accepts the arguments of fetch or a path", async () => {
  const { fetch } = (await openShop()).sandbox;
  const path = "/api/v1/payments/supported-currencies";
  for (const input of [
    path,
    `https://api.payments.example${path}`,
    new URL(`http://[::1]:9${path}`),
    new Request(`http://10.0.0.1${path}`),
  ])
    expect((await fetch(input)).status).toBe(200);
  const init = { method: "POST", body: "{", headers: { authorization: "Bearer sk_test_sandbox" } };
  expect((await fetch(new Request("http://sandbox/api/v1/payments/quotes"), init)).status).toBe(400);
});
