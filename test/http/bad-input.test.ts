import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSandbox } from "../../src/library/opening.js";
import type { Sandbox } from "../../src/library/sandbox.js";
import { type Answer, Api, errorOf, type Headerset, START } from "../support/api-client.js";
import { head, Wire } from "../support/api-wire.js";
import { countCommits } from "../support/commits.js";

/** Documented error codes by status; 500 has none. */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: ["VALIDATION_ERROR"],
  401: ["UNAUTHORIZED"],
  403: ["FORBIDDEN"],
  404: ["NOT_FOUND"],
  405: ["METHOD_NOT_ALLOWED"],
  409: ["INVALID_TRANSITION"],
  413: ["PAYLOAD_TOO_LARGE"],
};

let sandbox: Sandbox;
let api: Api;
let chargeId: string;
/** The state before a test; undefined once it was recreated. */
let state: string | undefined;
let commits: number;

beforeAll(async () => {
  sandbox = await createSandbox({ clock: "manual", startTime: START });
  api = new Api(sandbox);
});
beforeEach(async () => {
  await startOver();
  state = stateText();
});
afterEach(() => {
  if (state !== undefined && countCommits() === commits) expect(stateText()).toBe(state);
});
afterAll(() => sandbox.close());

/** Recreates the state of every case with the same ids. */
async function startOver(): Promise<void> {
  await sandbox.reset({ ids: "repeat" });
  const quote = await api.quote(QUOTE);
  WHITELABEL.quote_id = quote.quote_id;
  chargeId = (await api.whitelabel(WHITELABEL)).charge_id;
  // The first read of balances opens accounts.
  await api.balances();
  state = undefined;
  commits = countCommits();
}

const stateText = (): string => JSON.stringify(sandbox.snapshot());

const QUOTE = {
  pricing: { base_currency: "USD", amount: "10.00", local_pricing: { KES: "1300.00" } },
  payment_method: "mobile_money",
  to_currency: "KES",
  payment_rail: "simba_pesa",
  customer_email: "ada@shop.test",
};
const WHITELABEL = {
  pricing: QUOTE.pricing,
  customer_email: "ada@shop.test",
  customer_name: "Ada",
  quote_id: "",
  payment_method: "mobile_money",
  payment_rail: "simba_pesa",
  phone_number: "+254700000001",
  bank_account_number: "0123456789",
  success_url: "https://shop.test/done",
  cancel_url: "https://shop.test/back",
  metadata: { order: "A-17", plan: "gold" },
  expires_in_minutes: 30,
};

/** Checks for a documented response, and that a failed write changes nothing. */
async function judge<Body>(send: () => Promise<Answer<Body>>, isRead = false): Promise<Answer<Body>> {
  const answer = await send();
  // Calling `expect` for each correct response would take longer than the requests.
  if (answer.status !== 200 && CODES[answer.status] === undefined)
    expect.fail(`${answer.status}: ${answer.text}`);
  if (!/^application\/json\b/.test(answer.headers.get("content-type") ?? "")) expect.fail(answer.text);
  if (!/^\d{4}-/.test(answer.headers.get("sandbox-now") ?? "")) expect.fail(answer.text);
  if (answer.status !== 200) {
    const { code, details } = errorOf(answer.text);
    const isRight =
      CODES[answer.status]!.includes(code) && (code === "VALIDATION_ERROR") === (details !== undefined);
    if (!isRight) expect.fail(`${answer.status}: ${answer.text}`);
  }
  if (answer.status === 200 && !isRead) await startOver();
  else if (countCommits() !== commits) expect.fail(`changed the state: ${answer.status}: ${answer.text}`);
  return answer;
}

const fields = (answer: Answer<unknown>) => Object.keys(answer.details).sort();

const NASTY_KEYS =
  "__proto__ constructor prototype toString hasOwnProperty then toJSON length 0 . a.b pricing to by";
