import { expect } from "vitest";
import type { SandboxOptions } from "../../src/library/index.js";
import { errorOf, openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { exchange, head, type WireAnswer } from "../support/api-wire.js";

type Send = (target: string, ...lines: string[]) => Promise<WireAnswer>;

async function listening(options: SandboxOptions = {}): Promise<{ port: number; send: Send }> {
  const { port } = await (await openSandbox(options)).listen();
  const send: Send = async (target, ...lines) => {
    const [method, path] = target.includes(" ") ? target.split(" ") : ["GET", target];
    const length = method === "GET" ? [] : ["Content-Length: 0"];
    const answer = await exchange(port, head(`${method} ${path} HTTP/1.1`, ...lines, ...length));
    if (answer === undefined) throw new Error(`no answer to ${target} ${lines.join(", ")}`);
    return answer;
  };
  return { port, send };
}

function expectRefused(answer: WireAnswer): void {
  expect(answer.status).toBe(403);
  expect(errorOf(answer.body).code).toBe("FORBIDDEN");
  expect(answer.headers["sandbox-now"]).toBeDefined();
}

const KEY = "Authorization: Bearer sk_test_sandbox";
const PATHS = ["/_sandbox", "/_sandbox/clock", "/health", "/api/v1/payments/supported-currencies"];

it.each([
  "localhost",
  "LocalHost:4402",
  "127.0.0.1",
  "127.0.0.1:80",
  "127.8.9.10:4402",
  "[::1]",
  "[::1]:4402",
  "host.docker.internal",
  "host.docker.internal:4402",
])("accepts the server's Host with any port: %s", async (host) => {
  const { send } = await listening();
  for (const path of PATHS) expect((await send(path, `Host: ${host}`)).status).toBe(200);
  expect((await send("POST /_sandbox/reset", `Host: ${host}`)).status).toBe(200);
});

it("accepts the names of --allowed-host", async () => {
  const { send } = await listening({ allowedHosts: ["payments", "Sandbox.CI.test:4402"] });
  for (const host of ["payments", "payments:4402", "sandbox.ci.test", "SANDBOX.ci.test:80"])
    expect((await send("/_sandbox", `Host: ${host}`)).status).toBe(200);
  for (const host of ["payments.evil.test", "xpayments", "ci.test"])
    expectRefused(await send("/_sandbox", `Host: ${host}`));
});

it("accepts the host of --public-url", async () => {
  const { send } = await listening({ publicUrl: "https://pay.shop.test:8443/base" });
  expect((await send("/_sandbox", "Host: pay.shop.test")).status).toBe(200);
  expect((await send("/_sandbox", "Host: pay.shop.test:8443")).status).toBe(200);
  expectRefused(await send("/_sandbox", "Host: shop.test"));
});

it.each([
  "evil.test",
  "evil.test:4402",
  "localhost.evil.test",
  "evil-localhost",
  "127.0.0.1.evil.test",
  "127.evil.test",
  "127.0.0.1evil.test",
  "128.0.0.1",
  "10.0.0.1",
  "0.0.0.0",
  "192.168.1.1:4402",
  "[::2]",
  "[2001:db8::1]:80",
  "docker.internal",
])("refuses another Host on every path: %s", async (host) => {
  const { send } = await listening();
  for (const path of PATHS) expectRefused(await send(path, `Host: ${host}`));
  expectRefused(await send("/api/v1/payments/payins", `Host: ${host}`, KEY));
  expectRefused(await send("POST /_sandbox/reset", `Host: ${host}`));
  expectRefused(await send("/nothing", `Host: ${host}`));
});

it("a request with another Host changes nothing", async ({ shop: { sandbox } }) => {
  const { port } = await sandbox.listen();
  const before = JSON.stringify(sandbox.snapshot());
  await exchange(port, head("POST /_sandbox/reset HTTP/1.1", "Host: evil.test", "Content-Length: 0"));
  expect(JSON.stringify(sandbox.snapshot())).toBe(before);
});

it("refuses another host in an absolute request URL", async () => {
  const { send } = await listening();
  expectRefused(await send("http://evil.test/_sandbox", "Host: localhost"));
  expect((await send("http://localhost/_sandbox", "Host: localhost")).status).toBe(200);
});

it.each([
  "a b",
  "local host",
  "user@localhost",
  "localhost/x",
  "localhost#x",
  "localhost?x",
  "[::1",
  "localhost:x",
])("an invalid Host returns 4xx: %s", async (host) => {
  const { send } = await listening();
  const { status } = await send("/_sandbox", `Host: ${host}`);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
});

const WRITES = ["POST /_sandbox/reset", "PUT /_sandbox/clock", "POST /_sandbox/clock/advance"];

it.each([
  ["Origin: http://evil.test"],
  ["Origin: https://localhost.evil.test"],
  ["Origin: null"],
  ["Origin: nonsense"],
  ["Origin: http://localhost:9"],
  ["Sec-Fetch-Site: cross-site"],
  ["Sec-Fetch-Site: same-site"],
  ["Sec-Fetch-Site: cross-site", "Origin: http://evil.test"],
])("refuses a browser's cross-site write to the control API: %s", async (...lines) => {
  const { send } = await listening();
  for (const write of WRITES) expectRefused(await send(write, "Host: localhost:4402", ...lines));
});

it.each([
  ["Origin: http://localhost:4402"],
  ["Sec-Fetch-Site: same-origin", "Origin: http://localhost:4402"],
  ["Sec-Fetch-Site: none"],
  ["User-Agent: no browser"],
])("accepts a same-site write to the control API: %s", async (...lines) => {
  const { send } = await listening();
  expect((await send("POST /_sandbox/reset", "Host: localhost:4402", ...lines)).status).toBe(200);
});

it("a refused cross-site write changes nothing", async ({ shop: { sandbox } }) => {
  const { port } = await sandbox.listen();
  const before = JSON.stringify(sandbox.snapshot());
  const body = '{"by":"1h"}';
  await exchange(
    port,
    head(
      "POST /_sandbox/clock/advance HTTP/1.1",
      "Host: localhost",
      "Origin: http://evil.test",
      "Content-Type: text/plain",
      `Content-Length: ${body.length}`,
    ) + body,
  );
  expect(JSON.stringify(sandbox.snapshot())).toBe(before);
});

/** One path, written in every way that HTTP allows. */
const WAYS = [
  "/_sandbox",
  "/_sandbox?x=1",
  "/_sandbox/clock",
  "/%5Fsandbox",
  "/%5fsandbox/clock",
  "/_%73andbox",
  "/./_sandbox",
  "/x/../_sandbox",
  "/%2e/_sandbox",
  "/x/%2E%2E/_sandbox",
  "//_sandbox",
  "/_sandbox/",
  "http://localhost/_sandbox",
  "HTTP://localhost/_sandbox",
  "http://localhost/x/../%5Fsandbox/clock",
];

it.each(WAYS)("a public control API returns 401 without a valid token: GET %s", async (path) => {
  const closed = await listening({ host: "0.0.0.0" });
  expect((await closed.send(path, "Host: localhost")).status).toBeGreaterThanOrEqual(400);
  const { send } = await listening({ host: "0.0.0.0", controlToken: "open-sesame" });
  for (const lines of [[], ["Sandbox-Control-Token: wrong"], ["Sandbox-Control-Token: open-sesame2"]])
    expect((await send(path, "Host: localhost", ...lines)).status).toBeGreaterThanOrEqual(400);
});

it("a public control API explains the 401 in the service's error format", async () => {
  const { send } = await listening({ host: "0.0.0.0" });
  expectRefused(await send("/_sandbox", "Host: localhost"));
  expectRefused(await send("POST /_sandbox/reset", "Host: localhost"));
  expectRefused(await send("POST /%5Fsandbox/reset", "Host: localhost"));
});

it("a public control API accepts the token", async () => {
  const { send } = await listening({ host: "0.0.0.0", controlToken: "open-sesame" });
  const token = "Sandbox-Control-Token: open-sesame";
  expect((await send("/_sandbox", "Host: localhost", token)).status).toBe(200);
  expect((await send("POST /_sandbox/reset", "Host: localhost", token)).status).toBe(200);
});

it("--control-token off opens the control API to all requests", async () => {
  const { send } = await listening({ host: "0.0.0.0", controlToken: "off" });
  expect((await send("/_sandbox", "Host: localhost")).status).toBe(200);
  expectRefused(await send("/_sandbox", "Host: evil.test"));
});

it("the service of a public server requires only an API key", async () => {
  const { send } = await listening({ host: "0.0.0.0" });
  expect((await send("/api/v1/payments/payins", "Host: localhost", KEY)).status).toBe(200);
  expect((await send("/health", "Host: localhost")).status).toBe(200);
  expect((await send("/api/v1/payments/payins", "Host: localhost")).status).toBe(401);
});

it.each(["0", "0.0", "0x0", "::", "0::0"])("a server at %s listens on all addresses", async (host) => {
  const { url, port } = await (await openSandbox({ host })).listen();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  const answer = await exchange(port, head("GET /_sandbox HTTP/1.1", "Host: localhost"));
  expect(answer?.status).toBe(403);
  const ofName = await exchange(port, head("GET /health HTTP/1.1", "Host: 0.0.0.0"));
  expect(ofName?.status).toBe(403);
});

it("the control API on loopback requires no token", async () => {
  for (const host of ["127.0.0.1", "127.1", "localhost"]) {
    const { port } = await (await openSandbox({ host })).listen();
    const where = host === "localhost" ? "localhost" : "127.0.0.1";
    const answer = await exchange(port, head("GET /_sandbox HTTP/1.1", "Host: localhost"), where);
    expect(answer?.status).toBe(200);
  }
});
