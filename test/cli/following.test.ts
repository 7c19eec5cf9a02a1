import { beforeAll, beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { Command, type CommandOptions } from "../support/process-command.js";
import type { Client } from "../support/receiver-client.js";
import { accept, hold, REFUSING_URL, Receiver, refuseWith } from "../support/receiver-server.js";
import { commandLine, type Started, startServer } from "../support/started.js";

const THREE = ["charge.awaiting_payment", "charge.processing", "charge.completed"];

let server: Command;
let client: Client;
let options: CommandOptions;

let shared: Started;

beforeAll(async () => {
  shared = await startServer(["--clock", "manual"]);
});
beforeEach(async () => {
  use(shared);
  await client.reset({ keep: [] });
});

/** Sets the server for the following commands. */
function use({ url, ...started }: Started): void {
  ({ command: server, client } = started);
  options = { cwd: temporaryFolder(), env: { PAYMENTS_SANDBOX_URL: url } };
}

const { output } = commandLine(() => options);

const pullOnce = (url: string, ...more: string[]) =>
  output("webhook", "pull", "--forward-to", url, "--once", ...more);

it("`webhook pull --once` forwards signed deliveries in order and exits", async () => {
  const receiver = await Receiver.open();
  expect(await pullOnce(receiver.url)).toBe("");
  const charges = [await client.pay(), await client.pay()];
  await client.advance({ by: "10s" });
  await output("namespace", "add", "other");
  expect(await pullOnce(receiver.url, "--namespace", "other")).toBe("");
  const text = await pullOnce(receiver.url);
  const lines = text.trimEnd().split("\n");
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(line).toMatch(/^charge\.\w+ dlv_\w+ 200$/);
  for (const charge of charges) expect(receiver.about(charge).map(({ event }) => event.type)).toEqual(THREE);
  for (const received of receiver.received) received.verify();
  const { json: listed } = await client.ask("GET /_sandbox/deliveries?status=delivered");
  expect(listed.total).toBe(6);
});

it("`webhook pull` records the app's response and retries a failed delivery", async () => {
  const receiver = await Receiver.open(refuseWith(500));
  await pullOnce(receiver.url);
  await client.pay({ scenario: "instant" });
  expect(await pullOnce(receiver.url)).toMatch(/ 500\n$/);
  expect(await pullOnce(receiver.url)).toBe("");
  await client.advance({ by: "5s" });
  expect(await pullOnce(REFUSING_URL)).toMatch(/ connect ECONNREFUSED .+\n$/);
  await client.advance({ by: "5m" });
  receiver.handler = refuseWith(302, { location: "http://127.0.0.1:9/" });
  expect(await pullOnce(receiver.url)).toMatch(/ 302\n$/);
  await client.advance({ by: "30m" });
  receiver.handler = accept;
  expect(await pullOnce(receiver.url)).toMatch(/ 200\n$/);
  const { items } = (await client.ask("GET /_sandbox/deliveries")).json;
  expect(items[0].attempts).toMatchObject([
    { status: 500, response_body: "answer", error: null },
    { status: null, response_body: null, error: expect.stringContaining("ECONNREFUSED") },
    { status: 302 },
    { status: 200 },
  ]);
  // Redirects are not followed.
  expect(receiver.received).toHaveLength(3);
});

it("`webhook pull` reports a timeout when the app does not respond in time", async () => {
  use(await startServer(["--clock", "manual", "--webhook-timeout", "3s"]));
  const receiver = await Receiver.open(hold);
  await pullOnce(receiver.url);
  await client.pay({ scenario: "instant" });
  expect(await pullOnce(receiver.url)).toMatch(/ no answer within 2\.7 s( \(no longer waited for\))?\n$/);
  expect(receiver.received).toHaveLength(1);
  const { items } = (await client.ask("GET /_sandbox/deliveries")).json;
  expect(items[0]).toMatchObject({
    status: "pending",
    // On a busy machine the sandbox may time out first.
    attempts: [
      { status: null, error: expect.stringMatching(/^no(t acknowledged| answer) within (2\.7|3) s$/) },
    ],
    next_attempt_at: expect.any(String),
  });
});

it("`webhook pull` continues after a reset", async () => {
  const receiver = await Receiver.open();
  const pulling = new Command(["webhook", "pull", "--forward-to", receiver.url], options);
  await expect.poll(async () => (await client.get("/_sandbox/webhook-endpoints")).json.total).toBe(1);
  await client.pay();
  await client.advance({ by: "1s" });
  await receiver.arrived(1);
  // Resets while the app is still responding.
  receiver.handler = async (received) => {
    receiver.handler = accept;
    await client.reset();
    received.answer();
  };
  await client.advance({ by: "2s" });
  await pulling.printed(/charge\.processing dlv_\w+ 200 \(no longer waited for\)\n/);
  const charge = await client.pay();
  await client.advance({ by: "10s" });
  await receiver.arrived(5);
  expect(receiver.about(charge).map(({ event }) => event.type)).toEqual(THREE);
  expect(await pulling.stop("SIGINT")).toMatchObject({ code: 130, stderr: "" });
  expect((await client.ask("GET /_sandbox/webhook-endpoints")).json.items).toEqual([]);
});

it("the mailbox of a killed `webhook pull` is removed", async () => {
  const receivers = [await Receiver.open(), await Receiver.open()];
  const pulls = receivers.map(({ url }) => new Command(["webhook", "pull", "--forward-to", url], options));
  const endpoints = async () => (await client.get("/_sandbox/webhook-endpoints")).json.items;
  await expect.poll(async () => (await endpoints()).length, { timeout: 60_000 }).toBe(2);
  for (const one of await endpoints())
    expect(one).toMatchObject({ mailbox: expect.stringMatching(/^pull-\w+$/), lease_ms: 30_000 });
  expect(await output("webhook", "list")).toMatch(/^we_\w+ +mailbox pull-\w+ +test /m);
  await client.pay({ scenario: "instant" });
  for (const receiver of receivers) expect((await receiver.arrived(1)).event.type).toBe("charge.completed");
  const [{ webhook_id }] = await endpoints();
  await output("webhook", "delete", webhook_id.slice(0, 11));
  expect(await endpoints()).toHaveLength(1);
  for (const pull of pulls) await pull.stop("SIGKILL");
});

it("`events --follow` prints events as they happen", async () => {
  use(await startServer(["--clock", "manual"]));
  const following = new Command(["events", "--follow"], options);
  const asJson = new Command(["events", "-f", "--json"], options);
  const some = new Command(["events", "-f", "--type", "*.failed"], options);
  let charge = "";
  // `--follow` prints only new events, so new ones are triggered until all have printed.
  const trigger = async () => {
    charge = await client.pay();
    await client.ask("POST /_sandbox/events", { type: "charge.failed", charge_id: charge });
    await output("trigger", "webhook.test", "--set", "text=a\u2028b");
    return [following, asJson, some].map(({ stdout }) => stdout);
  };
  await expect.poll(trigger, { interval: 100 }).not.toContain("");
  await client.ask("POST /_sandbox/events", { type: "charge.refunded", charge_id: charge });
  await following.printed(new RegExp(`^\\S+Z  charge\\.refunded +${charge}$`, "m"));
  await asJson.printed(/"type":"charge.refunded"/);
  const events = asJson.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const event of events) expect(event).toMatchObject({ event_id: expect.stringMatching(/^evt_/) });
  expect(events).toContainEqual(expect.objectContaining({ data: { text: "a\u2028b" } }));
  expect(some.stdout).not.toContain("charge.refunded");
  await server.stop();
  for (const one of [following, asJson, some]) expect(await one.ended).toMatchObject({ code: 0, stderr: "" });
});

it("`requests --follow` prints each matching call with its response", async () => {
  use(await startServer());
  const all = new Command(["requests", "--follow"], options);
  const some = new Command(["requests", "-f", "--status", "4xx", "--operation", "get*"], options);
  const refuse = async () => {
    await client.ask("GET /api/v1/payments/charges/ch_x");
    await client.ask("POST /api/v1/payments/quotes", {});
    return [all, some].map(({ stdout }) => stdout);
  };
  await expect.poll(refuse, { interval: 100 }).not.toContain("");
  await client.pay();
  await all.printed(/^\S+Z {2}200 {2}POST \/api\/v1\/payments\/whitelabel$/m);
  expect(all.stdout).toMatch(
    /^\S+Z {2}404 {2}GET \/api\/v1\/payments\/charges\/ch_x {2}NOT_FOUND: Charge not found$/m,
  );
  expect(some.stdout).toMatch(/^(\S+Z {2}404 {2}GET .*\n)+$/);
  await server.stop();
});
