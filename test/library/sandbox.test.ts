import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import {
  createSandbox,
  Sandbox,
  SandboxError,
  type SandboxOptions,
  UserError,
} from "../../src/library/index.js";
import { START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { temporaryFolder } from "../support/folders.js";
import { isServing } from "../support/process-command.js";
import { Client, openShop } from "../support/receiver-client.js";
import { Receiver } from "../support/receiver-server.js";

it("createSandbox() returns the documented keys and secret", async ({ shop: { sandbox } }) => {
  expect(sandbox.apiKey).toBe("sk_test_sandbox");
  expect(sandbox.liveApiKey).toBe("sk_live_sandbox");
  expect(sandbox.webhookSecret).toBe("whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=");
  expect(sandbox.seed).toBe("payments-sandbox");
});

it("createSandbox() uses wall time by default", async () => {
  const before = Date.now();
  const { client } = await openShop({ clock: undefined, startTime: undefined } as SandboxOptions);
  const { mode, now } = (await client.clock()).json;
  expect(mode).toBe("real");
  expect(Date.parse(now)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(now)).toBeLessThanOrEqual(Date.now());
});

it("createSandbox() accepts webhooks as strings and objects", async () => {
  const [one, two] = [await Receiver.open(), await Receiver.open()];
  const secret = (byte: number) => `whsec_${Buffer.alloc(24, byte).toString("base64")}`;
  const { sandbox, client } = await openShop({
    webhooks: [one.url.replace("http://", ""), { url: two.url, events: ["*.completed"], secret: secret(2) }],
    webhookSecret: secret(1),
  });
  expect(sandbox.webhookSecret).toBe(secret(1));
  await client.pay();
  await sandbox.advance("10s");
  expect(one.received).toHaveLength(3);
  one.received[0]!.verify(secret(1));
  expect(two.types).toEqual(["charge.completed"]);
  two.received[0]!.verify(secret(2));
});

it("createSandbox() has no rate limit by default", async () => {
  const [free, limited] = [await openShop(), await openShop({ rateLimit: 2 })];
  for (let count = 0; count < 150; count++)
    expect((await free.client.ask("GET /api/v1/payments/payins")).status).toBe(200);
  const statuses = [];
  for (let count = 0; count < 3; count++)
    statuses.push((await limited.client.ask("GET /api/v1/payments/payins")).status);
  expect(statuses).toEqual([200, 200, 429]);
});

it("createSandbox() does not replace the global Request and Response", async () => {
  const before = [globalThis.Request, globalThis.Response];
  const { sandbox } = await openShop();
  const { url } = await sandbox.listen();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect([globalThis.Request, globalThis.Response]).toEqual(before);
});

it("fetch() responds without a port, at any URL", async ({ shop: { sandbox } }) => {
  for (const origin of ["http://sandbox", "https://pay.example:8443"]) {
    const response = await sandbox.fetch(new Request(`${origin}/api/v1/payments/supported-currencies`));
    expect(response.status).toBe(200);
    expect(response.headers.get("sandbox-now")).toBe(START);
    expect((await response.json()).crypto).toEqual(["BTC", "ETH", "USDT_ERC20", "USDT_TRC20"]);
  }
});

it("listen() opens a free port and returns its URL", async ({ shop: { sandbox } }) => {
  expect(() => sandbox.url).toThrow("does not listen yet");
  expect(sandbox.port).toBeUndefined();
  const { url, port } = await sandbox.listen();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect([sandbox.url, sandbox.port]).toEqual([url, port]);
  const charge = await Client.at(url).pay();
  // The HTTP server and the process share one sandbox.
  expect((await Client.of(sandbox).charge(charge)).text).toBe((await Client.at(url).charge(charge)).text);
  await expect(sandbox.listen()).rejects.toThrow("already listening");
});

it("listen() opens the given port and host", async () => {
  const first = await openShop();
  const { port, url } = await first.sandbox.listen({ port: 0, host: "localhost" });
  expect(url).toBe(`http://localhost:${port}`);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  await first.sandbox.close();
  const second = await openShop({ port, host: "localhost" });
  expect((await second.sandbox.listen()).url).toBe(url);
});

it("listen() at localhost opens the port on 127.0.0.1 and on ::1", async () => {
  const { sandbox } = await openShop();
  const { port } = await sandbox.listen({ host: "localhost" });
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all!.map(({ address }) => address));
  expect(addresses).toContain("127.0.0.1");
  for (const address of ["127.0.0.1", "::1"].filter((one) => addresses.includes(one))) {
    const host = address === "::1" ? "[::1]" : address;
    expect((await fetch(`http://${host}:${port}/health`)).status).toBe(200);
  }
  await sandbox.close();
  for (const host of ["127.0.0.1", "[::1]"])
    await expect(fetch(`http://${host}:${port}/health`)).rejects.toThrow("fetch failed");
});

