import { createServer } from "node:http";
import { afterEach, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type { ClientAction, CommandInput } from "../../src/cli/client/client-command.js";
import { CLIENT_COMMANDS } from "../../src/cli/client/commands.js";
import { Connection } from "../../src/cli/client/connection.js";
import { readTried, recordFormatter, tableFormatter } from "../../src/cli/client/output.js";
import { reportOfReconciliation } from "../../src/cli/report/books.js";
import { reportText } from "../../src/cli/report/report.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { cannotRunReport } from "../../src/cli/run-files.js";
import { tableLines } from "../../src/cli/table.js";
import { changeUnpaintedParts, paint, wrap } from "../../src/cli/text-layout.js";
import { LIST_COLUMNS } from "../../src/core/reports/list-columns.js";
import type { RunReport } from "../../src/tools/scenario/running/run-report.js";
import { START } from "../support/api-client.js";
import { temporaryFile } from "../support/folders.js";
import { openShop } from "../support/receiver-client.js";
import { accept, hold, REFUSING_URL, Receiver, refuseWith } from "../support/receiver-server.js";
import { listening } from "../support/servers.js";
import { offTerminal, onTerminal } from "../support/standard-output.js";

const LONG = "a-name-that-its-owner-has-never-had-to-fit-into-a-terminal";
const STATE = temporaryFile("state.json", "");
/** Arguments of each command that prints a view. */
const VIEWS: readonly (readonly string[])[] = [
  ...["charges", "withdrawals", "deliveries", "requests", "events", "next", "balances"].map((name) => [name]),
  ...["webhook", "snapshot", "namespace", "scenario", "fault"].map((name) => [name, "list"]),
  ...["status", "clock", "coverage", "advice"].map((name) => [name]),
  ...["charge", "history", "withdrawal"].map((name) => [name, "last"]),
  ...[
    ["trigger", "charge.completed"],
    ["fund", "KES", "1.00"],
    ["export", STATE],
    ["import", STATE],
  ],
];
const LISTS = VIEWS.slice(0, 12);

let connection: Connection;

/** Opens a shop with failed payments, failing receivers and long email addresses. */
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
  // Advice appears from the second read.
  for (let n = 0; n < 2; n++) await client.get("/api/v1/accounts/balances");
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
  const [payout] = (await client.ask("GET /_sandbox/withdrawals?status=COMPLETED")).json.items;
  await client.ask(`POST /_sandbox/withdrawals/${payout.withdrawal_id}/bounce`, { reason: "account_closed" });
  const rule = {
    match: { operation: "createQuote", customer_email: "*@shop.test" },
    respond: { status: 503 },
  };
  await client.ask("POST /_sandbox/faults", { ...rule, times: 2 });
  await client.ask("POST /_sandbox/snapshots", { name: "before-checkout" });
  await client.ask("POST /_sandbox/namespaces", { name: "worker-1-of-the-parallel-suite" });
  connection = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
});

afterEach(offTerminal);

function commandInput(
  [name, ...words]: readonly string[],
  flags: CommandInput["flags"] = {},
  shop = connection,
) {
  const row = CLIENT_COMMANDS.find(({ usage }) => usage.split(" ")[0] === name)!;
  const names = row.usage.split(" ").slice(1);
  const asked: CommandInput = {
    connection: shop,
    flags,
    words: Object.fromEntries(names.map((word, place) => [word.slice(1, -1), words[place]])),
  };
  const action: ClientAction = row.verbs?.[words[0] ?? ""] ?? row.defaultAction!;
  return { asked, action };
}

/** Prints the view at a terminal width; 0 is a pipe. */
async function print(
  columns: number,
  view: readonly string[],
  flags: CommandInput["flags"] = {},
  shop = connection,
) {
  const { asked, action } = commandInput(view, flags, shop);
  const answer = (await action.call(asked))!;
  expect(answer.items ?? [answer]).not.toHaveLength(0);
  vi.stubEnv("FORCE_COLOR", "0");
  if (columns > 0) onTerminal(columns);
  const text = (await action.formatResult?.(answer, asked)) ?? "";
  offTerminal();
  return text;
}

/** Masks ids, ports and wall times. */
function masked(text: string): string {
  return text
    .replace(/\b(ch|wd|dlv|evt|we|flt)_[0-9a-f]+/g, (id, kind) => `${kind}_`.padEnd(id.length, "0"))
    .replace(/:\d{5}(?=[/ ,])/g, ":18101")
    .replace(/^(before-checkout +)\S+$/m, "$1INSTANT");
}

it("the view of a command matches its snapshot at 80 columns", async () => {
  const all: string[] = [];
  for (const list of [...LISTS, ["history", "declined@shop.test"]]) {
    const lines = (await print(80, list, { limit: "12" })).split("\n");
    // The measured times of receivers set the width of their column.
    const evened = (text: string) =>
      list[0] === "webhook" ? text.replace(/\b\d+ ms\b/g, "1 ms").replace(/ {2,}/g, "  ") : text;
    const text = evened(masked(lines.slice(0, list[0] === "scenario" ? 5 : undefined).join("\n")));
    all.push(`$ payments-sandbox ${list.join(" ")}\n${text}`);
  }
  await expect(all.join("\n")).toMatchFileSnapshot("snapshots/lists-at-80-columns.txt");
});

