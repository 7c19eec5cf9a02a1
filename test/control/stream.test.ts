import { describe, expect, it, vi } from "vitest";
import { LocalWorld } from "../../src/world.js";
import { openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { Receiver } from "../support/receiver-server.js";

interface Message {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the wire says
  data: any;
}

/** Reads messages as they come until the condition holds. */
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

describe("GET /_sandbox/stream", () => {
  it("tells of requests, charges, events and deliveries as they come, over a port", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await openSandbox({ webhooks: [receiver.url] });
    const { url } = await sandbox.listen();
    const client = Client.at(url);
    const response = await fetch(`${url}/_sandbox/stream`);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reading = readUntil(response, (all) => all.some((one) => one.data.status === "delivered"));
    const id = await client.pay();
    await client.call("POST", `/_sandbox/charges/${id}/transition`, { to: "COMPLETED" });
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

  it("is of one namespace, named by header or in the query", async () => {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen();
    const client = Client.at(url);
    await client.call("POST", "/_sandbox/namespaces", { name: "ann" });
    const response = await fetch(`${url}/_sandbox/stream?namespace=ann`);
    const reading = readUntil(response, (all) => all.length === 2);
    await client.quote();
    await client.quote({ key: "sk_test_ns_ann" });
    expect((await reading).map((one) => one.event)).toEqual(["hello", "request"]);
    expect((await fetch(`${url}/_sandbox/stream`, { headers: { "sandbox-namespace": "bob" } })).status).toBe(
      404,
    );
  });

  it("frees its subscription when the client goes, and takes none for HEAD", async () => {
    let open = 0;
    const subscribe = LocalWorld.prototype.subscribe;
    using spy = vi.spyOn(LocalWorld.prototype, "subscribe").mockImplementation(function (
      this: LocalWorld,
      one,
    ) {
      open++;
      const stop = subscribe.call(this, one);
      return () => {
        open--;
        stop();
      };
    });
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen();
    const abort = new AbortController();
    await fetch(`${url}/_sandbox/stream`, { signal: abort.signal });
    expect(open).toBe(1);
    abort.abort();
    await vi.waitFor(() => expect(open).toBe(0));
    await fetch(`${url}/_sandbox/stream`, { method: "HEAD" });
    await vi.waitFor(() => expect(open).toBe(0));
    expect(spy).toHaveBeenCalled();
  });
});
