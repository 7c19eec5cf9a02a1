import { describe, expect, it } from "vitest";
import { openSandbox as openWith } from "../../src/sandbox.js";
import {
  errorOf,
  expectError,
  expectInvalid,
  KES_ORDER,
  openApi,
  openSandbox,
  START,
} from "../support/api-client.js";
import { exchange, head, Wire, type WireAnswer } from "../support/api-wire.js";

const QUOTES = "/api/v1/payments/quotes";
const MIB = 1024 * 1024;

/** A valid quote request of exactly so many bytes. */
function padded(bytes: number): string {
  const body = JSON.stringify({ ...KES_ORDER, pad: "" });
  return body.replace('"pad":""', `"pad":"${"x".repeat(bytes - Buffer.byteLength(body))}"`);
}

describe("a path where nothing is", () => {
  it.each([
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
  ])("%s is 404 with every method, with a key and without", async (path) => {
    const api = await openApi();
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      expectError(await api.send(method, path), 404, "NOT_FOUND", []);
      expectError(await api.as(null).send(method, path), 404, "NOT_FOUND", []);
    }
  });
});

describe("a method a path does not have", () => {
  it.each([
    ["GET", "/"],
    ["GET", "/api/v1/payments/payment-methods"],
    ["GET", "/api/v1/payments/supported-currencies"],
    ["POST", "/api/v1/payments/quotes"],
    ["POST", "/api/v1/payments/whitelabel"],
    ["GET", "/api/v1/payments/payins"],
    ["GET", "/api/v1/payments/payins/ch_1"],
    ["GET", "/api/v1/payments/charges/ch_1"],
    ["GET", "/api/v1/accounts/balances"],
    ["GET", "/api/v1/organizations/me"],
    ["POST", "/_sandbox/reset"],
    ["POST", "/_sandbox/clock/advance"],
    ["POST", "/_sandbox/charges/ch_1/transition"],
    ["GET", "/health"],
  ])("is 405, and Allow says it is %s at %s", async (allowed, path) => {
    const api = await openApi();
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      if (method === allowed) continue;
      const answer = await api.send(method, path);
      expectError(answer, 405, "METHOD_NOT_ALLOWED", []);
      const allow = (answer.headers.get("allow") ?? "").split(", ").filter((one) => one !== "HEAD");
      expect(allow).toEqual([allowed]);
    }
  });

  it("names all that are there", async () => {
    const answer = await (await openApi()).send("POST", "/_sandbox/clock");
    const allow = answer.headers.get("allow")?.split(", ") ?? [];
    expect(allow.filter((one) => one !== "HEAD").sort()).toEqual(["GET", "PUT"]);
  });

  it("HEAD is answered as GET is, without the body", async () => {
    const api = await openApi();
    const answer = await api.send("HEAD", "/api/v1/payments/payins");
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect((await api.as(null).send("HEAD", "/api/v1/payments/payins")).status).toBe(401);
  });
});

describe("a body that cannot be read", () => {
  it.each([
    ["nothing", ""],
    ["white space", " \n"],
    ["broken JSON", '{"pricing":'],
    ["JSON with a comma too many", '{"a":1,}'],
    ["JSON with a comment", '{"a":1 /* one */}'],
    ["single quotes", "{'a':1}"],
    ["two objects", "{}{}"],
    ["NaN", '{"a":NaN}'],
    ["a form", "payment_method=card"],
    ["an array", "[]"],
    ["an array of objects", `[${JSON.stringify(KES_ORDER)}]`],
    ["null", "null"],
    ["a string", '"text"'],
    ["a number", "5"],
    ["true", "true"],
  ])("because it is %s is 400, details.body", async (_, body) => {
    const api = await openApi();
    for (const path of [QUOTES, "/api/v1/payments/whitelabel"]) {
      const answer = await api.post(path, body);
      expectInvalid(answer, "body");
      expect(answer.error.message).toBe("Invalid request parameters");
    }
  });

  it.each([
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
  ])("because its content type is %j is 400, details.body", async (type) => {
    const api = await openApi();
    const answer = await api.send("POST", QUOTES, Buffer.from(JSON.stringify(KES_ORDER)), {
      "content-type": type,
    });
    expectInvalid(answer, "body");
    expect(answer.error.message).toBe("Invalid request parameters");
  });

  it("because it has no content type is 400, details.body", async () => {
    const api = await openApi();
    expectInvalid(await api.send("POST", QUOTES, Buffer.from(JSON.stringify(KES_ORDER))), "body");
  });

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
  ])("is none when its content type is %s", async (type) => {
    expect((await (await openApi()).tryQuote(KES_ORDER, { "content-type": type })).status).toBe(200);
  });
});

