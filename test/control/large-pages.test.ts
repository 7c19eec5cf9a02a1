import { expect } from "vitest";
import { readPages } from "../../src/core/client/control-client.js";
import { it } from "../support/api-test.js";
import type { Client } from "../support/receiver-client.js";

const MIB = 1024 * 1024;
const EVENTS = 20;

async function triggerLargeEvents(client: Client): Promise<void> {
  for (let number = 1; number <= EVENTS; number++) {
    const data = { number, text: "x".repeat(900_000) };
    await client.ask("POST /_sandbox/events", { type: "webhook.test", data });
  }
}

interface Page {
  readonly total: number;
  readonly items: readonly { readonly data: { readonly number: number } }[];
  readonly next?: number;
}

it.for(["/_sandbox/events", "/_sandbox/deliveries"])(
  "a list of large records %s ends a page at 8 MiB",
  async (path, { client }) => {
    await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "post", events: ["webhook.test"] });
    await triggerLargeEvents(client);
    const ids: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { text, json } = await client.get(`${path}?limit=100&offset=${offset}`);
      const { total, items, next } = json as Page;
      expect(total).toBe(EVENTS);
      expect(text.length).toBeLessThan(8.1 * MIB);
      ids.push(...items.map((item) => JSON.stringify(item).slice(0, 100)));
      expect(next).toBe(ids.length === EVENTS ? undefined : ids.length);
      offset = next;
    }
    expect(new Set(ids).size).toBe(EVENTS);
  },
);

it("library and command line read all pages of large records", async ({ client }) => {
  await triggerLargeEvents(client);
  const numbers: number[] = [];
  const read = async (path: string) => (await client.get(path)).json;
  for await (const items of readPages<Page["items"][number]>("/_sandbox/events", read))
    numbers.push(...items.map(({ data }) => data.number));
  expect(numbers).toEqual(Array.from({ length: EVENTS }, (_, index) => EVENTS - index));
});

it("the mailbox keeps deliveries beyond 8 MiB", async ({ client }) => {
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "post", events: ["webhook.test"] });
  await triggerLargeEvents(client);
  const taken = await client.ask("POST /_sandbox/mailboxes/post/take", { max: 100 });
  expect(taken.json.items).toHaveLength(10);
  const rest = await client.ask("POST /_sandbox/mailboxes/post/take", { max: 100 });
  expect(rest.json.items).toHaveLength(10);
});

it("a complete page has no `next`", async ({ client }) => {
  await client.pay();
  for (const list of ["charges", "events", "requests", "scenarios"])
    expect(Object.keys((await client.get(`/_sandbox/${list}?limit=1`)).json)).toEqual(["total", "items"]);
});
