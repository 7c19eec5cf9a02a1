import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { Command, type CommandOptions, run } from "../support/process-command.js";
import type { Client } from "../support/receiver-client.js";
import { accept, hold, REFUSING_URL, Receiver, refuseWith } from "../support/receiver-server.js";
import { commandLine, expectAligned, type Started, startServer } from "../support/started.js";

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

/** The following output is that server's. */
function use({ url, ...started }: Started): void {
  ({ command: server, client } = started);
  options = { cwd: temporaryFolder(), env: { PAYMENTS_SANDBOX_URL: url } };
}

const { output: said, json, refused } = commandLine(() => options);

describe("trigger", () => {
  it("makes an event for the newest charge, or with given data", async () => {
    const receiver = await Receiver.open();
    await said("webhook", "add", receiver.url);
    const charge = await client.pay();
    const text = await said("trigger", "charge.completed", "--charge", "last");
    expect(text).toMatch(/^event id +evt_\w+\ntype +charge\.completed\nat +\S+Z\ndeliveries +1\n$/);
    expect((await receiver.arrived(1)).event.data.charge_id).toBe(charge);

    expect(
      await json("trigger", "charge.completed", "--charge", "last", "--set", "amount=1.00", "a.b=true"),
    ).toMatchObject({ charge_id: charge, data: { charge_id: charge, amount: "1.00", a: { b: true } } });
    await receiver.arrived(2);
    const odd = await json("trigger", "webhook.test", "--set", "constructor.a=1", "c=3", "c.d=4");
    expect(JSON.stringify(odd.data)).toBe('{"constructor":{"a":"1"},"c":{"d":"4"}}');
    await receiver.arrived(3);

    const event = await json("trigger", "charge.failed", "--set", "order.id=17", "failure_reason=no funds");
    const last = await receiver.arrived(4);
    expect(last.event).toMatchObject({
      id: event.event_id,
      type: "charge.failed",
      data: { status: "FAILED", order: { id: "17" }, failure_reason: "no funds" },
    });
  });

  it("says so when no endpoint gets the event, and sends an unknown type with --force", async () => {
    const text = await said("trigger", "charge.completed", "--mode", "live");
    expect(text).toMatch(
      /\ndeliveries +0\nnot delivered: no live-mode endpoint takes charge\.completed; .+\n$/,
    );
    expect(await json("trigger", "charge.completed", "--mode", "live")).toMatchObject({ deliveries: 0 });
    const receiver = await Receiver.open();
    await said("webhook", "add", receiver.url);
    await said("trigger", "dispute.opened", "--force", "--set", "reason=fraud");
    expect((await receiver.arrived(1)).event).toMatchObject({
      type: "dispute.opened",
      data: { reason: "fraud" },
    });
  });

  it.each([
    ["charge.succeeded", "charge.completed"],
    ["charge.success", "charge.completed"],
    ["payment_intent.succeeded", "charge.completed"],
    ["payment_intent.payment_failed", "charge.failed"],
    ["payout.paid", "withdrawal.completed"],
    ["transfer.failed", "withdrawal.failed"],
  ])("suggests for %s the event of the same meaning", async (type, known) => {
    expect(await refused("trigger", type)).toContain(`; did you mean ${known}? Known: `);
  });

  it("refuses an unknown charge and an unknown type", async () => {
    expect(await refused("trigger", "charge.completed", "--charge", "last")).toContain(
      "no charge matches last",
    );
    expect(await refused("trigger", "charge.completed", "--charge", "ch_0")).toContain("NOT_FOUND");
    expect(await refused("trigger", "webhook.test", "--set", "nonsense")).toContain(
      '"nonsense" is not path=value',
    );
    expect(await refused("trigger", "Nonsense!")).toContain("type must be an event type");
    expect(await refused("trigger", "charge.complete")).toContain("did you mean charge.completed?");
  });
});

