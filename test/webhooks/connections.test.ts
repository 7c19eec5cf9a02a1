import { once } from "node:events";
import { type AddressInfo, createServer, type LookupFunction, type Socket } from "node:net";
import { expect, it } from "vitest";
import { createRequester } from "../../src/core/delivery/outgoing-http.js";
import { ReceiverClient } from "../../src/core/delivery/receiver-client.js";
import type { AttemptResult } from "../../src/core/engine/commands/delivery-commands.js";
import { START } from "../support/api-client.js";
import { atEnd } from "../support/lifetime.js";
import { FakeWall } from "../support/receiver-world.js";
import { deliveries, shopFor, THREE } from "./support/shop.js";

/** Handles a request, numbered overall and within its connection. */
type React = (socket: Socket, request: { readonly count: number; readonly onSocket: number }) => void;

const OK = "HTTP/1.1 204 No Content\r\n\r\n";

/** A receiver that can close a connection at any time. */
async function bareReceiver(react: React) {
  const bodies: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    let onSocket = 0;
    socket.on("error", () => {});
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (;;) {
        const [head, rest] = [text.indexOf("\r\n\r\n"), text.indexOf("\r\n\r\n") + 4];
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        if (head === -1 || Buffer.byteLength(text.slice(rest)) < length) return;
        const body = Buffer.from(text.slice(rest)).subarray(0, length).toString();
        text = Buffer.from(text.slice(rest)).subarray(length).toString();
        bodies.push(body);
        react(socket, { count: bodies.length, onSocket: ++onSocket });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    types: () => bodies.map((body) => JSON.parse(body).type),
    bodies,
    sockets,
  };
}

/** Blocks the event loop for longer than Node's connection timeout. */
function holdUp(): void {
  const since = performance.now();
  while (performance.now() - since < 300);
}

/** Sends the three events of a charge to such a receiver. */
async function threeEvents(react: React) {
  const receiver = await bareReceiver(react);
  const { sandbox, client } = await shopFor([receiver.url]);
  await client.pay();
  await sandbox.advance("5s");
  const outcomes = (await deliveries(client)).map((one) =>
    one.attempts.map(({ status, error }: Pick<AttemptResult, "status" | "error">) => status ?? error),
  );
  return { receiver, outcomes };
}

it.each([
  ["hangs up", (socket: Socket) => socket.end()],
  ["breaks it", (socket: Socket) => socket.resetAndDestroy()],
])("repeats an attempt whose kept-alive connection was closed (the receiver %s)", async (_how, close) => {
  const { receiver, outcomes } = await threeEvents((socket, { onSocket }) =>
    onSocket === 1 ? socket.write(OK) : close(socket),
  );
  expect(outcomes).toEqual([[204], [204], [204]]);
  // The receiver may have read the request already.
  expect(receiver.types()).toEqual([THREE[0], THREE[1], THREE[1], THREE[2]]);
  expect(receiver.bodies[1]).toBe(receiver.bodies[2]);
  expect(receiver.sockets.size).toBe(3);
});

it("fails an attempt when the new connection closes too", async () => {
  const { receiver, outcomes } = await threeEvents((socket, { count }) =>
    count === 2 || count === 3 ? socket.end() : socket.write(OK),
  );
  expect(outcomes).toEqual([[204], ["socket hang up"], [204]]);
  expect(receiver.types()).toEqual([THREE[0], THREE[1], THREE[1], THREE[2]]);
});

it("an attempt fails when the connection closes in the middle of the response", async () => {
  const { receiver, outcomes } = await threeEvents((socket, { count }) =>
    count === 2 ? socket.end("HTTP/1.1 20") : socket.write(OK),
  );
  expect(outcomes).toEqual([[204], [expect.any(String)], [204]]);
  expect(receiver.types()).toEqual(THREE);
});

it("fails an attempt when a new connection closes", async () => {
  const { receiver, outcomes } = await threeEvents((socket) => socket.end());
  expect(outcomes).toEqual(THREE.map(() => ["socket hang up"]));
  expect(receiver.types()).toEqual(THREE);
});

it("the timeout counts from the first request of an attempt", async () => {
  const wall = new FakeWall(Date.parse(START));
  const receivers = new ReceiverClient({ timeoutMs: 15_000, wall });
  atEnd(() => receivers.close());
  let second: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    second = resolve;
  });
  const receiver = await bareReceiver((socket, { count, onSocket }) => {
    if (count === 1) socket.write(OK);
    else if (onSocket === 2) {
      wall.elapse(10_000);
      socket.end();
    } else second();
  });
  const signed = { sentAt: START, headers: {}, body: "{}" };
  const { signal } = new AbortController();
  expect(await receivers.post(receiver.url, signed, signal)).toMatchObject({ status: 204 });
  const outcome = receivers.post(receiver.url, signed, signal);
  await arrived;
  wall.elapse(5_000);
  expect(await outcome).toMatchObject({ error: "no answer within 15 s", duration_ms: 15_000 });
});

/** A DNS resolver that knows one name. */
const resolveTo = (...addresses: string[]): LookupFunction =>
  ((_hostname, options, callback) =>
    options.all
      ? callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
        )
      : callback(null, addresses[0]!, addresses[0]!.includes(":") ? 6 : 4)) as LookupFunction;

async function postTo(
  host: string,
  resolve: LookupFunction,
): Promise<{ outcome: AttemptResult; got: number }> {
  const receiver = await bareReceiver((socket) => socket.end(OK));
  const wall = new FakeWall(Date.parse(START));
  const receivers = new ReceiverClient({ timeoutMs: 15_000, wall, resolve });
  atEnd(() => receivers.close());
  const url = `http://${host}:${new URL(receiver.url).port}/hooks`;
  const signed = { sentAt: START, headers: {}, body: "{}" };
  const outcome = await receivers.post(url, signed, new AbortController().signal);
  return { outcome, got: receiver.bodies.length };
}

it.each([["169.254.169.254"], ["fe80::1%eth0"], ["127.0.0.1", "169.254.169.254"]])(
  "refuses a host name that resolves to a cloud's metadata service: %s",
  async (...addresses) => {
    const { outcome, got } = await postTo("rebound.test", resolveTo(...addresses));
    expect(outcome).toMatchObject({
      status: null,
      error: expect.stringMatching(/^rebound\.test is .+, a cloud's metadata address$/),
      isUnreachable: false,
    });
    expect(got).toBe(0);
  },
);

it("resolves an allowed host name", async () => {
  const { outcome, got } = await postTo("shop.test", resolveTo("127.0.0.1"));
  expect([outcome.status, got]).toEqual([204, 1]);
  const unknown = ((hostname, _options, callback) =>
    callback(
      Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND" }),
      "",
    )) as LookupFunction;
  const lost = await postTo("nowhere.test", unknown);
  expect(lost.outcome.error).toContain("ENOTFOUND");
});

it("an IP address or localhost causes no DNS query", async () => {
  const never: LookupFunction = () => {
    throw new Error("asked");
  };
  for (const host of ["127.0.0.1", "localhost"]) {
    const { outcome } = await postTo(host, never);
    expect([host, outcome.status]).toEqual([host, 204]);
  }
});

it("reaches a receiver on localhost when the machine is busy", async () => {
  const { url } = await bareReceiver((socket) => socket.end(OK));
  const { port } = new URL(url);
  const request = (await createRequester(new URL(`http://localhost:${port}/`)))({ method: "POST" });
  const answer = once(request, "response");
  request.once("socket", () => process.nextTick(() => process.nextTick(holdUp)));
  request.end();
  expect((await answer)[0].statusCode).toBe(204);
});