describe("a body of more than 1 MiB", () => {
  it("is 413; one of 1 MiB is read", async () => {
    const api = await openApi();
    expect((await api.tryQuote(padded(MIB))).status).toBe(200);
    expectError(await api.tryQuote(padded(MIB + 1)), 413, "PAYLOAD_TOO_LARGE", []);
  });

  it("is counted in bytes, not in characters", async () => {
    const api = await openApi();
    const body = { ...KES_ORDER, pad: "é".repeat(MIB / 2) };
    expectError(await api.tryQuote(body), 413, "PAYLOAD_TOO_LARGE", []);
  });

  it("makes nothing", async () => {
    const api = await openApi();
    const before = JSON.stringify(api.sandbox.snapshot());
    await api.tryQuote(padded(2 * MIB));
    expect(JSON.stringify(api.sandbox.snapshot())).toBe(before);
  });

  it("is 413 at the control API too", async () => {
    const api = await openApi();
    expectError(await api.post("/_sandbox/reset", padded(MIB + 1)), 413, "PAYLOAD_TOO_LARGE", []);
  });
});

describe("over a real connection", () => {
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

  /** Either the next request on the connection is answered, or the answer before said it is the last. */
  async function expectUsable(wire: Wire, answer: WireAnswer | undefined): Promise<void> {
    if (answer?.headers.connection === "close") {
      expect(await wire.next()).toBeUndefined();
      return;
    }
    wire.write(whole(JSON.stringify(KES_ORDER)));
    expect((await wire.next())?.status).toBe(200);
  }

  it.each([
    ["with its length announced", whole],
    ["in chunks, its length unknown", inChunks],
  ])("a body that is too large, %s, is 413, and the connection is in order after it", async (_, request) => {
    const wire = await open();
    wire.write(request(padded(3 * MIB)));
    const answer = await wire.next();
    expect(answer?.status).toBe(413);
    expect(errorOf(answer?.body ?? "").code).toBe("PAYLOAD_TOO_LARGE");
    await expectUsable(wire, answer);
  });

  it("a length that is too large is refused before the body comes", async () => {
    const wire = await open();
    wire.write(head(...lines("sk_test_sandbox", "Content-Length: 500000000")));
    expect((await wire.next())?.status).toBe(413);
  });

  it("a body of 1 MiB in chunks is read", async () => {
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
  ])("the connection is in order after a %s whose body nobody read", async (_, start, status) => {
    const wire = await open();
    const body = padded(200_000);
    wire.write(head(...start, `Content-Length: ${body.length}`) + body);
    const answer = await wire.next();
    expect(answer?.status).toBe(status);
    await expectUsable(wire, answer);
  });

  it("requests sent at once on one connection are answered in order", async () => {
    const wire = await open();
    const broken = whole("{broken");
    wire.write(whole(JSON.stringify(KES_ORDER)) + broken + whole(JSON.stringify(KES_ORDER)));
    const statuses = [await wire.next(), await wire.next(), await wire.next()].map((one) => one?.status);
    expect(statuses).toEqual([200, 400, 200]);
  });

  it("a sender that hangs up in the middle of its body is no error of ours, and makes nothing", async () => {
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
        // The server has begun to read once another request that came later is answered.
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

  it("what is no HTTP at all is refused, and the server lives on", async () => {
    const { port } = await (await openSandbox()).listen();
    expect((await exchange(port, "nonsense\r\n\r\n"))?.status).toBe(400);
    expect((await exchange(port, head("GET /health HTTP/1.1", "Host: localhost")))?.status).toBe(200);
  });
});

describe("every answer", () => {
  it("is JSON and says the sandbox's time, whatever its status", async () => {
    const api = await openApi({ rateLimit: 3 });
    const answers = [
      await api.get("/health"),
      await api.get("/_sandbox"),
      await api.get("/_sandbox/clock"),
      await api.post("/_sandbox/reset", "{broken"),
      await api.transition("ch_1", { to: "FAILED" }),
      await api.get("/nothing"),
      await api.send("DELETE", QUOTES),
      await api.as(null).tryPayins(),
      await api.as("sk_test_readonly").tryQuote({}),
      await api.as("sk_test_deactivated").tryPayins(),
      await api.tryQuote(padded(MIB + 1)),
      await api.tryQuote({}),
      await api.tryQuote(KES_ORDER),
      await api.tryPayins(),
    ];
    expect(answers.map((one) => one.status)).toEqual([
      200, 200, 200, 400, 404, 404, 405, 401, 403, 404, 413, 400, 200, 429,
    ]);
    for (const answer of answers) {
      expect(answer.headers.get("content-type")).toMatch(/^application\/json\b/);
      expect(answer.headers.get("sandbox-now")).toBe(START);
      expect(() => JSON.parse(answer.text)).not.toThrow();
    }
  });

  it("GET /health is 200 without a key, also when a wrong one is sent", async () => {
    const api = await openApi();
    expect((await api.as(null).get("/health")).status).toBe(200);
    expect((await api.as("sk_test_nobody").get("/health")).status).toBe(200);
  });
});