it.each(VIEWS.map((view) => [view.join(" ").replace(STATE, "FILE"), view] as const))(
  "%s fits the width of the terminal",
  async (_name, view) => {
    for (const columns of LISTS.includes(view) ? [20, 40, 60, 80, 200] : [80, 200])
      for (const line of (await print(columns, view)).split("\n"))
        if (!line.startsWith("npx ")) expect(line.length, line).toBeLessThanOrEqual(columns);
  },
);

it("a narrow terminal hides columns of charges", async () => {
  const headings = async (columns: number) =>
    (await print(columns, ["charges"])).split("\n")[0]!.split(/ {2,}/);
  const first = ["at (UTC)", "status", "amount", "customer email"];
  expect(await headings(80)).toEqual([...first, "order", "charge id"]);
  expect(await headings(200)).toEqual([...first, "order", "payment method", "charge id"]);
});

it("a list has short times at each width of a terminal, and is not shortened in a pipe", async () => {
  expect(await print(200, ["withdrawals"])).toMatch(/^09:00:10 {2}✗ BOUNCED /m);
  const text = await print(0, ["charges"]);
  expect(text).toContain("ada.lovelace-of-the-engine@subdomain.example.co.uk");
  expect(text).toMatch(/declined\n +Fix the HTTP 400 at :\d+, then retry the webhook\.\n/);
  expect(text).toMatch(/^2026-\S+Z {2}✗ FAILED .* ch_[0-9a-f]{24}$/m);
});

it("the history command shows delayed deliveries with the reason", async () => {
  const { asked, action } = commandInput(["history", "declined@shop.test"]);
  const answer = (await action.call(asked))!;
  const text = async () => action.formatResult!(answer, asked);
  expect(await text()).toMatch(
    / webhook +charge\.awaiting_payment → mailbox slow held: waits in mailbox slow to be taken\n/,
  );
  vi.stubEnv("FORCE_COLOR", "1");
  onTerminal(200);
  expect(await text()).toContain(paint("cyan", "PENDING"));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the code of red
  expect(await text()).toMatch(/\u001b\[31mcharge\.failed → :\d+\/legacy 400 invalid_signature \(2/);
  expect(await text()).toContain("(2 attempts until +8s) · next try at +5m 8s");
});

it("all times of a record have a date if one is of another day", () => {
  vi.stubEnv("FORCE_COLOR", "0");
  onTerminal(80);
  const format = (now: string, next_due: string) =>
    recordFormatter()({ now, next_due }, { connection: { now } as Connection });
  const [first, later, tomorrow] = [
    "2026-01-31T09:00:00.000Z",
    "2026-01-31T09:00:05.000Z",
    "2026-02-01T09:00:00.000Z",
  ];
  expect(format(first!, later!)).toBe("now       09:00:00 UTC\nnext due  09:00:05 UTC\n");
  expect(format(first!, tomorrow!)).toBe("now       01-31 09:00:00 UTC\nnext due  02-01 09:00:00 UTC\n");
});

it.each([60, 80])("requests show whole amounts at %s columns", async (columns) => {
  const text = await print(columns, ["requests"]);
  expect(text).toMatch(/ NGN 1268750\.00 /);
  expect(text).toMatch(/ BTC +0\.00124690 /);
  expect(text).not.toMatch(/[A-Z]{3} +[\d.,]*…/);
});

it("commands show late payments and reversals, for which the service has no status", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.pay({ email: "late@shop.test", scenario: "paid_late" });
  await sandbox.advance("2h");
  const charge_id = await client.pay({ email: "back@shop.test" });
  await sandbox.advance("10s");
  await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
  const { withdrawal_id } = await client.withdraw({ currency: "KES", amount: "519.99" });
  await sandbox.advance("10s");
  await client.ask(`POST /_sandbox/withdrawals/${withdrawal_id}/bounce`, { reason: "account_closed" });
  await client.ask(`POST /_sandbox/charges/${charge_id}/partial-refund`, {
    amount: "1.00",
    reason: "broken cup",
  });
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  const text = async (...view: string[]) => (await print(0, view, {}, shop)).replace(/ {2,}/g, "  ");
  const late = "COMPLETED, paid late (was EXPIRED)";
  expect(await text("charge", "late@shop.test")).toContain(`\nstatus  ${late}\n`);
  expect(await text("history", "late@shop.test")).toContain(`  ${late}  NGN 101.50  `);
  expect(await text("charges")).toMatch(/✓ COMPLETED .*late@.*\n +! paid late \(was EXPIRED\)\n/);
  const part = "PARTLY REFUNDED, NGN 1.00: broken cup (was COMPLETED)";
  expect(await text("charge", "back@shop.test")).toContain(`\nstatus  ${part}\n`);
  expect(await text("history", "back@shop.test")).toContain(`  ${part}  `);
  await client.ask(`POST /_sandbox/charges/${charge_id}/partial-refund`, { amount: "2.00" });
  expect(await text("charge", "back@shop.test")).toContain(
    "\nstatus  PARTLY REFUNDED, NGN 1.00: broken cup; NGN 2.00 (was COMPLETED)\n",
  );
  await client.ask(`POST /_sandbox/charges/${charge_id}/chargeback`, {});
  expect(await text("charge", "back@shop.test")).toContain("\nstatus  CHARGED BACK (was COMPLETED)\n");
  vi.stubEnv("FORCE_COLOR", "1");
  const { asked, action } = commandInput(["history", "back@shop.test"], {}, shop);
  expect(await action.formatResult!((await action.call(asked))!, asked)).toContain(
    paint("red", "sandbox.charge.charged_back").slice(0, -5),
  );
  expect(await text("withdrawal", "last")).toContain("status  BOUNCED, account_closed (was COMPLETED)\n");
  expect(await text("withdrawals")).toMatch(/✗ BOUNCED .*\n +account_closed \(was COMPLETED\)\n/);
});

it("a charge's record has its cause, its order, its webhooks and the next command", async () => {
  const record = await print(0, ["charge", "declined@shop.test"]);
  expect(record).toMatch(
    /\nwhy {17}Scenario default, customer_email matches declined@\*: FAILED \(“declined”\)\.\namount {14}KES 512\.50\n.*\ncreated at {10}2026-01-31T09:00:00\.000Z\n/s,
  );
  expect(record).toMatch(/\norder {15}A-1100\nwebhooks {12}✗ 1 failing\n {20}● 2 held\n/);
  expect(record).toMatch(
    /\nnext step {11}Fix the HTTP 400 at :\d+, then retry the webhook\. Next try in .*s\.\n {20}npx payments-sandbox webhook retry dlv_\w{24}\n$/,
  );
  expect(await print(0, ["charge", "kofi@example.com"])).toMatch(
    /\nnext step {11}The customer pays on the hosted page http:\/\/127\.0\.0\.1:\d+\/checkout\/co_\w{24}\.\n/,
  );
  expect(await print(0, ["charge", "grace.hopper@example.com"])).toMatch(
    /\nnext step {11}Fix the TypeError at :\d+ \(webhooks\.ts:42\), then retry the webhook\./,
  );
  expect(await print(80, ["charge", "declined@shop.test"])).toMatch(/\ncreated at {10}09:00:00 UTC\n/);
});

it("charge is one call", async () => {
  const shop = new Connection({ url: connection.url });
  const send = vi.spyOn(shop, "send");
  await print(80, ["charge", "last"], {}, shop);
  expect(send).toHaveBeenCalledOnce();
});

it("without a webhook endpoint, status and empty lists name the command that adds one, for the same sandbox", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.pay();
  const { url } = await sandbox.listen();
  const shop = new Connection({ url, namespace: "default" });
  const none = `none registered: npx payments-sandbox webhook add localhost:3000/webhooks --url ${url} --namespace default\n`;
  expect(await print(0, ["status"], {}, shop)).toMatch(new RegExp(`\nwebhooks +${none}`));
  for (const view of [["deliveries"], ["webhook", "list"]]) {
    const { asked, action } = commandInput(view, {}, shop);
    expect(await action.formatResult!((await action.call(asked))!, asked)).toBe(none);
  }
});

