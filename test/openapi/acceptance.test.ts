import { beforeAll, describe, expect, it } from "vitest";
import * as example from "../../src/server/openapi/service-examples.js";
import { type Api, okBody, openApi } from "../support/api-client.js";
import { schemaValidator } from "../support/openapi-answers.js";
import { operationsOf, shippedDocument } from "../support/openapi-document.js";

/**
 * The document and the server must accept the same requests: a request that the document refuses gets a 400, and one
 * that it accepts is refused only for a reason that no schema can express.
 */
type Body = Record<string, unknown>;

/** Reasons of the server that depend on its fixtures and state, or count bytes. */
const BEYOND_SCHEMAS =
  /must be one of|decimals in|does not match|does not suit|is not available|is not the id|Quote expired|is zero in|no scenario|bytes in all|must be at least|^must be [A-Z]|is not a rail|absolute http/;

const JUNK = [undefined, null, true, 0, 1.5, "", " ", "x", [], ["x"], {}, { length: {} }, [null]];
const AMOUNTS = [
  "0",
  "0.00",
  "00",
  "01",
  "1",
  "1.",
  ".5",
  "1.5",
  "1.123456789",
  "-1",
  "+1",
  "1e3",
  "٣",
  "9".repeat(30),
  "9".repeat(31),
  25,
];
const PHONES = [
  "+254700000001",
  "254700000001",
  "+0123456789",
  "+1",
  "+123456",
  "+1234567",
  `+${"1".repeat(15)}`,
  `+${"1".repeat(16)}`,
  "+25470000 001",
];
const URLS = [
  "http://shop.test",
  "HTTPS://SHOP.test/a?b=c#d",
  "http://",
  "http:shop.test",
  "//shop.test",
  "ftp://shop.test",
  "/thanks",
  "javascript:1",
  "http://shop.test/ü",
  "http://[::1]:3000/x",
  " http://shop.test",
];
const EMAILS = [
  "ada@shop.test",
  "ada+1@shop.test",
  "ada",
  "ada@",
  "@shop.test",
  "ada@shop",
  "a b@shop.test",
  ".ada@shop.test",
  "a..b@shop.test",
  `${"a".repeat(250)}@shop.test`,
];
const CODES = ["KES", "USD", "usd", "USDT_TRC20", "usdt_trc20", "US D", "XXX"];
const METADATA = [
  {},
  { a: "1" },
  { a: 1 },
  { a: null },
  { a: { b: "c" } },
  Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, "v"])),
  Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, "v"])),
  { a: "x".repeat(10_239) },
  { a: "x".repeat(10_240) },
  { a: "x".repeat(10_241) },
  { a: "é".repeat(5_120) },
  { sandbox_scenario: "declined" },
  JSON.parse('{"__proto__":"x"}'),
];
const MINUTES = [0, 1, 60, 1_440, 1_441, 1.5, -1, "60", 1e300];
const TEXTS = ["x".repeat(64), "x".repeat(65), "x".repeat(255), "x".repeat(256), "💸".repeat(64)];
const LOCAL = [
  { KES: "3000.00" },
  { KES: "0" },
  { KES: 1 },
  { kes: "1" },
  { KES: "1.234" },
  JSON.parse('{"__proto__":"1"}'),
];

/** Further values to try in a field, besides junk. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  amount: AMOUNTS,
  phone_number: PHONES,
  url: URLS,
  success_url: URLS,
  cancel_url: URLS,
  customer_email: EMAILS,
  base_currency: CODES,
  to_currency: CODES,
  currency: CODES,
  metadata: METADATA,
  expires_in_minutes: MINUTES,
  bank_account_number: TEXTS,
  account_number: TEXTS,
  reference: TEXTS,
  local_pricing: LOCAL,
  payment_method: ["mobile_money", "bank_transfer", "card", "ussd"],
  payment_methods: [["card"], ["card", "mobile_money"], ["ussd"]],
  type: ["bank_account", "mobile_money", "crypto_wallet", "card"],
  country: ["KE", "ke", "KEN"],
  events: [["*"], [""], ["x".repeat(100)], ["x".repeat(101)], Array(50).fill("a"), Array(51).fill("a")],
  enabled: [false],
};

/** The body with each of its fields, and each field that it could have, replaced by each value in turn. */
function* variants(body: Body, fields: readonly string[]): Generator<Body> {
  for (const field of new Set([...Object.keys(body), ...fields]))
    for (const value of [...JUNK, ...(VALUES[field] ?? [])]) yield { ...body, [field]: value };
}

function withPricing(body: Body): Body[] {
  const pricings = variants(body.pricing as Body, ["local_pricing"]);
  return [...pricings, { base_currency: "KES", amount: "500.00", local_pricing: { KES: "1.00" } }].map(
    (pricing) => ({ ...body, pricing }),
  );
}

const OPTIONAL_OF_PAYMENT = [
  "payment_rail",
  "bank_account_number",
  "success_url",
  "cancel_url",
  "expires_in_minutes",
];

