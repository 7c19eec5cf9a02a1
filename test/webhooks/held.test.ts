import { createServer, type Server } from "node:http";
import { expect, it } from "vitest";
import { START } from "../support/api-client.js";
import { freeUrl, REFUSING_URL, Receiver, refuseWith } from "../support/receiver-server.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";
import { closed, listening } from "../support/servers.js";
import { deliveries, eventually, SECOND, shopFor, since, THREE } from "./support/shop.js";

interface LateApp {
  readonly server: Server;
  readonly got: { readonly type: string; readonly charge: string; readonly headers: object }[];
}

/** Starts an app, or returns undefined if the port is taken. */
async function listenAt(port: number, host: string, status = 200): Promise<LateApp> {
  const got: { type: string; charge: string; headers: object }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const event = JSON.parse(Buffer.concat(chunks).toString());
      got.push({ type: event.type, charge: event.data.charge_id, headers: request.headers });
      response.writeHead(status).end();
    });
  });
  await listening(server, port, host);
  return { got, server };
}

async function hasIpv6(): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(0, "::1", () => server.close(() => resolve(true)));
  });
}

/** Starts a sandbox before its webhook receiver. */
async function worldBefore(url: string, { unreachable = "hold" }: { unreachable?: "hold" | "fail" } = {}) {
  const wall = new FakeWall(Date.parse(START));
  const notices: string[] = [];
  const { world, sandbox, client } = await worldOn(wall, {
    clockText: "real",
    webhooks: [{ url, unreachable }],
    onNotice: (notice: string) => notices.push(notice),
  });
  /** Advances wall time second by second. */
  const elapse = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      wall.elapse(SECOND);
      await world.whenIdle();
    }
  };
  /** Completes a charge and returns its id. */
  const complete = async (): Promise<string> => {
    const charge = await client.pay();
    await client.transition(charge, "COMPLETED");
    await world.whenIdle();
    return charge;
  };
  return { sandbox, client, notices, elapse, complete, settled: () => world.whenIdle() };
}

const waitingFor = (target: string, held: number) =>
  `waiting for ${target}, ${held} held: nothing listens there`;
const portOf = (url: string) => Number(new URL(url).port);

