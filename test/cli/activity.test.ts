import { spawnSync } from "node:child_process";
import { expect, it, onTestFinished, vi } from "vitest";
import { ActivityPrinter, activityLines } from "../../src/cli/live/live.js";
import { paint } from "../../src/cli/text-layout.js";
import type { Activity } from "../../src/core/schema/activity-events.js";
import { openSandbox } from "../../src/library/opening.js";
import { CheckoutPage, createCheckout } from "../pages/support/checkouts.js";
import { closedAtEnd } from "../support/lifetime.js";
import { Command, run } from "../support/process-command.js";
import { Client } from "../support/receiver-client.js";
import { REFUSING_URL, Receiver } from "../support/receiver-server.js";
import { words } from "../support/words.js";

const PYTHON_MISSING = spawnSync("python3", ["--version"]).status !== 0;

/** Opens a sandbox with a manual clock and collects its activity lines. */
async function openFollowed(options = {}) {
  const activities: Activity[] = [];
  const sandbox = closedAtEnd(
    await openSandbox({
      clock: "manual",
      start_time: "2026-03-01T09:00:00Z",
      onActivity: (read) => activities.push(read()),
      ...options,
    }),
  );
  const lines = (columns: number) => activities.splice(0).flatMap((one) => activityLines(one, columns));
  return { sandbox, client: Client.of(sandbox), lines };
}

it("activity lines show ids, causes of changes and webhook responses", async () => {
  const { sandbox, client, lines } = await openFollowed();
  await sandbox.onWebhook(() => new Response('{\n  "oops": 1 }', { status: 500 }));
  const charge = await client.pay({ scenario: "declined" });
  await sandbox.advance("5s");
  const all = lines(200);
  expect(all).toContainEqual(
    expect.stringMatching(
      /^ {2}09:00:00 {2}POST \/payments\/whitelabel {5}200 {2}ch_\w{24} {2}NGN 101\.50 {2}ada@shop\.test$/,
    ),
  );
  expect(all).toContain(`  09:00:01  ${charge}  AWAITING_PAYMENT  (scenario declined)`);
  expect(all).toContainEqual(
    expect.stringMatching(
      /^ {2}09:00:01 {2}→ charge\.awaiting_payment {2}ch_\w{24} {2}this process {2}500 {"oops":1} · next try in 5 s$/,
    ),
  );
  expect(all).toContainEqual(
    expect.stringMatching(/^ {2}09:00:0\d {2}ch_\w+ {2}FAILED {2}declined {2}\(scenario declined\)$/),
  );
  expect(all.filter((line) => line.includes("→ charge.awaiting_payment"))).toHaveLength(1);
  await client.pay({ email: "declined@shop.test" });
  await sandbox.advance("5s");
  expect(lines(200)).toContainEqual(
    expect.stringMatching(
      / {2}FAILED {2}declined {2}customer_email matches declined@\* \(scenario default\)$/,
    ),
  );
});

it("an activity line shows each webhook that is held because nothing listens", async () => {
  const { client, lines } = await openFollowed({ clock: "real", webhooks: [{ url: REFUSING_URL }] });
  const charge = await client.pay({ scenario: "stuck" });
  await client.transition(charge, "AWAITING_PAYMENT");
  await expect
    .poll(async () => (await client.ask("GET /_sandbox/deliveries")).json.items[0]?.hold)
    .not.toBeNull();
  await client.transition(charge, "COMPLETED");
  expect(lines(200).filter((line) => line.includes(" → "))).toEqual([
    expect.stringMatching(/ → charge\.awaiting_payment {2}ch_\w+ {2}:4\/hooks {2}held$/),
    expect.stringMatching(/ → charge\.completed {2}ch_\w+ {2}:4\/hooks {2}held$/),
  ]);
});

it("activity lines name a duplicate webhook", async () => {
  const { sandbox, client, lines } = await openFollowed();
  await sandbox.onWebhook(() => new Response());
  await client.pay({ scenario: "webhook_twice_at_once" });
  await sandbox.advance("1s");
  expect(lines(200).flatMap((line) => /→ (\S+ {2}ch_\w+ .*)/.exec(line)?.[1] ?? [])).toEqual([
    expect.stringMatching(/^charge\.awaiting_payment {2}ch_\w+ {2}this process {2}200$/),
    expect.stringMatching(/^charge\.awaiting_payment {2}ch_\w+ {2}duplicate {2}this process {2}200$/),
  ]);
});

