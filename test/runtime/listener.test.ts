import { expect, it } from "vitest";
import { type ListenerOptions, listen } from "../../src/server/http/listener.js";
import { exchange, head } from "../support/api-wire.js";
import { atEnd } from "../support/lifetime.js";

/** Starts a server with the fast Response of the command. */
async function open(options: Partial<ListenerOptions>): Promise<number> {
  const plain = (status: number, text: string) => ({
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  const listening = await listen({
    port: 0,
    host: "127.0.0.1",
    ownsProcess: true,
    fetch: () => new Response("ok"),
    onUnreadable: (status) => plain(status, "unreadable"),
    onFailure: () => plain(500, "failed"),
    ...options,
  });
  atEnd(() => listening.close());
  return listening.port;
}

const get = (port: number) => exchange(port, head("GET /x HTTP/1.1", "Host: localhost"));
const FAILED = { status: 500, body: '{"text":"failed"}' };

it.each<[string, ListenerOptions["fetch"]]>([
  [
    "it throws",
    () => {
      throw new Error("a secret");
    },
  ],
  ["the handler throws later", () => Promise.reject(new Error("a secret"))],
  ["a header is invalid", () => new Response("ok", { headers: { "x-a": "a\r\nb" } })],
  ["a header is invalid, later", async () => new Response("ok", { headers: { "x-a": "日本" } })],
  ["a header has no name", async () => new Response("ok", { headers: { "x a": "b" } })],
])("the server responds with an error when %s, and continues", async (_, fetch) => {
  const errors: unknown[] = [];
  const onFailure: ListenerOptions["onFailure"] = (error) => {
    errors.push(error);
    return { status: 500, headers: { "content-type": "application/json" }, body: '{"text":"failed"}' };
  };
  const port = await open({ fetch, onFailure });
  expect(await get(port)).toMatchObject({ ...FAILED, headers: { "content-type": "application/json" } });
  expect(await get(port)).toMatchObject(FAILED);
  expect(errors).toHaveLength(2);
});

it("the server responds with an error even when the error page fails", async () => {
  const fails = () => {
    throw new Error("a secret");
  };
  const answer = await get(await open({ fetch: fails, onFailure: fails }));
  expect(answer?.status).toBe(500);
  expect(JSON.parse(answer?.body ?? "")).toEqual({
    error: { code: "INTERNAL_ERROR", message: "Internal error" },
  });
});

it("serves /health while other modules load", async () => {
  const asked: string[] = [];
  let loaded = () => {};
  const rest = new Promise<void>((resolve) => (loaded = resolve));
  const port = await open({
    loadRest: () => rest,
    fastPath: ({ url = "" }) => {
      asked.push(url);
      return false;
    },
    onEarlyHealth: (_incoming, outgoing) => {
      outgoing.end("early");
      return true;
    },
  });
  const health = () => exchange(port, head("GET /health HTTP/1.1", "Host: localhost"));
  expect(await health()).toMatchObject({ status: 200, body: "early" });
  expect(asked).toEqual([]);
  const other = get(port);
  await expect.poll(() => asked).toEqual(["/x"]);
  expect(await health()).toMatchObject({ body: "early" });
  loaded();
  expect(await other).toMatchObject({ status: 200, body: "ok" });
  expect(await health()).toMatchObject({ body: "ok" });
  expect(asked).toEqual(["/x", "/health"]);
});

it("the server offers to keep idle connections longer than clients do", async () => {
  const { headers } = await fetch(`http://127.0.0.1:${await open({})}/x`);
  expect(headers.get("keep-alive")).toBe("timeout=75");
});
