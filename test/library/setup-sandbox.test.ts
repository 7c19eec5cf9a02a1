import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { type SetupOptions, setupSandbox, type TestSandbox } from "../../src/testing/setup.js";
import { type Parts, receiver, serve } from "../doctor/receivers.js";
import { START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Client, openShop } from "../support/receiver-client.js";
import { failed, fileWith } from "../support/scenario-run.js";
import { freePort } from "../support/servers.js";

/** Returns the sandbox of a test file and its hooks. */
function setUp(options: SetupOptions) {
  const begins: (() => Promise<void>)[] = [];
  const ends: (() => Promise<void>)[] = [];
  const begin = (run: () => Promise<void>) => void begins.push(run);
  const end = (run: () => Promise<void>) => void ends.push(run);
  const hooks = { beforeAll: begin, beforeEach: begin, afterEach: end, afterAll: end };
  return { sandbox: setupSandbox({ hooks, ...options }), begins, ends };
}
/** Runs the hooks around one test. */
async function inTest(options: SetupOptions, test: (sandbox: TestSandbox) => Promise<void>) {
  const { sandbox, begins, ends } = setUp(options);
  const work = [...begins, () => test(sandbox)];
  const ended: PromiseSettledResult<void>[] = [];
  for (const run of work) {
    ended.push(...(await Promise.allSettled([run()])));
    if (ended.at(-1)!.status === "rejected") break;
  }
  for (const run of ends) ended.push(...(await Promise.allSettled([run()])));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}
/** URL of a shared server, or false. */
async function serverOf(kind: string): Promise<string | false> {
  return kind === "own" ? false : (await (await openShop()).sandbox.listen()).url;
}

it("setupSandbox() reports where it looked for a server", async () => {
  const server = `http://127.0.0.1:${await freePort()}`;
  await expect(inTest({ server }, async () => {})).rejects.toThrow(
    `setupSandbox: there is no sandbox at ${server}: start it, unset PAYMENTS_SANDBOX_URL, or pass { server: false }`,
  );
});

it("setupSandbox() restores a changed API key before each test", async () => {
  const { sandbox, begins, ends } = setUp({ server: false, listen: false });
  const [open, beginTest] = begins;
  await open!();
  const key = `/_sandbox/keys/${sandbox.apiKey}`;
  const statuses = [];
  for (const status of ["revoked", "active"]) {
    await beginTest!();
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    statuses.push((await sandbox.fetch("/api/v1/accounts/balances", { headers })).status);
    await sandbox.control("PATCH", key, { status });
  }
  for (const run of ends) await run();
  expect(statuses).toEqual([200, 200]);
});

it.each(["own", "shared"])("setupSandbox() supports restore() and control(): %s", async (kind) => {
  const server = await serverOf(kind);
  await inTest({ server, startTime: START }, async (sandbox) => {
    const { checkout_id } = await (
      await sandbox.fetch("/api/v1/payments/checkouts", {
        method: "POST",
        headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ pricing: { base_currency: "NGN", amount: "100.00" } }),
      })
    ).json();
    const snapshot = await sandbox.snapshot();
    await sandbox.advance("10m");
    await sandbox.reset();
    await sandbox.restore(snapshot);
    const { items } = await sandbox.control<{ items: { checkout_id: string }[] }>("GET", "/_sandbox/charges");
    expect(items.map((charge) => charge.checkout_id)).toEqual([checkout_id]);
    expect(await sandbox.control("GET /_sandbox/clock")).toMatchObject({ now: START });
    await expect(sandbox.reset({ keep: ["nope"] as never })).rejects.toThrow("; keep.0 must be one of");
    await expect(sandbox.control("/_sandbox/faults")).rejects.toThrow("control: needs a method and a path");
    await expect(sandbox.transition("ch_nobody", "FAILED")).rejects.toThrow(
      "Charge not found (NOT_FOUND): POST /_sandbox/charges/ch_nobody/transition",
    );
  });
});

it.each(["own", "shared"])(
  "a failed assertion in the webhook handler fails only its test: %s",
  async (kind) => {
    const server = await serverOf(kind);
    const statuses: unknown[] = [];
    const failing = (wait: (sandbox: TestSandbox) => Promise<unknown>) =>
      inTest({ server }, async (sandbox) => {
        await sandbox.onWebhook((request) => expect(request.url).toBe("http://localhost/elsewhere"));
        await sandbox.control("POST /_sandbox/events", { type: "webhook.test" });
        await wait(sandbox);
        const { items } = await sandbox.control<{ items: { attempts: { status: number }[] }[] }>(
          "GET /_sandbox/deliveries",
        );
        statuses.push(items[0]?.attempts[0]?.status);
      });
    const failure = expect.objectContaining({ name: "AssertionError", actual: "http://localhost/webhooks" });
    const idle = { for: "idle", timeout: "10s" };
    // Nothing waits for the sandbox, so the error is reported at the test's end.
    await expect(failing((sandbox) => sandbox.control("POST /_sandbox/wait", idle))).rejects.toThrow(failure);
    expect(statuses).toEqual([500]);
    await expect(failing((sandbox) => sandbox.settled())).rejects.toThrow(failure);
    await expect(failing((sandbox) => sandbox.advance("1s"))).rejects.toThrow(failure);
    // An error that the test has received is not reported again.
    await failing((sandbox) => sandbox.settled().catch(() => {}));
  },
);

it.each(["own", "shared"])("compares the app's books with the ledger after a test: %s", async (kind) => {
  const server = await serverOf(kind);
  const books = new Map<string, string>();
  const selling = (says: (status: string) => string) =>
    inTest(
      { server, reconcile: async () => [...books].map(([charge_id, status]) => ({ charge_id, status })) },
      async (sandbox) => {
        books.clear();
        await sandbox.onWebhook(async (request) => {
          const { data } = await request.json();
          books.set(data.charge_id, says(data.status));
        });
        await new Client((path, init) => sandbox.fetch(path, init), sandbox.apiKey).pay({
          key: sandbox.apiKey,
          scenario: "instant",
        });
        // Returns before the webhook arrives.
      },
    );
  await selling((status) => status);
  await expect(selling(() => "pending")).rejects.toThrow(
    /^the app's books and the ledger differ in 1 place \(1 row, 1 charge\)\n {2}row 1: paid_not_marked, ch_\w+, COMPLETED, 101\.50 NGN; the app says pending$/,
  );
});

it.each(["own", "shared"])(
  "setupSandbox() runs a file and an operation and checks a receiver in its own namespace: %s",
  async (kind) => {
    const server = await serverOf(kind);
    const webhookSecret = `whsec_${btoa("the secret of one test file")}`;
    const verifier = new Webhook(webhookSecret);
    const verify: Parts["verify"] = ({ body, headers }) =>
      void verifier.verify(body.toString(), headers as Record<string, string>);
    await using receiving = await serve(receiver({ verify }));
    await inTest({ server, webhookSecret }, async (sandbox) => {
      const file = fileWith(`name: one-payment
vars: { email: file@shop.test }
steps:
  - pay: { amount: "19.99", customer_email: "\${email}", until: COMPLETED }
`);
      const report = await sandbox.runFile(file, { vars: { email: "option@shop.test" } });
      expect(failed(report)).toBeUndefined();
      const { items } = await sandbox.run("listCharges");
      expect(items.map(({ customer_email }) => customer_email)).toEqual(["option@shop.test"]);
      expect((await sandbox.run("listPayins")).items).toHaveLength(1);
      expect(await sandbox.checkWebhook(receiving.url)).toMatchObject({ outcome: "passed", findings: [] });
    });
  },
);
