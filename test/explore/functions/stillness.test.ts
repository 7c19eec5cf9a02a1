import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { AppStillness } from "../../../src/core/time/app-stillness.js";
import { pause } from "../../../src/core/time/timers.js";
import { atEndOfFile } from "../../support/lifetime.js";

let client: Socket;
let server: Socket;
let stillness: AppStillness;

beforeAll(async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const accepted = once(listener, "connection");
  client = connect((listener.address() as { port: number }).port, "127.0.0.1");
  await once(client, "connect");
  [server] = (await accepted) as [Socket];
  atEndOfFile(() => {
    client.destroy();
    listener.close();
  });
});

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
  for (let bytes = 0; bytes < 2; ) bytes += String((await once(server, "data"))[0]).length;
}

async function answer(): Promise<void> {
  server.write("a");
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
