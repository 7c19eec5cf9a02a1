import { expect, it, vi } from "vitest";
import { Emitter } from "../../src/core/engine/emitter.js";
import { STREAM_SCHEMAS } from "../../src/core/schema/control-responses.js";
import { openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { Receiver } from "../support/receiver-server.js";

interface Message {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  data: any;
}

/** Reads messages until the condition holds. */
async function readUntil(response: Response, isEnough: (all: Message[]) => boolean): Promise<Message[]> {
  const all: Message[] = [];
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split("\n\n");
    rest = parts.pop()!;
    for (const part of parts) {
      const [event, data] = part.split("\n");
      all.push({ event: event!.replace("event: ", ""), data: JSON.parse(data!.replace("data: ", "")) });
    }
    if (isEnough(all)) break;
  }
  return all;
}

it("GET /_sandbox/stream sends requests, charges and events as they happen", async () => {
  await using receiver = await Receiver.open();
  const sandbox = await openSandbox({ webhooks: [receiver.url] });
  const { url } = await sandbox.listen();
  const client = Client.at(url);
  const response = await fetch(`${url}/_sandbox/stream`);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reading = readUntil(response, (all) => all.some((one) => one.data.status === "delivered"));
  const id = await client.pay();
  await client.ask(`POST /_sandbox/charges/${id}/transition`, { to: "COMPLETED" });
  const all = await reading;
  expect(all[0]).toMatchObject({ event: "hello", data: { namespace: "default" } });
  const of = (event: string) => all.filter((one) => one.event === event).map((one) => one.data);
  expect(of("request").map((one) => one.operation)).toEqual(["createQuote", "createWhitelabel"]);
  expect(JSON.stringify(of("request"))).not.toContain("sk_test_sandbox");
  const charges = of("charge").filter((one) => one.charge_id === id);
  expect(charges.map((one) => one.status)).toEqual(["PENDING", "COMPLETED"]);
  expect(of("event")).toMatchObject([{ type: "charge.completed", charge_id: id }]);
  expect(of("delivery").at(-1)).toMatchObject({ status: "delivered", answered: 200, charge_id: id });
});

it("GET /_sandbox/stream sends messages of one namespace", async () => {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  const client = Client.at(url);
  await client.ask("POST /_sandbox/namespaces", { name: "ann" });
  const response = await fetch(`${url}/_sandbox/stream?namespace=ann`);
  const reading = readUntil(response, (all) => all.length === 2);
  await client.quote();
  await client.quote({ key: "sk_test_ns_ann" });
  expect((await reading).map((one) => one.event)).toEqual(["hello", "request"]);
  expect((await fetch(`${url}/_sandbox/stream`, { headers: { "sandbox-namespace": "bob" } })).status).toBe(
    404,
  );
});

it("GET /_sandbox/stream unsubscribes when the client disconnects", async () => {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  await fetch(`${url}/_sandbox/charges`);
  let open = 0;
  const { on } = Emitter.prototype;
  using spy = vi.spyOn(Emitter.prototype, "on").mockImplementation(function (
    this: Emitter<object>,
    ...event
  ) {
    open++;
    const stop = on.apply(this, event);
    return () => {
      open--;
      stop();
    };
  });
  const abort = new AbortController();
  await fetch(`${url}/_sandbox/stream`, { signal: abort.signal });
  expect(open).toBe(3);
  abort.abort();
  await vi.waitFor(() => expect(open).toBe(0));
  await fetch(`${url}/_sandbox/stream`, { method: "HEAD" });
  await vi.waitFor(() => expect(open).toBe(0));
  expect(spy).toHaveBeenCalled();
});

it("GET /_sandbox/stream buffers 16 MB and reports lost messages", async () => {
  const sandbox = await openSandbox();
  const client = Client.of(sandbox);
  const stream = await sandbox.fetch("/_sandbox/stream");
  const reader = stream.body!.getReader();
  const tell = async (number: number) => {
    const data = { number, text: "x".repeat(100_000) };
    await client.ask("POST /_sandbox/events", { type: "webhook.test", data });
  };
  for (let number = 1; number <= 120; number++) await tell(number);

  const messages: Message[] = [];
  let bytes = 0;
  const read = async () => {
    const text = new TextDecoder().decode((await reader.read()).value);
    const [event, data] = text.split("\n");
    messages.push({ event: event!.replace("event: ", ""), data: JSON.parse(data!.replace("data: ", "")) });
    bytes += text.length;
  };
  while (messages.at(-1)?.event !== "missed") await read();
  expect(bytes).toBeGreaterThan(15 * 2 ** 20);
  expect(bytes).toBeLessThan(17 * 2 ** 20);
  const missed = messages.at(-1)!.data;
  expect(STREAM_SCHEMAS.missed.parse(missed)).toEqual({ count: missed.count });
  const numbers = messages.filter(({ event }) => event === "event").map(({ data }) => data.data.number);
  expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
  expect(numbers.length + missed.count).toBe(120);
  // The client receives every message from here on.
  await tell(121);
  await read();
  expect(messages.at(-1)).toMatchObject({ event: "event", data: { data: { number: 121 } } });
  await reader.cancel();
});

it("GET /_sandbox/stream buffers 64 MB for all slow clients", async () => {
  const sandbox = await openSandbox();
  const client = Client.of(sandbox);
  const open = async () => (await sandbox.fetch("/_sandbox/stream")).body!.getReader();
  const unread = await Promise.all(Array.from({ length: 8 }, open));
  const heard = await open();
  const textOf = async (reader: typeof heard) => new TextDecoder().decode((await reader.read()).value);
  expect(await textOf(heard)).toContain("event: hello");
  const text = "x".repeat(900_000);
  for (let number = 0; number < 20; number++) {
    await client.ask("POST /_sandbox/events", { type: "webhook.test", data: { number, text } });
    expect(await textOf(heard)).toContain(`"number":${number},`);
  }
  let bytes = 0;
  for (const reader of unread)
    for (let part = ""; !part.startsWith("event: missed"); bytes += part.length) part = await textOf(reader);
  expect(bytes).toBeGreaterThan(60e6);
  expect(bytes).toBeLessThan(80e6);
  for (const reader of [...unread, heard]) await reader.cancel();
});

it("GET /_sandbox/stream reports lost messages before the next one", async () => {
  const sandbox = await openSandbox();
  const client = Client.of(sandbox);
  const stream = await sandbox.fetch("/_sandbox/stream");
  const reader = stream.body!.getReader();
  let told = 0;
  const tell = () =>
    client.ask("POST /_sandbox/events", {
      type: "webhook.test",
      data: { number: ++told, text: "x".repeat(100_000) },
    });
  for (let times = 0; times < 100; times++) await tell();
  let heard = 0;
  let missed = 0;
  // Reads more slowly than messages arrive, then reads the rest.
  for (let round = 0; heard + missed < told; round++) {
    const text = new TextDecoder().decode((await reader.read()).value);
    if (text.startsWith("event: missed")) missed += JSON.parse(text.split("data: ")[1]!).count;
    if (text.startsWith("event: event")) {
      expect(JSON.parse(text.split("data: ")[1]!).data.number).toBe(heard + missed + 1);
      heard++;
    }
    if (round % 2 === 0 && told < 200) await tell();
  }
  expect(missed).toBeGreaterThan(0);
  await reader.cancel();
});
