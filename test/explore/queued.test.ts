// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { type Answer, type CallService, foundIn, openApp, shopOf } from "./apps.js";
import { FLOW } from "./support.js";

const QUEUE_MS = 20;
const QUEUED = FLOW.replace("{ status: 201 }", "{ status: 202 }").replace(
  "  - advance: 10s",
  "  - { wait_for: charge, match: { customer_email: '${email}' } }\n$&",
);

/** A shop that queues orders and webhooks, processes them in order, and drops failed jobs. */
const queuedShop = (call: CallService): Answer => {
  const shop = shopOf()(call);
  let queue = Promise.resolve();
  const later = (route: string, body: unknown) => {
    queue = queue.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, QUEUE_MS));
      const charge = (body as { data?: { charge_id: string } }).data;
      // Webhooks only trigger a read of the charge.
      const work = async () => {
        if (charge === undefined) await shop(route, body);
        else await shop(route, { data: await call("GET", `payments/charges/${charge.charge_id}`) });
      };
      await work().catch(() => {});
    });
  };
  return async (route, body) => {
    if (route.startsWith("GET") || route === "POST /tick") {
      await queue;
      return shop(route, body);
    }
    later(route, body);
    return [202];
  };
};

it.concurrent("finds a queue that drops a failed job, although the read at the next event would hide it", async () => {
  const deaf = QUEUED.replace("POST /tick", "POST /nothing");
  const save = temporaryFolder();
  const end = new AbortController();
  const isFound = () =>
    readdirSync(save).some((file) => /\.(response_5xx|request_lost)\.getCharge-3\./.test(file));
  const onRun = () => void (isFound() && end.abort());
  const { found } = await foundIn(await openApp(queuedShop), deaf, { save, signal: end.signal, onRun });
  // Without a pause, the job is still queued when time advances, and the order is not paid.
  expect(found.at(-1)).toMatch(/^money: (response_5xx|request_lost) getCharge#3$/);
});

it.concurrent("waits longer for reads when the second plain run ended differently from the first", async () => {
  let orders = 0;
  const lateShop = (call: CallService): Answer => {
    const shop = shopOf()(call);
    return async (route, body) => {
      if (route === "POST /orders") orders++;
      if (route !== "POST /webhooks") return shop(route, body);
      setTimeout(() => void shop(route, body), 10 * QUEUE_MS);
      return [200];
    };
  };
  const flow = FLOW.replace(/\n {4}expect: \{ body.*/, "").replace(
    /tick:[\s\S]*/,
    "    ignore: [charge_id]\n",
  );
  const end = new AbortController();
  const onRun = () => end.abort();
  await foundIn(await openApp(lateShop), flow, { signal: end.signal, onRun });
  // One run as written, two plain runs, one with time for reads, and two orders for each run of pressed_twice.
  expect(orders).toBe(8);
});