it("the next step mends the app's own error before a receiver that does not respond", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  const receiver = await Receiver.open(refuseWith(500));
  onTestFinished(() => receiver.close());
  for (const url of [receiver.url, "http://127.0.0.1:9/hooks"])
    await client.ask("POST /_sandbox/webhook-endpoints", { url });
  await client.pay();
  await sandbox.advance("10s");
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  expect(await print(0, ["charge", "last"], {}, shop)).toMatch(
    /\nnext step {11}Fix the HTTP 500 at :(?!9,)\d+, then retry the webhook\./,
  );
});

it("a command reads its webhooks again until the first attempt has ended", async () => {
  const queued = {
    status: "pending",
    attempts: [],
    hold: null,
    url: "http://127.0.0.1:9",
    next_attempt_at: null,
  };
  const states = [queued, queued, { ...queued, status: "delivered" }];
  const read = async () => [states.shift()] as never;
  expect(await readTried({ now: START }, read)).toMatchObject([{ status: "delivered" }]);
  for (const left of [{ hold: {} }, { url: null }, { next_attempt_at: "2026-01-31T09:00:01.000Z" }]) {
    const once = vi.fn(async () => [{ ...queued, ...left }] as never);
    await readTried({ now: START }, once);
    expect(once).toHaveBeenCalledOnce();
  }
});

it("the next step of a waiting charge is the advance to its next change on a manual clock", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.pay();
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  expect(await print(0, ["charge", "last"], {}, shop)).toMatch(
    /\nnext step {11}It becomes AWAITING_PAYMENT in 1\ss\.\n {20}npx payments-sandbox clock advance 1s\n$/,
  );
  await sandbox.control("PUT /_sandbox/clock", { mode: "real" });
  expect(await print(0, ["charge", "last"], {}, shop)).toMatch(
    /\nnext step {11}It becomes AWAITING_PAYMENT in .*s\.\n$/,
  );
});

it("each command that meets a held webhook says to start the app", async () => {
  const { sandbox, client } = await openShop({ clock: "real" });
  await client.ask("POST /_sandbox/webhook-endpoints", { url: REFUSING_URL });
  const charge = await client.pay({ scenario: "stuck" });
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  await client.transition(charge, "AWAITING_PAYMENT");
  await print(0, ["charge", "last"], {}, shop);
  await client.transition(charge, "COMPLETED");
  const fix = "Start your app at :4; its held webhooks will then be sent.";
  await expect.poll(() => print(0, ["charge", "last"], {}, shop)).toContain(`\nnext step           ${fix}\n`);
  expect(await print(0, ["status"], {}, shop)).toMatch(
    /\nwrong +● \d webhooks? held for 127\.0\.0\.1:4\/hooks: nothing listens on 127\.0\.0\.1:4\n/,
  );
  expect(await print(80, ["charges"], {}, shop)).toContain(` ${fix}\n`);
  await expect(print(0, ["webhook", "retry"], {}, shop)).rejects.toThrow(
    "is held: nothing listens on 127.0.0.1:4; start your app there",
  );
});

