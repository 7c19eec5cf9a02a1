import { expect, it } from "vitest";
import type { WebhookOption } from "../../src/core/schema/option-schemas.js";
import type { SandboxOptions } from "../../src/library/library-options.js";
import { Api, openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";

/** Longer than any form or control call accepts. */
const LONG = "x".repeat(101);
const VERY_LONG = "x".repeat(9_000);
const MANY = Array.from({ length: 51 }, (_, index) => `charge.type${index}`);

/** Valid, invalid and oversized inputs; `{id}` is replaced by a real id. */
const FORMS: readonly Record<string, string>[] = [
  { do: "createWebhookEndpoint", url: "http://localhost:3996/w", events: "charge.*" },
  { do: "createWebhookEndpoint", url: "http://localhost:3996/w", events: LONG },
  { do: "createWebhookEndpoint", url: "http://localhost:3996/w", events: MANY.join(" ") },
  { do: "createWebhookEndpoint", url: "http://localhost:3996/w", events: "charge.complet" },
  { do: "createWebhookEndpoint", url: `http://localhost:3996/${VERY_LONG}`, events: "*" },
  {
    do: "updateWebhookEndpoint?webhook_id={receiver}",
    url: "http://localhost:3997/w",
    events: MANY.join(","),
  },
  {
    do: "updateWebhookEndpoint?webhook_id={receiver}",
    url: "http://localhost:3997/w",
    events: "charge.completed",
  },
  { do: "updateWebhookEndpoint?webhook_id={mailbox}", url: "http://localhost:3997/w" },
  { do: "updateWebhookEndpoint?webhook_id={receiver}&enabled=false" },
  { do: "transitionCharge?charge_id={charge}", to: "FAILED", reason: VERY_LONG },
  { do: "transitionCharge?charge_id={charge}", to: "NOWHERE", reason: "x" },
  { do: "transitionCharge?charge_id={charge}", to: "FAILED", reason: "insufficient_funds" },
  { do: "fundBalance?mode=test", currency: "KES", amount: "10.00" },
  { do: "fundBalance?mode=test", currency: "KES", amount: "1e9" },
  { do: "setRates", currency: "KES", rate: "0" },
  { do: "setRates", currency: "KES", rate: "130" },
  { do: "createSnapshot", name: VERY_LONG },
  { do: "createSnapshot", name: "one" },
  { do: "restoreSnapshot?name=one" },
  { do: "createFault", rule: '{"match":{"operation":"createQuote"},"respond":{"status":503},"times":1}' },
  { do: "createFault", rule: `{"match":{"operation":"${LONG}"},"respond":{"status":999},"times":-1}` },
  { do: "createFault", rule: `{"respond":{"status":500,"message":"${VERY_LONG}"}}` },
  { do: "resend?delivery_id={delivery}", data: `{"x":"${VERY_LONG}"}`, times: "2", sign: "wrong" },
  { do: "resend?delivery_id={delivery}", data: `${'{"x":'.repeat(300)}1${"}".repeat(300)}`, times: "1" },
  { do: "redeliver?delivery_id={delivery}" },
  { do: "retryDelivery?delivery_id={delivery}" },
  { do: "createNamespace", name: "another" },
  { do: "createNamespace", name: "../up" },
  { do: "make" },
  { do: "again?charge_id={charge}", scenario: LONG },
  { do: "reset?namespace=default" },
];

const CONTROL: readonly (readonly [method: string, path: string, body: object])[] = [
  ["POST", "/webhook-endpoints", { url: "http://localhost:3996/w", events: MANY }],
  ["POST", "/webhook-endpoints", { url: "http://localhost:3996/w", events: [LONG] }],
  ["POST", "/webhook-endpoints", { mailbox: "inbox", events: ["charge.*"] }],
  ["PATCH", "/webhook-endpoints/{mailbox}", { url: "http://localhost:3996/w" }],
  ["PATCH", "/webhook-endpoints/{rotated}", { signature: "standard" }],
  ["POST", "/webhook-endpoints", { mailbox: "rotated", signature: "standard" }],
  ["POST", "/charges/{charge}/transition", { to: "FAILED", reason: VERY_LONG }],
  ["POST", "/charges/{charge}/transition", { to: "FAILED", reason: "declined" }],
  ["POST", "/events", { type: "charge.completed", charge_id: "{charge}", data: { x: VERY_LONG } }],
  ["POST", "/events", { type: LONG, charge_id: "{charge}" }],
  ["POST", "/balances", { currency: "KES", amount: "9".repeat(30) }],
  ["PUT", "/rates", { rates: { KES: "0.000000000000000000000000000001" } }],
  ["PUT", "/scenarios/long", { description: VERY_LONG, charges: [] }],
  ["PUT", "/scenarios/default", { webhooks: [{ down: "3000000d" }] }],
  ["PUT", "/scenarios/default", { webhooks: [{ down: { from: "3000000d", for: "1s" } }] }],
  ["POST", "/faults", { match: { operation: "createQuote" }, respond: { status: 500, message: VERY_LONG } }],
  ["PUT", "/clock", { mode: "manual", now: "9999-12-31T23:59:59.999Z" }],
  ["POST", "/snapshots", { name: "two" }],
];

const CHECKOUTS = "/payments/checkouts";
const PRICING = { base_currency: "KES", amount: "5.00" };

const SERVICE: readonly (readonly [method: string, path: string, body: object])[] = [
  ["POST", "/webhooks", { url: "http://localhost:3996/w", events: MANY }],
  ["POST", "/webhooks", { url: "http://localhost:3996/w", events: ["charge.*"] }],
  ["PATCH", "/webhooks/{mailbox}", { url: "http://localhost:3996/w" }],
  ["POST", CHECKOUTS, { pricing: PRICING, customer_name: VERY_LONG }],
  ["POST", CHECKOUTS, { pricing: PRICING, metadata: { k: VERY_LONG } }],
  ["POST", CHECKOUTS, { pricing: PRICING, success_url: `http://x/${VERY_LONG}` }],
];

/** Opens a data file with a charge, receivers, mailboxes and a delivery. */
async function setting() {
  const data = `${temporaryFolder()}/data.json`;
  const options = { data, clock: "manual", seed: "doors" } as const;
  const sandbox = await openSandbox(options);
  const api = new Api(sandbox);
  const receiver = await api.ask("POST /_sandbox/webhook-endpoints", { url: "http://localhost:3995/w" });
  const mailbox = await api.ask("POST /_sandbox/webhook-endpoints", { mailbox: "box" });
  const signing = { secret: "short", signature: "paystack" };
  const rotated = await api.ask("POST /_sandbox/webhook-endpoints", { mailbox: "rotated", ...signing });
  const { charge_id } = await api.pay();
  await api.ask("POST /_sandbox/clock/advance", { by: "1s" });
  const deliveries = await api.ask("GET /_sandbox/deliveries");
  const ids: Record<string, string> = {
    receiver: (receiver.body as { webhook_id: string }).webhook_id,
    mailbox: (mailbox.body as { webhook_id: string }).webhook_id,
    rotated: (rotated.body as { webhook_id: string }).webhook_id,
    charge: charge_id,
    delivery: (deliveries.body as { items: { delivery_id: string }[] }).items[0]!.delivery_id,
  };
  await api.ask(`POST /api/v1/webhooks/${ids.rotated}/rotate-secret`);
  const fill = (text: string) =>
    text.replace(/\{(receiver|mailbox|rotated|charge|delivery)\}/g, (_, name: string) => ids[name]!);
  /** Submits a form of the dashboard. */
  const press = (fields: Record<string, string>) =>
    sandbox.fetch("/_sandbox/dashboard/default", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });
  const opensAgain = async () => {
    await sandbox.close();
    const again = await openSandbox(options);
    expect((await again.fetch("/_sandbox")).status).toBe(200);
    const { body: exported } = await new Api(again).ask("GET /_sandbox/state");
    expect((await new Api(again).ask("PUT /_sandbox/state", exported)).status).toBe(200);
    await again.close();
  };
  return { api, press, fill, opensAgain };
}

