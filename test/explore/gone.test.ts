import { createServer } from "node:http";
import { expect, it } from "vitest";
import type { ShopHere } from "../corpus/start-shop.js";
import { openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";
import { FLOW, openCorpus, PRESSES, pressedApp } from "./support.js";

/** A flow with a shorter timeout, which a busy machine does not exceed, for an app that does not respond. */
const HASTY = FLOW.replace("    app: POST /orders", "    within: 10s\n$&");
const ENDS: readonly (readonly [string, (shop: ShopHere) => unknown, string])[] = [
  ["hangs", (shop) => shop.hang(), "no answer within 10 s"],
  ["crashes", (shop) => shop.close(), "nothing listens there"],
  ["talks nonsense", (shop) => shop.babble(), "Parse Error"],
];

it.each(ENDS)("the search ends when the app %s during a run", async (_, end, message) => {
  const { sandbox, shop } = await openCorpus("right");
  const report = await sandbox.explore(fileWith(HASTY), {
    app: shop.url,
    throws: false,
    onRun: (runs) => void (runs === 2 && end(shop)),
  });
  expect(report).toMatchObject({
    passed: false,
    complete_depth: 0,
    runs: 3,
    findings: [
      { oracle: "liveness", message: expect.stringContaining(message), deviations: [expect.any(Object)] },
    ],
  });
});

it.each([
  ["cuts the connection of", "", "socket hang up"],
  ["sends malformed HTTP to", "so it is\r\n\r\n", "Parse Error"],
])("reports an app that %s the second submit", async (_, said, message) => {
  const pressed = new Set<string>();
  const app = createServer((request, response) => {
    const { method, url = "" } = request;
    if (method === "POST" && pressed.has(url)) return void response.socket?.end(said);
    if (method === "POST") pressed.add(url);
    pressedApp()(request, response);
  });
  const sandbox = await openSandbox();
  const report = await sandbox.explore(fileWith(PRESSES), {
    app: `http://127.0.0.1:${await listening(app)}`,
    depth: 2,
    throws: false,
  });
  expect(report).toMatchObject({
    complete_depth: 2,
    runs: 2,
    findings: ["pressed_twice", "pressed_again"].map((kind) => ({
      oracle: "liveness",
      message: expect.stringContaining(message),
      deviations: [{ kind }],
    })),
  });
});