it("a stuck charge says that nothing is scheduled, why, and the command that moves it", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  const byAddress = await client.pay({ email: "stuck@shop.test" });
  await client.pay({ scenario: "stuck" });
  await sandbox.advance("10s");
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  const why = "Scenario default, customer_email matches stuck@*: PROCESSING. Nothing more is planned.";
  const command = `npx payments-sandbox charge ${byAddress} complete`;
  const step = "Nothing is scheduled: move it by hand.";
  const charge = await print(0, ["charge", byAddress], {}, shop);
  expect(charge).toContain(`\nwhy                 ${why}\n`);
  expect(charge).toContain(`\nnext step           ${step}\n                    ${command}\n`);
  expect(await print(0, ["history", byAddress], {}, shop)).toContain(`\n  ${why}\n  ${step}\n  ${command}\n`);
  expect(await print(0, ["next", byAddress], {}, shop)).toContain(`! ${step} ${command}\n`);
  const far = new Connection({ url: `${shop.url}/` }, {});
  expect(await print(80, ["next", byAddress], {}, far)).toContain(
    `\n${far.commandFor(`charge ${byAddress} complete`)}\n`,
  );
  await client.transition(byAddress, "COMPLETED");
  expect(await print(0, ["charge", byAddress], {}, shop)).not.toContain("Nothing");
  expect(await print(0, ["next", byAddress], {}, shop)).not.toContain("npx");
});

it.each([
  ["a part", "1.00", "PARTLY REFUNDED, NGN 1.00 (was COMPLETED)"],
  ["the whole", "101.50", "REFUNDED"],
])("charge SELECTOR refund --amount returns %s", async (_case, amount, status) => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.pay();
  await sandbox.advance("10s");
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  const { asked } = commandInput(["charge", "last"], { amount }, shop);
  const { refund } = CLIENT_COMMANDS.find(({ usage }) => usage.startsWith("charge "))!.verbs!;
  const text = await refund!.formatResult!((await refund!.call(asked))!, asked);
  expect(text.replace(/ {2,}/g, "  ")).toContain(`\nstatus  ${status}\n`);
});

it("a command that moves a record prints its webhooks after their first attempts", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.ask("POST /_sandbox/webhook-endpoints", { url: "http://127.0.0.1:9/hooks" });
  await client.pay();
  await sandbox.advance("10s");
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  const { asked } = commandInput(["charge", "last"], {}, shop);
  const { refund } = CLIENT_COMMANDS.find(({ usage }) => usage.startsWith("charge "))!.verbs!;
  expect(await refund!.formatResult!((await refund!.call(asked))!, asked)).toMatch(
    /\nwebhooks +✗ 4 failing\nnext step +Start your app at :9, then retry the webhook\./,
  );
});

it("a withdrawal's record has its cause, its webhooks and the next command", async () => {
  expect(await print(0, ["withdrawal", "last"])).toMatch(
    /\nwhy +Scenario default, reference matches fail\*: FAILED .*\namount {10}KES 900\.00\n.*\nwebhooks {8}✗ 2 failing\n.*\nnext step {7}Start your app at :9, then retry the webhook\..*\n +npx payments-sandbox webhook retry dlv_\w{24}\n$/s,
  );
});

it("a record paints its failing webhooks", async () => {
  const { asked, action } = commandInput(["charge", "declined@shop.test"]);
  const answer = (await action.call(asked))!;
  vi.stubEnv("FORCE_COLOR", "1");
  expect(await action.formatResult!(answer, asked)).toContain(paint("red", "✗ 1 failing"));
});

it("status shows failing webhooks, scenarios, faults and what is due next before the keys", async () => {
  const [top] = (await print(0, ["status"])).split("version");
  expect(top).toMatch(
    /\nwrong {14}✗ \d webhooks not accepted by 127\S+: 500 TypeError: .*\n {19}Fix the TypeError at :\d+ .* npx payments-sandbox webhook retry we_\w{24}\n/,
  );
  expect(top).toMatch(/\nscenario {11}default\nfaults {13}createQuote, .* → 503; used: 0 \(2 for each/);
  expect(top).toMatch(/\nnext due {11}in [^:]+: \S+ .*→ :\d+\/\w+\n/);
});

it("status and webhook list count failing webhooks without reading all", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.ask("POST /_sandbox/webhook-endpoints", { url: "http://127.0.0.1:9/hooks" });
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  expect(await print(0, ["status"], {}, shop)).toMatch(/\nwrong +nothing\n/);
  expect(await print(0, ["webhook", "list"], {}, shop)).toContain(" ✓ ok ");
  for (let n = 0; n < 2; n++) await client.pay();
  await sandbox.advance("10s");
  const pages = vi.spyOn(shop, "pages");
  expect(await print(0, ["status"], {}, shop)).toMatch(/\nwrong +✗ 6 webhooks not accepted /);
  expect(await print(0, ["webhook", "list"], {}, shop)).toMatch(/ ✗ 6 failing +0 % .*\n +nothing listens\n/);
  expect(pages).not.toHaveBeenCalled();
});