const nastyKey = fc.constantFrom(...NASTY_KEYS.split(" "), "", "\u0000", "\ud800", "🙂");
const loneSurrogates = fc.string({
  unit: fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 3,
});
const controls = fc.string({
  unit: fc.integer({ min: 0, max: 0x1f }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 5,
});
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 10 }),
  loneSurrogates,
  controls,
  nastyKey,
  fc.integer({ min: 1_000, max: 60_000 }).map((length) => "x".repeat(length)),
  fc.constantFrom(..."USD KES card 1.00 COMPLETED 1e5 NaN null true 0x10 -1 %00".split(" ")),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e308, -1e308, 5e-324, 2 ** 53 + 2, 1441, 0.5, -1),
);
/** All keys are own properties, including `__proto__`. */
const { value, record } = fc.letrec<{ value: unknown; list: unknown[]; record: Record<string, unknown> }>(
  (tie) => ({
    list: fc.array(tie("value"), { maxLength: 4 }),
    record: fc
      .array(fc.tuple(fc.oneof(nastyKey, fc.string({ maxLength: 8 })), tie("value")), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(null, true, false),
      number,
      text,
      tie("list"),
      tie("record"),
    ),
  }),
);

/** A valid body and its call. */
interface Subject {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly send: (body: unknown) => Promise<Answer<unknown>>;
}

const SUBJECTS: readonly Subject[] = [
  { name: "POST quotes", body: QUOTE, send: (body) => api.tryQuote(body) },
  { name: "POST whitelabel", body: WHITELABEL, send: (body) => api.tryWhitelabel(body) },
  {
    name: "POST transition",
    body: { to: "FAILED", reason: "declined" },
    send: (body) => api.transition(chargeId, body),
  },
  {
    name: "POST reset",
    body: { keep: ["webhooks"], ids: "repeat" },
    send: (body) => api.post("/_sandbox/reset", body),
  },
  {
    name: "PUT clock",
    body: { mode: "manual", now: "2026-02-01T00:00:00Z" },
    send: (body) => api.put("/_sandbox/clock", body),
  },
  { name: "POST advance", body: { by: "1s" }, send: (body) => api.advance(body) },
];

/** Replaces, cuts or adds a few bytes of a text. */
const damaged = (text: string) =>
  fc
    .array(fc.record({ at: fc.nat(), cut: fc.nat(3), put: fc.uint8Array({ maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((changes) => {
      let bytes = Buffer.from(text);
      for (const { at, cut, put } of changes) {
        const place = at % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)]);
      }
      return bytes.toString("latin1");
    });

it.each(SUBJECTS)(
  "$name returns a documented response to any body [R16.1 R16.2 R29.1]",
  async ({ body, send }) => {
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(body)), value, { minKeys: 1 });
    const raw = fc.oneof(
      value.map((one) => JSON.stringify(one)),
      text,
      { weight: 2, arbitrary: fields.map((put) => JSON.stringify({ ...body, ...put })) },
      damaged(JSON.stringify(body)),
    );
    await fc.assert(
      fc.asyncProperty(raw, async (one) => void (await judge(() => send(one)))),
      { numRuns: 120 },
    );
  },
);

const LARGE_BODIES: readonly [name: string, body: string][] = [
  ["10,000 nested arrays", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
  ["100,000 nested objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ["500,000 opening brackets", "[".repeat(500_000)],
  ["a number beyond the range of a double", '{"expires_in_minutes":1e999,"speed":1e999}'],
  ["a string of nearly 1 MiB", JSON.stringify("x".repeat(1024 * 1024 - 2))],
  ["30,000 keys", JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, i])))],
  ["a byte order mark", `\ufeff${JSON.stringify({ payment_method: "card" })}`],
];

it.each(LARGE_BODIES)("every call returns a documented response to %s", async (_, raw) => {
  for (const { send } of SUBJECTS) await judge(() => send(raw));
});

