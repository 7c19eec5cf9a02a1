import { beforeAll, describe, expect, it } from "vitest";
import { type Api, openApi } from "../support/api-client.js";
import { schemaValidator } from "../support/openapi-answers.js";
import { ControlAnswers, type Described, shippedControlDocument } from "../support/openapi-control.js";

/**
 * The document and the control API must accept the same input: input that the document refuses gets a 400, and input
 * that it accepts is refused only for a reason that no schema can express.
 */
type Body = Record<string, unknown>;

/**
 * Reasons that depend on the state, or that JSON Schema has no words for. The rules and steps of a scenario's
 * file are another matter altogether: they may be variables.
 */
const BEYOND_SCHEMAS =
  /at least 16 bytes|must be at most 10m|ISO 8601|must be the name in the path|collections\.namespace|^payment_method must be one of|is required for|http or https URL|is not for a mailbox|is not a currency|there is no (operation|payment method|currency)|unknown field|contradicts the mode|is an unknown event type|\(row \d+\)|is not an existing date or time|must name the run|must be a decimal string|has no such variable/;

const JUNK = [null, true, 0, 1, -1, 1.5, "", " ", "x", [], ["x"], {}, { x: 1 }, { length: {} }, [null], [{}]];
const INSTANTS = ["2030-01-31", "2030-01-31T09:00:00Z", "2030-01-31T09:00", "2030-02-30", "tomorrow", "2030"];
const DURATIONS = ["1ms", "1h30m", "1.5h", "1 h", "1", "-1s", "1w"];
const NAMES = ["a", "A-1_b", "-a", "a b", "a".repeat(63), "a".repeat(64), "a".repeat(101)];
const URLS = ["localhost:3000", "http://localhost", "ftp://localhost", "http://169.254.169.254/", "http://"];
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  to: ["FAILED", "failed", "EXPIRED", ...INSTANTS],
  until: ["next", "idle", "COMPLETED", "never"],
  by: DURATIONS,
  now: INSTANTS,
  start_time: INSTANTS,
  timeout: ["1ms", "0ms", "x", "11m"],
  speed: [0.5, 1, 60, 1_000_000, 1_000_001, "60"],
  mode: ["manual", "real", "60x", "0x", "0.0x", "1.5x", "12345678x", "test", "live", "fast"],
  clock: ["manual", "real", "60x", "00x", "x"],
  keep: [["webhooks"], ["keys", "scenarios"], ["charges"]],
  ids: ["repeat", "again"],
  reason: ["r", "r".repeat(500), "r".repeat(501)],
  name: NAMES,
  seed: ["s", "s".repeat(200), "s".repeat(201), "s\ns"],
  api_key: ["sk_live_a", "sk_test_", "sk_test_a b"],
  webhook_secret: ["s", "s s", "s".repeat(501), "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE="],
  secret: ["s", "s s", "s".repeat(501), "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE="],
  webhooks: [[{ url: "localhost" }], [{ mailbox: "a", url: "b" }], [{ mailbox: "a", nope: 1 }]],
  times: [100, 101],
  max: [1_000, 1_001],
  count: [2],
  status: [99, 100, 200, 599, 600],
  type: ["charge.completed", "Charge", "a".repeat(100), "a".repeat(101)],
  for: ["charge", "request", "delivery", "idle"],
  match: [{ status: "FAILED" }, { operation: "x" }, { amount: { gte: "1" } }, { amount: { gte: 1 } }],
  respond: [{ status: 500 }, { status: 399 }, { status: 600 }, { status: 500, headers: { a: 1 } }],
  delay: DURATIONS,
  drop: ["before", "after", "during"],
  probability: [0.5, 1.01],
  url: URLS,
  app: URLS,
  mailbox: NAMES,
  events: [["charge.*"], [""]],
  unreachable: ["hold", "fail", "wait"],
  signature: [
    "stripe",
    "strip",
    { header: "X-A", algorithm: "sha256", encoding: "hex" },
    { header: "X A", algorithm: "sha256", encoding: "hex" },
    { header: "X-A", algorithm: "md5", encoding: "hex" },
  ],
  phone_number: ["+254700000001", "0700000001"],
  payment_method: ["mobile_money", "card", "ussd"],
  currency: ["KES", "kes"],
  charges: [[{ timeline: [{ after: "1s", to: "FAILED" }] }], [{ timeline: [{ to: "FAILED" }] }]],
  withdrawals: ["FAILED", "PAID"].map((to) => [{ timeline: [{ after: "1s", to }] }]),
  faults: [[{ delay: "1s" }], [{}]],
  vars: [{ a: "b" }, { "a b": "c" }],
  steps: [[{ advance: "1s" }], [{ advance: "1s", nope: 1 }]],
  rates: [{ NGN: "1600" }, { NGN: "0" }, { NGN: "1e3" }, { NGN: "-1" }, { XXX: "1" }],
  NGN: ["1600", "0", "0.0", "1.5", "01", "1e3"],
};

let control: ControlAnswers;
beforeAll(async () => {
  control = new ControlAnswers(await shippedControlDocument());
});

