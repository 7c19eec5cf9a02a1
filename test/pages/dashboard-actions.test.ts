import { describe, expect, it } from "vitest";
import { Client } from "../support/receiver-client.js";
import { redirectPath, textOf, withReceiver } from "./support/dashboard.js";

/** Opens a sandbox with charges, a withdrawal and a refused request. */
async function openRecords() {
  const dashboard = await withReceiver();
  const { api, charge, receiver, sandbox } = dashboard;
  const client = Client.of(sandbox);
  const paid = await charge("ada@example.com");
  await sandbox.advance("10s");
  const pending = await charge("bob@example.com");
  await sandbox.control("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
  const { withdrawal_id } = await client.withdraw({ currency: "KES", amount: "519.99" });
  await api.tryQuote({});
  const newest = async (list: string) => (await client.ask(`GET /_sandbox/${list}?limit=1`)).json.items[0];
  const ids: Record<string, string> = {
    paid,
    pending,
    withdrawal: withdrawal_id,
    delivery: (await newest("deliveries")).delivery_id,
    webhook: (await newest("webhook-endpoints")).webhook_id,
    request: (await newest("requests")).request_id,
  };
  /** Replaces placeholders such as `{paid}` by ids. */
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (all, name: string) => ids[name] ?? all);
  return { ...dashboard, fill, receiver };
}

const RULE = { match: { operation: "createQuote" }, respond: { status: 503 }, times: 1, per: "request" };
const CUSTOMER_RULE = { ...RULE, match: { operation: "createWhitelabel", customer_email: "*@shop.test" } };
type Fields = Readonly<Record<string, string>>;

async function expectNotice(expected: number, action: string, fields: Fields, notice: string | RegExp) {
  const { fill, press } = await openRecords();
  const filled = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fill(value)]));
  const { status, text } = await press(fill(action), filled);
  const shown = textOf(`<main${text.slice(text.indexOf('id="said"'))}`);
  expect(shown).toMatch(
    typeof notice === "string" ? new RegExp(fill(notice).replace(/[.?(){}]/g, "\\$&")) : notice,
  );
  expect(status).toBe(expected);
}