it("metadata with any keys and values is returned as sent or refused [R13.1]", async () => {
  await fc.assert(
    fc.asyncProperty(record, async (metadata) => {
      await startOver();
      const answer = await api.tryWhitelabel({ ...WHITELABEL, metadata });
      const entries = Object.entries(metadata);
      const isRight = entries.every(([, one]) => typeof one === "string");
      const bytes = Buffer.byteLength(
        entries
          .flat()
          .filter((one) => typeof one === "string")
          .join(""),
      );
      if (isRight && bytes < 10_000) {
        expect(answer.status, answer.text).toBe(200);
        const read = (await api.charge(answer.body.charge_id)).metadata;
        expect(JSON.stringify(read)).toBe(JSON.stringify(metadata));
      } else if (!isRight) {
        expect(answer.status, answer.text).toBe(400);
        for (const field of fields(answer)) expect(field).toMatch(/^metadata(\.|$)/);
      }
    }),
    { numRuns: 100 },
  );
});

it("metadata does not change any prototype", async () => {
  const raw = JSON.stringify({ ...WHITELABEL, metadata: "@" }).replace(
    '"@"',
    '{"__proto__":{"polluted":"yes"},"constructor":"c"}',
  );
  await judge(() => api.tryWhitelabel(raw.replace(/^{/, '{"__proto__":{"polluted":"yes"},')));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

describe("query strings", () => {
  const name = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("limit", "offset", "status_filter") },
    { weight: 1, arbitrary: fc.oneof(nastyKey, fc.constantFrom("Limit", "limit ", "limit[]", "wait")) },
  );
  const put = fc.oneof(
    fc.integer({ min: -5, max: 120 }).map(String),
    fc.constantFrom("PENDING", "COMPLETED", "pending", "1e1", " 1", "1 ", "+1", "01", "١", "9".repeat(30)),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  const STATUS = /^(PENDING|AWAITING_PAYMENT|PROCESSING|COMPLETED|FAILED|CANCELLED|EXPIRED|REFUNDED)$/;

  it("the payin list accepts exactly the documented query parameters", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, put), { maxLength: 5 }), async (pairs) => {
        const query = new URLSearchParams(pairs.map(([one, other]) => [one, other]));
        const given = (field: string) => query.getAll(field);
        const faults: string[] = [];
        const isNumber = (one: string) => /^[0-9]+$/.test(one);
        const limits = given("limit");
        if (limits.length > 1 || limits.some((one) => !isNumber(one) || Number(one) < 1 || Number(one) > 100))
          faults.push("limit");
        const offsets = given("offset");
        if (offsets.length > 1 || offsets.some((one) => !isNumber(one))) faults.push("offset");
        const statuses = given("status_filter");
        if (statuses.length > 1 || statuses.some((one) => !STATUS.test(one))) faults.push("status_filter");

        const answer = await judge(() => api.tryPayins(`?${query}`), true);
        expect(answer.status, `${query} ${answer.text}`).toBe(faults.length === 0 ? 200 : 400);
        if (faults.length > 0) expect(fields(answer)).toEqual(faults);
      }),
      { numRuns: 300 },
    );
  });

  it("malformed query strings have no effect", async () => {
    const raw = fc.string({ unit: fc.constantFrom(..."&=%?+;[]{}'\"<>\\^`|#limt0f\u00e9🙂"), maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(raw, async (query) => {
        for (const path of ["payins", "payment-methods", "supported-currencies"])
          await judge(() => api.get(`/api/v1/payments/${path}?${query}`), true);
      }),
      { numRuns: 60 },
    );
  });
});

