import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exchange, head } from "../support/api-wire.js";
import { itOnPostgres, lacksPostgres, Postgres } from "../support/postgres.js";
import { listening } from "../support/servers.js";
import { type Started, startServer } from "../support/started.js";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.start();
});
afterAll(() => postgres.end());

/** Starts two processes on one database; the first runs the default namespace. */
async function startTwo(): Promise<{ owner: Started; other: Started }> {
  const data = ["--data", postgres.url("lease=60s")];
  const owner = await startServer(data);
  return { owner, other: await startServer(data) };
}

/** Starts an unrelated server that records its requests. */
async function openStranger(): Promise<{ port: number; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((incoming, outgoing) => {
    calls.push(incoming.url!);
    outgoing.end("stranger");
  });
  return { port: await listening(server), calls };
}

itOnPostgres("a path that names a host gets the owner's response, and the host is not called", async () => {
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
    [`/\\${host}/x`]: 400,
    [`http://localhost/\\${host}/x`]: 400,
  };
  for (const [target, status] of Object.entries(statusByTarget))
    for (const lines of [[], ["Sandbox-Namespace: default"], ["Authorization: Bearer sk_test_sandbox"]]) {
      const bytes = head(`GET ${target} HTTP/1.1`, "Host: localhost", ...lines);
      const atOwner = await exchange(owner.ready.port, bytes);
      const atOther = await exchange(other.ready.port, bytes);
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

const MIB = 1024 * 1024;

/** Sends a body of this size in chunks until the response arrives. */
function upload(url: string, mebibytes: number, headers: Record<string, string>, method = "POST") {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const call = request(url, { method, headers: { "content-type": "application/json", ...headers } });
    call.once("error", reject).once("response", (incoming) => {
      call.removeAllListeners("error").on("error", () => {});
      let body = "";
      incoming.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      incoming.once("end", () => {
        call.destroy();
        resolve({ status: incoming.statusCode!, body });
      });
    });
    const chunk = Buffer.alloc(MIB, " ");
    let left = mebibytes;
    const write = (): void => {
      if (call.destroyed) return;
      if (left-- === 0) call.end();
      else if (call.write(chunk)) setImmediate(write);
      else call.once("drain", write);
    };
    write();
  });
}

const QUOTES = "/api/v1/payments/quotes";
const KEY = { authorization: "Bearer sk_test_sandbox" };

itOnPostgres(
  "a forwarded body has the operation's limit, and the owner journals the refused call",
  async () => {
    const { owner, other } = await startTwo();
    const sent: [string, Record<string, string>, number][] = [
      [QUOTES, KEY, 413],
      [QUOTES, { ...KEY, "content-length": String(2 * MIB) }, 413],
      [QUOTES, {}, 401],
      ["/api/v1/unknown", KEY, 404],
      ["/_sandbox/wait", {}, 413],
      ["/_sandbox/unknown", {}, 404],
      ["/_sandbox/wait", { "sec-fetch-site": "cross-site" }, 403],
    ];
    for (const [path, headers, status] of sent) {
      const atOther = await upload(other.url + path, 2, headers);
      const atOwner = await upload(owner.url + path, 2, headers);
      expect([path, headers, atOther.status, atOwner.status]).toEqual([path, headers, status, status]);
      expect(atOther.body.replaceAll(other.url, owner.url)).toBe(atOwner.body);
    }
    const { items } = (await owner.client.get("/_sandbox/requests?limit=100")).json;
    expect(items.filter(({ status }: { status: number }) => status === 413)).toHaveLength(4);
  },
);

itOnPostgres("a body beyond the limit of most operations is forwarded to one that accepts it", async () => {
  const { other } = await startTwo();
  const state = await (await fetch(`${other.url}/_sandbox/state`)).json();
  const body = JSON.stringify(state) + " ".repeat(2 * MIB);
  const put = await fetch(`${other.url}/_sandbox/state`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body,
  });
  expect([put.status, body.length > MIB]).toEqual([200, true]);
});

const itOnLinux = it.skipIf(lacksPostgres || process.platform !== "linux");

