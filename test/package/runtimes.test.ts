import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Command, ROOT } from "../support/process-command.js";
import { Receiver } from "../support/receiver-server.js";

const { PAYMENTS_SANDBOX_DENO: DENO, PAYMENTS_SANDBOX_BUN: BUN } = process.env;

/** Words that start a file on each runtime. */
const RUNTIMES = [
  ["Deno (PAYMENTS_SANDBOX_DENO names its binary)", DENO === undefined ? undefined : [DENO, "run", "-A"]],
  ["Bun (PAYMENTS_SANDBOX_BUN names its binary)", BUN === undefined ? undefined : [BUN]],
] as const;

const FILES = [
  ["the command", "bin/payments-sandbox.js"],
  ["the single file", "dist/payments-sandbox.mjs"],
] as const;

/** Checkouts with an ASCII body, with a non-ASCII body, and with one that comes in several chunks. */
const CHECKOUTS = [
  { metadata: { order_id: "1042" } },
  { metadata: { customer: "Zoë 北" } },
  { metadata: {}, unknown: "x".repeat(400_000) },
];

describe.each(RUNTIMES)("%s", (_runtime, node) => {
  it.skipIf(node === undefined).each(FILES)(
    "%s accepts a POST and sends its webhook",
    async (_title, path) => {
      await using receiver = await Receiver.open();
      const args = ["start", "--json", "--port", "0", "--clock", "manual", "--webhook-url", receiver.url];
      const server = new Command(args, { node, file: join(ROOT, path) });
      const { url, api_key } = await server.ready();
      const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
      for (const fields of CHECKOUTS) {
        const body = JSON.stringify({ pricing: { base_currency: "KES", amount: "1105.10" }, ...fields });
        const made = await fetch(`${url}/api/v1/payments/checkouts`, { method: "POST", headers, body });
        expect([made.status, await made.json()]).toEqual([
          200,
          expect.objectContaining({ metadata: fields.metadata }),
        ]);
      }
      const sent = await fetch(`${url}/_sandbox/clock/advance`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ by: "2h" }),
      });
      expect(sent.status).toBe(200);
      await receiver.arrived(CHECKOUTS.length);
      for (const delivery of receiver.received)
        expect(delivery.verify()).toMatchObject({ type: "charge.expired" });
      expect(await server.stop()).toMatchObject({ code: 0, stderr: "" });
    },
  );
});
