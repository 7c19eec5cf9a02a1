import { createServer, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, expect } from "vitest";
import { exchange, head } from "../support/api-wire.js";
import { itOnPostgres, Postgres } from "../support/postgres.js";
import { listening } from "../support/servers.js";
import { type Started, startServer } from "../support/started.js";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.start();
});
afterAll(() => postgres.end());

/** Two processes on one database. The first runs the default namespace. */
async function startTwo(...args: string[]): Promise<{ owner: Started; other: Started }> {
  const data = ["--data", postgres.url("lease=60s"), ...args];
  const owner = await startServer(data);
  return { owner, other: await startServer(data) };
}

/** A server outside the sandbox that records the calls it gets. */
async function openStranger(): Promise<{ port: number; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((incoming, outgoing) => {
    calls.push(incoming.url!);
    outgoing.end("stranger");
  });
  return { port: await listening(server), calls };
}

itOnPostgres("a path that names a host gets the owner's answer, and the host is not called", async () => {
  const { owner, other } = await startTwo();
  const { port, calls } = await openStranger();
  const host = `127.0.0.1:${port}`;
  const statusByTarget = {
    [`//${host}/x`]: 404,
    [`///${host}/x`]: 404,
    [`/.//${host}/x`]: 404,
    [`//${host}/x?namespace=default`]: 404,
    [`//u:p@${host}/x`]: 404,
    [`/_sandbox/..//${host}/x`]: 404,
    [`http://localhost//${host}/x`]: 404,
    [`http://localhost//${host}/x?namespace=default`]: 404,
    // Not a valid request target.
    [`/\\${host}/x`]: 400,
    [`http://localhost/\\${host}/x`]: 400,
  };
  for (const [target, status] of Object.entries(statusByTarget))
    for (const lines of [[], ["Sandbox-Namespace: default"], ["Authorization: Bearer sk_test_sandbox"]]) {
      const request = head(`GET ${target} HTTP/1.1`, "Host: localhost", ...lines);
      const atOwner = await exchange(owner.ready.port, request);
      const atOther = await exchange(other.ready.port, request);
      expect([target, atOwner?.status, atOther?.status]).toEqual([target, status, status]);
      expect(atOther?.body).toBe(atOwner?.body);
    }
  expect(calls).toEqual([]);
});

itOnPostgres("a forwarded call carries only the credentials that the owner checks", async () => {
  const data = ["--data", postgres.url("lease=60s")];
  const received: IncomingHttpHeaders[] = [];
  const spy = createServer((incoming, outgoing) => {
    received.push(incoming.headers);
    outgoing.end("{}");
  });
  const spyUrl = `http://127.0.0.1:${await listening(spy)}`;
  await startServer([...data, "--advertise-url", spyUrl]);
  const other = await startServer(data);
  const headers = {
    authorization: "Bearer sk_test_sandbox",
    "sandbox-control-token": "secret",
    cookie: "session=abc; sandbox_control_token=secret; sandbox_said=x",
  };
  const paths = [
    "/api/v1/accounts/balances",
    "/_sandboxes",
    "/_sandbox/clock",
    "/_sandbox/dashboard/default",
  ];
  for (const path of paths) await fetch(other.url + path, { headers });
  expect(received.map((all) => [all.authorization, all["sandbox-control-token"], all.cookie])).toEqual([
    [headers.authorization, undefined, undefined],
    [headers.authorization, undefined, undefined],
    [headers.authorization, "secret", "sandbox_control_token=secret; sandbox_said=x"],
    [headers.authorization, "secret", "sandbox_control_token=secret; sandbox_said=x"],
  ]);
});