it.each(FORMS.map((fields) => [fields.do!, fields] as const))(
  "the data file can be reopened after the form %s",
  async (_, fields) => {
    const { press, fill, opensAgain } = await setting();
    const filled = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fill(value)]));
    expect([303, 409]).toContain((await press(filled)).status);
    await opensAgain();
  },
);

it.each(CONTROL)("the data file can be reopened after the control call %s %s", async (method, path, body) => {
  const { api, fill, opensAgain } = await setting();
  const { status } = await api.ask(
    `${method} /_sandbox${fill(path)}`,
    JSON.parse(fill(JSON.stringify(body))),
  );
  expect([200, 400, 409]).toContain(status);
  await api.ask("POST /_sandbox/events", { type: "webhook.test" });
  await opensAgain();
});

it.each(SERVICE)("the data file can be reopened after the call %s %s", async (method, path, body) => {
  const { api, fill, opensAgain } = await setting();
  const { status } = await api.ask(`${method} /api/v1${fill(path)}`, body);
  expect([200, 400]).toContain(status);
  await opensAgain();
});

const PAYSTACK = { signature: "paystack", webhookSecret: "mysecret" } as const;
const HOOK = { url: "http://localhost:3999/h" };

type Signing = Pick<SandboxOptions, "signature" | "webhookSecret"> & { readonly webhooks: [WebhookOption] };
/** Options of the first start and of the restart. */
const RESTARTS: Readonly<Record<string, readonly [Signing, Signing]>> = {
  "another signature and secret": [{ webhooks: [HOOK] }, { webhooks: [HOOK], ...PAYSTACK }],
  "a signature of the webhook": [
    { webhooks: [HOOK] },
    { webhooks: [{ ...HOOK, secret: "mysecret", signature: "paystack" }] },
  ],
  "the signature of the service again": [{ webhooks: [HOOK], ...PAYSTACK }, { webhooks: [HOOK] }],
};

