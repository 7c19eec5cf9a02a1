import { beforeAll, describe, expect, it } from "vitest";
import { START } from "../support/api-client.js";
import type { Client } from "../support/receiver-client.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";
import { commandLine, startServer } from "../support/started.js";
import { words } from "../support/words.js";

let url: string;
let client: Client;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.open(refuseWith(500));
  const flags = ["--clock", "manual", "--start-time", START, "--webhook-url", receiver.url];
  ({ url, client } = await startServer(flags));
});

const { told, output, json } = commandLine(() => ({ env: { PAYMENTS_SANDBOX_URL: url } }));

describe("charge create", () => {
  it("creates a charge as an app does, and history prints it", async () => {
    const flags = words`--method mobile_money --currency KES --amount 500.00 --email bo@shop.test`;
    const made = await json(...words`charge create ${flags} --set metadata.order=17 --scenario declined`);
    expect(made).toMatchObject({
      payment_method: "mobile_money",
      customer_email: "bo@shop.test",
      metadata: { order: "17" },
      settlement_amount: "500.00",
      sandbox: { scenario: "declined" },
    });
    await output("clock", "advance", "10s");
    expect(await output("history", made.charge_id)).toMatch(
      new RegExp(
        `^${made.charge_id} {2}FAILED .*\n[^]* request +POST .*→ 200\n[^]*charge\\.failed to 127\\.0\\.0\\.1:\\d+/hooks → 500 `,
      ),
    );
    expect((await json("history", "last")).items[0].kind).toBe("request");
  });

  it("creates a hosted charge too", async () => {
    expect(await output("charge", "create", "--hosted")).toMatch(
      /\ncheckout url +http:\/\/\S+\/checkout\/co_\w+\n/,
    );
    expect((await told("charge", "create", "--method", "cash")).stderr).toContain(
      "--method must be one of bank_transfer",
    );
  });
});

describe("deliveries", () => {
  it("lists the receivers' responses, of all deliveries or those not taken", async () => {
    const table = await output("deliveries", "--failing", "--type", "charge.failed");
    expect(table).toMatch(
      /^created at +type +url +status +attempts +response +about +delivery id\n2026\S+ +charge\.failed +\S+ +✗ pending +\d +500 +ch_\w+ +dlv_\w+\n +500 answer · retry at [\d:]+\n$/,
    );
    const endpoint = (await json("webhook", "list")).items[0].webhook_id;
    expect(await json("webhook", "delete", endpoint)).toMatchObject({ webhook_id: endpoint, deleted: true });
    expect((await json("webhook", "list")).total).toBe(0);
    expect((await json("deliveries", "--limit", "1")).items).toHaveLength(1);
  });
});

describe("balances and payouts", () => {
  it("money is added to a balance, and shown", async () => {
    expect(await output("fund", "GHS", "50")).toMatch(/\navailable balance +50\.00\n/);
    expect(await output("balances")).toMatch(/\norg_sandbox +test +GHS +50\.00 +0\.00\n/);
    const refused = await told("fund", "XXX", "50");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("there is no currency XXX; known: USD, "),
    ]);
  });

  it("a payout is made, shown and moved", async () => {
    expect(await output("withdrawals")).toBe("none\n");
    expect((await told("withdrawal", "last")).stderr).toContain("no withdrawal matches last");
    const { withdrawal_id } = await client.withdraw({ currency: "GHS", amount: "50.00" });
    expect(await output("withdrawals", "--status", "PENDING")).toMatch(
      new RegExp(`● PENDING  GHS 50\\.00  GHS 0\\.00  - +${withdrawal_id}\n$`),
    );
    await output("withdrawal", "last", "process");
    const failed = await json("withdrawal", withdrawal_id, "fail", "--reason", "account_closed");
    expect(failed).toMatchObject({ status: "FAILED", failure_reason: "account_closed" });
    expect((await json("balances")).items[0].available_balance).toBe("50.00");
  });
});

describe("coverage", () => {
  it("lists what was met, and fails when a requirement was not", async () => {
    expect(await output("coverage")).toMatch(/^operations\n {2}met {6}.*createQuote 1/);
    await output("coverage", "--require", "FAILED, charge.failed");
    expect((await told("coverage", "--require", "FAILED,EXPIRED")).stderr).toBe(
      "payments-sandbox: not met: EXPIRED\n",
    );
    for (const [slip, meant] of [
      ["charge.fialed", "charge.failed"],
      ["duplicates", "duplicate"],
    ] as const)
      expect(await told("coverage", "--require", slip)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`did you mean ${meant}?`),
      });
  });
});

describe("commands that fail", () => {
  it("print JSON with --json, and a line on standard error", async () => {
    const missing = await told("charge", "nope", "--json");
    expect([missing.code, JSON.parse(missing.stdout).error.code]).toEqual([1, "NOT_FOUND"]);
    expect(missing.stderr).toMatch(
      /^payments-sandbox: no charge matches nope; give an id[^\n]+ \(NOT_FOUND\)\n$/,
    );
    const none = await told("charge", "email:nobody@shop.test", "--json");
    expect(JSON.parse(none.stdout)).toEqual({
      error: {
        code: "NOT_FOUND",
        message: "no charge matches email:nobody@shop.test (NOT_FOUND)",
        fix: expect.stringContaining("payments-sandbox charges"),
        doc: "docs/control-api.md",
      },
    });
    const unknown = await told("deliveries", "--limit", "many", "--json");
    expect(JSON.parse(unknown.stdout).error.details.limit).toContain("between 1 and 100");
  });

  it("fault remove deletes a fault, and fails for an unknown one", async () => {
    const { fault_id } = await json(
      "fault",
      "add",
      '{"match":{"operation":"createQuote"},"respond":{"status":503}}',
    );
    await output("fault", "remove", fault_id);
    expect((await json("fault", "list")).total).toBe(0);
    expect((await told("fault", "remove", fault_id)).stderr).toContain("Fault not found");
  });
});

it("a charge whose response is lost is reported in one line", async () => {
  const { stderr } = await told("charge", "create", "--scenario", "lost_response");
  expect(stderr).toBe(
    "payments-sandbox: POST /api/v1/payments/whitelabel: no response: the connection was dropped, perhaps by a fault\n",
  );
});
