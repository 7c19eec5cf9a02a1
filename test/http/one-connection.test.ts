import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { Random } from "../simulation/random.js";
import { openSandbox } from "../support/api-client.js";
import { exchange, head, Wire, type WireAnswer } from "../support/api-wire.js";

const HOST = "Host: 127.0.0.1";
const KEY = "Authorization: Bearer sk_test_sandbox";
const JSON_TYPE = "Content-Type: application/json";
const PRICING = { base_currency: "KES", amount: "500.00" };
const QUOTE = JSON.stringify({ pricing: PRICING, payment_method: "mobile_money" });
const CHECKOUT = JSON.stringify({ pricing: PRICING });
const START = { clock: "manual", startTime: "2026-01-01T00:00:00Z", seed: "pairs" } as const;

const post = (path: string, body: string, ...lines: string[]) =>
  head(`POST ${path} HTTP/1.1`, HOST, KEY, JSON_TYPE, `Content-Length: ${body.length}`, ...lines) + body;
const get = (path: string) => head(`GET ${path} HTTP/1.1`, HOST, KEY);

async function open(): Promise<number> {
  return (await (await openSandbox(START)).listen()).port;
}

it("pipelined requests take effect in order", async () => {
  const wire = await Wire.open(await open());
  const chunked = head(
    "POST /api/v1/payments/checkouts HTTP/1.1",
    HOST,
    KEY,
    JSON_TYPE,
    "Transfer-Encoding: chunked",
  );
  wire.write(
    `${chunked}${CHECKOUT.length.toString(16)}\r\n${CHECKOUT}\r\n0\r\n\r\n` +
      get("/api/v1/payments/payins") +
      post("/api/v1/payments/checkouts", CHECKOUT) +
      get("/api/v1/payments/payins"),
  );
  const bodies = [];
  for (let place = 0; place < 4; place++) bodies.push(JSON.parse((await wire.next())!.body));
  const [first, one, second, two] = bodies;
  expect(one.items.map((item: { charge_id: string }) => item.charge_id)).toEqual([first.charge_id]);
  expect(two.items.map((item: { charge_id: string }) => item.charge_id)).toEqual([
    second.charge_id,
    first.charge_id,
  ]);
});

it("earlier requests get responses before malformed bytes are refused", async () => {
  const wire = await Wire.open(await open());
  wire.write(`${post("/api/v1/payments/checkouts", CHECKOUT)}garbage\r\n\r\n`);
  expect((await wire.next())?.status).toBe(200);
  expect((await wire.next())?.status).toBe(400);
  expect(await wire.next()).toBeUndefined();
});

it("closes a connection with more than 1,000 waiting requests", async () => {
  const sandbox = await openSandbox(START);
  const fault = { match: { operation: "getBalances" }, drop: "hang" };
  await sandbox.fetch("/_sandbox/faults", { method: "POST", body: JSON.stringify(fault) });
  const wire = await Wire.open((await sandbox.listen()).port);
  wire.write(get("/api/v1/accounts/balances") + get("/api/v1/payments/payins").repeat(1_002));
  expect(await wire.next()).toBeUndefined();
});

it("refuses a malformed body immediately", async () => {
  const wire = await Wire.open(await open());
  wire.write(
    `${head("POST /api/v1/payments/checkouts HTTP/1.1", HOST, KEY, JSON_TYPE, "Transfer-Encoding: chunked")}x\r\n`,
  );
  expect((await wire.next())?.status).toBe(400);
});

it.each([
  [417, post("/api/v1/payments/quotes", QUOTE, "Expect: x"), undefined],
  [505, head("GET /api/v1/payments/payins HTTP/2.0", HOST, KEY), undefined],
  [400, post("/api/v1/payments/quotes", QUOTE).replace(JSON_TYPE, `${JSON_TYPE}; charset=utf-16`), "utf-16"],
  [400, post("/api/v1/payments/quotes", QUOTE, "Content-Encoding: gzip"), "gzip"],
])("a malformed request returns %i in the service's error format", async (status, request, named) => {
  const response = await exchange(await open(), request);
  expect(response?.status).toBe(status);
  const { error } = JSON.parse(response!.body);
  expect(error.code).toBe("VALIDATION_ERROR");
  if (named !== undefined) expect(error.details.body).toContain(named);
});

it("accepts a body with explicit UTF-8 and identity encoding", async () => {
  const request = post("/api/v1/payments/quotes", QUOTE, "Content-Encoding: identity");
  const response = await exchange(
    await open(),
    request.replace(JSON_TYPE, 'Content-Type: application/json; charset="UTF-8"'),
  );
  expect(response?.status).toBe(200);
});