it("an app that starts late receives all events in order", async () => {
  const url = await freeUrl();
  const { client, notices, elapse, settled } = await worldBefore(url);
  const charges = [await client.pay(), await client.pay()];
  for (const status of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"])
    for (const charge of charges) await client.transition(charge, status);
  await settled();
  await elapse(30);
  const host = new URL(url).host;
  expect(notices).toEqual([waitingFor(host, 6)]);
  const waiting = await deliveries(client);
  expect(waiting.map((one) => [one.status, one.attempts.length])).toEqual(Array(6).fill(["pending", 0]));

  const app = await listenAt(portOf(url), "127.0.0.1");
  await elapse(2);
  await eventually(() => app.got.length >= 6);
  await settled();
  for (const charge of charges)
    expect(app.got.filter((one) => one.charge === charge).map((one) => one.type)).toEqual(THREE);
  expect(app.got).toHaveLength(6);
  expect(app.got.slice(0, 2).map((one) => one.charge)).toEqual(charges);
  expect(notices).toEqual([waitingFor(host, 6), `${host} is up; sending 6 held webhooks`]);
  expect((await deliveries(client)).map((one) => [one.status, one.attempts.length])).toEqual(
    Array(6).fill(["delivered", 1]),
  );
});

it("an app that returns an error is not logged as ready", async () => {
  const url = await freeUrl();
  const { client, elapse, settled, complete } = await worldBefore(url);
  await complete();
  const app = await listenAt(portOf(url), "127.0.0.1", 500);
  await elapse(1);
  await eventually(() => app.got.length === 1);
  await settled();
  const [one] = await deliveries(client);
  expect(one.attempts.map((attempt: { status: number }) => attempt.status)).toEqual([500]);
  expect(one).toMatchObject({ status: "pending", next_attempt_at: expect.any(String) });
});

it("an app can stop and restart without losing deliveries", async () => {
  const url = await freeUrl();
  const { client, notices, elapse, settled, complete } = await worldBefore(url);
  for (const round of [1, 2]) {
    const charge = await complete();
    await elapse(3);
    expect(notices).toHaveLength(2 * round - 1);
    const app = await listenAt(portOf(url), "127.0.0.1");
    await elapse(2);
    await eventually(() => app.got.length === 1);
    await settled();
    expect(app.got[0]).toMatchObject({ type: "charge.completed", charge });
    await closed(app.server);
  }
  expect((await deliveries(client)).map((one) => one.attempts.length)).toEqual([1, 1]);
});

it("a receiver that is not running does not delay others", async () => {
  const url = REFUSING_URL;
  const other = await Receiver.open();
  const { client, settled } = await worldBefore(url);
  await client.ask("POST /_sandbox/webhook-endpoints", { url: other.url });
  const charge = await client.pay();
  for (const status of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"])
    await client.transition(charge, status);
  await other.arrived(3);
  await settled();
  expect(other.types).toEqual(THREE);
});

it("deliveries do not wait for an endpoint with `unreachable: fail`", async () => {
  const { client, notices, complete } = await worldBefore(REFUSING_URL, { unreachable: "fail" });
  await complete();
  const [one] = await deliveries(client);
  expect(one.attempts).toMatchObject([{ status: null, error: expect.stringContaining("ECONNREFUSED") }]);
  expect(since(one.next_attempt_at) - since(one.attempts[0].at)).toBe(5 * SECOND);
  expect(notices).toEqual([]);
});

it("deliveries stop waiting when the endpoint gets `unreachable: fail`", async () => {
  const { client, notices, elapse, complete } = await worldBefore(REFUSING_URL);
  await complete();
  await elapse(2);
  const { webhook_id } = (await client.ask("GET /_sandbox/webhook-endpoints")).json.items[0];
  await client.ask(`PATCH /_sandbox/webhook-endpoints/${webhook_id}`, { unreachable: "fail" });
  await elapse(1);
  await eventually(async () => (await deliveries(client))[0].attempts.length === 1);
  expect((await deliveries(client))[0].attempts[0].error).toContain("ECONNREFUSED");
  // The receiver never listened, so it is not reported as ready.
  expect(notices).toHaveLength(1);
});

it("deliveries do not wait for the app on a manual clock", async () => {
  const { client, sell } = await shopFor([REFUSING_URL]);
  await sell("2s");
  const [one] = await deliveries(client);
  expect(one.attempts).toMatchObject([{ status: null, error: expect.stringContaining("ECONNREFUSED") }]);
  expect(since(one.next_attempt_at)).toBe(6 * SECOND);
});

it("deliveries do not wait for the app after the clock stops", async () => {
  const { client, elapse, settled, complete } = await worldBefore(REFUSING_URL);
  await complete();
  await elapse(2);
  expect((await deliveries(client))[0].attempts).toEqual([]);
  await client.setClock({ mode: "manual" });
  await settled();
  expect((await deliveries(client))[0].attempts).toMatchObject([{ status: null }]);
});

it("deliveries do not wait for the app during an advance", async () => {
  const { sandbox, client, elapse, notices, complete } = await worldBefore(REFUSING_URL);
  await complete();
  await elapse(1);
  await client.pay();
  await sandbox.advance("1m");
  const all = await deliveries(client);
  expect(all.at(-1)!.attempts.length).toBeGreaterThan(0);
  expect(notices.filter((notice) => notice.includes("is there"))).toEqual([]);
});

it("a reset drops waiting deliveries", async () => {
  const url = await freeUrl();
  const { client, elapse, complete } = await worldBefore(url);
  await complete();
  await elapse(2);
  expect((await client.reset()).status).toBe(200);
  const app = await listenAt(portOf(url), "127.0.0.1");
  await elapse(3);
  expect(app.got).toEqual([]);
  const charge = await client.pay();
  await client.transition(charge, "COMPLETED");
  await eventually(() => app.got.length === 1);
  expect(app.got[0]).toMatchObject({ type: "charge.completed", charge });
});

it("new deliveries wait for the app after a reset", async () => {
  const url = await freeUrl();
  const { client, elapse, settled, complete } = await worldBefore(url);
  await complete();
  await client.reset();
  const charge = await complete();
  const app = await listenAt(portOf(url), "127.0.0.1");
  await elapse(3);
  await eventually(() => app.got.length === 1);
  await settled();
  expect(app.got.map((one) => one.charge)).toEqual([charge]);
});

it("removing an endpoint drops its waiting deliveries", async () => {
  const { client, elapse, complete } = await worldBefore(REFUSING_URL);
  await complete();
  const { webhook_id } = (await client.ask("GET /_sandbox/webhook-endpoints")).json.items[0];
  await client.ask(`DELETE /_sandbox/webhook-endpoints/${webhook_id}`);
  await elapse(2);
  await eventually(async () => (await deliveries(client))[0].status === "dropped");
});

it.each(["127.0.0.1", "::1"])(
  "finds an app at localhost on %s that starts after the sandbox",
  async (host) => {
    if (host === "::1" && !(await hasIpv6())) return;
    const port = portOf(await freeUrl());
    const { client, notices, elapse, settled } = await worldBefore(`http://localhost:${port}/hooks`);
    const charge = await client.pay();
    for (const status of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"])
      await client.transition(charge, status);
    await settled();
    await elapse(3);
    expect(notices).toEqual([waitingFor(`localhost:${port}`, 3)]);
    const app = await listenAt(port, host);
    await elapse(1);
    await eventually(() => app.got.length === 3);
    await settled();
    expect(app.got.map((one) => one.type)).toEqual(THREE);
    expect((await deliveries(client)).map((one) => one.attempts.length)).toEqual([1, 1, 1]);
  },
);

it("each error response counts as an attempt", async () => {
  const receiver = await Receiver.open(refuseWith(502));
  const { client, notices, settled } = await worldBefore(receiver.url);
  await client.transition(await client.pay(), "COMPLETED");
  await receiver.arrived(1);
  await settled();
  expect((await deliveries(client))[0].attempts).toMatchObject([{ status: 502 }]);
  expect(notices).toEqual([]);
});