it("commands that send webhooks print the outcome of each", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  const receiver = await Receiver.open(refuseWith(500));
  onTestFinished(() => receiver.close());
  await client.ask("POST /_sandbox/webhook-endpoints", { url: receiver.url });
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  /** Runs a command and prints its result once the response of its webhook is there. */
  const printAfter = async (answered: number | null, view: readonly string[]) => {
    const { asked, action } = commandInput(view, {}, shop);
    const answer = (await action.call(asked))!;
    if (answered !== null) await client.ask("POST /_sandbox/wait", { for: "delivery", match: { answered } });
    return action.formatResult!(answer, asked);
  };
  expect(await printAfter(500, ["trigger", "webhook.test"])).toMatch(
    /\nwebhooks {2}✗ webhook\.test → :\d+\/hooks · 500 answer · next try at 09:00:05 UTC\n$/,
  );
  receiver.handler = accept;
  expect(await printAfter(200, ["webhook", "retry"])).toMatch(
    /\nwebhook {6}✓ webhook\.test → :\d+\/hooks · delivered: 200 in \d+ ms\n$/,
  );
  receiver.handler = hold;
  expect(await printAfter(null, ["webhook", "redeliver"])).toMatch(
    / {2}● webhook\.test → :\d+\/hooks · queued\n$/,
  );
});

it("webhook retry of a receiver retries what it has not accepted", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  const receiver = await Receiver.open(refuseWith(500));
  onTestFinished(() => receiver.close());
  const { json } = await client.ask("POST /_sandbox/webhook-endpoints", { url: receiver.url });
  await client.pay();
  await sandbox.advance("3s");
  receiver.handler = accept;
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  const { asked, action } = commandInput(["webhook", "retry", json.webhook_id], {}, shop);
  const retried = (await action.call(asked))!;
  await client.ask("POST /_sandbox/wait", { for: "delivery", match: { state: "delivered" }, count: 2 });
  expect(await action.formatResult!(retried, asked)).toMatch(
    /\n(dlv_\w{24} {2}✓ charge\.\w+ → :\d+\/hooks · delivered: 200 in \d+ ms\n){2}$/,
  );
});

it("deliveries and history name duplicates", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await sandbox.onWebhook(() => new Response());
  await client.pay({ email: "ada@shop.test", scenario: "webhook_twice_at_once" });
  await sandbox.advance("1s");
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  expect((await print(80, ["deliveries"], {}, shop)).match(/[✓!] \S+/g)).toEqual([
    "✓ delivered",
    "! duplicate",
    "✓ delivered",
  ]);
  expect((await print(120, ["history", "last"], {}, shop)).match(/ webhook .*/g)).toEqual([
    expect.stringMatching(/200 \(\d+ ms\)$/),
    expect.stringMatching(/200 \(\d+ ms\) · duplicate$/),
  ]);
});

it("next wraps the possible statuses of a charge", async () => {
  const text = await print(60, ["next", "kofi@example.com"]);
  expect(text.replace(/\s+/g, " ")).toContain("PENDING to AWAITING_PAYMENT, PROCESSING, COMPLETED, FAILED,");
});

it("next shows 15 rows on a terminal without --limit, and what is left", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  for (let n = 0; n < 20; n++) await client.pay();
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  const many = (await print(80, ["next"], {}, shop)).trimEnd().split("\n");
  expect(many.filter((line) => /^\d\d:/.test(line))).toHaveLength(15);
  expect(many.at(-1)).toBe("and 25 more: npx payments-sandbox next --limit 40");
  const all = (await print(80, ["next"], { limit: "40" }, shop)).trimEnd().split("\n");
  expect(all.filter((line) => /^\d\d:/.test(line))).toHaveLength(40);
  const lines = (await print(80, ["next"])).trimEnd().split("\n");
  const folded = /^\S+ +\d+\s[ms].* - +\d retries → *(:\d+\/webhooks)?$/;
  expect(lines).toContainEqual(expect.stringMatching(folded));
  expect(await print(0, ["next"])).toMatch(/ obi@example\.ng .* retry completed → :\d+\/webhooks\n/);
});

it("next counts and limits groups, and lists statuses by hand for one payment only", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.ask("POST /_sandbox/webhook-endpoints", { url: "http://127.0.0.1:9/hooks" });
  for (let n = 0; n < 25; n++) await client.pay();
  await sandbox.advance("1s");
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  for (const [limit, left] of [
    ["26", 25],
    ["30", 21],
  ] as const) {
    const text = await print(120, ["next"], { limit }, shop);
    expect(text).toContain(" 25 retries → :9/hooks\n");
    expect(text).not.toContain("by hand");
    expect(text).toContain(`\nand ${left} more: `);
  }
  const whole = await print(120, ["next"], { limit: "100" }, shop);
  expect(whole.match(/ becomes EXPIRED\n/g)).toHaveLength(25);
  expect(whole).not.toContain(" more: ");
  expect(await print(120, ["next", "last"], {}, shop)).toMatch(/\nby hand .* AWAITING_PAYMENT to /);
});

it("the error of a failing webhook has more room than the time of its next try", () => {
  const note =
    "completed → :3000/webhooks · 500 TypeError: Cannot read properties of undefined (reading 'order') · next try at 09:00:05 UTC";
  const below = tableLines(["at", "status"], [[START, "COMPLETED"]], 80, { notes: [[note]] }).slice(2);
  expect(below.map((line) => changeUnpaintedParts(line, (part) => part.trim()))).toEqual([
    "completed → :3000/webhooks · 500 TypeError: Cannot read properties of",
    "undefined (reading 'order')",
  ]);
});

