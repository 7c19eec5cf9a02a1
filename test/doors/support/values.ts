/** Values that are invalid for most fields; undefined omits the field. */
export const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  absent: [undefined],
  null: [null],
  booleans: [true],
  numbers: [0, 1.5],
  "blank strings": ["", " "],
  "names of Object.prototype": ["__proto__", "constructor"],
  "20,000 characters": ["x".repeat(20_000)],
  lists: [[], [null], [{}]],
  objects: [{}, { length: { toString: null } }],
  "{ __proto__: 1 }": [JSON.parse('{"__proto__":1}')],
};

const text = (length: number) => "x".repeat(length);
const INSTANTS = [
  "2030-01-31",
  "2030-01-31T09:00:00Z",
  "2030-01-31T09:00",
  "2030-02-30",
  "tomorrow",
  "2030",
].concat(
  "2026-01-31T08:59:59.999Z",
  "1999-01-01T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-02-01T25:00:00Z",
  "12026-02-01T00:00:00Z",
  "1780000000000",
);
const DURATIONS = ["1ms", "1h30m", "1.5h", "1 h", "1", "-1s", "1w", "1e3s", "P1D", "99999999999d"];
const NAMES = ["a", "A-1_b", "-a", "a b", text(63), text(64), text(101)];
const SECRETS = ["s", "s s", text(500), text(501), "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE="];
const TEXTS = [text(64), text(65), text(200), text(201), text(255), text(256), "💸".repeat(64)];
const CODES = ["KES", "USD", "kes", "USDT_TRC20", "usdt_trc20", "US D", "XXX"];
const EVENT_TYPES = [
  ["*"],
  ["charge.*"],
  [""],
  [text(100)],
  [text(101)],
  Array(50).fill("a"),
  Array(51).fill("a"),
];
const TIMELINE = (to: string, after?: string) => [{ timeline: [{ ...(after && { after }), to }] }];
const URLS = [
  "http://shop.test",
  "HTTPS://SHOP.test/a?b=c#d",
  "localhost:3000",
  "http://",
  "http:shop.test",
  "//shop.test",
  "ftp://shop.test",
  "/thanks",
  "javascript:1",
  "http://shop.test/ü",
  "http://[::1]:3000/x",
  " http://shop.test",
  "data:text/html,x",
  "https:shop.test",
  "http://169.254.169.254/",
];
const METADATA = [
  { a: "1" },
  { a: 1 },
  { a: null },
  { a: { b: "c" } },
  Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, "v"])),
  Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, "v"])),
  { a: text(10_239) },
  { a: text(10_240) },
  { a: "é".repeat(5_120) },
  { sandbox_scenario: "declined" },
  { sandbox_scenario: "no such" },
  JSON.parse('{"__proto__":"x"}'),
];
const AMOUNTS = "0 0.00 00 01 1 1. .5 1.5 1.123456789 -1 +1 1e3 ٣"
  .split(" ")
  .concat("9".repeat(30), "9".repeat(31));
const PHONES = "+254700000001 254700000001 +0123456789 +1 +123456 +1234567"
  .split(" ")
  .concat("+25470000 001", `+${"1".repeat(15)}`, `+${"1".repeat(16)}`);

