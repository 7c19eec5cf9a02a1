import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { exchange, head } from "../support/api-wire.js";

const KEY = "Authorization: Bearer sk_test_sandbox";
const JSON_TYPE = "Content-Type: application/json";
const QUOTE = '{"pricing":{"base_currency":"KES","amount":"500.00"},"payment_method":"mobile_money"}';

/** Request lines and headers, then the body. */
interface Sent {
  readonly line: string;
  readonly lines: readonly string[];
  readonly body?: string;
}

const CALLS: Readonly<Record<string, Sent>> = {
  "a read": { line: "GET /api/v1/payments/payins?limit=2", lines: [KEY] },
  "a read of what is not there": { line: "GET /api/v1/payments/charges/ch_none", lines: [KEY] },
  "a write": { line: "POST /api/v1/payments/quotes", lines: [KEY, JSON_TYPE], body: QUOTE },
  "a body that is not JSON": { line: "POST /api/v1/payments/quotes", lines: [KEY, JSON_TYPE], body: "{" },
  "two keys": { line: "GET /api/v1/payments/payins", lines: [KEY, "Authorization: Bearer sk_live_sandbox"] },
  "no key": { line: "GET /api/v1/payments/payins", lines: [] },
  "another namespace": { line: "GET /api/v1/payments/payins", lines: [KEY, "Sandbox-Namespace: none"] },
};

/** An escaped letter in the URL avoids the fast path. */
const DOORS = {
  direct: (line: string) => line,
  request: (line: string) => line.replace("/payments/", "/p%61yments/"),
};

async function through(door: (line: string) => string, { line, lines, body = "" }: Sent) {
  const sandbox = await openSandbox({ clock: "manual", startTime: "2026-01-01T00:00:00Z", seed: "doors" });
  const { port } = await sandbox.listen();
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  const answer = await exchange(
    port,
    head(`${door(line)} HTTP/1.1`, "Host: 127.0.0.1", ...lines, ...length) + body,
  );
  const { date, ...headers } = answer?.headers ?? {};
  const listed = await sandbox.fetch("/_sandbox/requests");
  const { items } = (await listed.json()) as { items: Record<string, unknown>[] };
  const { path, operation, status, request_body, error_code } = items[0] ?? {};
  const entry = { path, operation, status, request_body, error_code };
  return { status: answer?.status, headers, body: answer?.body, entry };
}

it.each(Object.keys(CALLS))("returns the same response over HTTP and in process: %s", async (name) => {
  const direct = await through(DOORS.direct, CALLS[name]!);
  const request = await through(DOORS.request, CALLS[name]!);
  expect(direct).toEqual(request);
});

const NAMES = ["127.0.0.1", "localhost", "127.0.0.1", "127.0.0.1", "localhost"];

it("a checkout URL has the host of its request", async () => {
  const { port } = await (await openSandbox()).listen();
  for (const host of NAMES.map((name) => `${name}:${port}`)) {
    const body = '{"pricing":{"base_currency":"KES","amount":"500.00"}}';
    const lines = [`Host: ${host}`, KEY, JSON_TYPE, `Content-Length: ${body.length}`];
    const answer = await exchange(port, head("POST /api/v1/payments/checkouts HTTP/1.1", ...lines) + body);
    expect(JSON.parse(answer!.body).checkout_url).toMatch(`http://${host}/checkout/co_`);
  }
});

it("records the query of each request on one port", async () => {
  const sandbox = await openSandbox();
  const { port } = await sandbox.listen();
  const PAYINS = "/api/v1/payments/payins";
  const targets = [`${PAYINS}?limit=2`, `${PAYINS}?limit=3`, `${PAYINS}?limit=3`, PAYINS, "/api/v1/accounts"];
  for (const target of targets) await exchange(port, head(`GET ${target} HTTP/1.1`, "Host: 127.0.0.1", KEY));
  const listed = await sandbox.fetch("/_sandbox/requests");
  const { items } = (await listed.json()) as { items: { path: string; query: Record<string, string> }[] };
  const written = items.map(({ path, query }) => `${path}?${new URLSearchParams(query)}`.replace(/\?$/, ""));
  expect(written.reverse()).toEqual(targets);
});