describe("a button of the dashboard", () => {
  it.each<[action: string, fields: Fields, notice: string | RegExp]>([
    ["advanceClock?by=10s", {}, /Advanced 10 s to 09:00:20: .*5 webhooks delivered/],
    ["advanceClock?until=next", {}, /Advanced .* to 09:00:1[0-5]: 1 charge awaiting payment/],
    ["advanceClock", { when: "30m" }, /Advanced 30 m to 09:30:10: .*1 charge completed/],
    ["advanceClock", { when: "2026-01-31T10:00:10.000Z" }, "Advanced 1 h"],
    ["advanceClock?to=2026-01-31T09:00:11.000Z", {}, /Advanced 1 s to 09:00:11: 1 charge awaiting payment/],
    ["setClock?mode=real", {}, "The clock runs"],
    ["setClock?mode=manual", {}, "The clock is frozen"],
    ["transitionCharge?charge_id={pending}&to=FAILED", {}, "{pending} is FAILED"],
    [
      "transitionCharge?charge_id={pending}",
      { to: "FAILED", reason: "stolen" },
      "{pending} is FAILED: stolen",
    ],
    ["payAmount?charge_id={pending}", { amount: "19.99" }, "{pending} is COMPLETED: USD 19.99 paid"],
    ["refundPart?charge_id={paid}", { amount: "1.00", reason: "one_item" }, "{paid}: USD 1.00 refunded"],
    ["refundPart?charge_id={paid}", { amount: "50 %" }, "{paid}: USD 2.59 refunded"],
    ["chargeBack?charge_id={paid}", { reason: "" }, /\w+: USD \d+\.\d\d charged back/],
    ["transitionWithdrawal?withdrawal_id={withdrawal}&to=PROCESSING", {}, "{withdrawal} is PROCESSING"],
    [
      "transitionWithdrawal?withdrawal_id={withdrawal}",
      { to: "CANCELLED", reason: "closed" },
      "{withdrawal} is CANCELLED: closed",
    ],
    ["advanceClock", { when: "+10 s" }, /Advanced 10\ss to 09:00:20: /],
    ["fundBalance?mode=test", { currency: "KES", amount: "1105.10" }, "KES 1105.10 added"],
    [
      "createWebhookEndpoint",
      { url: "localhost:3000/w", events: "charge.*" },
      "localhost:3000/w receives charge.*",
    ],
    ["createWebhookEndpoint", { url: "localhost:3000/w", events: "" }, "localhost:3000/w receives *"],
    [
      "updateWebhookEndpoint?webhook_id={webhook}",
      { url: "localhost:3000/w", events: "charge.failed, charge.completed" },
      "is on and receives charge.failed, charge.completed",
    ],
    ["updateWebhookEndpoint?webhook_id={webhook}&enabled=false", {}, "/hooks is off"],
    ["updateWebhookEndpoint?webhook_id={webhook}&enabled=true", {}, "/hooks is on"],
    ["createFault", { json: JSON.stringify(RULE) }, "Fault started for createQuote"],
    ["deleteFaults", {}, "0 faults stopped"],
    ["activateScenario?name=declined", {}, "Scenario declined applies to everything new"],
    ["deactivateScenario?name=declined", {}, "Scenario declined is off"],
    ["createSnapshot", { name: "one" }, "Snapshot one saved"],
    ["createNamespace", { name: "mine" }, "Namespace mine created"],
    ["redeliver?delivery_id={delivery}", {}, /delivered: 200 in \d+ ms/],
    ["make", {}, /Charge ch_\w+ created/],
    ["again?charge_id={paid}", { scenario: "stuck" }, /Charge ch_\w+ created/],
  ])("button %s with %j reports its result", async (action, fields, notice) => {
    await expectNotice(303, action, fields, notice);
  });

  it.each<[action: string, fields: Fields, error: string | RegExp]>([
    ["nothing", {}, "Unknown action “nothing”"],
    ["constructor", {}, "Unknown action “constructor”"],
    ["advanceClock", { when: "tomorrow" }, "by must be"],
    ["advanceClock?to=2026-01-31T09:00:00.000Z", {}, "to "],
    ["transitionCharge?charge_id={paid}&to=CANCELLED", {}, "cannot become CANCELLED"],
    ["transitionCharge?charge_id={pending}", { to: "NOWHERE" }, "to must be one of"],
    ["transitionCharge?to=FAILED", {}, "charge_id must be a text that is not empty"],
    ["payAmount?charge_id={pending}", { amount: "0.00" }, "amount must be a decimal number above 0"],
    ["payAmount?charge_id={pending}", { amount: "1.999" }, "with at most 2 decimals in USD"],
    ["payAmount?charge_id={paid}", { amount: "1.00" }, "cannot become COMPLETED"],
    ["transitionWithdrawal?withdrawal_id=wd_none&to=COMPLETED", {}, "Withdrawal not found"],
    ["bounceWithdrawal?withdrawal_id={withdrawal}", {}, "only a COMPLETED one can be reversed"],
    ["createWebhookEndpoint", { url: "nowhere at all" }, "url must be"],
    ["refundPart?charge_id={paid}", { amount: "9999.00" }, "amount"],
    ["createFault", { json: "{no" }, "body is not valid JSON"],
    ["createFault", { json: JSON.stringify({ ...RULE, times: "none" }) }, "times must be"],
    ["createFault", { json: JSON.stringify({ ...RULE, respond: { status: 200 } }) }, "must be 400 to 599"],
    ["createFault", { json: JSON.stringify({ ...RULE, match: { no_such_field: "x" } }) }, "no_such_field"],
    ["createFault", { json: JSON.stringify({ match: RULE.match, delay: "soon" }) }, "delay"],
    ["again?charge_id=ch_none", {}, "Charge not found"],
    ["again?charge_id={paid}", { amount: "1.999" }, "pricing.amount"],
    ["reset?name=other", {}, "name must be this namespace, default"],
  ])("button %s with %j is refused with a reason", async (action, fields, error) => {
    await expectNotice(409, action, fields, error);
  });

  it("a fault says how often it was hit, until it is used up", async () => {
    const { api, page, press } = await withReceiver();
    const rules = [RULE, { ...RULE, times: undefined, match: { operation: "getBalances" } }];
    rules.push({ ...RULE, per: "customer", match: { operation: "getPayin" } });
    for (const rule of rules) await press("createFault", { json: JSON.stringify(rule) });
    await api.quote({}).catch(() => {});
    await api.send("GET", "/api/v1/payments/payins/ch_0").catch(() => {});
    expect(textOf(await page())).toMatch(
      /In effect: fault getBalances → return 503 · fault getPayin → return 503 /,
    );
    expect(textOf(await page("/faults"))).toMatch(/⚠ 0 hits getBalances .* ● used up createQuote/);
    expect(textOf(await page("/faults"))).toMatch(
      /1 hit getPayin .* · 1 for each customer · used up for calls without a customer, live for a new customer /,
    );
  });

  it("invalid JSON of a fault stays in its field", async () => {
    const { home, press } = await openRecords();
    const json = JSON.stringify({ ...CUSTOMER_RULE, delay: "soon" });
    const { text } = await press("createFault", { json, back: `${home}/faults` });
    expect(text).toContain(`>${json.replaceAll('"', "&quot;")}</textarea>`);
  });

  it("restores and deletes a snapshot", async () => {
    const { page, press } = await openRecords();
    await press("createSnapshot", { name: "one" });
    await press("make");
    expect((await press("restoreSnapshot?name=one")).text).toContain("Snapshot one restored");
    expect(await page("/charges")).not.toContain("grace.hopper@example.com");
    expect((await press("deleteSnapshot?name=one")).text).toContain("Snapshot one deleted");
    expect((await press("restoreSnapshot?name=one")).status).toBe(409);
  });

  it("resets the namespace, and undo restores it", async () => {
    const { page, press } = await openRecords();
    expect(await page("/namespace")).toMatch(
      /<summary>Reset everything…<\/summary>\s*<p>This removes 2 charges,.* default/,
    );
    const { text } = await press("reset?name=default");
    expect(text).toMatch(/reset \(receivers and keys kept\).*value="restoreSnapshot\?name=before-reset"/);
    expect(await page()).not.toContain("ada@example.com");
    const undone = await press("restoreSnapshot?name=before-reset");
    expect(undone.text).toContain("Snapshot before-reset restored");
    expect(await page()).toContain("ada@example.com");
  });

  it("refuses a cross-site form with 403", async () => {
    const { home, page, post } = await openRecords();
    const { status } = await post(home, { do: "reset?name=default" }, { "sec-fetch-site": "cross-site" });
    expect(status).toBe(403);
    expect(await page()).toContain("ada@example.com");
  });

  it.each(["https://evil.test/", "//evil.test", "/checkout/x", "/_sandbox/dashboard/defaultx"])(
    "redirects to the dashboard in response to %s",
    async (back) => {
      const { home, post } = await openRecords();
      const response = await post(home, { do: "advanceClock?by=1s", back });
      expect(redirectPath(response, home)).toBe(home);
    },
  );
});