/** Field → values at the limits of its range. */
export const AT_LIMITS: Readonly<Record<string, readonly unknown[]>> = {
  account_number: TEXTS,
  amount: AMOUNTS,
  api_key: ["sk_live_a", "sk_test_", "sk_test_a b", `sk_test_${text(247)}`, `sk_test_${text(248)}`],
  app: URLS,
  bank_account_number: TEXTS,
  base_currency: CODES,
  by: DURATIONS,
  cancel_url: URLS,
  charges: [TIMELINE("FAILED", "1s"), TIMELINE("FAILED"), TIMELINE("PAID", "1s")],
  clock: ["manual", "real", "60x", "00x", "x"],
  count: [1, 2, { gte: 2 }, { gte: "2" }],
  country: ["KE", "ke", "KEN"],
  currency: CODES,
  customer_email: [
    "ada@shop.test",
    "ada+1@shop.test",
    "ada",
    "ada@",
    "@shop.test",
    "ada@shop",
    "a b@shop.test",
    ".ada@shop.test",
    "a..b@shop.test",
    `${text(250)}@shop.test`,
    "<a>@x.co",
    "a@x.co\n",
    "a@x..co",
    ..."a&b a/b a=b a!b a_b%c o'neil A+b a.b".split(" ").map((name) => `${name}@x.co`),
  ],
  customer_name: TEXTS,
  delay: DURATIONS,
  drop: ["before", "after", "hang", "during"],
  enabled: [false],
  enabled_payment_methods: [["card"], ["ussd"]],
  events: EVENT_TYPES,
  expires_in_minutes: [1, 60, 1_440, 1_441, -1, "60", 1e300],
  faults: [[{ delay: "1s" }], [{}]],
  for: ["charge", "request", "delivery", "idle"],
  ids: ["repeat", "again"],
  keep: [["webhooks"], ["keys", "scenarios"], ["charges"]],
  local_pricing: [
    { KES: "3000.00" },
    { XXX: "5.00" },
    { KES: "0" },
    { KES: 1 },
    { kes: "1" },
    { KES: "1.234" },
  ],
  mailbox: NAMES,
  match: [{ status: "FAILED" }, { operation: "x" }, { amount: { gte: "1" } }, { amount: { gte: 1 } }],
  max: [1, 1_000, 1_001],
  metadata: METADATA,
  mode: ["manual", "real", "60x", "0x", "0.0x", "1.5x", "-1x", "12345678x", "test", "live", "fast"],
  name: NAMES,
  NGN: ["1600", "0", "0.0", "1.5", "01", "1e3"],
  now: INSTANTS,
  payment_method: ["mobile_money", "bank_transfer", "card", "ussd"],
  payment_methods: [["card"], ["card", "mobile_money"], ["ussd"]],
  permission: ["full", "read_only", "none"],
  phone_number: PHONES,
  pricing: [{ base_currency: "KES", amount: "500.00", local_pricing: { KES: "1.00" } }],
  probability: [0, 0.5, 1, 1.01],
  rates: [{ NGN: "1600" }, { NGN: "0" }, { NGN: "1e3" }, { NGN: "-1" }, { XXX: "1" }],
  reason: [text(500), text(501)],
  reference: TEXTS,
  respond: [{ status: 500 }, { status: 399 }, { status: 600 }, { status: 500, headers: { a: 1 } }],
  rows: [[{ charge_id: "ch_1" }], [{ charge_id: "ch_1", status: 1 }], [{ nope: 1 }]],
  secret: SECRETS,
  seed: [text(200), text(201), "s\ns"],
  signature: [
    "stripe",
    "strip",
    { header: "X-A", algorithm: "sha256", encoding: "hex" },
    { header: "X A", algorithm: "sha256", encoding: "hex" },
    { header: "X-A", algorithm: "md5", encoding: "hex" },
  ],
  skip: [1, 100_000],
  speed: [0.5, 1, 60, 1_000_000, 1_000_001, "60"],
  start_time: INSTANTS,
  status: [99, 100, 200, 599, 600, "active", "revoked", "deactivated"],
  steps: [[{ advance: "1s" }], [{ advance: "1s", nope: 1 }]],
  success_url: URLS,
  test: [text(500), text(501)],
  timeout: ["1ms", "0ms", "11m"],
  times: [1, 100, 101],
  to: ["FAILED", "failed", "EXPIRED", "PROCESSING", ...INSTANTS],
  to_currency: CODES,
  type: ["bank_account", "mobile_money", "crypto_wallet", "charge.completed", "Charge", text(100), text(101)],
  unreachable: ["hold", "fail", "wait"],
  until: ["next", "idle", "COMPLETED", "never"],
  url: URLS,
  vars: [{ a: "b" }, { "a b": "c" }],
  verified: [false],
  webhook_secret: SECRETS,
  webhooks: [[{ url: "localhost" }], [{ mailbox: "a", url: "b" }], [{ mailbox: "a", nope: 1 }]],
  withdrawals: [TIMELINE("FAILED", "1s"), TIMELINE("PAID", "1s")],
};

export const PARAMETER_TEXTS =
  "0 1 100 101 -1 1.5 abc __proto__ constructor PENDING pending delivered test 4xx 10s 11m true light server"
    .split(" ")
    .concat("", " 10", "+10", "1e1", "0x10", "9".repeat(16), "١");

export const NO_OBJECTS = [
  "{",
  "{}{}",
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  "[]",
  "[{}]",
  "null",
  '"text"',
  "5",
  "true",
  "a=b",
  `{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
];
