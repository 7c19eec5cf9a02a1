import { expect } from "vitest";
import * as z from "zod/mini";
import { openSandbox as openWith } from "../../src/library/opening.js";
import { CONTROL_OPERATIONS } from "../../src/server/control/operations.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import {
  errorOf,
  expectError,
  expectInvalid,
  KES_ORDER,
  okBody,
  openApi,
  openSandbox,
  START,
} from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { exchange, head, Wire, type WireAnswer } from "../support/api-wire.js";

const QUOTES = "/api/v1/payments/quotes";
const MIB = 1024 * 1024;

/** Returns a valid quote request of exactly this size. */
function padded(bytes: number): string {
  const body = JSON.stringify({ ...KES_ORDER, pad: "" });
  return body.replace('"pad":""', `"pad":"${"x".repeat(bytes - Buffer.byteLength(body))}"`);
}

/** Invalid UTF-8. */
const UNTIDY: [name: string, bytes: number[]][] = [
  ["Latin-1", [0x63, 0x61, 0x66, 0xe9]],
  ["a byte that follows nothing", [0x80]],
  ["a character cut off", [0xf0, 0x9f, 0x98]],
  ["a character written too long", [0xc0, 0xaf]],
  ["half of a surrogate pair", [0xed, 0xa0, 0x80]],
  ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
];

it.for([
  "/api",
  "/api/v1",
  "/api/v1/payments",
  "/api/v1/payments/quote",
  "/api/v1/payments/quotes/",
  "/api/v1/payments/quotes/qt_1",
  "/api/v1/payments/charges/",
  "/api/v1/payments/charges/ch_1/refund",
  "/api/v2/payments/payins",
  "/API/v1/payments/payins",
  "//api/v1/payments/payins",
  "/api/v1/payments/payins%3Flimit=1",
  "/_sandbox/nothing",
  "/healthz",
])("an unknown path %s returns 404 with every method [R31.1]", async (path, { api }) => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    expectError(await api.send(method, path), 404, "NOT_FOUND", []);
    expectError(await api.as(null).send(method, path), 404, "NOT_FOUND", []);
  }
});

it.each([
  ["/v1/payments/quotes", "/api/v1/payments/quotes"],
  ["/api/v1/payment/quotes", "/api/v1/payments/quotes"],
  ["/api/v1/payments/charge/ch_1", "/api/v1/payments/charges/ch_1"],
  ["/api/v1/payments/charges", "/api/v1/payments/charges/:charge_id"],
  ["/api/v1/payments/chargs", "/api/v1/payments/charges/:charge_id"],
  ["/api/v1/payments/payin", "/api/v1/payments/payins"],
  ["/api/v1/payouts/withdrawal/wd_1", "/api/v1/payouts/withdrawals/wd_1"],
])("a mistyped path %s returns 404 and suggests the right path", async (path, meant) => {
  const answer = await (await openApi()).get(path);
  expectError(answer, 404, "NOT_FOUND", []);
  expect(answer.error.message).toBe(
    `There is nothing at ${path}; did you mean ${meant}? /docs has every call`,
  );
});

it.each([
  "/api/v1/payments/invoices",
  "/api/v1/payments/frobnicate",
  "/api/v1/payments/invoices/in_1",
  "/quote",
])("a path that only starts like a known one, %s, returns 404 without a suggestion", async (path) => {
  const answer = await (await openApi()).get(path);
  expectError(answer, 404, "NOT_FOUND", []);
  expect(answer.error.message).toBe(`There is nothing at ${path}`);
});

it.each([
  ["/_sandbox/chargs", "/_sandbox/charges"],
  ["/_sandbox/clock/advnce", "/_sandbox/clock/advance"],
  ["/_sandbox/charge/ch_1", "/_sandbox/charges/ch_1"],
  ["/_sandbox/faluts", "/_sandbox/faults"],
  ["/_sandbox/steam", "/_sandbox/stream"],
])("a mistyped control path %s returns 404 and suggests the right path", async (path, meant) => {
  const answer = await (await openApi()).get(path);
  expectError(answer, 404, "NOT_FOUND", []);
  expect(answer.error.message).toBe(
    `There is nothing at ${path}; did you mean ${meant}? /_sandbox/openapi.json has every call`,
  );
});

