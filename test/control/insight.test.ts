import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";

const open = async (options = {}) => {
  const sandbox = await openSandbox(options);
  return { sandbox, client: Client.of(sandbox) };
};

describe("GET /_sandbox/coverage", () => {
  it("tells what of operations, statuses, events and error codes the app has met, and what not", async () => {
    const { sandbox, client } = await open();
    const fresh = (await client.ask("GET /_sandbox/coverage")).json;
    expect(Object.keys(fresh)).toEqual(["operations", "statuses", "events", "error_codes"]);
    for (const part of Object.values(fresh)) expect(part).toMatchObject({ met: {} });
    const id = await client.pay();
    await client.pay({ email: "declined@shop.test" });
    await sandbox.advance("10s");
    await client.ask("GET /api/v1/payments/charges/ch_x");
    await client.ask(`POST /_sandbox/charges/${id}/transition`, { to: "EXPIRED" });
    const { operations, statuses, events, error_codes } = (await client.ask("GET /_sandbox/coverage")).json;
    expect(operations.met).toEqual({ createQuote: 2, createWhitelabel: 2, getCharge: 1 });
    expect(operations.not_met).toContain("getBalances");
    expect(Object.keys(statuses.met)).toEqual(expect.arrayContaining(["PENDING", "COMPLETED", "FAILED"]));
    expect(statuses.not_met).toEqual(expect.arrayContaining(["CANCELLED", "EXPIRED", "REFUNDED"]));
    expect(events.met).toMatchObject({ "charge.completed": 1, "charge.failed": 1 });
    expect(events.not_met).toContain("withdrawal.failed");
    expect(error_codes.met).toEqual({ NOT_FOUND: 1 });
    expect(error_codes.not_met).not.toContain("INVALID_TRANSITION");
  });
});

describe("the error codes of GET /_sandbox/coverage", () => {
  const met = async (client: Client) =>
    (await client.ask("GET /_sandbox/coverage")).json.error_codes.met as Record<string, number>;

  it("are counted by what the sandbox calls them, whatever names they are sent under", async () => {
    const { client } = await open({
      errorCodes: { VALIDATION_ERROR: "invalid_request", NOT_FOUND: 'not "there"', INTERNAL_ERROR: "oops" },
    });
    const bad = await client.ask("POST /api/v1/payments/quotes", {});
    expect(bad.json.error.code).toBe("invalid_request");
    await client.ask("GET /api/v1/payments/charges/ch_x");
    await client.ask("GET /api/v1/nothing");
    for (const respond of [
      { status: 500 },
      { status: 400, code: "invalid_request" },
      { status: 400, code: "own" },
    ]) {
      await client.ask("POST /_sandbox/faults", {
        match: { operation: "getBalances" },
        respond,
        times: 1,
      });
      await client.ask("GET /api/v1/accounts/balances");
    }
    expect(await met(client)).toEqual({ VALIDATION_ERROR: 2, NOT_FOUND: 2, INTERNAL_ERROR: 1 });
  });

  it("are counted where the journal keeps no requests", async () => {
    const { client } = await open({ retention: { requests: 0 } });
    await client.ask("GET /api/v1/payments/charges/ch_x");
    expect(await met(client)).toEqual({ NOT_FOUND: 1 });
  });
});