it.each(Object.entries(RESTARTS))("the data file can be reopened with %s", async (_, [first, then]) => {
  const data = `${temporaryFolder()}/data.json`;
  for (const options of [first, then, then]) {
    const sandbox = await openSandbox({ data, clock: "manual", ...options });
    const api = new Api(sandbox);
    const { body } = await api.ask("GET /_sandbox/webhook-endpoints");
    const webhook = options.webhooks[0];
    const signature = webhook.signature ?? options.signature ?? "standard";
    expect(body).toMatchObject({ items: [{ signature, secret: webhook.secret ?? sandbox.webhookSecret }] });
    const [{ webhook_id }] = (body as { items: [{ webhook_id: string }] }).items;
    if (options === first) await api.ask(`POST /api/v1/webhooks/${webhook_id}/rotate-secret`);
    await sandbox.close();
  }
});

it("a webhook secret that does not fit a new scheme returns errors", async () => {
  const data = `${temporaryFolder()}/data.json`;
  const webhooks = ["http://localhost:3999/{namespace}"];
  const first = await openSandbox({ data, webhooks, ...PAYSTACK });
  await new Api(first).ask("PUT /_sandbox/namespaces/q", { webhook_secret: "short" });
  await first.close();
  const headers = { "sandbox-namespace": "q" };
  const other = await openSandbox({ data, webhooks });
  const refused = await other.fetch("/_sandbox/webhook-endpoints", { headers });
  expect(await refused.text()).toContain("The secret of http://localhost:3999/q must be whsec_");
  await other.close();
  const again = await openSandbox({ data, webhooks, ...PAYSTACK });
  expect((await again.fetch("/_sandbox/webhook-endpoints", { headers })).status).toBe(200);
});

it("editing a receiver on the dashboard keeps its secret", async () => {
  const { api, press } = await setting();
  const url = "http://localhost:3994/w";
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  await api.ask("POST /_sandbox/webhook-endpoints", { url, secret });
  await press({ do: "createWebhookEndpoint", url, events: "charge.*" });
  const listed = await api.ask("GET /_sandbox/webhook-endpoints");
  const { items } = listed.body as { items: { url: string; secret: string }[] };
  expect(items.find((one) => one.url === url)?.secret).toBe(secret);
});

it("a dashboard form shows the errors of the control API", async () => {
  const { press } = await setting();
  const response = await press({
    do: "createWebhookEndpoint",
    url: "http://localhost:1/w",
    events: "charge.complet",
  });
  expect(response.status).toBe(409);
  expect(await response.text()).toContain("did you mean");
});
