import { createServer } from "node:http";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { ConnectionPool, callUrl } from "../../src/core/delivery/outgoing-http.js";
import { atEnd } from "../support/lifetime.js";
import { listening } from "../support/servers.js";

it("retries an app call once when a reused connection is closed", async () => {
  const sockets: Socket[] = [];
  let cuts = 0;
  const server = createServer((request, response) => {
    if (cuts > 0 && cuts--) request.socket.destroy();
    else response.end(request.url);
  }).on("connection", (socket) => sockets.push(socket));
  const app = `http://127.0.0.1:${await listening(server)}`;
  const connections = new ConnectionPool();
  atEnd(() => connections.close());
  const call = async (path: string) => {
    const { signal } = new AbortController();
    const asked = { method: "GET", headers: {}, body: undefined, signal, connections };
    return (await callUrl(new URL(path, app), asked)).text();
  };
  expect([await call("/1"), await call("/2"), sockets.length]).toEqual(["/1", "/2", 1]);
  cuts = 1;
  expect([await call("/3"), sockets.length]).toEqual(["/3", 2]);
  await call("/4");
  cuts = 2;
  await expect(call("/5")).rejects.toThrow("socket hang up");
});

it("sends a request body with POST, PUT, PATCH and DELETE", async () => {
  const server = createServer((request, response) => void request.pipe(response));
  const url = new URL(`http://127.0.0.1:${await listening(server)}`);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const response = await callUrl(url, { method, headers: {}, body: "größer", signal: undefined });
    expect([method, await response.text()]).toEqual([method, "größer"]);
  }
});