it("requests tells the payment of each call", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.pay({ email: "ada@shop.test" });
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  expect(await print(120, ["requests"], {}, shop)).toMatch(/ 200 +NGN 101\.50 +ch_\w{8,24} ada@shop\.test\n/);
});

it("deliveries shows a failure of several rows once below them", async () => {
  const text = await print(80, ["deliveries"], { failing: true });
  expect(text.match(/nothing listens/g)).toHaveLength(1);
  expect(text).toMatch(/\n! 4 rows: :9\S+ nothing listens\n/);
  expect(text).toMatch(/\n +400 invalid_signature · next try at/);
});

it("a narrow list of deliveries keeps the response and the ids, a narrower one the ids", () => {
  const attempt = { at: START, status: 500, error: null, response_body: "boom", duration_ms: 1 };
  const delivery = {
    delivery_id: "dlv_2ea485811b000000000015e5",
    charge_id: "ch_2ea485811b000000000015e5",
    created_at: START,
    type: "charge.awaiting_payment",
    url: "http://localhost:3000/hooks/payments",
    status: "pending",
    state: "failing",
    hold: null,
    next_attempt_at: START,
    attempts: [attempt, attempt],
  };
  plainTerminal(80);
  vi.stubEnv("FORCE_COLOR", "0");
  expect(tableFormatter(LIST_COLUMNS.deliveries)({ items: [delivery] })).toMatch(
    / awaiting {2}:3000 {2}✗ failing {2}2 × 500 {3}ch_2ea48581 {2}dlv_2ea4858\n/,
  );
  plainTerminal(60);
  const text = tableFormatter(LIST_COLUMNS.deliveries)({ items: [delivery] });
  expect(text).toMatch(/ ch_2ea48581 {2}dlv_2ea4858\n/);
  expect(text).not.toContain("response");
});

it("scenario list wraps a short description, and ends with the command that shows all of it", async () => {
  const lines = (await print(80, ["scenario", "list"])).trimEnd().split("\n");
  expect(lines.pop()).toBe("all of one: npx payments-sandbox scenario show NAME");
  const place = lines.findIndex((line) => line.startsWith("declined "));
  expect(lines.slice(place, place + 2).map((line) => line.slice(40))).toEqual([
    "The customer tries to pay and the",
    "payment is declined",
  ]);
  expect(lines.join()).not.toContain("…");
});

it.each([
  ["declined", "every charge → AWAITING_PAYMENT after 1s, PROCESSING after 2s, FAILED after 2s (declined)"],
  ["default", "charge with customer_email expired@* → AWAITING_PAYMENT after 1s"],
  ["lost_response", "createCheckout → drop the connection after the work, once for each charge"],
  ["webhook_chaos", "charge.completed → sent 2 times"],
])("scenario show tells the rules of %s in words on a terminal, as JSON in a pipe", async (name, rule) => {
  expect(await print(160, ["scenario", "show", name])).toContain(` ${rule}\n`);
  expect(JSON.parse(await print(0, ["scenario", "show", name]))).toMatchObject({ name });
});

it("scenario use says which scenarios apply, in which order, and how to end the others", async () => {
  const { sandbox } = await openShop({ clock: "manual", startTime: START });
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  await print(0, ["scenario", "use", "lost_response"], {}, shop);
  expect(await print(0, ["scenario", "use", "default"], {}, shop)).toMatch(
    /\nasked in order {2}default, then lost_response\nto end others {3}npx payments-sandbox scenario drop lost_response\n$/,
  );
  expect(await print(0, ["status"], {}, shop)).toMatch(/\nscenario +default, then lost_response\n/);
  await expect(print(0, ["charge", "create"], {}, shop)).rejects.toThrow(
    "scenario lost_response made this; to end it: npx payments-sandbox scenario drop lost_response",
  );
});

it("clock advance prints short times and what happened, failed webhooks first", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await sandbox.onWebhook(() => new Response("boom", { status: 500 }));
  await client.pay();
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  expect(await print(120, ["clock", "advance", "1s"], {}, shop)).toMatch(
    /^advanced 1s: 09:00:00 → 09:00:01 UTC; 1 webhook attempt failed, 1 charge awaiting payment\n {4}✗ 09:00:01 charge\.awaiting_payment → this process failed: 500 boom\n$/,
  );
  expect(await print(120, ["clock", "advance", "100ms"], {}, shop)).toBe(
    "advanced 100ms: 09:00:01 → 09:00:01 UTC; nothing happened\n",
  );
  expect(await print(80, ["clock"], {}, shop)).toMatch(
    /\nnow {7}09:00:01 UTC\nnext due {2}09:00:\d\d UTC\n$/,
  );
});

it("reconcile groups findings by kind on a terminal, and prints five of each", () => {
  const findingOf = (kind: "paid_not_marked" | "amount_differs", row: number) => ({
    kind,
    row,
    charge_id: "ch_1",
    order: null,
    message: "COMPLETED, 1268750.000000 USDT_TRC20; the app says paid",
  });
  const kinds = ["paid_not_marked", "amount_differs"] as const;
  const findings = Array.from({ length: 8 }, (_, row) => kinds.map((kind) => findingOf(kind, row))).flat();
  const report = { passed: false, rows: 8, charges: 8, compared: [], total: 16, findings };
  expect(reportOfReconciliation(report).findings).toHaveLength(16);
  onTerminal(80);
  const { findings: shown = [], notes } = reportOfReconciliation(report);
  expect(shown.map(({ name }) => name)).toEqual(kinds.flatMap((kind) => Array(5).fill(kind)));
  expect(shown[0]!.message).toMatch(/: COMPLETED, USDT_TRC20 1,268,750\.000000; the app says paid$/);
  expect(notes).toEqual(["6 more; --json lists all"]);
});