/** A withdrawal that is taken but for its amount. */
async function withdrawalRequest(api: Api): Promise<Body> {
  const wallet = example.DESTINATION_REQUESTS["mobile money"];
  const { destination_id } = okBody(
    await api.post<{ destination_id: string }>("/api/v1/payouts/destinations", wallet),
  );
  return { ...example.WITHDRAWAL_REQUEST, destination_id };
}

/** Operation → bodies to try. */
const CASES: Readonly<Record<string, (api: Api) => Promise<Body[]>>> = {
  createQuote: async () => [
    ...variants(example.QUOTE_REQUEST, ["payment_rail", "customer_email"]),
    ...withPricing(example.QUOTE_REQUEST),
  ],
  createWhitelabel: async (api) => {
    const { quote_id } = await api.quote(example.QUOTE_REQUEST);
    const body = { ...example.WHITELABEL_REQUEST, quote_id };
    return [...variants(body, OPTIONAL_OF_PAYMENT), ...withPricing(body)];
  },
  createCheckout: async () => [
    ...variants(example.CHECKOUT_REQUEST, ["customer_name", "quote_id", "cancel_url"]),
    ...withPricing(example.CHECKOUT_REQUEST),
  ],
  createDestination: async () =>
    Object.values(example.DESTINATION_REQUESTS).flatMap((body) => [
      ...variants(body, ["country", "network", "bank_code"]),
    ]),
  createWithdrawal: async (api) => [...variants(await withdrawalRequest(api), ["metadata"])],
  createWebhook: async () => [...variants(example.WEBHOOK_REQUEST, [])],
};

let validatorAt: ReturnType<typeof schemaValidator>;
let operations: ReturnType<typeof operationsOf>;
beforeAll(async () => {
  const document = await shippedDocument();
  validatorAt = schemaValidator(document, { assertFormats: false });
  operations = operationsOf(document);
});

function described(operationId: string) {
  return operations.find(({ operation }) => operation.operationId === operationId)!;
}

/** The schema of a parameter, and whether a value is one. */
function parameter(operationId: string, name: string) {
  const { schema } = described(operationId).operation.parameters!.find((one) => one.name === name)!;
  return { schema: schema as { type: string }, validate: schemaValidator({ schema })("#/schema") };
}

/** Pays a lot first, so that withdrawals are refused for nothing but their form. */
async function rich(): Promise<Api> {
  const api = await openApi({ scenario: "instant" });
  await api.pay({ pricing: { base_currency: "KES", amount: "9".repeat(20) } });
  okBody(await api.advance({ by: "1s" }));
  return api;
}

describe.each(Object.entries(CASES))("%s", (id, bodies) => {
  it("accepts what its schema accepts, and nothing else", async () => {
    const api = await rich();
    const { path, operation } = described(id);
    const validate = validatorAt(operation.requestBody!.content["application/json"].schema.$ref);
    const differences: string[] = [];
    const tally = { taken: 0, refused: 0 };
    for (const body of await bodies(api)) {
      const text = JSON.stringify(body);
      const answer = await api.post<unknown>(path, text);
      const accepted = validate(JSON.parse(text));
      tally[answer.status === 200 ? "taken" : "refused"]++;
      if (answer.status === 200 ? accepted : !accepted) continue;
      const reasons = answer.status === 200 ? [] : Object.values(answer.details);
      const isBeyond =
        accepted &&
        (answer.error.code === "INSUFFICIENT_BALANCE" ||
          reasons.some((reason) => BEYOND_SCHEMAS.test(reason)));
      if (!isBeyond)
        differences.push(
          `${text.slice(0, 300)}: ${answer.status} ${answer.text.slice(0, 200)}; schema: ${accepted} ${JSON.stringify(validate.errors)}`,
        );
    }
    expect(differences).toEqual([]);
    expect(tally.taken).toBeGreaterThan(5);
    expect(tally.refused).toBeGreaterThan(20);
  });
});

it.each([
  ["listPayins", ["limit", "offset", "status_filter"]],
  ["listDestinations", ["limit", "offset"]],
  ["listWithdrawals", ["limit", "offset"]],
  ["listWebhooks", ["limit", "offset"]],
])("%s accepts of %j what their schemas accept", async (id, names) => {
  const api = await openApi();
  for (const name of names) {
    const { schema, validate } = parameter(id, name);
    for (const text of ["0", "1", "100", "101", "-1", "1.5", "", "abc", "PENDING", "pending", "999999"]) {
      const value = schema.type === "integer" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
      const answer = await api.get(`${described(id).path}?${name}=${text}`);
      expect(answer.status, `${name}=${text}`).toBe(validate(value) ? 200 : 400);
    }
  }
});

describe("Idempotency-Key", () => {
  it.each([
    ["", 400],
    ["a", 200],
    ["a".repeat(255), 200],
    ["a".repeat(256), 400],
  ])("%#", async (key, status) => {
    const api = await rich();
    const body = await withdrawalRequest(api);
    const answer = await api.post("/api/v1/payouts/withdrawals", body, { "idempotency-key": key });
    expect(answer.status).toBe(status);
    expect(parameter("createWithdrawal", "Idempotency-Key").validate(key)).toBe(status === 200);
  });
});
