import { expect } from "vitest";
import { openSandbox as openWith } from "../../src/library/opening.js";
import { type Answer, Api, expectError, KES_ORDER, okBody, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { closedAtEnd } from "../support/lifetime.js";

const hintOf = ({ headers }: Answer<unknown>) => headers.get("sandbox-hint");

const CHARGE = "/api/v1/payments/charges/ch_0";
const QUOTES = "/api/v1/payments/quotes";

const FIVE = { ...KES_ORDER, pricing: { base_currency: "KES", amount: 5 } };
it.for<[line: string, status: number, hint: RegExp, body?: unknown, key?: string]>([
  [`POST ${QUOTES}`, 400, /one JSON object/, "{"],
  [`POST ${QUOTES}`, 400, /"500\.00"/, FIVE],
  [`POST ${QUOTES}`, 400, /payment-methods/, { ...KES_ORDER, payment_method: "ussd" }],
  ["POST /api/v1/payments/whitelabel", 400, /new quote|"500\.00"|payment-methods/, {}],
  [`GET ${CHARGE}`, 401, /sk_test_sandbox/, undefined, "sk_test_nobody"],
  [`POST ${QUOTES}`, 403, /may write/, KES_ORDER, "sk_test_readonly"],
  [`GET ${CHARGE}`, 404, /charges/],
  ["GET /api/v1/payments/chargs", 404, /\/docs/],
  [`POST ${CHARGE}/refund`, 404, /POST \/_sandbox\/charges\/ch_0\/refund, or npx .* charge ch_0 refund$/],
  ["POST /api/v1/refunds", 404, /POST \/_sandbox\/charges\/CHARGE_ID\/refund/],
  [`GET ${QUOTES}`, 405, /Allow/],
])(
  "Sandbox-Hint explains how to fix %s %i",
  async ([line, status, hint, body, key = "sk_test_sandbox"], { api }) => {
    const answer = await api.as(key).ask(line, body);
    expect([answer.status, hintOf(answer)]).toEqual([status, expect.stringMatching(hint)]);
    // The body is the service's own.
    expect(Object.keys(answer.json)).toEqual(["error"]);
    expect(answer.text).not.toContain(hintOf(answer));
  },
);

it("Sandbox-Hint names the fault that made a response", async ({ api }) => {
  const fault = { match: { operation: "getBalances" }, respond: { status: 429 } };
  const { fault_id } = okBody(await api.post<{ fault_id: string }>("/_sandbox/faults", fault));
  expect(hintOf(await api.get("/api/v1/accounts/balances"))).toContain(fault_id);
});

it("successful responses and the control API have no Sandbox-Hint", async ({ api }) => {
  expect(hintOf(await api.tryQuote(KES_ORDER))).toBe(null);
  const unknown = await api.get("/_sandbox/nothing");
  expect([unknown.status, hintOf(unknown)]).toEqual([404, null]);
});

it("warns once about a key that looks real, and does not store it", async () => {
  const notices: string[] = [];
  const onNotice = (notice: string) => notices.push(notice);
  const api = new Api(closedAtEnd(await openWith({ clock: "manual", onNotice })));
  const key = "sk_live_51HqReaLkEyThatNobodyMadeUp";
  for (let time = 0; time < 2; time++) {
    const answer = await api.as(key).get(CHARGE);
    expectError(answer, 401, "UNAUTHORIZED");
    expect(answer.error).toEqual({ code: "UNAUTHORIZED", message: "Invalid API key" });
    expect(hintOf(answer)).toContain("sk_live_sandbox");
  }
  expect(notices).toEqual([expect.stringContaining("real key of live mode")]);
  const journal = (await api.get("/_sandbox/requests")).text;
  expect(journal).toContain("Invalid API key");
  for (const kept of [journal, notices.join(), (await api.get("/_sandbox/state")).text])
    for (const part of [key, key.slice(-4)]) expect(kept).not.toContain(part);
  expect((await api.as("sk_live_sandbox").get(CHARGE)).status).toBe(404);
  const unknown = await api.as("sk_live_ns_a-long-namespace-name").get(CHARGE);
  expect(hintOf(unknown)).toContain('Make the namespace "a-long-namespace-name" first');
});

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

it.each([
  [TRACE, TRACE],
  [TRACE.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)), undefined],
  ["00-1-2-3", undefined],
])("the trace header %s of the request is on each webhook of the charge: %s", async (sent, heard) => {
  const api = await openApi({ webhooks: [{ mailbox: "inbox" }] });
  await api.whitelabel(await api.checkoutBody(), { traceparent: sent! });
  const types: string[] = [];
  for (let step = 0; step < 3; step++) {
    await api.advance({ by: "5s" });
    const { items } = (await api.post("/_sandbox/mailboxes/inbox/take", {})).json;
    for (const { type, headers, delivery_id } of items) {
      types.push(type);
      expect(headers.traceparent).toBe(heard);
      await api.post(`/_sandbox/mailboxes/inbox/${delivery_id}/ack`, { status: 200 });
    }
  }
  expect(types.at(-1)).toBe("charge.completed");
});
