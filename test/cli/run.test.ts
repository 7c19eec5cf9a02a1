import { expect, it } from "vitest";
import { PRESSES } from "../explore/support.js";
import { START } from "../support/api-client.js";
import { run } from "../support/process-command.js";
import { openShop } from "../support/receiver-client.js";
import { fileWith } from "../support/scenario-run.js";

it.each([
  ["failed", 1, "  - { request: GET /api/v1/payments/payins, expect: { status: 404 } }\n"],
  ["passed", 2, "  - advance: 1h\n"],
])(
  "run prints its report of what %s and exits with %d when the disk is full by then",
  async (outcome, expected, step) => {
    const file = fileWith(`name: x\nsteps:\n${step}`);
    const { code, stdout, stderr } = await run(["run", file, "--json", "--junit", "/dev/full"]);
    expect({ code, stderr }).toEqual({
      code: expected,
      stderr: "payments-sandbox: --junit /dev/full cannot be written: the disk is full\n",
    });
    expect(JSON.parse(stdout).outcome).toBe(outcome);
  },
);

it.each([
  ["run", []],
  ["explore", ["--app", "127.0.0.1:1"]],
])("%s without a sandbox explains how to start one", async (command, flags) => {
  const file = fileWith(command === "run" ? "name: x\nsteps: [{ advance: 1h }]\n" : PRESSES);
  const { code, stdout, stderr } = await run([command, file, ...flags, "--url", "http://127.0.0.1:1"]);
  expect(code).toBe(2);
  expect(stdout + stderr).toContain(
    "the sandbox cannot be reached: there is no sandbox at http://127.0.0.1:1; start one with: npx payments-sandbox start\n",
  );
});

it("a failed run prints its charges with their status, reason and events", async () => {
  const order = '{ pricing: { base_currency: USD, amount: "25.00" }, payment_method: card';
  const file = fileWith(`name: x
steps:
  - request: POST /api/v1/payments/quotes
    body: ${order} }
    save: { quote: body.quote_id }
  - request: POST /api/v1/payments/whitelabel
    body: ${order}, quote_id: "\${quote}", customer_email: declined@shop.test }
    save: { charge: body.charge_id }
  - advance: 10s
  - expect_webhook: { type: charge.completed, charge_id: "\${charge}" }
`);
  const { sandbox, client } = await openShop({ clock: "manual", startTime: START });
  await client.pay();
  const { url } = await sandbox.listen();
  for (const flags of [[], ["--url", url]]) {
    const { code, stdout } = await run(["run", file, ...flags]);
    expect(code).toBe(1);
    expect(stdout.match(/^ {2}○ ch_.*$/gm)).toEqual([
      expect.stringMatching(
        /^ {2}○ ch_\w{24} {2}FAILED, declined {2}USD 25\.85 {2}card {2}declined@shop\.test .* events: charge\.awaiting_payment, charge\.failed$/,
      ),
    ]);
  }
});