describe("webhook", () => {
  it("add and list: an endpoint with its events, mode and secret", async () => {
    expect(await said("webhook", "list")).toBe("none\n");
    const secret = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
    const added = await said(
      ...["webhook", "add", "localhost:3999/hooks", "--mode", "live", "--secret", secret],
      ...["--events", "charge.*", "withdrawal.*"],
    );
    expect(added).toMatch(
      /^webhook id +we_\w+\nurl +http:\/\/localhost:3999\/hooks\nmode +live\nsecret +whsec_/,
    );
    expect(added).toContain(secret);
    const { items } = await json("webhook", "list");
    expect(items).toMatchObject([
      { url: "http://localhost:3999/hooks", mode: "live", events: ["charge.*", "withdrawal.*"], secret },
    ]);
    const list = await said("webhook", "list");
    expect(list).toMatch(/^webhook id +url +mode +events +enabled\nwe_/);
    expectAligned(list);
    expect(await refused("webhook", "add")).toContain("missing argument: the URL");
    expect(await refused("webhook", "add", "ftp://example.com")).toContain("http or https");
    expect(await refused("webhook", "add", "http://169.254.169.254/")).toContain("metadata");
  });

  it("redeliver: the last delivery, one by its id, or one by its event's id", async () => {
    expect(await refused("webhook", "redeliver")).toContain("no delivery matches last: there is none yet");
    const receiver = await Receiver.open();
    await said("webhook", "add", receiver.url);
    await client.pay({ scenario: "instant" });
    await receiver.arrived(1);
    const { items } = await json("webhook", "redeliver", "last", "--times", "2");
    expect(items).toHaveLength(2);
    const { event_id } = items[0];
    expect(await said("webhook", "redeliver", items[0].delivery_id)).toContain(event_id);
    expect(await said("webhook", "redeliver", event_id)).toContain(event_id);
    await receiver.arrived(5);
    expect(new Set(receiver.received.map((one) => one.headers["webhook-id"]))).toEqual(new Set([event_id]));
    expect(await refused("webhook", "redeliver", "evt_x")).toContain("no delivery of event evt_x");
    expect(await refused("webhook", "redeliver", "dl_x")).toContain(
      "no delivery matches dl_x; give an id or the beginning of one, last or last-1 (NOT_FOUND)",
    );
    expect(await refused("webhook", "redeliver", "last", "--times", "many")).toContain("times must be");
  });

  it("retry: the last delivery's next attempt now; a delivered one is refused", async () => {
    const receiver = await Receiver.open(refuseWith(500));
    await said("webhook", "add", receiver.url);
    await client.pay({ scenario: "instant" });
    await receiver.arrived(1);
    await client.ask("POST /_sandbox/wait", { for: "delivery", match: { answered: 500 } });
    receiver.handler = accept;
    expect(await said("webhook", "retry")).toMatch(/^delivery id +dlv_/);
    await receiver.arrived(2);
    await client.ask("POST /_sandbox/wait", { for: "delivery", match: { status: "delivered" } });
    expect(await refused("webhook", "retry", "last")).toContain("has arrived");
  });

  it("lists what exists when asked for an unknown id", async () => {
    expect(await refused("webhook", "redelivr")).toContain("redeliver");
    expect(await refused("webhook", "frobnicate")).toContain("; use one of: list, add, ");
    const { code, stderr } = await run(["webhook"], options);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("argument 'verb'") });
  });
});