it.each([KEY, "X-None: none"])("does not store the body of a GET, with the line %s", async (line) => {
  const port = await open();
  const chunk = Buffer.alloc(1 << 20, "x");
  const socket = connect(port, "127.0.0.1");
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {});
  let response = "";
  socket.on("data", (bytes) => {
    response += bytes.toString("latin1");
  });
  const externalBytes = () => process.memoryUsage().arrayBuffers;
  const before = externalBytes();
  let most = 0;
  socket.write(head("GET /api/v1/payments/payins HTTP/1.1", HOST, line, "Transfer-Encoding: chunked"));
  for (let sent = 0; sent < 600 && !socket.destroyed; sent++) {
    const frame = Buffer.concat([Buffer.from("100000\r\n"), chunk, Buffer.from("\r\n")]);
    if (!socket.write(frame)) await Promise.race([once(socket, "drain"), closed]);
    most = Math.max(most, externalBytes() - before);
  }
  socket.end("0\r\n\r\n");
  await expect.poll(() => response || socket.destroyed).toBeTruthy();
  // Buffers are freed late; storing the bodies would take 600 MiB.
  expect(most).toBeLessThan(300 * 2 ** 20);
  socket.destroy();
});

/** A call that takes the fast path. */
interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body: string;
}

const plain = ({ method, path, body }: Call): string => (method === "GET" ? get(path) : post(path, body));

const mixedCase = (text: string) => text.replace(/^[\w-]+(?=:)/gm, (name) => name.toUpperCase());

/** The same call, written so that it takes the general path. */
const ODD: Readonly<Record<string, (call: Call) => string>> = {
  plain,
  "header case": (call) => mixedCase(plain(call)),
  "absolute form": (call) => plain(call).replace(` ${call.path} `, ` http://127.0.0.1${call.path} `),
  "extra query": (call) =>
    plain(call).replace(` ${call.path} `, ` ${call.path}${call.path.includes("?") ? "&" : "?"}x=%20 `),
  escaped: (call) => plain(call).replace("/payments/", "/p%61yments/"),
  head: (call) => (call.method === "GET" ? plain(call).replace("GET", "HEAD") : plain(call)),
  chunked: ({ method, path, body }) =>
    method === "GET"
      ? get(path)
      : `${head(`POST ${path} HTTP/1.1`, HOST, KEY, JSON_TYPE, "Transfer-Encoding: chunked")}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
};

/** Sends requests together and returns their responses without the date. */
async function send(wire: Wire, requests: readonly string[]): Promise<WireAnswer[]> {
  wire.write(requests.join(""));
  const responses: WireAnswer[] = [];
  for (const request of requests) {
    const response = await wire.next(request.startsWith("HEAD"));
    const { date, ...headers } = response!.headers;
    responses.push({ ...response!, headers });
  }
  return responses;
}

function randomCall(random: Random, chargeIds: readonly string[]): Call {
  const choices: (() => Call)[] = [
    () => ({ method: "POST", path: "/api/v1/payments/checkouts", body: CHECKOUT }),
    () => ({ method: "POST", path: "/api/v1/payments/quotes", body: QUOTE }),
    () => ({ method: "POST", path: "/api/v1/payments/quotes", body: "{" }),
    () => ({ method: "GET", path: "/api/v1/payments/payins?limit=2", body: "" }),
    () => ({ method: "GET", path: "/api/v1/payments/payins?limit=0", body: "" }),
    () => ({ method: "GET", path: `/api/v1/payments/charges/${random.pick(chargeIds)}`, body: "" }),
    () => ({ method: "GET", path: "/api/v1/accounts/balances", body: "" }),
    () => ({ method: "GET", path: "/api/v1/payments/nothing", body: "" }),
  ];
  return random.pick(choices)();
}

function withoutBody({ status, headers }: WireAnswer): WireAnswer {
  const { "content-length": _bytes, ...others } = headers;
  return { status, headers: others, body: "" };
}

it("fast path and general path return the same responses in order: 4,000 pairs", async () => {
  const random = new Random("plain and odd");
  const [one, other] = [await open(), await open()];
  const [plainly, oddly] = [await Wire.open(one), await Wire.open(other)];
  const chargeIds = ["ch_none"];
  for (let pairs = 0; pairs < 4_000; ) {
    const calls = Array.from({ length: random.int(1, 8) }, () => randomCall(random, chargeIds));
    const expected: WireAnswer[] = [];
    for (const call of calls) expected.push(...(await send(plainly, [plain(call)])));
    const forms = calls.map(() => random.pick(Object.keys(ODD)));
    const requests = calls.map((call, place) => ODD[forms[place]!]!(call));
    const responses = await send(oddly, requests);
    const isHead = (place: number) => forms[place] === "head" && calls[place]!.method === "GET";
    const allowed = expected.map((response, place) => (isHead(place) ? withoutBody(response) : response));
    expect(responses, JSON.stringify({ pair: pairs, calls, forms })).toEqual(allowed);
    for (const { body } of expected) {
      const id = /"charge_id":"(ch_\w+)"/.exec(body)?.[1];
      if (id !== undefined && chargeIds.length < 50) chargeIds.push(id);
    }
    pairs += calls.length;
  }
});
