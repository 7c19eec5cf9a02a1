import { join } from "node:path";
import { expect, it } from "vitest";
import { createSandbox, type WebhookReport } from "../../src/library/index.js";
import { closedAtEnd } from "../support/lifetime.js";
import { isHere, startProgram } from "../support/programs.js";
import { installSet } from "../support/test-packages.js";

/** Commands that start the receivers; each prints its port. */
const GOOD: Readonly<Record<string, readonly [command: string, file: string, ...args: string[]]>> = {
  "Node, by hand, working after its response": [process.execPath, "node-http.mjs"],
  "Node, express and the official library": [process.execPath, "node-express.mjs"],
  "Node, Hono and svix": [process.execPath, "node-hono.mjs"],
  "Python, HTTP 1.0, one by one": ["python3", "python.py"],
  "Python, HTTP 1.1, in threads": ["python3", "python.py", "threads"],
  "Perl, a socket": ["perl", "receiver.pl"],
};

/** Ignores "slow", which depends on the machine. */
function accusations({ findings }: WebhookReport): string[] {
  return findings.map(({ fault }) => fault).filter((fault) => fault !== "slow");
}

for (const [name, [command, file, ...args]] of Object.entries(GOOD)) {
  const isThere = isHere(command);
  const why = isThere ? "" : ` (${command} is not on this machine)`;
  it.skipIf(!isThere)(`the receiver ${name} passes without a fault${why}`, async () => {
    const sandbox = closedAtEnd(await createSandbox({ rateLimit: "off" }));
    const { url } = await sandbox.listen({ port: 0 });
    const { port } = await startProgram(command, [join(import.meta.dirname, "good", file), ...args], {
      WEBHOOK_LIBRARIES: await installSet("webhook-libraries"),
      PAYMENTS_SANDBOX_URL: url,
      PAYMENTS_API_KEY: sandbox.apiKey,
      PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    });
    expect(accusations(await sandbox.checkWebhook(`localhost:${port}/webhooks`))).toEqual([]);
  });
}