itOnLinux("an endless upload is refused, and no process keeps it in memory", async () => {
  const { owner, other } = await startTwo();
  const peakMib = ({ ready }: Started): number =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${ready.pid}/status`, "utf8"))![1]) / 1024;
  const before = [peakMib(other), peakMib(owner)];
  for (const [headers, status] of [
    [KEY, 413],
    [{}, 401],
  ] as const)
    expect((await upload(other.url + QUOTES, 400, headers)).status).toBe(status);
  const after = [peakMib(other), peakMib(owner)];
  for (const [index, peak] of after.entries()) expect(peak - before[index]!).toBeLessThan(200);
});

itOnPostgres(
  "a call of a frozen process ends when its lease expires, and the next one succeeds",
  async () => {
    const data = ["--data", postgres.url("lease=1s")];
    const owner = await startServer(data);
    const other = await startServer(data);
    const charge = await other.client.pay();
    const stream = await fetch(`${other.url}/_sandbox/stream`);
    process.kill(owner.ready.pid, "SIGSTOP");
    const limit = { signal: AbortSignal.timeout(20_000) };
    const statusOf = (path: string, init: RequestInit = {}): Promise<number | string> =>
      fetch(other.url + path, { ...limit, ...init }).then(
        ({ status }) => status,
        (error: Error) => error.name,
      );
    const order = { method: "POST", headers: { ...KEY, "content-type": "application/json" }, body: "{}" };
    expect(
      await Promise.all([
        statusOf(`/api/v1/payments/charges/${charge}`, { headers: KEY }),
        statusOf(QUOTES, order),
        statusOf("/checkout/co_unknown"),
        Promise.race([stream.text().catch((error: Error) => error.name), statusOf("/never", order)]),
      ]),
    ).toEqual([503, "TypeError", 404, "TypeError"]);
    await expect.poll(async () => (await other.client.charge(charge)).status).toBe(200);
  },
);

itOnPostgres("a name in a path is decoded before its owner is looked up", async () => {
  const { owner, other } = await startTwo();
  await owner.client.ask("POST /_sandbox/namespaces", { name: "w-1" });
  for (const path of [
    "/_sandbox/namespaces/w%2d1",
    "/_sandbox/%6eamespaces/w-1",
    "/_sandbox/dashboard/w%2D1",
  ])
    for (const { url } of [owner, other])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
});

itOnPostgres(
  "a process forwards a call with 0 to 2 hops, and refuses other values of Sandbox-Hops",
  async () => {
    const { other } = await startTwo();
    const statusOf = async (hops: string): Promise<number> =>
      (await fetch(`${other.url}/_sandbox/clock`, { headers: { "sandbox-hops": hops } })).status;
    for (const hops of ["0", "2"]) expect([hops, await statusOf(hops)]).toEqual([hops, 200]);
    expect(await statusOf("3")).toBe(503);
    for (const hops of ["x", "-1", "NaN", "1, 1", "4", "1e0", "00"])
      expect([hops, await statusOf(hops)]).toEqual([hops, 400]);
  },
);

itOnPostgres(
  "a name that no namespace or snapshot can have is not found, and the database not asked",
  async () => {
    const { owner, other } = await startTwo();
    const calls = [
      ["GET", "/_sandbox/namespaces/a%00b", 404],
      ["DELETE", "/_sandbox/namespaces/a%00b", 404],
      ["PUT", "/_sandbox/namespaces/a%00b", 400],
      ["GET", "/_sandbox/dashboard/a%00b", 404],
      ["GET", "/_sandbox/stream?namespace=a%00b", 404],
      ["POST", "/_sandbox/snapshots/a%00b/restore", 404],
      ["DELETE", "/_sandbox/snapshots/a%00b", 404],
      ["GET", "/checkout/co_%00", 404],
    ] as const;
    for (const { url } of [owner, other])
      for (const [method, path, status] of calls) {
        const body = method === "PUT" ? { body: "{}", headers: { "content-type": "application/json" } } : {};
        expect([path, (await fetch(url + path, { method, ...body })).status]).toEqual([path, status]);
      }
    const secret = { name: "w1", webhook_secret: "a\0b" };
    expect((await other.client.ask("POST /_sandbox/namespaces", secret)).status).toBe(400);
    for (const { command } of [owner, other]) expect((await command.stop()).stderr).toBe("");
  },
);

itOnPostgres("TRACE gets 405 from every process", async () => {
  const { owner, other } = await startTwo();
  for (const { port } of [owner.ready, other.ready])
    for (const path of [QUOTES, "/_sandbox/wait"]) {
      const answer = await exchange(port, head(`TRACE ${path} HTTP/1.1`, "Host: localhost"));
      expect([path, answer?.status]).toEqual([path, 405]);
    }
});
