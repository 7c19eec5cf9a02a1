import { expect } from "vitest";
import { type Answer, expectInvalid, KES_ORDER } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const FAULTS = "POST /_sandbox/faults";
const SCENARIO = "PUT /_sandbox/scenarios/mine";
const ENDPOINTS = "POST /_sandbox/webhook-endpoints";
const WAIT = "POST /_sandbox/wait";
const WHITELABEL = "POST /api/v1/payments/whitelabel";
const CHECKOUTS = "POST /api/v1/payments/checkouts";
const WEBHOOKS = "POST /api/v1/webhooks";

const LONG = 10_000;
const glob = (length: number) => `*${"a".repeat(length - 2)}b`;
/** A glob of this length that matches every name. */
const anyName = (length: number) => "*".repeat(length);
const url = (length: number) => `http://localhost/${"a".repeat(length - 17)}`;
const timeline = [{ after: "1s", to: "FAILED" }];

/** Calls that accept text, with the field and its maximum length. */
const BODIES: [call: string, field: string, longest: number, body: (length: number) => object][] = [
  [FAULTS, "match.customer_name", 200, (n) => ({ match: { customer_name: glob(n) }, drop: "before" })],
  [FAULTS, "match.path.0", 200, (n) => ({ match: { path: [glob(n)] }, drop: "before" })],
  [FAULTS, "match.metadata.k", 200, (n) => ({ match: { metadata: { k: glob(n) } }, drop: "before" })],
  [FAULTS, "match.amount", 200, (n) => ({ match: { amount: glob(n) }, drop: "before" })],
  [FAULTS, "respond.message", 2_000, (n) => ({ respond: { status: 500, message: "m".repeat(n) } })],
  [FAULTS, "respond.code", 255, (n) => ({ respond: { status: 500, code: "C".repeat(n) } })],
  [
    SCENARIO,
    "charges.0.match.customer_email",
    200,
    (n) => ({ charges: [{ match: { customer_email: glob(n) }, timeline }] }),
  ],
  [
    SCENARIO,
    "withdrawals.0.match.reference",
    200,
    (n) => ({ withdrawals: [{ match: { reference: glob(n) }, timeline }] }),
  ],
  [SCENARIO, "webhooks.0.match.url", 200, (n) => ({ webhooks: [{ match: { url: glob(n) }, drop: true }] })],
  [SCENARIO, "description", 2_000, (n) => ({ description: "d".repeat(n) })],
  [ENDPOINTS, "url", 2_048, (n) => ({ url: url(n) })],
  [ENDPOINTS, "organization_id", 255, (n) => ({ mailbox: "a", organization_id: "o".repeat(n) })],
  [WAIT, "match.customer_name", 200, (n) => ({ for: "charge", match: { customer_name: glob(n) } })],
  [
    WAIT,
    "match.request_body.lines.0.name",
    200,
    (n) => ({ for: "request", match: { request_body: { lines: [{ name: glob(n) }] } } }),
  ],
  [WHITELABEL, "success_url", 2_048, (n) => ({ success_url: url(n) })],
  [CHECKOUTS, "cancel_url", 2_048, (n) => ({ cancel_url: url(n) })],
  [WEBHOOKS, "url", 2_048, (n) => ({ url: url(n) })],
];

it.for(BODIES)("%s accepts %s up to %d characters", async ([call, field, longest, body], { api }) => {
  const [method, path] = call.split(" ") as [string, string];
  const send = async (length: number): Promise<Answer<unknown>> => {
    const order = path.endsWith("whitelabel") ? await api.checkoutBody() : KES_ORDER;
    const rest = path.startsWith("/_sandbox") ? {} : order;
    return api.send(method, path, JSON.stringify({ ...rest, ...body(length) }), {
      "content-type": "application/json",
    });
  };
  for (const length of [longest + 1, LONG]) {
    const answer = await send(length);
    expectInvalid(answer, field);
    expect(answer.details[field]).toMatch(`at most ${longest}`);
  }
  // A valid wait would block.
  if (!path.endsWith("/wait")) expect((await send(longest)).status).toBe(200);
});

it.for(["requests?path=", "requests?operation=", "events?type=", "deliveries?type="])(
  "the filter %s has at most 200 characters",
  async (filter, { api }) => {
    expect((await api.get(`/_sandbox/${filter}${anyName(200)}`)).status).toBe(200);
    for (const length of [201, LONG])
      expectInvalid(await api.get(`/_sandbox/${filter}${anyName(length)}`), filter.split(/[?=]/)[1]!);
  },
);

it("a wait accepts text of any length without wildcards", async ({ api }) => {
  const name = "n".repeat(255);
  await api.pay({ customer_name: name });
  const answer = await api.post("/_sandbox/wait", { for: "charge", match: { customer_name: name } });
  expect(answer.status).toBe(200);
});

it("a long glob on long URLs does not delay other calls", async ({ api }) => {
  for (let n = 0; n < 300; n++) await api.get(`/api/v1/${"a".repeat(14_000)}`);
  const began = performance.now();
  await api.get(`/_sandbox/requests?path=*${"a".repeat(198)}b`);
  await api.get(`/_sandbox/requests?path=${"*a?".repeat(66)}b*`);
  expect(performance.now() - began).toBeLessThan(60_000);
});