it("a path similar to /_sandbox/reset returns 404 without a suggestion", async () => {
  expect((await (await openApi()).send("POST", "/_sandbox/rest", "{}")).error.message).toBe(
    "There is nothing at /_sandbox/rest",
  );
});

it.each([
  [
    "/api/v1/payments/quotes",
    { pricing: { base_currency: "kes", amount: "5.00" } },
    "pricing.base_currency",
    "KES",
  ],
  ["/api/v1/payments/quotes", { payment_method: "Card" }, "payment_method", "card"],
  ["/_sandbox/balances", { currency: "ngn", amount: "5.00" }, "currency", "NGN"],
])("a name in the wrong case returns 400 with a suggestion: POST %s %j", async (path, body, field, meant) => {
  const answer = await (await openApi()).post(path, body);
  expect(answer.details[field]).toContain(`; did you mean ${meant}?`);
});

it("a lower-case currency in PUT rates returns 400 with a suggestion", async () => {
  const answer = await (await openApi()).send("PUT", "/_sandbox/rates", '{ "kes": "130" }');
  expect(answer.details).toEqual({ kes: "is not a currency; did you mean KES?" });
});

const METHODS = new Map([
  ["/", ["GET"]],
  ["/health", ["GET"]],
]);
for (const { method, path } of [...OPERATIONS, ...CONTROL_OPERATIONS])
  METHODS.set(path, [...(METHODS.get(path) ?? []), method]);

it.for([...METHODS])(
  "an unsupported method returns 405 at %s with the Allow header %j",
  async ([path, allowed], { api }) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      if (allowed.includes(method)) continue;
      const answer = await api.send(method, path.replaceAll(":", "x_"));
      expectError(answer, 405, "METHOD_NOT_ALLOWED", []);
      const allow = allowed.includes("GET") ? [...allowed, "HEAD"] : allowed;
      expect(answer.headers.get("allow")).toBe(allow.join(", "));
    }
  },
);

it("HEAD returns the response of GET without the body", async ({ api }) => {
  const answer = await api.send("HEAD", "/api/v1/payments/payins");
  expect([answer.status, answer.text]).toEqual([200, ""]);
  expect((await api.as(null).send("HEAD", "/api/v1/payments/payins")).status).toBe(401);
});

it.for(["", " \n"])("an unreadable body returns 400 with details.body: %j", async (body, { api }) => {
  expectInvalid(await api.tryQuote(body), "body");
});

it.for(UNTIDY)("a body in invalid UTF-8 returns 400 and is not stored: %s", async ([_, bytes], { api }) => {
  const before = api.sandbox.snapshot().collections;
  const name = Buffer.from(JSON.stringify({ ...KES_ORDER, customer_name: "HERE" }));
  const at = name.indexOf("HERE");
  const body = Buffer.concat([name.subarray(0, at), Buffer.from(bytes), name.subarray(at + 4)]);
  for (const path of [QUOTES, "/api/v1/payments/checkouts", "/_sandbox/events"]) {
    const answer = await api.send("POST", path, body, { "content-type": "application/json" });
    expectInvalid(answer, "body");
    expect(answer.details.body).toBe("is not valid UTF-8");
  }
  expect(api.sandbox.snapshot().collections).toEqual(before);
});

it("accepts a UTF-8 body with or without a byte order mark", async ({ api }) => {
  const order = { ...KES_ORDER, customer_name: "Ada é 支付 😀 \ufffd" };
  const { charge_id } = await api.pay(order);
  expect((await api.charge(charge_id)).customer_name).toBe(order.customer_name);
  expect((await api.tryQuote(`\ufeff${JSON.stringify(KES_ORDER)}`)).status).toBe(200);
});