/** Ids that stand for what the path names, in a sandbox that has one of each. */
async function furnished(): Promise<{ api: Api; path: (one: Described) => string }> {
  const api = await openApi({ scenario: "stuck", webhooks: [{ mailbox: "tests" }] });
  const { charge_id } = await api.pay();
  const checkout = await api.post<{ checkout_id: string }>("/api/v1/payments/checkouts", {
    pricing: { base_currency: "KES", amount: "500.00" },
    customer_email: "ada@shop.test",
  });
  const mine = { vars: { amount: "1", a: "1" }, steps: [{ advance: "1s" }] };
  const put = await api.put("/_sandbox/scenarios/mine", mine);
  expect(put.status).toBe(200);
  await api.post("/_sandbox/events", { type: "webhook.test" });
  const taken = await api.post<{ items: [{ delivery_id: string }] }>("/_sandbox/mailboxes/tests/take", {});
  const endpoint = await api.get<{ items: [{ webhook_id: string }] }>("/_sandbox/webhook-endpoints");
  const ids: Record<string, string> = {
    charge_id,
    checkout_id: checkout.body.checkout_id,
    delivery_id: taken.body.items[0].delivery_id,
    webhook_id: endpoint.body.items[0].webhook_id,
    withdrawal_id: "wd_none",
  };
  const names: Record<string, string> = { takeFromMailbox: "tests", acknowledgeDelivery: "tests" };
  return {
    api,
    path: ({ id, path }) =>
      path.replace(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? names[id] ?? "mine"),
  };
}

/** An example with each of its fields, and each it could have, replaced by each value in turn. */
function* variants(examples: readonly Body[], fields: readonly string[]): Generator<Body> {
  for (const body of [...examples, {}]) {
    yield body;
    for (const field of new Set([...Object.keys(body), ...fields, "nobody_knows"])) {
      const { [field]: _gone, ...rest } = body;
      yield rest;
      for (const value of [...JUNK, ...(VALUES[field] ?? [])]) yield { ...body, [field]: value };
    }
  }
}

/** Which fields the schema of a body lists, whatever it is made of. */
function fieldsOf(schema: unknown): string[] {
  type Parts = { $ref?: string; properties?: object; anyOf?: unknown[] };
  const { $ref, properties = {}, anyOf = [] } = schema as Parts;
  if ($ref !== undefined) return fieldsOf(control.document.components.schemas[$ref.split("/").at(-1)!]);
  return [...Object.keys(properties), ...anyOf.flatMap(fieldsOf)];
}

/** These change nothing that others need. */
const KEEPS = new Set(["createNamespace", "putNamespace", "waitFor", "createFault", "setRates"]);

describe("bodies", () => {
  it("are accepted exactly when the document accepts them", async () => {
    const { api, path } = await furnished();
    const tally = { taken: 0, refused: 0, operations: 0 };
    const differences: string[] = [];
    const before = await api.get("/_sandbox/state");
    for (const one of control.operations) {
      const { schema, examples } = one.requestBody?.content["application/json"] ?? {};
      if (schema === undefined) continue;
      tally.operations++;
      const bodies = Object.values(examples ?? {}).map(({ value }) => value as Body);
      for (const body of variants(bodies, fieldsOf(schema))) {
        // No record matches, so the wait would take its default timeout.
        const sent =
          one.id === "waitFor" && (body.timeout ?? "10s") === "10s" ? { ...body, timeout: "1ms" } : body;
        const text = JSON.stringify(sent);
        const answer = await api.send(one.method, path(one), text, { "content-type": "application/json" });
        const isTaken = control.takes(one.id, JSON.parse(text));
        const isRefused = answer.status === 400;
        tally[isRefused ? "refused" : "taken"]++;
        // Records that the call removed are needed again.
        if (answer.status === 200 && !KEEPS.has(one.id))
          await api.send("PUT", "/_sandbox/state", before.text);
        if (isRefused !== isTaken) continue;
        const details = answer.status === 400 ? answer.details : {};
        const reasons = Object.entries(details).map((pair) => pair.join(" "));
        const isFile = one.id === "putScenario" && ("vars" in body || "steps" in body);
        if (isTaken && (isFile || reasons.some((reason) => BEYOND_SCHEMAS.test(reason)))) continue;
        differences.push(`${one.id} ${text.slice(0, 200)}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    }
    expect(differences.slice(0, 60)).toEqual([]);
    expect(tally.operations).toBeGreaterThan(20);
    expect(tally.taken).toBeGreaterThan(500);
    expect(tally.refused).toBeGreaterThan(2_000);
  });
});

const LOOKED_UP = ["since", "metadata", "wait", "type", "operation", "method"];

describe("queries", () => {
  const TEXTS = [
    "0",
    "1",
    "100",
    "101",
    "-1",
    "1.5",
    "",
    "abc",
    "PENDING",
    "pending",
    "delivered",
    "test",
    "4xx",
  ];

  it("are accepted exactly when the document accepts them", async () => {
    const { api, path } = await furnished();
    let count = 0;
    for (const one of control.operations)
      for (const { name, in: place, schema } of one.parameters) {
        // Values of these are looked up: any string is accepted until the lookup fails.
        if (place !== "query" || one.id === "followStream" || LOOKED_UP.includes(name)) continue;
        const validate = schemaValidator({ parameter: schema })("#/parameter");
        for (const text of TEXTS) {
          const value = schema.type === "integer" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
          const answer = await api.get(`${path(one)}?${name}=${text}`);
          expect(answer.status, `${one.id} ${name}=${text}`).toBe(validate(value) ? 200 : 400);
          count++;
        }
      }
    expect(count).toBeGreaterThan(300);
  });

  it("are refused when a parameter is repeated", async () => {
    const { api } = await furnished();
    const { details } = await api.get("/_sandbox/charges?limit=1&limit=1");
    expect(details).toEqual({ limit: "must be given once" });
  });
});