describe("headers", () => {
  const printable = fc.string({
    unit: fc
      .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff }))
      .map((code) => String.fromCharCode(code)),
    maxLength: 30,
  });
  const NAMES = `authorization content-type sandbox-scenario sandbox-namespace idempotency-key content-encoding accept
    origin sec-fetch-site x-http-method-override cookie if-none-match range`;
  const named = fc.constantFrom(...NAMES.split(/\s+/));
  const put = fc.oneof(
    printable,
    fc.constantFrom("Bearer sk_test_sandbox", "default", "__proto__", "gzip", "null"),
  );
  const headers = fc.dictionary(named, put, { maxKeys: 4 }) as fc.Arbitrary<Headerset>;

  it("headers with any value get a documented response", async () => {
    await fc.assert(
      fc.asyncProperty(headers, async (all) => {
        await judge(() => api.tryQuote(QUOTE, all));
        await judge(() => api.tryWhitelabel(WHITELABEL, all));
        await judge(() => api.get("/api/v1/payments/payins", all), true);
        await judge(() => api.get("/api/v1/payments/payment-methods", all), true);
        await judge(() => api.post("/_sandbox/clock/advance", { by: "1s" }, all));
      }),
      { numRuns: 60 },
    );
  });
});

const SEGMENTS =
  "%00 %2e%2e %2F .. . % %zz %E0%A4%A %F0%9F %25 %2525 %5F%5Fproto__ __proto__ constructor ;a=b * :charge_id {charge_id} a:b@c %0d%0a";
const segment = fc.oneof(
  fc.constantFrom(...SEGMENTS.split(" "), "x".repeat(3000)),
  fc.string({ unit: fc.constantFrom(..."abc%2FfE0_-.~!$&'()*+,;=:@"), maxLength: 12 }),
);
const BASES =
  "/api /api/v1 /api/v1/payments /api/v1/payments/payins /api/v1/payments/charges /api/v1/accounts/balances /_sandbox /_sandbox/charges /health";
const base = fc.constantFrom("", ...BASES.split(" "));
const path = fc
  .tuple(base, fc.array(segment, { maxLength: 3 }))
  .map(([start, rest]) => [start, ...rest].join("/") || "/");

it("paths with unusual escapes return a result or 404", async () => {
  await fc.assert(
    fc.asyncProperty(path, async (odd) => {
      if (odd === "/" || new URL(`http://sandbox${odd}`).pathname === "/") return;
      await judge(() => api.get(odd), true);
    }),
    { numRuns: 120 },
  );
});

it("paths with unusual escapes return a documented response to any method", async () => {
  const method = fc.constantFrom("POST", "PUT", "PATCH", "DELETE", "OPTIONS");
  await fc.assert(
    fc.asyncProperty(path, method, fc.oneof(record, value), async (odd, how, body) => {
      // A reset creates a new state.
      await judge(() => api.send(how, odd, JSON.stringify(body), { "content-type": "application/json" }));
    }),
    { numRuns: 100 },
  );
});

it("paths of any bytes return 200 or 4xx", async () => {
  const wired = await createSandbox({ clock: "manual", startTime: START });
  try {
    const { port } = await wired.listen();
    const before = JSON.stringify(wired.snapshot());
    let wire = await Wire.open(port);
    const byte = fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code));
    const target = fc.oneof(
      path,
      fc.tuple(base, fc.string({ unit: byte, maxLength: 20 })).map(([start, rest]) => `${start}/${rest}`),
      fc.string({ unit: byte, minLength: 1, maxLength: 10 }),
    );
    await fc.assert(
      fc.asyncProperty(target, async (odd) => {
        if (wire.ended) wire = await Wire.open(port);
        const lines = [`GET ${odd} HTTP/1.1`, "Host: localhost", "Authorization: Bearer sk_test_sandbox"];
        wire.write(Buffer.from(head(...lines), "latin1"));
        const answer = await wire.next();
        expect(answer).toBeDefined();
        expect([200, 302, 303, 307, 400, 401, 403, 404, 405], `${odd} ${answer?.body}`).toContain(
          answer?.status,
        );
        // Node refuses malformed requests with an empty body.
        if (answer !== undefined && answer.status >= 400 && answer.body !== "") errorOf(answer.body);
        if (answer?.headers.connection === "close") {
          wire.close();
          wire = await Wire.open(port);
        }
      }),
      { numRuns: 100 },
    );
    const after = JSON.stringify(wired.snapshot());
    // Only the first read of balances changes the state.
    if (!after.includes('"holdings":[[')) expect(after).toBe(before);
  } finally {
    await wired.close();
  }
});