it("a body nested deeper than 100 levels returns 400 with details.body", async ({ api }) => {
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const withDeep = (body: object, levels: number) =>
    JSON.stringify({ ...body, data: 0 }).replace('"data":0', `"data":${nested(levels)}`);
  for (const levels of [100, 8_000, 400_000])
    for (const [path, body] of [
      [QUOTES, KES_ORDER],
      ["/_sandbox/wait", { for: "charge" }],
    ] as const) {
      const answer = await api.post(path, withDeep(body, levels));
      expectInvalid(answer, "body");
      expect(answer.details.body).toBe("is nested deeper than 100 levels");
    }
  expect((await api.tryQuote(withDeep(KES_ORDER, 99))).status).toBe(200);
  expect((await api.post("/_sandbox/wait", withDeep({ for: "idle", match: {} }, 99))).details).toHaveProperty(
    "data",
  );
});

it("a body that is nested too deeply appears in the request log", async ({ api }) => {
  await api.pay();
  const reader = (await api.sandbox.fetch("/_sandbox/stream")).body!.getReader();
  const deep = `${"[".repeat(8_000)}${"]".repeat(8_000)}`;
  expectInvalid(
    await api.tryQuote(JSON.stringify({ ...KES_ORDER, x: 0 }).replace('"x":0', `"x":${deep}`)),
    "body",
  );
  const { items } = okBody(await api.get<{ items: { request_body: unknown }[] }>("/_sandbox/requests"));
  expect(items[0]!.request_body).toContain(deep);
  expect((await api.tryQuote(KES_ORDER)).status).toBe(200);
  await reader.cancel();
});

it("an imported state may be nested as deeply as an export", async ({ api }) => {
  const deep: unknown = JSON.parse(`${"[".repeat(96)}${"]".repeat(96)}`);
  const steps = [{ request: "POST /api/v1/payments/quotes", body: deep }];
  expect((await api.put("/_sandbox/scenarios/deep", { steps })).status).toBe(200);
  const state = (await api.get("/_sandbox/state")).text;
  expect((await api.put("/_sandbox/state", state)).status).toBe(200);
});

it.for([
  "text/plain",
  "text/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonp",
  "application/vnd.api+json",
  "application/xml",
  "application",
  "json",
  "",
])("a body with content type %j returns 400 with details.body [R2.6 R22.3]", async (type, { api }) => {
  const answer = await api.send("POST", QUOTES, Buffer.from(JSON.stringify(KES_ORDER)), {
    "content-type": type,
  });
  expectInvalid(answer, "body");
  expect(answer.error.message).toBe("Invalid request parameters");
});

it("a body without content type returns 400 with details.body [R22.3]", async ({ api }) => {
  expectInvalid(await api.send("POST", QUOTES, Buffer.from(JSON.stringify(KES_ORDER))), "body");
});

it.each([
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
  "Application/JSON",
])("accepts the content type %s", async (type) => {
  expect((await (await openApi()).tryQuote(KES_ORDER, { "content-type": type })).status).toBe(200);
});

it("a body above 1 MiB returns 413 and changes nothing", async ({ api }) => {
  expect((await api.tryQuote(padded(MIB))).status).toBe(200);
  const before = JSON.stringify(api.sandbox.snapshot());
  for (const bytes of [MIB + 1, 2 * MIB])
    expectError(await api.tryQuote(padded(bytes)), 413, "PAYLOAD_TOO_LARGE", []);
  expect(JSON.stringify(api.sandbox.snapshot())).toBe(before);
});

it("the size of a body is measured in bytes, not in characters", async ({ api }) => {
  const body = { ...KES_ORDER, pad: "é".repeat(MIB / 2) };
  expectError(await api.tryQuote(body), 413, "PAYLOAD_TOO_LARGE", []);
});

