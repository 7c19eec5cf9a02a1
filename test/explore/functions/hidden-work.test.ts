import { randomBytes, scrypt, webcrypto } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, it } from "vitest";
import { openSandbox } from "../../support/api-client.js";
import { temporaryFolder } from "../../support/folders.js";
import { atEndOfFile } from "../../support/lifetime.js";
import { flowOf, type Order, openFunctionShop } from "./shop.js";

/** A server of another thread, which this process sees no more of than of a database. Answers one query after another. */
const SERVER = `
  const { createServer } = require("node:net");
  const server = createServer((socket) => {
    let answered = Promise.resolve();
    const answer = () => new Promise((resolve) => setTimeout(() => socket.write("a", resolve), 5));
    socket.on("data", (data) => {
      for (const _ of data) answered = answered.then(answer);
    });
  });
  server.listen(0, "127.0.0.1", () => require("node:worker_threads").parentPort.postMessage(server.address().port));
`;
let query: () => Promise<void>;

beforeAll(async () => {
  const thread = new Worker(SERVER, { eval: true });
  const port = await new Promise<number>((resolve) => thread.once("message", resolve));
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const waiting: (() => void)[] = [];
  socket.on("data", (data) => {
    for (const _ of data) waiting.shift()?.();
  });
  query = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      socket.write("q");
    });
  atEndOfFile(async () => {
    socket.destroy();
    await thread.terminate();
  });
});

const file = join(temporaryFolder(), "orders.txt");
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  promises: async () => {
    for (let turn = 0; turn < 50; turn++) await null;
  },
  setImmediate: async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  },
  "setTimeout of 200 ms": () => new Promise((resolve) => setTimeout(resolve, 200)),
  "three pauses of timers/promises": async () => {
    for (let turn = 0; turn < 3; turn++) await pause(50);
  },
  "a file": async () => {
    await writeFile(file, "paid");
    await readFile(file);
  },
  "crypto.subtle": () => webcrypto.subtle.digest("SHA-256", new Uint8Array(1e6)),
  scrypt: () => new Promise((resolve) => scrypt("a", "b", 32, resolve)),
  "a query on a pooled socket": () => query(),
};

const CASES = Object.keys(WAYS).flatMap((way) =>
  ["before its response", "after its response"].flatMap((when) =>
    ["checks before the work", "marks before the work"].map((how) => [way, when, how] as const),
  ),
);

describe("an app whose webhook works by", () => {
  it.each(CASES)("%s %s, and %s", async (way, when, how) => {
    const hasBug = how === "checks before the work";
    const work = WAYS[way]!;
    const apply = async (order: Order): Promise<void> => {
      if (order.delivered > 0) return;
      if (!hasBug) order.delivered = 1;
      await work();
      if (hasBug) order.delivered++;
      order.status = "paid";
    };
    const deliver = (order: Order) => {
      const applied = apply(order);
      return when === "before its response" ? applied : undefined;
    };
    const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
    const flow = flowOf(await openFunctionShop(sandbox, { deliver }));
    const { findings } = await sandbox.explore(flow, { throws: false });
    const kinds = findings.map(({ deviations }) => deviations[0]?.kind);
    expect(kinds.filter((kind) => kind === "webhook_twice_at_once")).toHaveLength(hasBug ? 1 : 0);
    // Another webhook can also overtake work that goes on after the response.
    const messages = new Set(findings.map(({ message }) => message));
    expect([...messages]).toEqual(hasBug ? ["done more than once: order.delivered is 2, not 1"] : []);
  });
});

it("random bytes, which are there at once, are not waited for", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const deliver = async (order: Order): Promise<void> => {
    randomBytes(16);
    Object.assign(order, { status: "paid", delivered: 1 });
  };
  const flow = flowOf(await openFunctionShop(sandbox, { deliver }));
  const { notes } = await sandbox.explore(flow, { only: "webhook_late at charge.completed#1" });
  expect(notes).toEqual([]);
});

it("an app that waits for another process is said to, in a note", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const flow = flowOf(
    await openFunctionShop(sandbox, {
      deliver: async (order) => {
        await query();
        Object.assign(order, { status: "paid", delivered: 1 });
      },
    }),
  );
  const { notes } = await sandbox.explore(flow, { only: "webhook_late at charge.completed#1" });
  expect(notes).toEqual([
    expect.stringMatching(
      /^this app works outside of its process \(127\.0\.0\.1:\d+\): a run waits for it, 100 ms at most/,
    ),
  ]);
});

it("a flow that waits for nothing that can happen ends with a sentence", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const flow = flowOf(await openFunctionShop(sandbox), { flow: () => new Promise(() => {}) });
  await expect(sandbox.explore(flow)).rejects.toThrow(
    "nothing has happened for 5 s: the app waits for itself, or for something outside of this process",
  );
});

it("no time passes between two presses of an app that keeps a timer, as an HTTP client does", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox);
  const passed: number[] = [];
  const nowMs = async () =>
    Date.parse((await sandbox.control<{ now: string }>("GET", "/_sandbox/clock")).now);
  const flow = flowOf(shop, {
    async flow({ id, email, press, advance }) {
      let beforeMs: number | undefined;
      const order = async () => {
        passed.push((await nowMs()) - (beforeMs ?? (await nowMs())));
        setTimeout(() => {}, 3_000);
        await shop.place(id, email);
        await WAYS.scrypt!();
        beforeMs = await nowMs();
      };
      for (let times = 0; times < 5; times++) await press("order", order);
      await advance("10s");
    },
  });
  await sandbox.explore(flow, { only: "webhook_late at charge.completed#1" });
  expect(passed.filter((ms) => ms > 0)).toEqual([]);
});
