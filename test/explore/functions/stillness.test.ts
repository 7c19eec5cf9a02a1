import { scrypt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createSocketServer, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { AppStillness } from "../../../src/core/time/app-stillness.js";
import { pause } from "../../../src/core/time/timers.js";
import { temporaryFolder } from "../../support/folders.js";
import { atEnd, atEndOfFile } from "../../support/lifetime.js";

/** A server of another thread. Reports what it reads, and answers when it is told to. */
const SERVER = `
  const { createServer } = require("node:net");
  const { parentPort } = require("node:worker_threads");
  const server = createServer((socket) => {
    socket.on("data", (data) => parentPort.postMessage(data.length));
    parentPort.on("message", () => socket.write("a"));
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;
let thread: Worker;
let client: Socket;
let stillness: AppStillness;

beforeAll(async () => {
  thread = new Worker(SERVER, { eval: true });
  const [port] = await once(thread, "message");
  client = await connectTo(port);
  atEndOfFile(() => thread.terminate());
});

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  atEnd(() => socket.destroy());
  return socket;
}

beforeEach(() => {
  stillness = new AppStillness();
  onTestFinished(() => stillness.restore());
});

/** Fewer pauses than those in which an answer may come. */
const PAUSES = 20;

async function isStill(): Promise<boolean> {
  let isResolved = false;
  void stillness.whenStill().then(() => {
    isResolved = true;
  });
  for (let count = 0; count < PAUSES; count++) await pause(1);
  return isResolved;
}

async function writeTwice(): Promise<void> {
  client.write("1");
  client.write("2");
  for (let bytes = 0; bytes < 2; ) bytes += (await once(thread, "message"))[0];
}

async function answer(): Promise<void> {
  thread.postMessage("answer");
  await once(client, "data");
}

it("an app with two queries on one socket is still when both are answered", async () => {
  stillness.endLearning();
  await writeTwice();
  await answer();
  expect(await isStill()).toBe(false);
  await answer();
  expect(await isStill()).toBe(true);
});

it("an app whose every query takes two writes is still after one answer", async () => {
  await writeTwice();
  await answer();
  stillness.endLearning();
  await writeTwice();
  await answer();
  expect(await isStill()).toBe(true);
});

it("an app that writes to a local socket waits for it, and names no address", async () => {
  const path = join(temporaryFolder(), "database");
  const server = createSocketServer().listen(path);
  atEnd(() => server.close());
  await once(server, "listening");
  const local = connect(path);
  atEnd(() => local.destroy());
  await once(local, "connect");
  local.write("1");
  expect([stillness.hasWaited, stillness.outside]).toEqual([true, []]);
});

async function connectToOwnServer(): Promise<{ server: Server; own: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  atEnd(() => server.close());
  await once(server, "listening");
  return { server, own: await connectTo((server.address() as AddressInfo).port) };
}

it("an app that waits for a server of this process is still while the server keeps its response", async () => {
  const { server, own } = await connectToOwnServer();
  own.write("GET / HTTP/1.1\r\nhost: shop.test\r\n\r\n");
  await once(server, "request");
  expect(await isStill()).toBe(true);
});

it("an app that looks up and asks a server of this process has waited for no other process", async () => {
  const { server } = await connectToOwnServer();
  server.on("request", (_request, response) => response.end("yes"));
  const { port } = server.address() as AddressInfo;
  const asked = fetch(`http://localhost:${port}`).then((response) => response.text());
  for (let isAnswered = false; !isAnswered; ) {
    await stillness.whenStill();
    isAnswered = await Promise.race([asked.then(() => true), pause(1).then(() => false)]);
  }
  expect([stillness.hasWaited, stillness.outside]).toEqual([false, []]);
});

it.each<[string, () => Promise<unknown>]>([
  ["hashes a password", () => promisify(scrypt)("password", "salt", 32)],
  ["asks a server of another thread", async () => client.write("1") && (await answer())],
])("an app that %s has waited for more than this process", async (_, ask) => {
  const asked = ask();
  await stillness.whenStill();
  await asked;
  expect(stillness.hasWaited).toBe(true);
});
