import { expect, it } from "vitest";
import { startServer } from "../support/started.js";

/** 520 events of 1 MB would take more than the heap. */
const SMALL_HEAP = { env: { NODE_OPTIONS: "--max-old-space-size=512" } };
const TEXT = "x".repeat(1_000_000);

it.each([
  ["that were delivered", false, [200]],
  ["that nobody fetches", true, [200, 507]],
])("a process with a heap of 512 MB survives 520 events of 1 MB %s", async (_name, isOpen, statuses) => {
  const { client, command } = await startServer(["--clock", "manual"], SMALL_HEAP);
  if (isOpen) await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "unread", events: ["*"] });
  const seen = new Set<number>();
  for (let n = 0; n < 520; n++) {
    const event = { type: "charge.completed", data: { text: TEXT }, force: true };
    seen.add((await client.ask("POST /_sandbox/events", event)).status);
  }
  expect([...seen]).toEqual(statuses);
  expect((await client.ask("GET /_sandbox/events?limit=1")).status).toBe(200);
  expect((await command.stop()).code).toBe(0);
});
