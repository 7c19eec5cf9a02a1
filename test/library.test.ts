import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox, SandboxError, type SandboxOptions, UserError } from "../src/index.js";
import { isListening } from "./support/process-command.js";
import { Client } from "./support/receiver-client.js";
import { Receiver } from "./support/receiver-server.js";

const START = "2026-03-01T09:00:00.000Z";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function sandboxWith(options: SandboxOptions = {}): Promise<{ sandbox: Sandbox; client: Client }> {
  const sandbox = await createSandbox({ clock: "manual", startTime: START, ...options });
  open.push(sandbox);
  return { sandbox, client: Client.of(sandbox) };
}

describe("createSandbox()", () => {
  it("gives the documented keys, the documented secret and a fixed seed", async () => {
    const { sandbox } = await sandboxWith();
    expect(sandbox.apiKey).toBe("sk_test_sandbox");
    expect(sandbox.liveApiKey).toBe("sk_live_sandbox");
    expect(sandbox.webhookSecret).toBe("whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=");
    expect(sandbox.seed).toBe("payments-sandbox");
  });

  it("goes with wall time unless told otherwise", async () => {
    const before = Date.now();
    const { client } = await sandboxWith({ clock: undefined, startTime: undefined } as SandboxOptions);
    const { mode, now } = (await client.clock()).json;
    expect(mode).toBe("real");
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(now)).toBeLessThanOrEqual(Date.now());
  });

  it("gives the same bytes for the same seed, and others for another", async () => {
    const texts = [];
    for (const seed of ["one", "one", "two"]) {
      const { client } = await sandboxWith({ seed });
      texts.push((await client.charge(await client.pay())).text);
    }
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it("takes webhooks as texts and as records, with a secret of their own or a common one", async () => {
    const [one, two] = [await Receiver.open(), await Receiver.open()];
    open.push(one, two);
    const secret = (byte: number) => `whsec_${Buffer.alloc(24, byte).toString("base64")}`;
    const { sandbox, client } = await sandboxWith({
      webhooks: [
        one.url.replace("http://", ""),
        { url: two.url, events: ["*.completed"], secret: secret(2) },
      ],
      webhookSecret: secret(1),
    });
    expect(sandbox.webhookSecret).toBe(secret(1));
    await client.pay();
    await sandbox.advance("10s");
    expect(one.received).toHaveLength(3);
    one.received[0]!.verify(secret(1));
    expect(two.types).toEqual(["charge.completed"]);
    two.received[0]!.verify(secret(2));
  });

  it("takes one scenario or several, the last asked first", async () => {
    for (const [scenario, expected] of [
      ["declined", "FAILED"],
      [["declined", "instant"], "COMPLETED"],
    ] as const) {
      const { sandbox, client } = await sandboxWith({ scenario: scenario as string | string[] });
      const charge = await client.pay();
      await sandbox.advance("10s");
      expect((await client.charge(charge)).json.status).toBe(expected);
    }
  });

  it("has no rate limit unless asked for one", async () => {
    const [free, limited] = [await sandboxWith(), await sandboxWith({ rateLimit: 2 })];
    for (let count = 0; count < 150; count++)
      expect((await free.client.call("GET", "/api/v1/payments/payins")).status).toBe(200);
    const statuses = [];
    for (let count = 0; count < 3; count++)
      statuses.push((await limited.client.call("GET", "/api/v1/payments/payins")).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("leaves the process's own Request and Response alone", async () => {
    const before = [globalThis.Request, globalThis.Response];
    const { sandbox } = await sandboxWith();
    const { url } = await sandbox.listen();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it.each([
    [{ clock: "fast" }, "clock must be real, manual or a speed"],
    [{ startTime: "yesterday" }, "startTime must be an ISO 8601 instant"],
    [{ seed: "" }, "seed must not be empty"],
    [{ seed: 7 }, "seed must be a string"],
    [{ webhookSecret: "secret" }, "webhookSecret must be whsec_"],
    [{ webhookTimeout: "15" }, "webhookTimeout must be a duration"],
    [{ webhooks: ["ftp://shop.test"] }, "webhooks.0.url must be an http or https URL"],
    [{ webhooks: [{ url: "shop.test", mode: "both" }] }, "webhooks.0.mode must be one of test, live"],
    [{ port: 70_000 }, "port must be a port number"],
    [{ rateLimit: "some" }, "rateLimit must be"],
    [{ publicUrl: "shop" }, "publicUrl must be"],
    [{ allowedHosts: [""] }, "allowedHosts.0 must not be empty"],
    [{ webhookSecrt: "x" }, "there is no option webhookSecrt; did you mean webhookSecret?"],
    [{ scenario: "declind" }, 'there is no scenario "declind"; did you mean declined?'],
    [{ fixtures: "/nowhere/fixtures.yaml" }, "/nowhere/fixtures.yaml:1:1 there is no such file"],
  ])("refuses %j", async (options, expected) => {
    const refusal = await createSandbox(options as SandboxOptions).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UserError);
    expect((refusal as UserError).message).toContain(expected);
  });
});

describe("fetch()", () => {
  it("answers without a port, at any address", async () => {
    const { sandbox } = await sandboxWith();
    for (const origin of ["http://sandbox", "https://pay.example:8443"]) {
      const response = await sandbox.fetch(new Request(`${origin}/api/v1/payments/supported-currencies`));
      expect(response.status).toBe(200);
      expect(response.headers.get("sandbox-now")).toBe(START);
      expect((await response.json()).crypto).toEqual(["BTC", "ETH", "USDT_ERC20", "USDT_TRC20"]);
    }
  });
});

describe("listen()", () => {
  it("opens a free port and says where", async () => {
    const { sandbox } = await sandboxWith();
    expect(() => sandbox.url).toThrow("does not listen yet");
    expect(sandbox.port).toBeUndefined();
    const { url, port } = await sandbox.listen();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect([sandbox.url, sandbox.port]).toEqual([url, port]);
    const charge = await Client.at(url).pay();
    // One world behind both doors.
    expect((await Client.of(sandbox).charge(charge)).text).toBe((await Client.at(url).charge(charge)).text);
    await expect(sandbox.listen()).rejects.toThrow("listens already");
  });

  it("opens the port and host asked for, and names the host in the URL", async () => {
    const first = await sandboxWith();
    const { port, url } = await first.sandbox.listen({ port: 0, host: "localhost" });
    expect(url).toBe(`http://localhost:${port}`);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await first.sandbox.close();
    const second = await sandboxWith({ port, host: "localhost" });
    expect((await second.sandbox.listen()).url).toBe(url);
  });

  it("throws a UserError where the port is taken, and may be tried again", async () => {
    const [one, two] = [await sandboxWith(), await sandboxWith()];
    const { port } = await one.sandbox.listen();
    await expect(two.sandbox.listen({ port })).rejects.toThrow(UserError);
    await expect(two.sandbox.listen({ port })).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`);
    expect((await two.sandbox.listen()).port).not.toBe(port);
  });
});

describe("advance()", () => {
  it("moves time by a duration, to an instant, to what is next, until nothing is planned", async () => {
    const { sandbox, client } = await sandboxWith();
    const charge = await client.pay();
    const fired = (seconds: number) => ({ at: new Date(Date.parse(START) + seconds * 1000).toISOString() });
    expect(await sandbox.advance("1s")).toEqual({
      from: START,
      to: "2026-03-01T09:00:01.000Z",
      fired: [{ ...fired(1), task: "timeline", ref: charge }],
      fired_total: 1,
    });
    expect((await sandbox.advance("next")).to).toBe("2026-03-01T09:00:03.000Z");
    expect((await sandbox.advance("idle")).to).toBe("2026-03-01T09:00:05.000Z");
    expect((await sandbox.advance(new Date("2026-03-01T10:00:00Z"))).to).toBe("2026-03-01T10:00:00.000Z");
    expect((await sandbox.advance("2026-03-01T12:30:00+02:00")).to).toBe("2026-03-01T10:30:00.000Z");
    expect((await sandbox.advance("1h30m")).to).toBe("2026-03-01T12:00:00.000Z");
    expect(await sandbox.advance("0s")).toMatchObject({ fired: [], fired_total: 0 });
  });

  it("refuses nonsense and the past with a UserError", async () => {
    const { sandbox } = await sandboxWith();
    for (const target of ["soon", "", "-1s", "2026-03-01T08:59:59.999Z", new Date(0)])
      await expect(sandbox.advance(target)).rejects.toThrow(UserError);
  });

  it("throws CLOCK_BUSY while another is under way", async () => {
    const receiver = await Receiver.open(() => {});
    open.push(receiver);
    const { sandbox, client } = await sandboxWith({ webhooks: [receiver.url] });
    await client.pay();
    const advancing = sandbox.advance("1s");
    await receiver.arrived(1);
    const busy = await sandbox.advance("1s").catch((error: unknown) => error);
    expect(busy).toBeInstanceOf(SandboxError);
    expect((busy as SandboxError).code).toBe("CLOCK_BUSY");
    receiver.received[0]!.answer();
    await advancing;
  });
});

describe("transition()", () => {
  it("moves a charge, answers it as a read does, and calls off the rest of its timeline", async () => {
    const { sandbox, client } = await sandboxWith();
    const charge = await client.pay();
    const moved = sandbox.transition(charge, "FAILED", "card_stolen");
    expect(moved).toMatchObject({ charge_id: charge, status: "FAILED", failure_reason: "card_stolen" });
    expect(moved).toEqual((await client.charge(charge)).json);
    await sandbox.advance("1d");
    expect((await client.charge(charge)).json.status).toBe("FAILED");
  });

  it("throws a SandboxError where it may not be", async () => {
    const { sandbox, client } = await sandboxWith();
    const charge = await client.pay();
    sandbox.transition(charge, "CANCELLED");
    expect(() => sandbox.transition(charge, "COMPLETED")).toThrow(
      expect.objectContaining({ name: "SandboxError", code: "INVALID_TRANSITION" }),
    );
    expect(() => sandbox.transition("ch_nobody", "COMPLETED")).toThrow(
      expect.objectContaining({ code: "NOT_FOUND" }),
    );
  });
});

describe("reset() and snapshot()", () => {
  it("reset empties the world and turns a manual clock back", async () => {
    const { sandbox, client } = await sandboxWith();
    const charge = await client.pay();
    await sandbox.advance("1h");
    sandbox.reset();
    expect((await client.charge(charge)).status).toBe(404);
    expect((await client.clock()).json.now).toBe(START);
    expect(await client.pay()).not.toBe(charge);
    sandbox.reset({ ids: "repeat" });
    expect(await client.pay()).toBe(charge);
  });

  it("snapshot is the whole state as plain JSON, and later changes leave it alone", async () => {
    const { sandbox, client } = await sandboxWith();
    const charge = await client.pay();
    const snapshot = sandbox.snapshot();
    const text = JSON.stringify(snapshot);
    expect(JSON.parse(text)).toEqual(snapshot);
    expect(snapshot.collections.charges.map(([id]) => id)).toEqual([charge]);
    await sandbox.advance("1d");
    expect(JSON.stringify(snapshot)).toBe(text);
    expect(JSON.stringify(sandbox.snapshot())).not.toBe(text);
  });
});

describe("close()", () => {
  it("leaves no port, no timer and no delivery behind, and may be called twice", async () => {
    const receiver = await Receiver.open(() => {});
    open.push(receiver);
    const { sandbox, client } = await sandboxWith({ webhooks: [receiver.url] });
    const { port } = await sandbox.listen();
    await client.pay({ scenario: "instant" });
    const held = await receiver.arrived(1);
    const cut = new Promise((resolve) => held.response.once("close", resolve));
    await sandbox.close();
    await sandbox.close();
    await cut;
    expect(await isListening(port)).toBe(false);
  });

  it("is what `await using` does at the end of a block", async () => {
    let port: number;
    {
      await using sandbox = await createSandbox();
      ({ port } = await sandbox.listen());
      expect(await isListening(port)).toBe(true);
    }
    expect(await isListening(port)).toBe(false);
  });

  it("gives a data file back, also when the options contradict what is in it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "library-"));
    const data = join(folder, "data.json");
    let charge: string;
    {
      await using sandbox = await createSandbox({ data, seed: "one", clock: "manual" });
      charge = await Client.of(sandbox).pay();
      await expect(createSandbox({ data })).rejects.toThrow("is in use");
    }
    for (let count = 0; count < 2; count++)
      await expect(createSandbox({ data, seed: "two" })).rejects.toThrow("--seed two contradicts the data");
    await expect(createSandbox({ data, startTime: START })).rejects.toThrow("--start-time contradicts");
    expect(existsSync(`${data}.lock`)).toBe(false);
    {
      await using sandbox = await createSandbox({ data });
      expect((await Client.of(sandbox).charge(charge)).status).toBe(200);
      expect(sandbox.seed).toBe("one");
    }
    rmSync(folder, { recursive: true });
  });
});