const lines = (key: string, ...more: string[]) => [
  `POST ${QUOTES} HTTP/1.1`,
  "Host: localhost",
  `Authorization: Bearer ${key}`,
  "Content-Type: application/json",
  ...more,
];
const whole = (body: string) => head(...lines("sk_test_sandbox", `Content-Length: ${body.length}`)) + body;
const inChunks = (body: string) => {
  let text = head(...lines("sk_test_sandbox", "Transfer-Encoding: chunked"));
  for (let at = 0; at < body.length; at += 60_000) {
    const chunk = body.slice(at, at + 60_000);
    text += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return `${text}0\r\n\r\n`;
};

async function open(): Promise<Wire> {
  const { port } = await (await openSandbox()).listen();
  return Wire.open(port);
}

/** Checks that the connection is usable, or was announced as closed. */
async function expectUsable(wire: Wire, answer?: WireAnswer): Promise<void> {
  if (answer?.headers.connection === "close") {
    expect(await wire.next()).toBeUndefined();
    return;
  }
  wire.write(whole(JSON.stringify(KES_ORDER)));
  expect((await wire.next())?.status).toBe(200);
}

it.each([
  ["with Content-Length", whole],
  ["chunked", inChunks],
])("a body that is too large, %s, returns 413 and keeps the connection usable", async (_, request) => {
  const wire = await open();
  wire.write(request(padded(3 * MIB)));
  const answer = await wire.next();
  expect(answer?.status).toBe(413);
  expect(errorOf(answer?.body ?? "").code).toBe("PAYLOAD_TOO_LARGE");
  await expectUsable(wire, answer);
});

it.each([
  [
    "with Content-Length",
    (body: Buffer) => [head(...lines("sk_test_sandbox", `Content-Length: ${body.length}`)), body],
  ],
  [
    "in chunks",
    (body: Buffer) => [
      head(...lines("sk_test_sandbox", "Transfer-Encoding: chunked")),
      `${body.length.toString(16)}\r\n`,
      body,
      "\r\n0\r\n\r\n",
    ],
  ],
])("a body in invalid UTF-8, %s, returns 400 and keeps the connection usable", async (_, request) => {
  const wire = await open();
  for (const part of request(Buffer.from('{"payment_method":"caf\xe9"}', "latin1"))) wire.write(part);
  const answer = await wire.next();
  expect(answer?.status).toBe(400);
  expect(errorOf(answer?.body ?? "").details).toEqual({ body: "is not valid UTF-8" });
  await expectUsable(wire, answer);
});

it("a large Content-Length is refused before the body arrives", async () => {
  const wire = await open();
  wire.write(head(...lines("sk_test_sandbox", "Content-Length: 500000000")));
  expect((await wire.next())?.status).toBe(413);
});

it("accepts a chunked body of 1 MiB", async () => {
  const wire = await open();
  wire.write(inChunks(padded(MIB)));
  const answer = await wire.next();
  expect(answer?.status).toBe(200);
  await expectUsable(wire, answer);
});

it.each([
  ["401", lines("sk_test_nobody"), 401],
  ["403", lines("sk_test_readonly"), 403],
  ["404", lines("sk_test_deactivated"), 404],
])("the connection stays usable after a %s whose body was not read", async (_, start, status) => {
  const wire = await open();
  const body = padded(200_000);
  wire.write(head(...start, `Content-Length: ${body.length}`) + body);
  const answer = await wire.next();
  expect(answer?.status).toBe(status);
  await expectUsable(wire, answer);
});

it("reads a body from several packets, even when they split characters", async () => {
  const { port } = await (await openSandbox()).listen();
  const wire = await Wire.open(port);
  const name = "Zoë Müller, 渋谷区";
  const body = Buffer.from(JSON.stringify({ ...KES_ORDER, customer_name: name }));
  wire.write(head(...lines("sk_test_sandbox", `Content-Length: ${body.length}`)));
  const cut = body.indexOf("ë") + 1;
  for (const piece of [body.subarray(0, 7), body.subarray(7, cut), body.subarray(cut)]) {
    // The server has read the earlier bytes once it responds on another connection.
    await exchange(port, head("GET /health HTTP/1.1", "Host: localhost"));
    wire.write(piece);
  }
  expect((await wire.next())?.status).toBe(200);
  const seen = await exchange(port, head("GET /_sandbox/requests HTTP/1.1", "Host: localhost"));
  expect(seen?.body).toContain(name);
});

it("ignores the body of a GET", async () => {
  const wire = await open();
  const path = "GET /api/v1/payments/payment-methods HTTP/1.1";
  wire.write(
    `${head(path, "Host: localhost", "Content-Length: 9")}GET / HTT${head(path, "Host: localhost")}`,
  );
  expect([(await wire.next())?.status, (await wire.next())?.status]).toEqual([200, 200]);
  await expectUsable(wire);
});

it("accepts a body after Expect: 100-continue", async () => {
  const wire = await open();
  const body = JSON.stringify(KES_ORDER);
  wire.write(head(...lines("sk_test_sandbox", `Content-Length: ${body.length}`, "Expect: 100-continue")));
  expect((await wire.next())?.status).toBe(100);
  wire.write(body);
  expect((await wire.next())?.status).toBe(200);
  await expectUsable(wire);
});

it("a client that disconnects while sending its body changes nothing", async () => {
  const errors: unknown[] = [];
  const sandbox = await openWith({
    clock: "manual",
    start_time: START,
    onError: (error) => errors.push(error),
  });
  try {
    const { port } = await sandbox.listen();
    const before = JSON.stringify(sandbox.snapshot());
    for (const length of ["Content-Length: 500", "Transfer-Encoding: chunked"]) {
      const wire = await Wire.open(port);
      wire.write(`${head(...lines("sk_test_sandbox", length))}5\r\n{"a":`);
      // The server has started to read once it responds on another connection.
      await exchange(port, head("GET /health HTTP/1.1", "Host: localhost"));
      wire.close();
    }
    for (let call = 0; call < 20; call++)
      await exchange(port, head("GET /health HTTP/1.1", "Host: localhost"));
    expect(errors).toEqual([]);
    expect(JSON.stringify(sandbox.snapshot())).toBe(before);
  } finally {
    await sandbox.close();
  }
});

it.each([
  ["not HTTP", "nonsense\r\n\r\n", 400],
  ["a malformed header", head("GET /health HTTP/1.1", "Host: localhost", "no colon"), 400],
  ["without Host", head("GET /health HTTP/1.1"), 400],
  ["an invalid Host", head("GET /health HTTP/1.1", "Host: a b"), 400],
  [
    "two lengths",
    head(`POST ${QUOTES} HTTP/1.1`, "Host: localhost", "Content-Length: 1", "Content-Length: 2"),
    400,
  ],
  ["an invalid chunk", `${head(...lines("sk_test_sandbox", "Transfer-Encoding: chunked"))}zz\r\n`, 400],
  [
    "headers that are too large",
    head("GET /health HTTP/1.1", "Host: localhost", `X-A: ${"a".repeat(20_000)}`),
    431,
  ],
  ["a URL that is too long", head(`GET /${"a".repeat(20_000)} HTTP/1.1`, "Host: localhost"), 431],
])("refuses %s over a socket with the service's error format", async (_, bytes, status) => {
  const { port } = await (await openSandbox({ errorCodes: { PAYLOAD_TOO_LARGE: "TOO_MUCH" } })).listen();
  const answer = await exchange(port, bytes);
  expect(answer?.status).toBe(status);
  expect(answer?.headers).toMatchObject({
    "content-type": expect.stringMatching(/^application\/json/),
    "sandbox-now": START,
    "x-content-type-options": "nosniff",
  });
  expect(errorOf(answer?.body ?? "").code).toBe(status === 431 ? "TOO_MUCH" : "VALIDATION_ERROR");
  expect((await exchange(port, head("GET /health HTTP/1.1", "Host: localhost")))?.status).toBe(200);
});

it("error messages do not depend on the process's zod error map", async ({ api }) => {
  const { localeError } = z.config();
  z.config({ localeError: () => "another's words" });
  try {
    const answer = await api.tryQuote({ ...KES_ORDER, pricing: { base_currency: "KES", amount: 500 } });
    expect(JSON.parse(answer.text).error.details).toEqual({ "pricing.amount": "must be a string" });
  } finally {
    z.config({ localeError });
  }
});

it("GET /health says that storage is ok, and how many namespaces there are", async ({ api }) => {
  await api.put("/_sandbox/namespaces/one", {});
  expect((await api.get("/health")).json).toMatchObject({ status: "ok", storage: "ok", owns: 2 });
});

it("GET /health returns 200 with or without a valid key", async ({ api }) => {
  expect((await api.as(null).get("/health")).status).toBe(200);
  expect((await api.as("sk_test_nobody").get("/health")).status).toBe(200);
});
