import { expect, it } from "vitest";
import { run } from "../support/process-command.js";
import { fileWith, pays } from "../support/scenario-run.js";
import { type Started, startServer } from "../support/started.js";

/** A pattern that needs exponential time for the email. */
const PATTERN = "^(a+)+$";
const EMAIL = `${"a".repeat(50)}@shop.test`;
const MATCH = { customer_email: { matches: PATTERN } };

/** Fails before the test's timeout if the process does not respond. */
async function expectHealthy({ url, command }: Started): Promise<void> {
  const status = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) }).then(
    (response) => response.status,
    () => "no answer",
  );
  if (status !== 200) await command.stop("SIGKILL");
  expect(status).toBe(200);
}

const SCENARIO = `
name: pattern
charges:
  - match: { customer_email: { matches: "${PATTERN}" } }
    timeline: [{ after: 1s, to: FAILED, reason: matched }]
steps:${pays(EMAIL)}
  - expect_charge: { charge_id: "$\{charge}", customer_email: { not: { matches: "${PATTERN}" } } }
`;

const DOORS: readonly [string, (server: Started) => Promise<number>][] = [
  [
    "POST /_sandbox/wait",
    async ({ client }) => {
      await client.pay({ email: EMAIL });
      const body = { for: "charge", match: MATCH, timeout: "10ms" };
      return (await client.ask("POST /_sandbox/wait", body)).status;
    },
  ],
  [
    "POST /_sandbox/faults",
    async ({ client }) => {
      await client.ask("POST /_sandbox/faults", { match: MATCH, respond: { status: 503 } });
      await client.pay({ email: EMAIL });
      return 200;
    },
  ],
  [
    "a scenario's file",
    async ({ url }) => {
      const { code, stdout, stderr } = await run(["run", fileWith(SCENARIO), "--url", url]);
      expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
      return 200;
    },
  ],
];

it.each(DOORS)("a slow pattern from %s does not block the process", async (_door, call) => {
  const server = await startServer();
  let isPending = true;
  const called = call(server).finally(() => (isPending = false));
  called.catch(() => {});
  do await expectHealthy(server);
  while (isPending);
  expect([200, 408]).toContain(await called);
});