it("activity lines show the refused field and the id of a fault", async () => {
  const { sandbox, client, lines } = await openFollowed();
  await client.quote({ amount: "x" });
  await sandbox.control("POST /_sandbox/faults", {
    match: { operation: "createQuote" },
    drop: "before",
    times: 1,
  });
  await client.quote().catch(() => {});
  const charge = await client.pay({ scenario: "stuck" });
  await sandbox.transition(charge, "COMPLETED");
  const all = lines(200);
  expect(all[0]).toMatch(/POST \/payments\/quotes {9}400 {2}pricing\.amount must be /);
  expect(all[1]).toMatch(/POST \/payments\/quotes {9}connection cut {2}fault flt_\w+$/);
  expect(all.at(-1)).toBe(`  09:00:00  ${charge}  COMPLETED  (by hand)`);
  const hosted = await createCheckout(sandbox);
  await sandbox.control(`POST /_sandbox/checkouts/${hosted.checkout_id}/cancel`);
  expect(lines(200).at(-1)).toMatch(/CANCELLED {2}\(by the customer\)$/);
});

it("activity lines show both statuses of a checkout that is completed as a method is chosen", async () => {
  const { sandbox, lines } = await openFollowed();
  const page = await CheckoutPage.create(sandbox);
  expect((await page.post("outcome", { outcome: "complete", payment_method: "card" })).status).toBe(303);
  const statuses = lines(200).flatMap((line) => /ch_\w+ {2}([A-Z_]{4,}) /.exec(line)?.[1] ?? []);
  expect(statuses).toEqual(["AWAITING_PAYMENT", "COMPLETED"]);
});

it("an activity line names the scenario that moved a payout", async () => {
  const { sandbox, client, lines } = await openFollowed();
  await sandbox.control("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
  const { withdrawal_id: id } = await client.withdraw({ currency: "KES", amount: "519.99" });
  await sandbox.control(`POST /_sandbox/withdrawals/${id}/transition`, { to: "PROCESSING" });
  await sandbox.control(`POST /_sandbox/withdrawals/${id}/transition`, { to: "FAILED" });
  const { withdrawal_id: planned } = await client.withdraw({ currency: "KES", amount: "519.99" });
  await sandbox.advance("1s");
  const changes = lines(200).filter((line) => /^ {2}[\d:]+ {2}wd_\w+ {2}[A-Z]/.test(line));
  expect(changes).toEqual([
    `  09:00:00  ${id}  PROCESSING  (by hand)`,
    expect.stringMatching(/^ {2}09:00:00 {2}wd_\w+ {2}FAILED {2}.*\(by hand\)$/),
    `  09:00:01  ${planned}  PROCESSING  (scenario default)`,
  ]);
});

it("activity lines fit the terminal width", async () => {
  const { sandbox, client, lines } = await openFollowed();
  await sandbox.control("PUT /_sandbox/namespaces/shop-1", {});
  await sandbox.onWebhook(() => new Response("x".repeat(500), { status: 400 }));
  await client.quote({ amount: "x" });
  await client.pay();
  await client.in("shop-1").pay({ email: `${"a".repeat(60)}@shop.test` });
  await sandbox.advance("1s");
  const all = lines(90);
  for (const line of all) expect(line.length).toBeLessThanOrEqual(90);
  expect(all.at(-2)).toBe(`${" ".repeat(12)}400`);
  expect(all.at(-1)).toMatch(/^ {12}x{2,}… · next try in 5 s$/);
  expect(all).toContainEqual(expect.stringMatching(/^ {2}09:00:00 {2}shop-1 {2}POST .*ch_\w{4}… .*…$/));
});

it.each([
  [null, "connect ECONNREFUSED 127.0.0.1:9", null, "nothing listens"],
  [400, null, '{"error":"bad signature"}', "400 bad signature"],
] as const)(
  "an activity line shows at 80 columns that a webhook got %s",
  (status, error, response_body, outcome) => {
    vi.stubEnv("FORCE_COLOR", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const attempt: Activity = {
      kind: "attempt",
      namespace: "default",
      at: "2026-03-01T09:00:00.000Z",
      type: "charge.completed",
      id: "ch_063b00000000000000000000",
      delivery_id: "dlv_1",
      target: "http://localhost:9/hooks/that/have/a/very/long/path/for/a/terminal",
      status,
      error,
      response_body,
      next_attempt_at: "2026-03-01T09:00:05.000Z",
    };
    const [head, result] = activityLines(attempt, 80);
    expect(head).toMatch(/→ charge\.completed {2}ch_063b… {2}:9\/hooks\/.*…\S+terminal$/);
    expect(result).toBe(`            ${paint("red", outcome)}${paint("yellow", " · next try in 5 s")}`);
    expect(activityLines({ ...attempt, target: "http://localhost:9/hooks" }, 120)).toHaveLength(1);
  },
);

it("a reason longer than an activity line takes one or two lines below it", async () => {
  vi.stubEnv("FORCE_COLOR", "0");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { sandbox, client, lines } = await openFollowed();
  const why = "TypeError: Cannot read properties of undefined (reading 'order') of the shop";
  await sandbox.onWebhook(() => new Response(why, { status: 500 }));
  await client.quote({ amount: "x" });
  await client.pay();
  await sandbox.advance("1s");
  const all = lines(60);
  expect(all.slice(0, 2)).toEqual([
    "  09:00:00  POST /payments/quotes      400",
    "            pricing.amount must be a decimal string such as",
  ]);
  expect(all.slice(-2)).toEqual([
    "            500 TypeError: Cannot read properties of",
    "            undefined (reading 'order') o… · next try in 5 s",
  ]);
});

it("start prints one line for webhooks that fail alike at one receiver in one second", () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  const live = new ActivityPrinter();
  const queue = (target: string, next_attempt_at: string | null, second: number) =>
    live.queue(() => ({
      kind: "attempt",
      namespace: "default",
      at: `2026-03-01T09:00:0${second}.000Z`,
      type: "charge.completed",
      id: "ch_1",
      delivery_id: "dlv_1",
      target,
      status: 500,
      error: null,
      response_body: "boom",
      next_attempt_at,
    }));
  for (let count = 0; count < 12; count++) {
    queue("http://localhost:3000/fail", null, 0);
    if (count < 3) queue("http://localhost:3000/slow", "2026-03-01T09:00:05.000Z", 0);
    if (count < 2) queue("http://localhost:3000/fail", null, 1);
  }
  live.flush();
  expect(write.mock.calls.join("").split("\n")).toEqual([
    "  09:00:00  12 webhooks → :3000/fail  500 boom · given up",
    "  09:00:00  3 webhooks → :3000/slow  500 boom · next try in 5 s",
    "  09:00:01  → charge.completed  ch_1  :3000/fail  500 boom · given up",
    "  09:00:01  → charge.completed  ch_1  :3000/fail  500 boom · given up",
    "",
  ]);
});

it("start counts activity that is too fast to print", () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const live = new ActivityPrinter();
  const tell = vi.fn((): Activity => {
    const common = { namespace: "default", at: "2026-03-01T09:00:00.000Z" };
    return { ...common, kind: "transition", id: "ch_1", status: "COMPLETED", reason: null, by: null };
  });
  for (let count = 0; count < 1_500; count++) live.queue(tell);
  live.flush();
  const text = write.mock.calls.join("");
  write.mockRestore();
  expect(tell).toHaveBeenCalledTimes(60);
  expect(text).toMatch(
    /^( {2}09:00:00 {2}ch_1 {2}COMPLETED\n){60} +… and 1,440 more, too many to show; see npx payments-sandbox charges\n$/,
  );
});

