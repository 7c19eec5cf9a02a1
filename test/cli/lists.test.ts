import { createServer } from "node:http";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { CommandInput } from "../../src/cli/client/client-command.js";
import { CLIENT_COMMANDS } from "../../src/cli/client/commands.js";
import { Connection } from "../../src/cli/client/connection.js";
import { START } from "../support/api-client.js";
import { openShop } from "../support/receiver-client.js";
import { listening } from "../support/servers.js";
import { offTerminal, onTerminal } from "../support/standard-output.js";

/** Each command that prints a list, with the words that make it do so. */
const LISTS: readonly (readonly string[])[] = [
  ...["charges", "withdrawals", "deliveries", "requests", "events", "next", "balances"].map((name) => [name]),
  ...["webhook", "snapshot", "namespace", "scenario", "fault"].map((name) => [name, "list"]),
];
const LIMIT = 12;

let connection: Connection;

/** A shop on a bad day: payments that failed, receivers that are dead or refuse, long e-mails, payouts. */
beforeAll(async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  const answer = ({ url = "" }: { url?: string }): [number, string] => {
    if (url === "/legacy") return [400, '{ "error": "invalid_signature" }'];
    return [500, "TypeError: Cannot read properties of undefined (reading 'order')\n    at webhooks.ts:42"];
  };
  const server = createServer((request, response) => {
    const [status, text] = answer(request);
    response.writeHead(status).end(text);
  });
  const app = `http://127.0.0.1:${await listening(server)}`;
  const webhooks = [
    { url: `${app}/webhooks`, events: ["charge.completed"] },
    {
      url: `${app}/legacy`,
      events: ["charge.failed", "charge.cancelled", "charge.expired", "charge.refunded"],
    },
    { url: "http://127.0.0.1:9/hooks/that/have/a/long/path/for-payments", events: ["withdrawal.*"] },
    { mailbox: "slow" },
  ];
  for (const webhook of webhooks) await client.ask("POST /_sandbox/webhook-endpoints", webhook);
  for (const [order, customer_email, currency, amount, payment_method] of [
    ["A-1100", "declined@shop.test", "KES", "500.00", "mobile_money"],
    ["A-1101", "ada.lovelace-of-the-engine@subdomain.example.co.uk", "NGN", "1250000.00", "bank_transfer"],
    ["A-1102", "stuck@example.ng", "KES", "1105.10", "mobile_money"],
    ["A-1103", "grace.hopper@example.com", "BTC", "0.00123456", "crypto"],
    ["A-1104", "obi@example.ng", "KES", "19.99", "card"],
  ]) {
    const order_ = { pricing: { base_currency: currency, amount }, payment_method };
    const { json: quote } = await client.ask("POST /api/v1/payments/quotes", order_);
    const customer = { customer_email, phone_number: "+254700000001", bank_account_number: "0123456789" };
    const body = { ...order_, ...customer, quote_id: quote.quote_id, metadata: { order } };
    await client.ask("POST /api/v1/payments/whitelabel", body);
  }
  await client.ask("POST /api/v1/payments/checkouts", {
    pricing: { base_currency: "NGN", amount: "1999.50" },
    customer_email: "kofi@example.com",
    metadata: { cart: "c-1", order_id: "B-7" },
  });
  await client.ask("POST /api/v1/payments/quotes", { pricing: { base_currency: "KES", amount: 500 } });
  await sandbox.advance("10s");
  await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "50000.00" });
  const wallet = { type: "mobile_money", currency: "KES", phone_number: "+254700000001", provider: "M" };
  const { json: destination } = await client.ask("POST /api/v1/payouts/destinations", wallet);
  for (const [reference, amount] of [
    ["rent-1", "1500.00"],
    ["fail-2", "900.00"],
  ]) {
    const { destination_id } = destination;
    const body = { destination_id, amount, currency: "KES", reference };
    await client.ask("POST /api/v1/payouts/withdrawals", body);
  }
  await sandbox.advance("10s");
  const rule = {
    match: { operation: "createQuote", customer_email: "*@shop.test" },
    respond: { status: 503 },
  };
  await client.ask("POST /_sandbox/faults", { ...rule, times: 2 });
  await client.ask("POST /_sandbox/snapshots", { name: "before-checkout" });
  await client.ask("POST /_sandbox/namespaces", { name: "worker-1-of-the-parallel-suite" });
  const { url } = await sandbox.listen();
  connection = new Connection({ url });
});

afterEach(offTerminal);

async function printed(columns: number, [name, ...words]: readonly string[]): Promise<string> {
  const command = CLIENT_COMMANDS.find(({ usage }) => usage.split(" ")[0] === name)!;
  const action = words.length === 0 ? command.defaultAction! : command.verbs![words[0]!]!;
  vi.stubEnv("FORCE_COLOR", "0");
  if (columns > 0) onTerminal(columns);
  const flags: CommandInput["flags"] = { limit: String(LIMIT) };
  const asked = { connection, positionalArguments: words, flags };
  const text = await action.formatResult!((await action.call(asked))!, asked);
  offTerminal();
  return text;
}

/** Ids, ports and wall time differ between runs; their width does not. */
function masked(text: string): string {
  return text
    .replace(/\b(ch|wd|dlv|evt|we|flt)_[0-9a-f]+/g, (id, kind) => `${kind}_`.padEnd(id.length, "0"))
    .replace(/:\d{5}(?=\/)/g, ":18101")
    .replace(/^(before-checkout +)\S+$/m, "$1INSTANT");
}

it("each list fits a terminal of 80 columns, with the reason below each failed row", async () => {
  const all: string[] = [];
  for (const list of LISTS) {
    const lines = (await printed(80, list)).split("\n");
    const text = masked(lines.slice(0, list[0] === "scenario" ? 4 : undefined).join("\n"));
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
    all.push(`$ payments-sandbox ${list.join(" ")}\n${text}`);
  }
  await expect(all.join("\n")).toMatchFileSnapshot("lists-at-80-columns.txt");
});

describe("a list", () => {
  it("omits the method and id of charges first when the terminal is narrow", async () => {
    const headings = async (columns: number) => (await printed(columns, ["charges"])).split("\n")[0]!;
    expect((await headings(200)).split(/ {2,}/)).toEqual([
      "created at",
      "status",
      "amount",
      "customer email",
      "order",
      "payment method",
      "charge id",
    ]);
    expect((await headings(80)).split(/ {2,}/)).toEqual([
      "created at",
      "status",
      "amount",
      "customer email",
      "order",
    ]);
  });

  it("is whole in a pipe", async () => {
    const text = await printed(0, ["charges"]);
    expect(text).toContain("ada.lovelace-of-the-engine@subdomain.example.co.uk");
    expect(text).toContain("declined · charge.failed → :");
    expect(text).toMatch(/^2026-\S+Z {2}✗ FAILED .* ch_[0-9a-f]{24}$/m);
  });

  it.each([60, 40, 20])("fits a terminal of %d columns", async (columns) => {
    for (const list of LISTS)
      for (const line of (await printed(columns, list)).split("\n"))
        expect(line.length, line).toBeLessThanOrEqual(columns);
  });
});
