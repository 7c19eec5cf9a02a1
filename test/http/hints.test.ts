import { describe, expect, it } from "vitest";
import { openSandbox as openWith } from "../../src/opening.js";
import { KES_ORDER, openSandbox } from "../support/api-client.js";
import { atEnd } from "../support/lifetime.js";

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;
type Wish = {
  readonly method?: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: object;
};

async function ask(sandbox: Sandbox, path: string, { method, key, body, headers }: Wish = {}) {
  const response = await sandbox.fetch(path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      authorization: `Bearer ${key ?? sandbox.apiKey}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, hint: response.headers.get("sandbox-hint"), json: await response.json() };
}

const CHARGE = "/api/v1/payments/charges/ch_0";
const QUOTES = "/api/v1/payments/quotes";

describe("Sandbox-Hint", () => {
  it.each<[string, number, Wish, RegExp]>([
    [QUOTES, 400, { body: "{" }, /one JSON object/],
    [QUOTES, 400, { body: { ...KES_ORDER, pricing: { base_currency: "KES", amount: 5 } } }, /"500\.00"/],
    [QUOTES, 400, { body: { ...KES_ORDER, payment_method: "ussd" } }, /payment-methods/],
    ["/api/v1/payments/whitelabel", 400, { body: {} }, /new quote|"500\.00"|payment-methods/],
    [CHARGE, 401, { key: "sk_test_nobody" }, /sk_test_sandbox/],
    [QUOTES, 403, { key: "sk_test_readonly", body: KES_ORDER }, /may write/],
    [CHARGE, 404, {}, /charges/],
    ["/api/v1/payments/chargs", 404, {}, /\/docs/],
    [QUOTES, 405, {}, /Allow/],
  ])("says what to do about %s %i", async (path, status, wish, hint) => {
    const answer = await ask(await openSandbox(), path, wish);
    expect(answer).toMatchObject({ status, hint: expect.stringMatching(hint) });
    // The body is the service's own.
    expect(Object.keys(answer.json)).toEqual(["error"]);
    expect(JSON.stringify(answer.json)).not.toContain(answer.hint);
  });

  it("is on no success and on none of the control API", async () => {
    const sandbox = await openSandbox();
    expect((await ask(sandbox, QUOTES, { body: KES_ORDER })).hint).toBe(null);
    expect(await ask(sandbox, "/_sandbox/nothing")).toMatchObject({ status: 404, hint: null });
  });
});

describe("a key that looks real", () => {
  it("is refused with a word of its own, told once, and not kept", async () => {
    const notices: string[] = [];
    const sandbox = await openWith({ clock: "manual", onNotice: (notice) => notices.push(notice) });
    atEnd(() => sandbox.close());
    const key = "sk_live_51HqReaLkEyThatNobodyMadeUp";
    for (let time = 0; time < 2; time++) {
      const { status, json } = await ask(sandbox, CHARGE, { key });
      expect([status, json.error.code, json.error.message]).toEqual([
        401,
        "UNAUTHORIZED",
        expect.stringContaining("sk_live_sandbox"),
      ]);
    }
    expect(notices).toEqual([expect.stringContaining("real key of live mode")]);
    const journal = JSON.stringify((await ask(sandbox, "/_sandbox/requests")).json);
    expect(journal).toContain("looks like a real key");
    for (const kept of [
      journal,
      JSON.stringify(notices),
      JSON.stringify(await (await sandbox.fetch("/_sandbox/state")).json()),
    ])
      for (const part of [key, key.slice(-4)]) expect(kept).not.toContain(part);
    expect((await ask(sandbox, CHARGE, { key: "sk_live_sandbox" })).status).toBe(404);
    expect(
      (await ask(sandbox, CHARGE, { key: "sk_live_ns_a-long-namespace-name" })).json.error.message,
    ).toContain("make the namespace");
  });
});

describe("traceparent", () => {
  const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  it.each([
    [TRACE, TRACE],
    [TRACE.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)), undefined],
    ["00-1-2-3", undefined],
  ])("%s of the call that made a charge goes on each of its webhooks: %s", async (sent, heard) => {
    const sandbox = await openSandbox({ webhooks: [{ mailbox: "inbox" }] });
    const { quote_id } = (await ask(sandbox, QUOTES, { body: KES_ORDER })).json;
    const order = {
      ...KES_ORDER,
      quote_id,
      customer_email: "ada@example.com",
      phone_number: "+254700000001",
    };
    const made = await ask(sandbox, "/api/v1/payments/whitelabel", {
      body: order,
      headers: { traceparent: sent },
    });
    expect(made.status).toBe(200);
    const types: string[] = [];
    for (let step = 0; step < 3; step++) {
      await sandbox.advance("5s");
      const { items } = (await ask(sandbox, "/_sandbox/mailboxes/inbox/take", { body: {} })).json;
      for (const { type, headers, delivery_id } of items) {
        types.push(type);
        expect(headers.traceparent).toBe(heard);
        await ask(sandbox, `/_sandbox/mailboxes/inbox/${delivery_id}/ack`, { body: { status: 200 } });
      }
    }
    expect(types.at(-1)).toBe("charge.completed");
  });
});