it("listen() throws a UserError when the port is in use", async () => {
  const [one, two] = [await openShop(), await openShop()];
  const { port } = await one.sandbox.listen();
  await expect(two.sandbox.listen({ port })).rejects.toThrow(UserError);
  await expect(two.sandbox.listen({ port })).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`);
  expect((await two.sandbox.listen()).port).not.toBe(port);
});

it("advance() moves time by a duration, to a time, to the next task, or until idle", async ({
  shop: { sandbox, client },
}) => {
  const charge = await client.pay();
  const fired = (seconds: number) => ({ at: new Date(Date.parse(START) + seconds * 1000).toISOString() });
  expect(await sandbox.advance("1s")).toMatchObject({
    from: START,
    to: "2026-01-31T09:00:01.000Z",
    fired: [{ ...fired(1), task: "timeline", ref: charge }],
    fired_total: 1,
    counts: { "charge.awaiting_payment": 1 },
    first: [{ ...fired(1), kind: "charge.awaiting_payment", id: charge }],
    failures: [],
  });
  expect((await sandbox.advance("next")).to).toBe("2026-01-31T09:00:03.000Z");
  expect((await sandbox.advance("idle")).to).toBe("2026-01-31T09:00:05.000Z");
  expect((await sandbox.advance(new Date("2026-01-31T10:00:00Z"))).to).toBe("2026-01-31T10:00:00.000Z");
  expect((await sandbox.advance("2026-01-31T12:30:00+02:00")).to).toBe("2026-01-31T10:30:00.000Z");
  expect((await sandbox.advance("1h30m")).to).toBe("2026-01-31T12:00:00.000Z");
  expect(await sandbox.advance("0s")).toMatchObject({ fired: [], fired_total: 0 });
});

it.each(["", "-1s", "2026-01-31T08:59:59.999Z"])("advance() refuses %j", async (target) => {
  await expect((await openShop()).sandbox.advance(target)).rejects.toThrow(SandboxError);
});

it("advance() throws CLOCK_BUSY during another advance", async () => {
  const receiver = await Receiver.open(() => {});
  const { sandbox, client } = await openShop({ webhooks: [receiver.url] });
  await client.pay();
  const advancing = sandbox.advance("1s");
  await receiver.arrived(1);
  const busy = await sandbox.advance("1s").catch((error: unknown) => error);
  expect(busy).toBeInstanceOf(SandboxError);
  expect((busy as SandboxError).code).toBe("CLOCK_BUSY");
  receiver.received[0]!.answer();
  await advancing;
});

it("transition() changes a charge and cancels its timeline", async ({ shop: { sandbox, client } }) => {
  const charge = await client.pay();
  const moved = await sandbox.transition(charge, "FAILED", "card_stolen");
  expect(moved).toMatchObject({ charge_id: charge, status: "FAILED", failure_reason: "card_stolen" });
  expect(moved).toEqual((await client.charge(charge)).json);
  await sandbox.advance("1d");
  expect((await client.charge(charge)).json.status).toBe("FAILED");
});

it("transition() throws a SandboxError for an illegal transition", async ({ shop: { sandbox, client } }) => {
  const charge = await client.pay();
  await sandbox.transition(charge, "CANCELLED");
  await expect(sandbox.transition(charge, "COMPLETED")).rejects.toThrow(
    expect.objectContaining({ name: "SandboxError", code: "INVALID_TRANSITION" }),
  );
  await expect(sandbox.transition("ch_nobody", "COMPLETED")).rejects.toThrow(
    expect.objectContaining({ code: "NOT_FOUND", message: "Charge not found (NOT_FOUND): ch_nobody" }),
  );
});

it("an asynchronous method does its work before it returns its promise", async ({
  shop: { sandbox, client },
}) => {
  const charge = await client.pay();
  const moved = sandbox.transition(charge, "COMPLETED");
  const status = sandbox.snapshot().collections.charges[0]?.[1].status;
  expect([moved instanceof Promise, status]).toEqual([true, "COMPLETED"]);
  const reset = sandbox.reset();
  expect(sandbox.snapshot().collections.charges).toEqual([]);
  for (const promise of [reset, sandbox.onWebhook(() => 200), sandbox.settled()]) {
    expect(promise).toBeInstanceOf(Promise);
    await promise;
  }
});

it("reset() deletes all data and resets a manual clock", async ({ shop: { sandbox, client } }) => {
  const charge = await client.pay();
  await sandbox.advance("1h");
  await sandbox.reset();
  expect((await client.charge(charge)).status).toBe(404);
  expect((await client.clock()).json.now).toBe(START);
  expect(await client.pay()).not.toBe(charge);
  await sandbox.reset({ ids: "repeat" });
  expect(await client.pay()).toBe(charge);
});

it("snapshot() returns the whole state as plain JSON", async ({ shop: { sandbox, client } }) => {
  const charge = await client.pay();
  const snapshot = sandbox.snapshot();
  const text = JSON.stringify(snapshot);
  expect(JSON.parse(text)).toEqual(snapshot);
  expect(snapshot.collections.charges.map(([id]) => id)).toEqual([charge]);
  await sandbox.advance("1d");
  expect(JSON.stringify(snapshot)).toBe(text);
  expect(JSON.stringify(sandbox.snapshot())).not.toBe(text);
});

it("restore() restores a snapshot in the same or another sandbox", async ({ shop: { sandbox, client } }) => {
  const charge = await client.pay();
  await sandbox.advance("1s");
  const snapshot = sandbox.snapshot();
  // Wall time continues, and the state counts restores.
  const held = ({
    at,
    counters,
    collections: { clock: _clock, namespace: _namespace, ...rest },
  }: typeof snapshot) => structuredClone({ at, counters, rest });
  const taken = held(snapshot);
  await sandbox.advance("1d");
  await client.pay();
  await sandbox.restore(snapshot);
  expect(held(sandbox.snapshot())).toEqual(taken);
  const other = await openShop();
  await other.sandbox.restore(snapshot);
  // Later changes to the caller's object have no effect.
  (snapshot.collections.charges as unknown[]).length = 0;
  for (const one of [{ sandbox, client }, other]) {
    expect((await one.client.charge(charge)).json.status).toBe("AWAITING_PAYMENT");
    expect((await one.client.clock()).json.now).toBe("2026-01-31T09:00:01.000Z");
    await one.sandbox.advance("idle");
    expect((await one.client.charge(charge)).json.status).toBe("COMPLETED");
  }
});

it("restore() refuses an invalid state and changes nothing", async () => {
  const receiver = await Receiver.open(() => {});
  const { sandbox, client } = await openShop({ webhooks: [receiver.url] });
  await client.pay();
  const before = sandbox.snapshot();
  for (const wrong of [undefined, null, "state", {}, { ...before, version: 9 }] as unknown[]) {
    const refusal = await Promise.resolve()
      .then(() => sandbox.restore(wrong as typeof before))
      .catch((error: unknown) => error);
    const answer = await client.ask("PUT /_sandbox/state", (wrong ?? null) as object);
    expect([refusal, answer.status]).toEqual([expect.any(SandboxError), 400]);
    if (wrong !== undefined && wrong !== null && typeof wrong === "object")
      expect((refusal as SandboxError).details).toEqual(answer.json.error.details);
    expect(sandbox.snapshot()).toEqual(before);
  }
  const advancing = sandbox.advance("1s");
  await receiver.arrived(1);
  await expect(sandbox.restore(before)).rejects.toMatchObject({ code: "CLOCK_BUSY" });
  receiver.received[0]!.answer();
  await advancing;
});

it("control() accepts method and path as one or two strings", async ({ shop: { sandbox } }) => {
  const fault = { match: { operation: "createQuote" }, respond: { status: 503 } };
  await sandbox.control("POST", "/_sandbox/faults", fault);
  await sandbox.control("post /_sandbox/faults", fault);
  const { total } = await sandbox.control<{ total: number }>("GET", "/_sandbox/faults");
  expect(total).toBe(2);
  expect(await sandbox.control("GET /_sandbox/clock")).toMatchObject({ mode: "manual", now: START });
});

const calls: Record<string, (sandbox: Sandbox) => unknown> = {
  fetch: (one) => one.fetch("/health"),
  listen: (one) => one.listen(),
  advance: (one) => one.advance("1s"),
  transition: (one) => one.transition("ch_1", "FAILED"),
  reset: (one) => one.reset(),
  snapshot: (one) => one.snapshot(),
  restore: (one) => one.restore({} as never),
  control: (one) => one.control("GET", "/_sandbox/clock"),
  reconcile: (one) => one.reconcile([]),
  settled: (one) => one.settled(),
  onWebhook: (one) => one.onWebhook(() => 204),
  run: (one) => one.run("getClock"),
  runFile: (one) => one.runFile("x.yaml"),
  explore: (one) => one.explore("x.yaml", { app: "http://localhost:1" }),
  checkWebhook: (one) => one.checkWebhook("localhost:1"),
};

it("every method is tested after close()", () => {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(Object.create(Sandbox.prototype)));
  const getters = Object.entries(Object.getOwnPropertyDescriptors(Sandbox.prototype)).filter(
    ([, { value }]) => typeof value !== "function",
  );
  const others = ["constructor", "close", ...getters.map(([name]) => name)];
  expect([...methods.filter((name) => !others.includes(name)), "fetch"].sort()).toEqual(
    Object.keys(calls).sort(),
  );
});

it.each(Object.entries(calls))("close() makes later calls fail with an error: %s", async (method, call) => {
  const { sandbox } = await openShop();
  const stop = await sandbox.onWebhook(() => 204);
  await sandbox.close();
  const refusal = await Promise.resolve(sandbox)
    .then(call)
    .catch((error: unknown) => error);
  expect(refusal).toEqual(new UserError(`${method}: the sandbox is closed`));
  stop();
});

it("close() rejects a pending listen()", async ({ shop: { sandbox } }) => {
  const listening = sandbox.listen();
  const [, outcome] = await Promise.allSettled([sandbox.close(), listening]);
  expect(outcome).toMatchObject({ status: "rejected", reason: { message: "listen: the sandbox is closed" } });
  expect(sandbox.port).toBeUndefined();
});

it("close() leaves no port or timer open, and can be called twice", async () => {
  const receiver = await Receiver.open(() => {});
  const { sandbox, client } = await openShop({ seed: "closed twice", webhooks: [receiver.url] });
  const { port } = await sandbox.listen();
  await client.pay({ scenario: "instant" });
  const held = await receiver.arrived(1);
  const cut = new Promise((resolve) => held.response.once("close", resolve));
  await sandbox.close();
  await sandbox.close();
  await cut;
  expect(await isServing(port, "closed twice")).toBe(false);
});

it("`await using` calls close() at the end of a block", async () => {
  let port: number;
  {
    await using sandbox = await createSandbox({ seed: "one block" });
    ({ port } = await sandbox.listen());
    expect(await isServing(port, "one block")).toBe(true);
  }
  expect(await isServing(port, "one block")).toBe(false);
});

it("close() releases a data file", async () => {
  const data = join(temporaryFolder(), "data.json");
  let charge: string;
  {
    await using sandbox = await createSandbox({ data, seed: "one", clock: "manual" });
    charge = await Client.of(sandbox).pay();
    await expect(createSandbox({ data })).rejects.toThrow("is in use");
  }
  for (let count = 0; count < 2; count++)
    await expect(createSandbox({ data, seed: "two" })).rejects.toThrow("--seed two contradicts the data");
  await expect(createSandbox({ data, startTime: START })).rejects.toThrow("--start-time contradicts");
  expect(existsSync(`${data}.lock`)).toBe(false);
  {
    await using sandbox = await createSandbox({ data });
    expect((await Client.of(sandbox).charge(charge)).status).toBe(200);
    expect(sandbox.seed).toBe("one");
  }
});
