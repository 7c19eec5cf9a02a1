import { describe, expect } from "vitest";
import { UserError } from "../../src/core/schema/user-error.js";
import { openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const HOOK = { url: "http://localhost:9" };
const NEAR = "is an unknown event type; did you mean charge.completed?";

const REFUSED: [call: string, body: object | undefined, field: string, message: string][] = [
  ["POST /_sandbox/faults", { match: { method: "get" }, drop: "after" }, "match.method", "did you mean GET?"],
  [
    "POST /_sandbox/faults",
    { match: { path: "/api/v1/payment/*/x" }, drop: "after" },
    "match.path",
    "there is nothing at /api/v1/payment/*/x",
  ],
  ["POST /_sandbox/faults", { match: { currency: ["KSE"] }, drop: "after" }, "match.currency.0", "mean KES?"],
  [
    "PUT /_sandbox/scenarios/mine",
    { webhooks: [{ match: { type: "charge.complete" }, drop: true }] },
    "webhooks.0.match.type",
    NEAR,
  ],
  [
    "PUT /_sandbox/scenarios/mine",
    { steps: [{ expect_webhook: { type: "charge.complete", count: 0 } }] },
    "steps.0.expect_webhook.type",
    NEAR,
  ],
  ["PUT /_sandbox/scenarios/mine", { force: 1, charges: [] }, "force", "must be a boolean"],
  [
    "POST /_sandbox/faults",
    { drop: "after", tiems: 1 },
    "tiems",
    "is not a known field; did you mean times?",
  ],
  [
    "PUT /_sandbox/scenarios/mine",
    { webhooks: [{ match: { tpye: "charge.failed" }, drop: true }] },
    "webhooks.0.match.tpye",
    "did you mean type?",
  ],
  ["POST /_sandbox/webhook-endpoints", { ...HOOK, events: ["charge.complete"] }, "events.0", NEAR],
  [
    "POST /_sandbox/namespaces",
    { webhooks: [{ ...HOOK, events: ["charge.complete"] }] },
    "webhooks.0.events.0",
    NEAR,
  ],
  [
    "POST /_sandbox/wait",
    { for: "charge", match: { nope: 1 } },
    "match.nope",
    "unknown field; known: charge_id",
  ],
  [
    "POST /_sandbox/wait",
    { for: "charge", match: { stauts: "FAILED" } },
    "match.stauts",
    "did you mean status?",
  ],
  [
    "POST /_sandbox/wait",
    { for: "charge", match: { status: "COMPLETD" } },
    "match.status",
    "mean COMPLETED?",
  ],
  [
    "POST /_sandbox/wait",
    { for: "charge", match: { fees: { totl: "1" } } },
    "match.fees.totl",
    "unknown field",
  ],
  ["POST /_sandbox/wait", { for: "delivery", match: { type: "charge.complete" } }, "match.type", NEAR],
  [
    "POST /_sandbox/wait",
    { for: "request", match: { operation: "createQoute" } },
    "match.operation",
    "createQuote?",
  ],
  ["GET /_sandbox/events?type=charge.complete", undefined, "type", NEAR],
  ["GET /_sandbox/deliveries?type=charge.complete", undefined, "type", NEAR],
  ["GET /_sandbox/requests?operation=createQuot", undefined, "operation", "did you mean createQuote?"],
  ["GET /_sandbox/requests?method=PSOT", undefined, "method", "did you mean POST?"],
];

describe("a name that nothing has", () => {
  it.for(REFUSED)("is refused by %s with %j", async ([call, body, field, message], { shop: { sandbox } }) => {
    const [method, path] = call.split(" ") as [string, string];
    const answer = await sandbox.fetch(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { error } = (await answer.json()) as { error: { details: Record<string, string> } };
    expect([answer.status, error.details[field]]).toEqual([400, expect.stringContaining(message)]);
  });

  it("is taken by force", async ({ client }) => {
    const rules = { webhooks: [{ match: { type: "dispute.*" }, drop: true }] };
    const put = await client.ask("PUT /_sandbox/scenarios/mine", { ...rules, force: true });
    expect([put.status, put.json]).toEqual([200, expect.objectContaining(rules)]);
    const hears = { ...HOOK, events: ["dispute.*"], force: true };
    const made = await client.ask("POST /_sandbox/webhook-endpoints", hears);
    expect(made.json).toMatchObject({ events: ["dispute.*"] });
    const path = `/_sandbox/webhook-endpoints/${made.json.webhook_id}`;
    expect(await client.ask(`PATCH ${path}`, { events: ["disputes.*"] })).toMatchObject({ status: 400 });
    const patched = await client.ask(`PATCH ${path}`, { events: ["disputes.*"], force: true });
    expect([patched.status, patched.json.force]).toEqual([200, undefined]);
  });

  it("is known once an event has had it", async ({ client }) => {
    expect((await client.ask("GET /_sandbox/events?type=dispute.*")).status).toBe(400);
    await client.ask("POST /_sandbox/events", { type: "dispute.opened", force: true });
    expect((await client.ask("GET /_sandbox/events?type=dispute.*")).json.total).toBe(1);
  });

  it("is taken as the app's own where it asks the service", async ({ api }) => {
    expect((await api.post("/api/v1/webhooks", { ...HOOK, events: ["charge.complete"] })).status).toBe(200);
  });
});

describe("names of the config", () => {
  const names = { eventNames: { "charge.completed": "PaymentSuccessful" } };

  it("are those that receivers hear, beside the sandbox's own", async () => {
    const events = ["PaymentSuccessful", "charge.*"];
    const sandbox = await openSandbox({ ...names, webhooks: [{ ...HOOK, events }] });
    const again = { method: "POST", body: JSON.stringify({ ...HOOK, events }) };
    expect((await sandbox.fetch("/_sandbox/webhook-endpoints", again)).status).toBe(200);
    await sandbox.onWebhook(() => 200, { events: ["Payment*"] });
    await sandbox.onWebhook(() => 200, { events: ["dispute.*"], force: true });
    const slip = sandbox.onWebhook(() => 200, { events: ["charge.complete"] });
    await expect(slip).rejects.toThrow(`onWebhook: events.0 ${NEAR}`);
  });

  it("are the only ones it may have webhooks hear", async () => {
    const opening = openSandbox({ webhooks: [{ ...HOOK, events: ["charge.*", "charge.complete"] }] });
    await expect(opening).rejects.toThrow(UserError);
    await expect(opening).rejects.toThrow(`webhooks.0.events.1: ${NEAR}`);
  });
});