it("a selector may be an id as the live log cuts it", async () => {
  const [, id] = /(ch_\w{24})/.exec(await print(0, ["charge", "declined@shop.test"]))!;
  expect(await print(0, ["charge", `${id!.slice(0, 7)}…`])).toContain(id);
});

it("history names the withdrawal that a selector matches", async () => {
  const { items } = await connection.run<{ items: { withdrawal_id: string }[] }>("listControlWithdrawals");
  for (const selector of ["fail-2", items[0]!.withdrawal_id, items[0]!.withdrawal_id.slice(0, 11)])
    await expect(print(80, ["history", selector])).rejects.toThrow(
      `no charge matches ${selector}, but a withdrawal does: npx payments-sandbox withdrawal ${items[0]!.withdrawal_id} `,
    );
});

it("a fault of a successful call stands below it in requests", async () => {
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.ask("POST /_sandbox/faults", { match: { operation: "createQuote" }, delay: "1ms" });
  await client.quote();
  const shop = new Connection({}, { PAYMENTS_SANDBOX_URL: (await sandbox.listen()).url });
  expect(await print(80, ["requests"], {}, shop)).toMatch(/ 200 +NGN 101\.50 .*\n +! fault of flt_\w+\n/);
});

it("charges marks each row whose webhook fails as those of other rows", async () => {
  const { asked, action } = commandInput(["charges"]);
  const answer = (await action.call(asked))!;
  vi.stubEnv("FORCE_COLOR", "1");
  onTerminal(80);
  const text = await action.formatResult!(answer, asked);
  expect(text.split(paint("green", "✓ COMPLETED") + paint("red", " !"))).toHaveLength(4);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the code of red
  expect(text).toMatch(/\n\u001b\[31m! 3 rows: Fix the TypeError at :\d+ /);
});

it("the report of a run fits the terminal width", () => {
  const failure = {
    message: `the charge is not as expected: ${`${LONG} `.repeat(3)}`,
    line: 3,
    expected: { status: LONG.repeat(3) },
    got: { status: LONG },
  };
  const step = {
    number: 1,
    kind: "advance",
    title: LONG.repeat(2),
    line: 1,
    outcome: "failed",
    duration_ms: 1,
    failure,
  } as const;
  const { error: _error, ...broken } = cannotRunReport(`flows/${LONG}.yaml`, "");
  const report: RunReport = { ...broken, outcome: "failed", steps: [step] };
  vi.stubEnv("FORCE_COLOR", "0");
  onTerminal(80);
  const text = reportText(reportOfRun(report));
  for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(text.replace(/\s+/g, "")).toContain(JSON.stringify(failure.expected));
});

it("a command at the end of a text is not broken: it has a line of its own if it does not fit", () => {
  const text = "webhooks: 2 failing; see npx payments-sandbox deliveries";
  expect(wrap(text, 2, 60)).toEqual([`  ${text}`]);
  expect(wrap(text, 2, 57)).toEqual(["  webhooks: 2 failing; see", "npx payments-sandbox deliveries"]);
  expect(wrap("npx payments-sandbox next", 10, 30)).toEqual(["", "npx payments-sandbox next"]);
});

it("a word longer than a line breaks behind a comma, and a URL in it does not", () => {
  const url = "http://localhost:3000/webhooks/of/payments";
  const json = JSON.stringify({ status: "COMPLETED", amount: "19.99", url });
  expect(wrap(`got ${json}`, 2, 30)).toEqual([
    '  got {"status":"COMPLETED",',
    '  "amount":"19.99",',
    `  "url":"${url}"}`,
  ]);
  expect(wrap("x".repeat(40), 2, 30)).toEqual([`  ${"x".repeat(28)}`, `  ${"x".repeat(12)}`]);
});

const CHARGES = {
  total: 39,
  items: [
    ["ch_2ea485811b000000000015e5", "PENDING", "512.50", "KES", "mobile_money", "grace.hopper@example.com"],
    ["ch_6615589c30000000000a9a97", "FAILED", "1268750.00", "NGN", "bank_transfer", `${LONG}@${LONG}.test`],
    ["ch_22179d8191000000000021cc", "COMPLETED", "512.50", "KES", "card", "ada@shop.test"],
  ].map(([charge_id, status, amount, currency, payment_method, customer_email], place) => ({
    charge_id,
    status,
    amount,
    currency,
    payment_method,
    customer_email,
    created_at: `2026-03-01T11:0${place}:50.123Z`,
  })),
};

function plainTerminal(columns: number): void {
  for (const name of ["NO_COLOR", "FORCE_COLOR", "TERM"]) vi.stubEnv(name, undefined);
  onTerminal(columns);
}

it.each([80, 100, 180])("a table fills a terminal of %d columns", (columns) => {
  plainTerminal(columns);
  const parts: string[] = [];
  changeUnpaintedParts(tableFormatter(LIST_COLUMNS.charges)(CHARGES), (part) => parts[parts.push(part) - 1]!);
  const lines = parts.join("").trimEnd().split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBe(columns);
  expect(lines.at(-1)).toBe("3 of 39");
  expect(lines[1]).toMatch(/^11:00:50 +● PENDING .* ch_2ea48581$/);
});

it("a table shortens ids before it cuts values", () => {
  const columns = ["url", "path", "id", "note"];
  const rows = [
    [
      "http://shop.test:3000/webhooks",
      "/api/v1/payments/quotes",
      "dlv_2ea485811b000000000015e5",
      "it is late",
    ],
  ];
  expect(tableLines(columns, rows, 90)[1]).toBe(
    "shop.test:3000/webhooks  /payments/quotes  dlv_2ea485811b000000000015e5  it is late",
  );
  expect(tableLines(columns, rows, 66)[1]).toBe(
    "shop.test:3000/webhooks  /payments/quotes  dlv_2ea4858  it is late",
  );
});

it("a table leaves out the network of a currency before it cuts e-mails", () => {
  const rows = [
    ["KES 512.50", "ada@shop.test"],
    ["USDT_TRC20 5,124.230000", "obi@shop.test"],
  ];
  const row = (width: number) => tableLines(["amount", "customer_email"], rows, width).slice(1);
  expect(row(39)[1]).toBe("USDT_TRC20 5,124.230000  obi@shop.test");
  expect(row(38)).toEqual(["KES        512.50  ada@shop.test", "USDT 5,124.230000  obi@shop.test"]);
});

it("a table measures terminal cells, not characters", () => {
  const lines = tableLines(
    ["name", "status"],
    [
      ["日本", "PENDING"],
      ["é\u0301x", "FAILED"],
    ],
  );
  expect(lines[1]!.indexOf("PENDING")).toBe(2 + 2);
  expect(lines[2]!.indexOf("FAILED")).toBe(3 + 4);
  expect(tableLines(["name"], [["日本語日本語日本語"]], 7)[1]).toBe("日本語…");
});

it("a table shows dates when rows span several days", () => {
  const rows = [
    ["2026-03-01T11:00:50.123Z", "x"],
    ["2026-03-02T11:00:50.123Z", "y"],
  ];
  expect(tableLines(["at", "id"], rows, 20)[1]).toBe("03-01 11:00:50  x");
  expect(tableLines(["at", "id"], rows, 15)[1]).toBe("03-01 11:00  x");
  const now = "2026-03-02T11:00:50.123Z";
  expect(tableLines(["at", "id"], [rows[0]!], 20, { now })[1]).toBe("03-01 11:00:50  x");
  expect(tableLines(["url"], [["http://shop.test/webhooks"]], 3)[1]).toBe("sh…");
});

it("a fault that is used up is the last row, and dim", () => {
  plainTerminal(100);
  const fault = { match: { operation: "createQuote" }, respond: { status: 503 }, times: 1, per: "request" };
  const items = [1, 0].map((applied) => ({ ...fault, fault_id: `flt_${applied}`, applied }));
  const lines = tableFormatter(LIST_COLUMNS.faults)({ items }).split("\n");
  expect(lines[1]).toMatch(/^flt_0 {5}0 of 1 {2}createQuote → 503$/);
  expect(lines[2]).toContain(paint("dim", "createQuote → 503"));
});

it("a failing webhook adds a line below its charge", () => {
  plainTerminal(100);
  const text = tableFormatter({ ...LIST_COLUMNS.charges, notes: () => ["nothing listens"] })(CHARGES);
  expect(text).toContain(paint("cyan", "● PENDING"));
  expect(text).toContain(paint("red", "nothing listens"));
});

it("a table colours results on a terminal", () => {
  plainTerminal(100);
  const charges = tableFormatter(LIST_COLUMNS.charges)(CHARGES);
  for (const painted of [paint("red", "✗ FAILED"), paint("green", "✓ COMPLETED"), paint("cyan", "● PENDING")])
    expect(charges).toContain(painted);
  const responses = tableFormatter({ columns: ["status", "response"] })({
    items: [
      { status: 200, response: "ECONNREFUSED" },
      { status: 404, response: 503 },
    ],
  });
  for (const painted of [
    paint("green", "200"),
    paint("yellow", "404"),
    paint("red", "503"),
    paint("red", "ECONNREFUSED"),
  ])
    expect(responses).toContain(painted);
});

it("requests --follow prints a short time and the whole reason on a terminal", async () => {
  const path = `/api/v1/payments/charges/${"x".repeat(30)}`;
  const request = {
    at: "2026-03-01T09:21:20.000Z",
    method: "GET",
    path,
    operation: "getCharge",
    status: 404,
  };
  const error = { code: "NOT_FOUND", message: "Charge not found" };
  const data = { ...request, fault: null, in_flight: false, response_body: { error } };
  const shop = new Connection({ url: connection.url });
  const send = shop.send.bind(shop);
  vi.spyOn(shop, "send").mockImplementation(async (...call) =>
    call[1] === "/_sandbox/stream"
      ? new Response(`event: request\ndata: ${JSON.stringify(data)}\n\n`)
      : send(...call),
  );
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  onTerminal(80);
  vi.stubEnv("FORCE_COLOR", "0");
  const { asked, action } = commandInput(["requests"], { follow: true }, shop);
  await action.call(asked);
  expect(write.mock.calls.join("").split("\n")).toEqual([
    `  09:21:20  404  GET ${path}`,
    `${" ".repeat(12)}NOT_FOUND: Charge not found`,
    "",
  ]);
});
