import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { eventually } from "../webhooks/support/shop.js";

const NONE = { calls: 0, longest_ms: 0, in_vain: 0 };

/** Opens an app that reads the list of payments. */
async function appOf(...failing: readonly string[]) {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const read = async () => (await fetch(`${url}/api/v1/payments/payins`, { headers })).status;
  for (const status of failing)
    await sandbox.control("POST", "/_sandbox/faults", {
      match: { operation: "listPayins" },
      respond: { status: Number(status) },
      times: 1,
      per: "request",
    });
  const advance = (body: object) =>
    sandbox.control<{ to: string; retry?: object }>("POST", "/_sandbox/clock/advance", { by: "1h", ...body });
  return { sandbox, read, advance };
}

it("an advance with `retry` waits until the app repeats a failed call", async () => {
  const { sandbox, read, advance } = await appOf("503", "429");
  expect([await read(), await read()]).toEqual([429, 503]);
  const clock = () => sandbox.control<{ now: string; advancing: boolean }>("GET", "/_sandbox/clock");
  const { now } = await clock();
  const advanced = advance({ retry: "1m" });
  await eventually(async () => (await clock()).advancing);
  expect((await clock()).now).toBe(now);
  expect(await read()).toBe(200);
  expect((await advanced).retry).toMatchObject({ calls: 2, in_vain: 0 });
});

it("an advance with `retry` waits at most for the limit", async () => {
  const { read, advance } = await appOf("503");
  expect(await read()).toBe(503);
  expect((await advance({ retry: "20ms" })).retry).toMatchObject({ calls: 0, in_vain: 1 });
  expect((await advance({ retry: "1h" })).retry).toEqual(NONE);
});

it("an advance with `retry` does not wait when no call has failed", async () => {
  const { read, advance } = await appOf("503");
  expect((await advance({ retry: "1h" })).retry).toEqual(NONE);
  expect([await read(), await read()]).toEqual([503, 200]);
  expect((await advance({ retry: "1h" })).retry).toMatchObject({ calls: 1, in_vain: 0 });
});

it("an advance with `retry` does not wait for an app that refused the webhook", async () => {
  const { sandbox, read, advance } = await appOf("503");
  const answers: number[] = [];
  sandbox.onWebhook(async () => {
    answers.push(await read());
    return new Response(null, { status: 400 });
  });
  await sandbox.control("POST", "/_sandbox/events", { type: "charge.completed" });
  expect((await advance({ by: "1s", retry: "1s" })).retry).toEqual(NONE);
  expect(answers).toEqual([503]);
});