describe("GET /_sandbox/advice", () => {
  const told = async (client: Client) =>
    (await client.ask("GET /_sandbox/advice")).json.items as {
      why: string;
      times: number;
      example: string;
    }[];

  it("has nothing to say of an app that does well", async () => {
    await using receiver = await Receiver.open();
    const { sandbox, client } = await open({ webhooks: [receiver.url] });
    const id = await client.pay();
    for (const pause of ["1s", "2s", "4s", "8s", "16s", "32s", "64s"]) {
      await client.ask(`GET /api/v1/payments/charges/${id}`);
      await sandbox.advance(pause);
    }
    await client.ask("GET /api/v1/accounts/balances");
    await sandbox.advance("10s");
    await client.ask("GET /api/v1/accounts/balances");
    expect(await told(client)).toEqual([]);
  });

  it("tells of balances read more often than every ten seconds", async () => {
    const { sandbox, client } = await open();
    for (let n = 0; n < 3; n++) {
      await client.ask("GET /api/v1/accounts/balances");
      await sandbox.advance("9999ms");
    }
    expect(await told(client)).toMatchObject([{ why: "balances were read again too soon", times: 2 }]);
  });

  it("does not take a restore, which puts time back, for haste", async () => {
    const { sandbox, client } = await open();
    await client.ask("POST /_sandbox/snapshots", { name: "before" });
    await sandbox.advance("1m");
    await client.ask("GET /api/v1/accounts/balances");
    await client.ask("POST /_sandbox/snapshots/before/restore");
    await client.ask("GET /api/v1/accounts/balances");
    expect(await told(client)).toEqual([]);
  });

  it("looks at each account by itself: both modes and another organization, each read once, are no polling", async () => {
    const { sandbox, client } = await open();
    const read = (key: string) =>
      client.ask("GET /api/v1/accounts/balances", undefined, { authorization: `Bearer ${key}` });
    const { apiKey, liveApiKey } = sandbox;
    for (const key of [apiKey, liveApiKey, "sk_test_other", "sk_test_nobody", "sk_test_nobody"])
      await read(key);
    expect(await told(client)).toEqual([]);
    // Another key of the same organization reads the same balances.
    await read("sk_test_readonly");
    await read(liveApiKey);
    expect(await told(client)).toMatchObject([{ why: "balances were read again too soon", times: 2 }]);
  });

  it("tells of a steady pace though a long pause follows it", async () => {
    const { sandbox, client } = await open();
    const id = await client.pay({ scenario: "stuck" });
    for (let n = 0; n < 30; n++) {
      await client.ask(`GET /api/v1/payments/charges/${id}`);
      await sandbox.advance("1s");
    }
    await sandbox.advance("20m");
    await client.ask(`GET /api/v1/payments/charges/${id}`);
    expect(await told(client)).toMatchObject([
      { why: "a charge was polled at the same pace", example: `31 reads of ${id}` },
      { why: "a charge was polled for longer" },
    ]);
  });

  it("tells of a charge polled without backoff", async () => {
    const { sandbox, client } = await open();
    const id = await client.pay();
    for (let n = 0; n < 6; n++) {
      await client.ask(`GET /api/v1/payments/charges/${id}`);
      await sandbox.advance("2s");
    }
    expect(await told(client)).toMatchObject([
      { why: "a charge was polled at the same pace", times: 1, example: `6 reads of ${id}` },
    ]);
  });

  it("tells of a charge polled past fifteen minutes", async () => {
    const { sandbox, client } = await open();
    const id = await client.pay({ scenario: "stuck" });
    await sandbox.advance("15m");
    await client.ask(`GET /api/v1/payments/charges/${id}`);
    expect(await told(client)).toEqual([]);
    await sandbox.advance("1s");
    await client.ask(`GET /api/v1/payments/charges/${id}`);
    expect(await told(client)).toMatchObject([{ why: "a charge was polled for longer", times: 1 }]);
  });

  it("tells of webhooks answered with a redirect", async () => {
    await using receiver = await Receiver.open(refuseWith(302, { location: "http://localhost:9/" }));
    const { sandbox, client } = await open({ webhooks: [receiver.url] });
    await client.ask("POST /_sandbox/events", { type: "webhook.test" });
    await sandbox.advance("1s");
    expect(await told(client)).toMatchObject([{ why: "webhooks were answered with a redirect", times: 1 }]);
  });

  it("tells of webhooks answered late", async () => {
    await using receiver = await Receiver.open((received) => setTimeout(() => received.answer(), 5_100));
    const { sandbox, client } = await open({ webhooks: [receiver.url] });
    await client.ask("POST /_sandbox/events", { type: "webhook.test" });
    await sandbox.settled();
    expect(await told(client)).toMatchObject([{ why: "webhooks were answered late", times: 1 }]);
  });
});
