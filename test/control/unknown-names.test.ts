import { expect } from "vitest";
import { UserError } from "../../src/core/schema/user-error.js";
import { openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const FAULTS = "POST /_sandbox/faults";
const SCENARIO = "PUT /_sandbox/scenarios/mine";
const WAIT = "POST /_sandbox/wait";
const HOOK = { url: "http://localhost:9" };
const SLIP = "charge.complete";
const NEAR = "is an unknown event type; did you mean charge.completed?";

const REFUSED: [call: string, body: object | undefined, field: string, message: string][] = [
  [FAULTS, { match: { method: "get" }, drop: "after" }, "match.method", "did you mean GET?"],
  [
    FAULTS,
    { match: { path: "/api/v1/payment/*/x" }, drop: "after" },
    "match.path",
    "there is nothing at /api/v1/payment/*/x",
  ],
  [FAULTS, { match: { currency: ["KSE"] }, drop: "after" }, "match.currency.0", "mean KES?"],
  [SCENARIO, { webhooks: [{ match: { type: SLIP }, drop: true }] }, "webhooks.0.match.type", NEAR],
  [SCENARIO, { steps: [{ expect_webhook: { type: SLIP, count: 0 } }] }, "steps.0.expect_webhook.type", NEAR],
  [SCENARIO, { force: 1, charges: [] }, "force", "must be a boolean"],
  [FAULTS, { drop: "after", tiems: 1 }, "tiems", "is not a known field; did you mean times?"],
  [
    SCENARIO,
    { webhooks: [{ match: { tpye: "charge.failed" }, drop: true }] },
    "webhooks.0.match.tpye",
    "did you mean type?",
  ],
  ["POST /_sandbox/webhook-endpoints", { ...HOOK, events: [SLIP] }, "events.0", NEAR],
  ["POST /_sandbox/namespaces", { webhooks: [{ ...HOOK, events: [SLIP] }] }, "webhooks.0.events.0", NEAR],
  [WAIT, { for: "charge", match: { nope: 1 } }, "match.nope", "unknown field; known: charge_id"],
  [WAIT, { for: "charge", match: { stauts: "FAILED" } }, "match.stauts", "did you mean status?"],
  [WAIT, { for: "charge", match: { status: "COMPLETD" } }, "match.status", "mean COMPLETED?"],
  [WAIT, { for: "charge", match: { fees: { totl: "1" } } }, "match.fees.totl", "unknown field"],
  [WAIT, { for: "delivery", match: { type: SLIP } }, "match.type", NEAR],
  [WAIT, { for: "request", match: { operation: "createQoute" } }, "match.operation", "createQuote?"],
  ["GET /_sandbox/events?type=charge.complete", undefined, "type", NEAR],
  ["GET /_sandbox/deliveries?type=charge.complete", undefined, "type", NEAR],
  ["GET /_sandbox/requests?operation=createQuot", undefined, "operation", "did you mean createQuote?"],
  ["GET /_sandbox/requests?method=PSOT", undefined, "method", "did you mean POST?"],
];

it.for(REFUSED)("%s refuses an unknown name with %j", async ([call, body, field, message], { api }) => {
  const answer = await api.ask(call, body);
  expect([answer.status, answer.details[field]]).toEqual([400, expect.stringContaining(message)]);
});

it("accepts an unknown name with force", async ({ client }) => {
  const rules = { webhooks: [{ match: { type: "dispute.*" }, drop: true }] };
  const put = await client.ask(SCENARIO, { ...rules, force: true });
  expect([put.status, put.json]).toEqual([200, expect.objectContaining(rules)]);
  const hears = { ...HOOK, events: ["dispute.*"], force: true };
  const made = await client.ask("POST /_sandbox/webhook-endpoints", hears);
  expect(made.json).toMatchObject({ events: ["dispute.*"] });
  const path = `/_sandbox/webhook-endpoints/${made.json.webhook_id}`;
  expect(await client.ask(`PATCH ${path}`, { events: ["disputes.*"] })).toMatchObject({ status: 400 });
  const patched = await client.ask(`PATCH ${path}`, { events: ["disputes.*"], force: true });
  expect([patched.status, patched.json.force]).toEqual([200, undefined]);
});

it("accepts an unknown name after an event has used it", async ({ client }) => {
  expect((await client.ask("GET /_sandbox/events?type=dispute.*")).status).toBe(400);
  await client.ask("POST /_sandbox/events", { type: "dispute.opened", force: true });
  expect((await client.ask("GET /_sandbox/events?type=dispute.*")).json.total).toBe(1);
});

it("the service accepts an unknown name", async ({ api }) => {
  expect((await api.post("/api/v1/webhooks", { ...HOOK, events: ["charge.complete"] })).status).toBe(200);
});

const names = { eventNames: { "charge.completed": "PaymentSuccessful" } };

it("accepts both configured and default names", async () => {
  const events = ["PaymentSuccessful", "charge.*"];
  const sandbox = await openSandbox({ ...names, webhooks: [{ ...HOOK, events }] });
  const again = { method: "POST", body: JSON.stringify({ ...HOOK, events }) };
  expect((await sandbox.fetch("/_sandbox/webhook-endpoints", again)).status).toBe(200);
  await sandbox.onWebhook(() => 200, { events: ["Payment*"] });
  await sandbox.onWebhook(() => 200, { events: ["dispute.*"], force: true });
  const slip = sandbox.onWebhook(() => 200, { events: ["charge.complete"] });
  await expect(slip).rejects.toThrow(`onWebhook: events.0 ${NEAR}`);
});

it("the `webhooks` option accepts only configured and default names", async () => {
  const opening = openSandbox({ webhooks: [{ ...HOOK, events: ["charge.*", "charge.complete"] }] });
  await expect(opening).rejects.toThrow(UserError);
  await expect(opening).rejects.toThrow(`webhooks.0.events.1: ${NEAR}`);
});
