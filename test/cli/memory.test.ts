import { expect, it } from "vitest";
import type { Answer } from "../support/caller.js";
import { startServer } from "../support/started.js";

/**
 * What is new moves to the old space up to 16 MB at a time: a heap of 64 MB was full at one blow now and then, before
 * anybody could be told.
 */
const HEAP_MB = 160;
/** What fills a good part of it at once; charges do the rest. */
const BALLAST = Array.from({ length: 220 }, () => "x".repeat(200_000));
/** So much of each charge's own, that memory is short soon. */
const METADATA = Object.fromEntries(Array.from({ length: 20 }, (_, key) => [`key${key}`, "x".repeat(500)]));
/** More than fit in by far. */
const MOST_CHARGES = 20_000;

it("refuses changes with 503 before the heap is full; reads, resets and deletes go on", async () => {
  const { client, command, ready } = await startServer(["--clock", "manual"], {
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
  });
  expect((await client.ask("POST /_sandbox/namespaces", { name: "other" })).status).toBe(200);
  const other = client.in("other");
  const first = await client.pay();
  const quote = (await client.quote()).json.quote_id;
  for (const text of BALLAST)
    expect((await client.ask("POST /_sandbox/events", { type: "webhook.test", data: { text } })).status).toBe(
      200,
    );
  const answers: Answer<unknown>[] = [];
  const flood = async () => {
    while (answers.length < MOST_CHARGES && answers.at(-1)?.status !== 503)
      answers.push(await client.checkout(quote, { metadata: METADATA }));
  };
  await Promise.all(Array.from({ length: 10 }, flood));

  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(200);
  const answer = answers.at(-1)!;
  expect(answer.status).toBe(503);
  expect(answer.json.error).toEqual({
    code: "INTERNAL_ERROR",
    message: expect.stringContaining("--max-old-space-size"),
  });
  expect(command.stderr).toMatch(/^payments-sandbox: memory is short: \d+ of the 160 MB .*reset.*\n$/i);

  // What reads goes on, whatever it costs, and what would make more is refused.
  expect((await client.charge(first)).status).toBe(200);
  for (let page = 0; page < 20; page++)
    expect((await client.get("/api/v1/payments/payins?limit=100")).status).toBe(200);
  expect((await client.get("/_sandbox/state")).status).toBe(200);
  for (const [line, body] of [
    ["POST /_sandbox/clock/advance", { by: "1h" }],
    ["POST /_sandbox/namespaces", { name: "third" }],
  ] as const)
    expect((await client.ask(line, body)).status, line).toBe(503);

  expect((await client.ask("DELETE /_sandbox/namespaces/other")).status).toBe(200);
  expect((await other.get("/_sandbox/status")).status).toBe(404);
  expect((await client.checkout(quote)).status).toBe(503);
  expect((await client.ask("POST /_sandbox/reset")).status).toBe(200);
  await client.pay();
  process.kill(ready.pid, "SIGTERM");
  expect((await command.ended).code).toBe(0);
});