it("the demo command prints a paid charge and its webhook", async () => {
  const { code, stdout, stderr } = await run(["demo"]);
  expect(stdout.replace(/\s+/g, " ")).toMatch(
    /^One charge: a customer pays .* which then ends; no app runs, no real money moves\. /,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/ → charge\.completed {2}ch_\S+ {2}this process {2}204\n/);
  expect(stdout).toMatch(/\n {2}webhook-signature: v1,\S+\n/);
  expect(stdout).toMatch(/\n✓ ch_\w+ is COMPLETED; 3 webhooks delivered\.\n/);
  const { charge, webhooks } = JSON.parse((await run(["demo", "--json"])).stdout);
  expect(webhooks.at(-1).body.data.charge_id).toBe(charge.charge_id);
});

it.skipIf(PYTHON_MISSING)("start handles the keys for pause, advance and quit on a terminal", async () => {
  const receiver = await Receiver.open();
  const flags = words`--clock manual --webhook-url ${receiver.url} --start-time 2026-03-01T09:00:00Z`;
  const env = { NO_COLOR: "", TERM: "xterm" };
  const command = new Command(words`start -p 0 ${flags}`, { columns: 100, env });
  await command.printed(/Keys:.*a.*\+10 s.*q.*quit/);
  const [, url] = await command.printed(/(http:\/\/127\.0\.0\.1:\d+)/);
  await Client.at(url!).pay();
  await command.printed(/POST \/payments\/whitelabel .*200.* {2}ch_/);
  expect(command.stdout).toContain(paint("green", "200", true));
  command.type("a");
  await command.printed(/advanced 10s to 09:00:10 UTC; \d+ steps ran/);
  await command.printed(/→ charge\.completed {2}ch_\S+ {2}:\d+\S* .*200/);
  command.type("p");
  await command.printed(/the clock runs/);
  command.type("p");
  await command.printed(/the clock is frozen/);
  command.type("\u001b[A?");
  await command.printed(/is frozen.*(\r\n.*)+Keys:/);
  command.type("q");
  const { code, stdout } = await command.ended;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\nStopped\.\r?\n$/)]);
  await receiver.close();
});