describe("webhook pull --forward-to", () => {
  const pullOnce = (url: string, ...more: string[]) =>
    said("webhook", "pull", "--forward-to", url, "--once", ...more);

  it("--once forwards waiting deliveries, signed, each charge in order, and ends", async () => {
    const receiver = await Receiver.open();
    expect(await pullOnce(receiver.url)).toBe("");
    const charges = [await client.pay(), await client.pay()];
    await client.advance({ by: "10s" });
    await said("namespace", "add", "other");
    expect(await pullOnce(receiver.url, "--namespace", "other")).toBe("");
    const text = await pullOnce(receiver.url);
    const lines = text.trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).toMatch(/^charge\.\w+ dlv_\w+ 200$/);
    for (const charge of charges)
      expect(receiver.about(charge).map(({ event }) => event.type)).toEqual(THREE);
    for (const received of receiver.received) received.verify();
    const { json: listed } = await client.ask("GET /_sandbox/deliveries?status=delivered");
    expect(listed.total).toBe(6);
  });

  it("uses the app's response as the delivery's: a failure is retried by the schedule", async () => {
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
    // The redirect was not followed.
    expect(receiver.received).toHaveLength(3);
  });

  it("waits for the app's response up to the sandbox's timeout, and reports a timeout", async () => {
    use(await startServer(["--clock", "manual", "--webhook-timeout", "3s"]));
    const receiver = await Receiver.open(hold);
    await pullOnce(receiver.url);
    await client.pay({ scenario: "instant" });
    expect(await pullOnce(receiver.url)).toMatch(/ no answer within 2\.7 s( \(no longer waited for\))?\n$/);
    expect(receiver.received).toHaveLength(1);
    const { items } = (await client.ask("GET /_sandbox/deliveries")).json;
    expect(items[0]).toMatchObject({
      status: "pending",
      // On a busy machine the sandbox may have given up first.
      attempts: [
        { status: null, error: expect.stringMatching(/^no(t acknowledged| answer) within (2\.7|3) s$/) },
      ],
      next_attempt_at: expect.any(String),
    });
  });

  it("continues until it is interrupted, over a reset too", async () => {
    const receiver = await Receiver.open();
    const pulling = new Command(["webhook", "pull", "--forward-to", receiver.url], options);
    const isThere = async () => (await client.ask("GET /_sandbox/webhook-endpoints")).json.items.length === 1;
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 50));
    await client.pay();
    await client.advance({ by: "1s" });
    await receiver.arrived(1);
    // The reset comes while the app still works on its response.
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

  it("has its own mailbox, which is removed after the pull is killed", async () => {
    const receivers = [await Receiver.open(), await Receiver.open()];
    const pulls = receivers.map(({ url }) => new Command(["webhook", "pull", "--forward-to", url], options));
    const endpoints = async () => (await client.get("/_sandbox/webhook-endpoints")).json.items;
    await expect.poll(async () => (await endpoints()).length, { timeout: 60_000 }).toBe(2);
    for (const one of await endpoints())
      expect(one).toMatchObject({ mailbox: expect.stringMatching(/^pull-\w+$/), lease_ms: 30_000 });
    expect(await said("webhook", "list")).toMatch(/^we_\w+ +mailbox pull-\w+ +test /m);
    await client.pay({ scenario: "instant" });
    for (const receiver of receivers) expect((await receiver.arrived(1)).event.type).toBe("charge.completed");
    const [{ webhook_id }] = await endpoints();
    await said("webhook", "delete", webhook_id);
    expect(await endpoints()).toHaveLength(1);
    for (const pull of pulls) await pull.stop("SIGKILL");
  });

  it("reports missing options", async () => {
    expect(await refused("webhook", "pull")).toContain("missing argument: --forward-to URL");
    for (const target of ["http://", "ftp://localhost/hooks", "http://169.254.169.254/"])
      expect(await refused("webhook", "pull", "--forward-to", target)).toContain(
        `--forward-to "${target}" must be an http or https URL`,
      );
    const gone = REFUSING_URL.replace("/hooks", "");
    expect(await refused("webhook", "pull", "--forward-to", "localhost:3000", "--url", gone)).toContain(
      "there is no sandbox",
    );
  });
});

describe("events", () => {
  it("lists them, newest first, by type", async () => {
    expect(await said("events")).toBe("none\n");
    const charge = await client.pay();
    await client.advance({ by: "10s" });
    const { items, total } = await json("events");
    expect(total).toBe(3);
    expect(items.map(({ type }: { type: string }) => type)).toEqual([...THREE].reverse());
    const lines = (await said("events", "--type", "*.completed", "--limit", "5")).trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(new RegExp(`^\\S+Z +charge\\.completed +evt_\\w+ +${charge}`));
  });

  it("--follow prints them as they come, and ends with the sandbox", async () => {
    use(await startServer(["--clock", "manual"]));
    const following = new Command(["events", "--follow"], options);
    const asJson = new Command(["events", "-f", "--json"], options);
    const some = new Command(["events", "-f", "--type", "*.failed"], options);
    let charge = "";
    // `--follow` prints only later events, so events are triggered until each process has printed one.
    while (following.stdout === "" || asJson.stdout === "" || some.stdout === "") {
      charge = await client.pay();
      await client.ask("POST /_sandbox/events", { type: "charge.failed", charge_id: charge });
      await said("trigger", "webhook.test", "--set", "text=a\u2028b");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
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
    for (const one of [following, asJson, some])
      expect(await one.ended).toMatchObject({ code: 0, stderr: "" });
  });
});

it("requests --follow prints each call with its response as it comes, and only those that are asked for", async () => {
  use(await startServer());
  const all = new Command(["requests", "--follow"], options);
  const some = new Command(["requests", "-f", "--status", "4xx", "--operation", "get*"], options);
  while (all.stdout === "" || some.stdout === "") {
    await client.ask("GET /api/v1/payments/charges/ch_x");
    await client.ask("POST /api/v1/payments/quotes", {});
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await client.pay();
  await all.printed(/^\S+Z {2}200 {2}POST \/api\/v1\/payments\/whitelabel$/m);
  expect(all.stdout).toMatch(
    /^\S+Z {2}404 {2}GET \/api\/v1\/payments\/charges\/ch_x {2}NOT_FOUND: Charge not found$/m,
  );
  expect(some.stdout).toMatch(/^(\S+Z {2}404 {2}GET .*\n)+$/);
  expect(await refused("requests", "--follow", "--operation", "getCharg")).toContain(
    "did you mean getCharge?",
  );
  await server.stop();
});
